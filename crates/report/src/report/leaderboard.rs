//! The leaderboard of a comparison.

use crate::chart::{Bar, Bars};
use crate::document::{DocBlock, DocSection, DocTable, Figure, TableCell, TableHead};
use crate::format;

/// A row of the leaderboard.
#[derive(Debug, Clone, Default)]
pub struct LeaderboardEntry {
    /// The model.
    pub model: String,
    /// The mean of the metric over the folds.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Another metric, where one is shown.
    pub second: Option<f64>,
    /// Mean seconds of a fit.
    pub fit_seconds: f64,
    /// Mean seconds of the predictions of a fold.
    pub predict_seconds: f64,
    /// A note: not significantly different from the best, stopped by the budget. Nothing when empty.
    pub note: String,
    /// Whether it is the baseline.
    pub baseline: bool,
}

/// The compared models.
#[derive(Debug, Clone, Default)]
pub struct Leaderboard {
    /// The metric of the ranking.
    pub measure: String,
    /// Another metric that is shown.
    pub second: Option<String>,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Total seconds.
    pub seconds: f64,
    /// The models, the best first.
    pub standings: Vec<LeaderboardEntry>,
    /// Models that failed, and why.
    pub failed: Vec<(String, String)>,
    /// A note below: how differences are tested.
    pub note: String,
}

pub(super) fn part(board: &Leaderboard) -> DocSection {
    let measure = board.measure.replace('_', " ");
    let mut heads = vec![TableHead::word("model"), TableHead::number(format!("{measure} ± s.e."))];
    heads.extend(board.second.iter().map(|s| TableHead::number(s.replace('_', " "))));
    heads.extend([TableHead::number("fit"), TableHead::number("predict")]);
    let notes = board.standings.iter().any(|s| !s.note.is_empty());
    if notes {
        heads.push(TableHead::word(""));
    }
    let row = |(k, s): (usize, &LeaderboardEntry)| {
        let mut cells = vec![
            TableCell { text: s.model.clone(), strong: k == 0, ..TableCell::default() },
            TableCell { text: format!("{:.4} ± {:.4}", s.mean, s.error), strong: k == 0, ..TableCell::default() },
        ];
        if board.second.is_some() {
            cells.push(s.second.map_or(TableCell::default(), |v| format!("{v:.4}").into()));
        }
        cells.extend([s.fit_seconds, s.predict_seconds].map(|t| TableCell::from(format::seconds(t))));
        if notes {
            cells.push(s.note.as_str().into());
        }
        cells
    };
    let rows = board.standings.iter().enumerate().map(row).collect();
    let bar = |s: &LeaderboardEntry| Bar {
        name: s.model.clone(),
        value: s.mean,
        span: Some((s.mean - s.error, s.mean + s.error)),
        label: String::new(),
        quiet: s.baseline,
    };
    let best = board.standings.first();
    let alt_text =
        best.map_or(String::new(), |b| format!("{} is first with {} {:.4} ± {:.4}.", b.model, measure, b.mean, b.error));
    let bars = Bars {
        title: "Leaderboard".into(),
        label: format!("{measure}, mean over folds ± standard error"),
        rows: board.standings.iter().map(bar).collect(),
        points: true,
        width: None,
    };
    let lead = format!(
        "{} compared by {} folds in {}; the same folds for all.",
        format::capital(&format::counted(board.standings.len(), "model")),
        board.folds,
        format::seconds(board.seconds)
    );
    let grid = DocTable { caption: "Models, the best first".into(), heads, rows, note: board.note.clone(), tight: false };
    let part = DocSection::new("Leaderboard").lead(lead).with(DocBlock::Table(grid));
    let part = part.figures(vec![Figure::new("leaderboard", format!("Models by {measure}"), bars).alt_text(alt_text)]);
    board.failed.iter().fold(part, |part, (model, why)| part.with(DocBlock::Note(format!("{model} failed: {why}"))))
}
