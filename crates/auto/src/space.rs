//! Search spaces.

use ermine_core::{AnyLearner, Error, ParamSpec, Range, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The values of one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchAxis {
    /// Numbers in an interval.
    Real {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
        /// Whether the scale is logarithmic.
        log: bool,
    },
    /// Integers in an interval, both ends included.
    Int {
        /// Lower end.
        lo: i64,
        /// Upper end.
        hi: i64,
        /// Whether the scale is logarithmic.
        log: bool,
    },
    /// A few values.
    Choice(Vec<Value>),
}

impl SearchAxis {
    /// The value at the relative position `u`, 0 to 1.
    pub fn at(&self, u: f64) -> Value {
        let u = u.clamp(0.0, 1.0);
        let between = |lo: f64, hi: f64, log: bool| {
            // The ends are exact, despite rounding of the logarithms.
            if u == 0.0 || u == 1.0 {
                return if u == 0.0 { lo } else { hi };
            }
            let v = if log { (lo.ln() + (hi.ln() - lo.ln()) * u).exp() } else { lo + (hi - lo) * u };
            v.clamp(lo, hi)
        };
        match self {
            Self::Real { lo, hi, log } => Value::from(between(*lo, *hi, *log)),
            Self::Int { lo, hi, log } => {
                // Each integer has the interval that rounds to it; the ends have as much as the others.
                let (low, high) = (*lo as f64 - 0.5, *hi as f64 + 0.5);
                let low = if *log { low.max(0.5) } else { low };
                Value::from((between(low, high, *log).round() as i64).clamp(*lo, *hi))
            }
            Self::Choice(values) => values[((u * values.len() as f64) as usize).min(values.len() - 1)].clone(),
        }
    }

    /// The relative position of a value, 0 to 1; `None` for a value that is not on the axis.
    pub fn place(&self, value: &Value) -> Option<f64> {
        let along = |v: f64, lo: f64, hi: f64, log: bool| match (hi > lo, log) {
            (false, _) => 0.5,
            (_, true) => (v.ln() - lo.ln()) / (hi.ln() - lo.ln()),
            (_, false) => (v - lo) / (hi - lo),
        };
        match self {
            Self::Real { lo, hi, log } => value.as_f64().filter(|v| v >= lo && v <= hi).map(|v| along(v, *lo, *hi, *log)),
            Self::Int { lo, hi, log } => {
                let (low, high) = (*lo as f64 - 0.5, *hi as f64 + 0.5);
                let low = if *log { low.max(0.5) } else { low };
                value.as_i64().filter(|v| v >= lo && v <= hi).map(|v| along(v as f64, low, high, *log))
            }
            Self::Choice(values) => {
                // 2 and 2.0 are the same number.
                let same = |v: &Value| v == value || v.as_f64().is_some_and(|v| value.as_f64() == Some(v));
                values.iter().position(same).map(|k| (k as f64 + 0.5) / values.len() as f64)
            }
        }
    }

    /// Number of distinct values; `None` for a continuum.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Real { .. } => None,
            Self::Int { lo, hi, .. } => Some((hi - lo) as usize + 1),
            Self::Choice(values) => Some(values.len()),
        }
    }

    /// At most `steps` values at equal distances, both ends included; all values of a choice.
    pub fn grid(&self, steps: usize) -> Vec<Value> {
        if let Self::Choice(values) = self {
            return values.clone();
        }
        let steps = self.count().map_or(steps, |n| n.min(steps)).max(1);
        let place = |k: usize| if steps == 1 { 0.5 } else { k as f64 / (steps - 1) as f64 };
        let mut out: Vec<Value> = (0..steps).map(|k| self.at(place(k))).collect();
        out.dedup();
        out
    }

    /// The axis of a parameter from `lo..hi`, `lo..hi:log` or `a,b,c`.
    fn parse(param: &ParamSpec, learner: &str, text: &str) -> Result<Self> {
        let wrong = |expected: String| {
            Error::parameter("the search space", format!("{} of {learner}", param.name), format!("\"{text}\""), expected)
        };
        if let Some((lo, rest)) = text.split_once("..") {
            let (hi, log) = match rest.split_once(':') {
                Some((hi, "log")) => (hi, true),
                Some((_, word)) => return Err(wrong(format!("\"{word}\" is no scale; write lo..hi or lo..hi:log"))),
                None => (rest, false),
            };
            let typed_whole = |t: &str| t.trim().parse::<i64>().is_ok();
            let any = param.range == Range::Any && typed_whole(lo) && typed_whole(hi);
            let number = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            let (Some(lo), Some(hi)) = (number(lo), number(hi)) else {
                return Err(wrong("the ends must be numbers: lo..hi or lo..hi:log".into()));
            };
            if lo > hi || (log && lo <= 0.0) {
                return Err(wrong(
                    if lo > hi { "the lower end is above the upper one" } else { "a log scale begins above 0" }.into(),
                ));
            }
            for end in [lo, hi] {
                let whole = Value::from(end as i64);
                if !(param.range.contains(&Value::from(end)) || (end.fract() == 0.0 && param.range.contains(&whole))) {
                    return Err(wrong(format!("{end} is outside: {} is {}", param.name, param.range.describe())));
                }
            }
            // Integer ends of a parameter that takes only integers, or of one without a declared range.
            let whole = lo.fract() == 0.0 && hi.fract() == 0.0 && (any || !param.range.contains(&Value::from(lo + 0.5)));
            return Ok(if whole { Self::Int { lo: lo as i64, hi: hi as i64, log } } else { Self::Real { lo, hi, log } });
        }
        let read = |word: &str| serde_json::from_str(word).unwrap_or_else(|_| Value::from(word));
        let values: Vec<Value> = text.split(',').map(|w| read(w.trim())).collect();
        if let Some(bad) = values.iter().find(|v| !param.range.contains(v)) {
            return Err(wrong(format!("{bad} is refused; {} is {}", param.name, param.range.describe())));
        }
        Ok(Self::Choice(values))
    }
}

