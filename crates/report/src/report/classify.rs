//! Report on a classifier: metrics, confusion matrix, curves, calibration, decisions.

use ermine_core::{Mat, Result, argmax_rows};
use ermine_eval::metrics::{self, Confusion};

use super::ReportOptions;
use super::curves;
use crate::document::{
    DocBlock, DocSection, DocTable, ExplorerClass, Figure, MetricTile, TableCell, TableHead, ThresholdExplorer,
};
use crate::format;

/// Most classes with curves and decisions; of more the most frequent.
const CURVES: usize = 8;
/// Most classes for a complete confusion matrix.
const PAIRS: usize = 12;
/// Steps of the threshold: for two classes, and for each of several.
const STEPS: usize = 1000;
const STEPS_OF_MANY: usize = 200;

/// Rows with their classes and predictions.
pub(super) struct ClassifierOutput<'a> {
    pub codes: &'a [u32],
    pub names: &'a [String],
    pub proba: &'a Mat<f64>,
    pub weight: Option<&'a [f64]>,
}

impl ClassifierOutput<'_> {
    fn confusion(&self) -> Confusion {
        metrics::confusion(self.codes, &argmax_rows(self.proba.view()), self.names.len(), self.weight)
    }

    fn totals(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.names.len()];
        self.codes.iter().enumerate().for_each(|(i, &c)| out[c as usize] += self.weight.map_or(1.0, |w| w[i]));
        out
    }

    /// The classes shown one by one: of two the second, else the most frequent first.
    fn shown(&self) -> Vec<usize> {
        if self.names.len() == 2 {
            return vec![1];
        }
        let totals = self.totals();
        let mut order: Vec<usize> = (0..self.names.len()).filter(|&c| totals[c] > 0.0).collect();
        ermine_core::order::sort_by_number_descending(&mut order, |a| totals[a]);
        order.truncate(CURVES);
        order
    }

    pub fn positive(&self, class: usize) -> Vec<bool> {
        self.codes.iter().map(|&c| c as usize == class).collect()
    }

    pub fn score(&self, class: usize) -> Vec<f64> {
        self.proba.view().col_iter(class).collect()
    }
}

/// The main metrics, with those of a baseline.
pub(super) fn tiles(output: &ClassifierOutput<'_>) -> Result<Vec<MetricTile>> {
    let totals = output.totals();
    let all: f64 = totals.iter().sum();
    let most = (0..totals.len()).fold(0, |m, c| if totals[c] > totals[m] { c } else { m });
    let entropy: f64 = totals.iter().filter(|t| **t > 0.0).map(|t| -t / all * (t / all).ln()).sum();
    let table = output.confusion();
    let share = curves::accuracy(output, &table);
    let mut out = vec![MetricTile {
        name: "Accuracy".into(),
        value: format::percent(table.accuracy()),
        detail: format!(
            "{}{} by always predicting {}",
            share.map_or(String::new(), |(a, b)| format!("95%: {} to {}; ", format::percent(a), format::percent(b))),
            format::percent(totals[most] / all),
            format::short(&output.names[most], 24)
        ),
    }];
    let loss = metrics::log_loss(output.codes, output.proba.view(), output.weight);
    let spread = curves::log_loss(output);
    out.push(MetricTile {
        name: "Log loss".into(),
        value: format::number(loss),
        detail: format!("{}{} by the class frequencies alone", between(spread), format::number(entropy)),
    });
    if let Some((auc, spread)) = curves::auc(output)? {
        let of = if output.names.len() == 2 { "0.5 by chance" } else { "mean of one against the rest; 0.5 by chance" };
        out.push(MetricTile { name: "ROC AUC".into(), value: format::number(auc), detail: format!("{}{of}", between(spread)) });
    }
    let brier = metrics::brier(output.codes, output.proba.view(), output.weight);
    let chance = |c: usize| totals[c] / all * (1.0 - totals[c] / all);
    let by_shares = if totals.len() == 2 { chance(1) } else { (0..totals.len()).map(chance).sum() };
    out.push(MetricTile {
        name: "Brier score".into(),
        value: format::number(brier),
        detail: format!("{} by the class frequencies alone", format::number(by_shares)),
    });
    Ok(out)
}

fn between(spread: Option<(f64, f64)>) -> String {
    spread.map_or(String::new(), |(a, b)| format!("95%: {} to {}; ", format::number(a), format::number(b)))
}

/// A sentence for the head of the page.
pub(super) fn sentence(output: &ClassifierOutput<'_>) -> String {
    let table = output.confusion();
    let totals = output.totals();
    let all: f64 = totals.iter().sum();
    let most = (0..totals.len()).fold(0, |m, c| if totals[c] > totals[m] { c } else { m });
    format!(
        "The accuracy is {}; always predicting {} would have {}.",
        format::percent(table.accuracy()),
        format::short(&output.names[most], 40),
        format::percent(totals[most] / all)
    )
}

