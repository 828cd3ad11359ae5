//! What any learner must beat: the most frequent class, the mean.