/// A search space: one axis per parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SearchSpace {
    /// Parameters and their values. A name with a dot is a parameter of a nested learner (`base.max_depth`).
    pub axes: Vec<(String, SearchAxis)>,
}

impl SearchSpace {
    /// The recommended space of a learner ([`ermine_core::Learner::SEARCH_SPACE`]); without one, the parameters on a
    /// log scale, three powers of ten to either side of their values.
    pub fn of(learner: &dyn AnyLearner) -> Result<Self> {
        let mut space = Self::default();
        for text in learner.search_space() {
            space.set(learner, text)?;
        }
        if space.axes.is_empty() {
            let params = learner.params();
            for p in learner.spec().params {
                if let (Range::Real { min, max, log: true, .. }, Some(v)) = (p.range, params[p.name].as_f64())
                    && v > 0.0
                {
                    let (lo, hi) = ((v / 1e3).max(min), (v * 1e3).min(max));
                    if lo > 0.0 && lo < hi {
                        space.axes.push((p.name.to_owned(), SearchAxis::Real { lo, hi, log: true }));
                    }
                }
            }
        }
        Ok(space)
    }

    /// Sets one axis from `key=lo..hi`, `key=lo..hi:log` or `key=a,b,c`; an axis of that name is replaced.
    pub fn set(&mut self, learner: &dyn AnyLearner, text: &str) -> Result<()> {
        let spec = learner.spec();
        let (key, values) = text.split_once('=').ok_or_else(|| {
            Error::parameter(
                "the search space",
                spec.name,
                format!("\"{text}\""),
                "write KEY=lo..hi, KEY=lo..hi:log or KEY=a,b,c",
            )
        })?;
        let key = key.trim();
        // Parameters of nested learners are checked when they are set; only the outermost learner declares its own.
        const ANY: ParamSpec = ParamSpec { name: "parameter", doc: "", range: Range::Any };
        let param = if key.contains('.') { &ANY } else { spec.param(key)? };
        let axis = SearchAxis::parse(param, spec.name, values.trim())?;
        match self.axes.iter_mut().find(|(name, _)| name == key) {
            Some(old) => old.1 = axis,
            None => self.axes.push((key.to_owned(), axis)),
        }
        Ok(())
    }

    /// The parameters at a position, one number from 0 to 1 per axis.
    pub fn at(&self, place: &[f64]) -> serde_json::Map<String, Value> {
        self.axes.iter().zip(place).map(|((name, axis), &u)| (name.clone(), axis.at(u))).collect()
    }

    /// The position of parameters; `None` where one is not on its axis.
    pub fn place(&self, params: &serde_json::Map<String, Value>) -> Option<Vec<f64>> {
        self.axes.iter().map(|(name, axis)| axis.place(params.get(name)?)).collect()
    }