/// The confusion of classes.
pub(super) fn errors(output: &ClassifierOutput<'_>) -> DocSection {
    let table = output.confusion();
    let n = output.names.len();
    let count = |v: f64| if v.fract() == 0.0 { format::count(v as usize) } else { format::number(v) };
    let mut part = DocSection::new("Errors").lead("The confusion matrix of the most probable classes.");
    if n <= PAIRS {
        let heads = std::iter::once(TableHead::word("true \\ predicted"))
            .chain(output.names.iter().map(|c| TableHead::number(format::short(c, 16))));
        let row = |t: usize| {
            let total: f64 = table.counts.row(t).iter().sum();
            let cell = |f: usize| {
                let v = table.counts[(t, f)];
                let share = if total > 0.0 { v / total } else { 0.0 };
                TableCell { text: count(v), tint: if t == f { share } else { -share }, ..TableCell::default() }
            };
            std::iter::once(TableCell::from(format::short(&output.names[t], 24))).chain((0..n).map(cell)).collect()
        };
        let grid = DocTable {
            caption: "Confusion".into(),
            heads: heads.collect(),
            rows: (0..n).map(row).collect(),
            note: "Rows are true classes, columns predicted classes. Colors are shares of the row: blue where right, orange where wrong.".into(),
            tight: true,
        };
        part = part.with(DocBlock::Table(grid));
    } else {
        let mut pairs: Vec<(f64, usize, usize)> = (0..n)
            .flat_map(|t| (0..n).map(move |f| (t, f)))
            .filter(|(t, f)| t != f && table.counts[(*t, *f)] > 0.0)
            .map(|(t, f)| (table.counts[(t, f)], t, f))
            .collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let row = |(v, t, f): &(f64, usize, usize)| {
            let total: f64 = table.counts.row(*t).iter().sum();
            vec![
                TableCell::from(output.names[*t].as_str()),
                output.names[*f].as_str().into(),
                count(*v).into(),
                format::percent(v / total).into(),
            ]
        };
        let grid = DocTable {
            caption: "The most frequent errors".into(),
            heads: vec![
                TableHead::word("true"),
                TableHead::word("predicted"),
                TableHead::number("rows"),
                TableHead::number("of the class"),
            ],
            rows: pairs.iter().take(20).map(row).collect(),
            note: format!("Of {} pairs of classes.", format::count(n * (n - 1))),
            tight: false,
        };
        part = part.with(DocBlock::Table(grid));
    }
    let row = |c: usize| {
        let (precision, recall, f) = table.precision_recall_f1(c);
        let total: f64 = table.counts.row(c).iter().sum();
        let mut cells = vec![TableCell::from(format::short(&output.names[c], 32)), count(total).into()];
        cells.extend([precision, recall].map(|v| TableCell::from(format::percent(v))));
        cells.push(format::number(f).into());
        cells
    };
    let grid = DocTable {
        caption: "Class by class".into(),
        heads: vec![
            TableHead::word("class"),
            TableHead::number("rows"),
            TableHead::number("precision"),
            TableHead::number("recall"),
            TableHead::number("F1"),
        ],
        rows: (0..n).map(row).collect(),
        note:
            "Precision: share of the predictions of a class that are right. Recall: share of the rows of a class that are found."
                .into(),
        tight: false,
    };
    part.with(DocBlock::Table(grid))
}

/// The ranking of rows.
pub(super) fn ranking(output: &ClassifierOutput<'_>) -> Result<Option<DocSection>> {
    let shown = output.shown();
    let figures: Vec<Figure> =
        [curves::roc(output, &shown)?, curves::precision_recall(output, &shown)?].into_iter().flatten().collect();
    if figures.is_empty() {
        return Ok(None);
    }
    let of = match output.names.len() {
        2 => format!("rows by the probability of {}", output.names[1]),
        _ => "rows by the probability of each class against the rest".to_owned(),
    };
    Ok(Some(DocSection::new("Ranking").lead(format!("True and false positives at every threshold, {of}.")).figures(figures)))
}

/// The calibration of the probabilities.
pub(super) fn calibration(output: &ClassifierOutput<'_>) -> Result<Option<DocSection>> {
    curves::calibration(output, &output.shown())
}

/// The threshold explorer.
pub(super) fn decisions(output: &ClassifierOutput<'_>, settings: &ReportOptions) -> DocSection {
    let steps = if output.names.len() == 2 { STEPS } else { STEPS_OF_MANY };
    let class = |c: usize| ExplorerClass::of(&output.names[c], steps, &output.positive(c), &output.score(c), output.weight);
    let classes = output.shown().into_iter().map(class).collect();
    let (fp, fn_) = settings.cost.unwrap_or((1.0, 1.0));
    let whole = output.weight.is_none_or(|w| w.iter().all(|w| w.fract() == 0.0));
    let explorer = ThresholdExplorer { classes, steps, fp, fn_, whole };
    let lead = match output.names.len() {
        2 => format!(
            "Move the threshold on the probability of {}, or enter the costs of errors. With a cost of abstaining, rows whose decision would be \
             expected to cost more stay undecided.",
            output.names[1]
        ),
        _ => "Each class against the rest: move the threshold on its probability, or enter the costs of errors.".into(),
    };
    DocSection::new("Decisions").lead(lead).with(DocBlock::Explorer(Box::new(explorer)))
}
