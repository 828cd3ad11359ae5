//! Double-double arithmetic: about 32 digits from pairs of doubles.