    /// Number of distinct settings; `None` for a continuum, and on overflow.
    pub fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |n, (_, axis)| n.checked_mul(axis.count()?))
    }

    /// All settings of a grid with at most `steps` values per axis; the first axis varies slowest.
    pub fn grid(&self, steps: usize) -> Vec<serde_json::Map<String, Value>> {
        let mut out = vec![serde_json::Map::new()];
        for (name, axis) in &self.axes {
            let values = axis.grid(steps);
            out = out
                .into_iter()
                .flat_map(|one| {
                    values.iter().map(move |v| {
                        let mut one = one.clone();
                        one.insert(name.clone(), v.clone());
                        one
                    })
                })
                .collect();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use ermine_linear::Ridge;
    use ermine_neighbors::Knn;

    #[test]
    fn texts_become_axes_and_wrong_ones_are_refused() {
        let mut space = SearchSpace::default();
        space.set(&Ridge::default(), "alpha=1e-3..10:log").unwrap();
        assert_eq!(space.axes[0].1, SearchAxis::Real { lo: 1e-3, hi: 10.0, log: true });
        space.set(&Ridge::default(), "alpha=1..2").unwrap();
        assert_eq!(space.axes, [("alpha".to_owned(), SearchAxis::Real { lo: 1.0, hi: 2.0, log: false })]);
        let mut space = SearchSpace::default();
        space.set(&Knn::default(), "n_neighbors=1..40:log").unwrap();
        space.set(&Knn::default(), "weights=uniform,distance").unwrap();
        assert_eq!(space.axes[0].1, SearchAxis::Int { lo: 1, hi: 40, log: true });
        assert_eq!(space.axes[1].1, SearchAxis::Choice(vec![json!("uniform"), json!("distance")]));
        for bad in
            ["alpha", "alpa=1..2", "alpha=2..1", "alpha=0..1:log", "alpha=-1..1", "alpha=a..b", "alpha=1..2:lin", "positive=3"]
        {
            assert!(SearchSpace::default().set(&Ridge::default(), bad).is_err(), "{bad}");
        }
        assert!(SearchSpace::default().set(&Knn::default(), "n_neighbors=0..5").is_err());
    }

    proptest! {
        #[test]
        fn values_and_places_go_both_ways(u in 0.0..1.0f64, lo in 1i64..50, more in 0i64..100, log: bool) {
            let real = SearchAxis::Real { lo: lo as f64, hi: (lo + more + 1) as f64, log };
            let int = SearchAxis::Int { lo, hi: lo + more, log };
            let choice = SearchAxis::Choice((0..=more).map(Value::from).collect());
            prop_assert!((real.place(&real.at(u)).unwrap() - u).abs() < 1e-9);
            for axis in [&int, &choice] {
                let value = axis.at(u);
                // The position of a value maps back to it.
                prop_assert_eq!(axis.at(axis.place(&value).unwrap()), value);
            }
            let v = int.at(u).as_i64().unwrap();
            prop_assert!(lo <= v && v <= lo + more);
        }
    }

    #[test]
    fn whole_numbers_are_equally_likely_on_a_straight_scale() {
        let axis = SearchAxis::Int { lo: 1, hi: 4, log: false };
        let mut counts = [0; 4];
        (0..4000).for_each(|k| counts[axis.at((f64::from(k) + 0.5) / 4000.0).as_i64().unwrap() as usize - 1] += 1);
        assert_eq!(counts, [1000; 4]);
    }

    #[test]
    fn a_grid_has_the_ends_and_every_combination() {
        let mut space = SearchSpace::default();
        space.set(&Ridge::default(), "alpha=0.01..100:log").unwrap();
        space.set(&Ridge::default(), "fit_intercept=true,false").unwrap();
        let grid = space.grid(5);
        assert_eq!(grid.len(), 10);
        assert!((grid[2]["alpha"].as_f64().unwrap() - 0.1).abs() < 1e-12 && grid[9]["alpha"] == json!(100.0));
        assert_eq!((grid[0]["fit_intercept"].clone(), grid[1]["fit_intercept"].clone()), (json!(true), json!(false)));
        assert_eq!(space.count(), None);
        assert_eq!(SearchAxis::Int { lo: 1, hi: 3, log: false }.grid(10).len(), 3);
    }

    #[test]
    fn a_learner_without_recommendations_moves_its_penalties() {
        let space = SearchSpace::of(&Ridge::default()).unwrap();
        assert!(!space.axes.is_empty());
        assert!(space.axes.iter().all(|(name, _)| Ridge::default().params().get(name).is_some()));
    }
}
