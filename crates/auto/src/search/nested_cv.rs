//! Nested cross-validation of a search.

use super::*;

/// One round of a nested cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedCvRound {
    /// The parameters chosen by the search within the training rows.
    pub params: Map<String, Value>,
    /// The score of these parameters on rows that took no part in the choice.
    pub score: FoldScore,
}

/// Nested cross-validation: the performance of a search on rows that took no part in it. In each outer round the search
/// runs within the training rows, in rounds that `inner` makes of them; its best setting is fitted to them and
/// evaluated on the test rows. The budget is that of each search.
pub fn nested(
    search: &ParameterSearch<'_>,
    data: &DatasetRef<'_>,
    outer: &CvSplits,
    inner: &(dyn Fn(&DatasetRef<'_>) -> Result<CvSplits> + Sync),
    cx: &Context<'_>,
    on_round: &dyn Fn(usize, &NestedCvRound),
) -> Result<Vec<NestedCvRound>> {
    let mut out = Vec::with_capacity(outer.len());
    for k in 0..outer.len() {
        let (train, test) = outer.round(k);
        let (train, test) = (data.take_rows(&train), data.take_rows(&test));
        let rounds = inner(&train.view())?;
        let within = ParameterSearch { rounds: &rounds, ..*search };
        let result = within.run(&train.view(), Vec::new(), cx, &|_| {})?;
        let mut learner = search.learner.boxed();
        learner.set_all(&result.best().params)?;
        let (score, _) = validate_once(&*(search.wrap)(learner), &train.view(), &test.view(), cx)?;
        let round = NestedCvRound { params: result.best().params.clone(), score };
        on_round(k, &round);
        out.push(round);
    }
    Ok(out)
}
