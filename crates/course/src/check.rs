//! What running a theorem shows.

use std::fmt::Write;

use ermine_report::chart::Chart;
use serde_json::{Value, json};

/// How the two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Equal within the tolerance.
    Equal,
    /// Left at most right, within the tolerance.
    AtMost,
    /// Left is the mean of a simulation: within four standard errors, the tolerance, of the right. Never a proof.
    Simulated,
    /// Left is a simulated mean, and at most right plus four standard errors.
    SimulatedAtMost,
    /// A limit: left is the last value of a distance, right the first. Only a trend is shown.
    Trend,
}

impl Relation {
    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::AtMost => "≤",
            Self::Simulated => "~",
            Self::SimulatedAtMost => "≲",
            Self::Trend => "→",
        }
    }
}

/// What can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All comparisons hold.
    Holds,
    /// One fails, although the hypotheses hold.
    Fails,
    /// A limit is approached; no finite run proves it.
    Trend,
    /// A hypothesis fails.
    NotApplicable,
}

impl Verdict {
    /// `holds`, `fails`, `trend` or `not_applicable`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Trend => "trend",
            Self::NotApplicable => "not_applicable",
        }
    }
}

/// A hypothesis, and whether it holds on these data; none where that cannot be known.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// What is assumed.
    pub text: String,
    /// Whether it holds.
    pub holds: Option<bool>,
}

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct TheoremSides {
    /// What is compared.
    pub what: String,
    /// The left side.
    pub left: f64,
    /// The right side.
    pub right: f64,
    /// How.
    pub relation: Relation,
    /// The tolerance.
    pub tolerance: f64,
}

impl TheoremSides {
    /// Whether it holds. A trend must at least go the right way.
    pub fn holds(&self) -> bool {
        let difference = self.left - self.right;
        // Infinite bounds are bounds.
        match self.relation {
            Relation::Equal | Relation::Simulated => self.left == self.right || difference.abs() <= self.tolerance,
            Relation::AtMost | Relation::SimulatedAtMost => self.left <= self.right || difference <= self.tolerance,
            Relation::Trend => self.left <= self.right,
        }
    }
}

/// A formula as the lecture notes print it, and a number that refutes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Misprint {
    /// What the notes have.
    pub printed: String,
    /// The comparison by the printed formula.
    pub sides: TheoremSides,
}

impl Misprint {
    /// Whether the numbers here contradict the printed formula.
    pub fn refuted(&self) -> bool {
        !self.sides.holds()
    }
}

/// What running a theorem showed.
#[derive(Debug, Clone, Default)]
pub struct TheoremCheck {
    /// The theorem.
    pub id: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// The hypotheses.
    pub hypotheses: Vec<Hypothesis>,
    /// The comparisons; the first is the one of the statement.
    pub sides: Vec<TheoremSides>,
    /// What the notes have wrong.
    pub misprints: Vec<Misprint>,
    /// Numbers that help to read the result.
    pub notes: Vec<String>,
    /// A picture.
    pub chart: Option<Chart>,
}

/// Standard errors that a simulated mean may be away.
const STANDARD_ERRORS: f64 = 4.0;

impl TheoremCheck {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn assume(&mut self, text: impl Into<String>, holds: bool) -> &mut Self {
        self.hypotheses.push(Hypothesis { text: text.into(), holds: Some(holds) });
        self
    }

    /// A hypothesis without which the sides have no meaning; returns whether it holds.
    pub(crate) fn given(&mut self, text: impl Into<String>, holds: bool) -> bool {
        self.assume(text, holds);
        holds
    }

    /// A hypothesis that data cannot show.
    pub(crate) fn suppose(&mut self, text: impl Into<String>) -> &mut Self {
        self.hypotheses.push(Hypothesis { text: text.into(), holds: None });
        self
    }

    fn side(&mut self, what: impl Into<String>, (left, relation, right): (f64, Relation, f64), tolerance: f64) -> &mut Self {
        self.sides.push(TheoremSides { what: what.into(), left, right, relation, tolerance });
        self
    }

    /// Equal within a tolerance times 1 plus the larger size.
    pub(crate) fn equal(&mut self, what: impl Into<String>, left: f64, right: f64, tolerance: f64) -> &mut Self {
        self.side(what, (left, Relation::Equal, right), tolerance * (1.0 + left.abs().max(right.abs())))
    }

    /// A residual against 0.
    pub(crate) fn zero(&mut self, what: impl Into<String>, left: f64, tolerance: f64) -> &mut Self {
        self.side(what, (left, Relation::Equal, 0.0), tolerance)
    }

    /// At most, up to rounding.
    pub(crate) fn at_most(&mut self, what: impl Into<String>, left: f64, right: f64) -> &mut Self {
        self.side(what, (left, Relation::AtMost, right), 1e-10 * (1.0 + left.abs().min(right.abs())))
    }

    /// A simulated mean with its standard error against a number.
    pub(crate) fn simulated(&mut self, what: impl Into<String>, (mean, error): (f64, f64), right: f64) -> &mut Self {
        self.side(what, (mean, Relation::Simulated, right), STANDARD_ERRORS * error + 1e-12)
    }

    /// A simulated mean with its standard error against a bound.
    pub(crate) fn simulated_at_most(&mut self, what: impl Into<String>, (mean, error): (f64, f64), right: f64) -> &mut Self {
        self.side(what, (mean, Relation::SimulatedAtMost, right), STANDARD_ERRORS * error + 1e-12)
    }

    /// A distance that should vanish, first and last.
    pub(crate) fn trend(&mut self, what: impl Into<String>, first: f64, last: f64) -> &mut Self {
        self.side(what, (last, Relation::Trend, first), f64::INFINITY)
    }

    /// A printed equation.
    pub(crate) fn misprint(&mut self, printed: impl Into<String>, left: f64, right: f64) -> &mut Self {
        let tolerance = 1e-6 * (1.0 + left.abs().max(right.abs()));
        let printed = printed.into();
        self.misprints.push(Misprint {
            sides: TheoremSides { what: printed.clone(), left, right, relation: Relation::Equal, tolerance },
            printed,
        });
        self
    }

    /// A printed inequality.
    pub(crate) fn misprint_at_most(&mut self, printed: impl Into<String>, left: f64, right: f64) -> &mut Self {
        let printed = printed.into();
        self.misprints.push(Misprint {
            sides: TheoremSides { what: printed.clone(), left, right, relation: Relation::AtMost, tolerance: 1e-9 },
            printed,
        });
        self
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) -> &mut Self {
        self.notes.push(text.into());
        self
    }

    pub(crate) fn draw(&mut self, chart: Chart) -> &mut Self {
        self.chart = Some(chart);
        self
    }

    /// The comparison that decides: the first that fails, or the first.
    pub fn decisive(&self) -> Option<&TheoremSides> {
        self.sides.iter().find(|s| !s.holds()).or_else(|| self.sides.first())
    }

    /// What can be said.
    pub fn verdict(&self) -> Verdict {
        if self.hypotheses.iter().any(|h| h.holds == Some(false)) || self.sides.is_empty() {
            return Verdict::NotApplicable;
        }
        if self.sides.iter().any(|s| s.relation != Relation::Trend && !s.holds()) {
            return Verdict::Fails;
        }
        let trend = self.sides.iter().any(|s| s.relation == Relation::Trend);
        if trend { Verdict::Trend } else { Verdict::Holds }
    }

    /// Why the theorem says nothing here.
    pub fn reason(&self) -> Option<String> {
        let failing: Vec<&str> = self.hypotheses.iter().filter(|h| h.holds == Some(false)).map(|h| h.text.as_str()).collect();
        (!failing.is_empty()).then(|| format!("not given here: {}", failing.join("; ")))
    }

    /// Lines for a terminal.
    pub fn to_text(&self) -> String {
        let mut out = format!("{}  {}\n", self.id, self.statement);
        for h in &self.hypotheses {
            let mark = h.holds.map_or("?", |h| if h { "yes" } else { "NO" });
            let _ = writeln!(out, "  hypothesis  {} ({mark})", h.text);
        }
        for s in &self.sides {
            let mark = if s.relation == Relation::Trend {
                "trend"
            } else if s.holds() {
                "holds"
            } else {
                "fails"
            };
            let _ = write!(out, "  {}: {} {} {}", s.what, number(s.left), s.relation.sign(), number(s.right));
            let _ = if s.tolerance.is_finite() {
                writeln!(out, "   (tolerance {:.1e}; {mark})", s.tolerance)
            } else {
                writeln!(out, "   ({mark})")
            };
        }
        for m in &self.misprints {
            let verdict = if m.refuted() { "which fails here" } else { "which these numbers do not refute" };
            let sign = if m.sides.relation == Relation::Equal { "is not" } else { "is above" };
            let sign = if m.refuted() { sign } else { "against" };
            let _ = writeln!(
                out,
                "  misprint    the notes have {}, {verdict}: {} {sign} {}",
                m.printed,
                number(m.sides.left),
                number(m.sides.right)
            );
        }
        self.notes.iter().for_each(|n| {
            let _ = writeln!(out, "  note        {n}");
        });
        let reason = self.reason().map_or(String::new(), |r| format!(" ({r})"));
        let _ = writeln!(out, "  verdict     {}{reason}", self.verdict().name());
        out
    }

    /// The object of the command line's `--json`.
    pub fn to_json(&self) -> Value {
        let sides = |s: &TheoremSides| json!({"what": s.what, "left": finite(s.left), "right": finite(s.right), "relation": s.relation.sign(), "tolerance": finite(s.tolerance), "holds": s.holds()});
        let decisive = self.decisive();
        let pick = |f: fn(&TheoremSides) -> f64| decisive.map_or(Value::Null, |s| finite(f(s)));
        json!({
            "id": self.id,
            "statement": self.statement,
            "hypotheses": self.hypotheses.iter().map(|h| json!({"text": h.text, "holds": h.holds})).collect::<Vec<_>>(),
            "left": pick(|s| s.left),
            "right": pick(|s| s.right),
            "tolerance": pick(|s| s.tolerance),
            "verdict": self.verdict().name(),
            "reason": self.reason(),
            "comparisons": self.sides.iter().map(sides).collect::<Vec<_>>(),
            "misprints": self.misprints.iter().map(|m| json!({"printed": m.printed, "left": finite(m.sides.left), "right": finite(m.sides.right), "refuted": m.refuted()})).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// JSON has no infinities.
fn finite(v: f64) -> Value {
    if v.is_finite() { json!(v) } else { Value::Null }
}

fn number(v: f64) -> String {
    if v == 0.0 || (v.abs() >= 1e-3 && v.abs() < 1e6) { format!("{v:.6}") } else { format!("{v:.4e}") }
}
