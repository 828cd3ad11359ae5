//! Declaration of a learner: one source for the command line, Python, the reference pages and the checks.

use serde_json::Value;

use crate::{Error, Result};

/// The task of a learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Predict a number.
    Regression,
    /// Predict a class.
    Classification,
    /// Find groups.
    Clustering,
    /// Reduce the number of columns.
    Reduction,
    /// Estimate a density.
    Density,
    /// Prepare columns for another learner.
    Preparation,
}

impl Task {
    /// Whether the task needs a target.
    pub fn is_supervised(self) -> bool {
        matches!(self, Self::Regression | Self::Classification)
    }

    /// The name of the task.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Classification => "classification",
            Self::Clustering => "clustering",
            Self::Reduction => "reduction",
            Self::Density => "density",
            Self::Preparation => "preparation",
        }
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Where a learner, or another thing that can be chosen by name, stands in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The baseline that every learner must beat.
    Baseline,
    /// Linear models.
    Linear,
    /// Kernel machines.
    Kernel,
    /// Bayes classifiers.
    Bayes,
    /// Neighbors.
    Neighbors,
    /// Trees.
    Tree,
    /// Networks.
    Neural,
    /// Clusters.
    Cluster,
    /// Mixtures.
    Mixture,
    /// Reduction of columns.
    Reduction,
    /// Preparation of columns.
    Preparation,
    /// Learners made of learners.
    Composite,
    /// Policies of bandits.
    Policy,
    /// Agents.
    Agent,
    /// Environments of agents.
    Environment,
    /// Learners of a program's own.
    Custom,
}

impl Family {
    /// Its title in a list.
    pub fn title(self) -> &'static str {
        match self {
            Self::Baseline => "Baseline",
            Self::Linear => "Linear models",
            Self::Kernel => "Kernel machines",
            Self::Bayes => "Bayes classifiers",
            Self::Neighbors => "Neighbors",
            Self::Tree => "Trees",
            Self::Neural => "Networks",
            Self::Cluster => "Clustering",
            Self::Mixture => "Mixtures",
            Self::Reduction => "Reduction",
            Self::Preparation => "Preparation",
            Self::Composite => "Composites",
            Self::Policy => "Bandit policies",
            Self::Agent => "Agents",
            Self::Environment => "Environments",
            Self::Custom => "Own learners",
        }
    }
}

/// The kind of numbers that a learner reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueKind {
    /// Quantities: shift and unit of a column do not matter.
    #[default]
    Quantities,
    /// How often something occurs: 0 or more, and 0 means that it does not.
    Counts,
    /// Yes or no: a threshold decides.
    Bits,
    /// Codes of categories: integers from 0 up.
    Codes,
}

/// The data that a learner accepts. A capability is data, never a method that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepts {
    /// Sample weights.
    pub weights: bool,
    /// Missing values (NaN in matrices, validity in tables).
    pub missing: bool,
    /// Category columns of tables.
    pub categorical: bool,
    /// Sparse rows.
    pub sparse: bool,
    /// Training in passes over rows, so that data may be larger than memory.
    pub passes: bool,
    /// Several target columns.
    pub multi_target: bool,
}

impl Accepts {
    /// Dense complete numbers only.
    pub const NUMBERS: Self =
        Self { weights: false, missing: false, categorical: false, sparse: false, passes: false, multi_target: false };
}

/// The values a parameter may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// true or false.
    Bool,
    /// A whole number from `min` to `max`, both included.
    Int {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// A number between `min` and `max`.
    Real {
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
        /// Whether the lower end itself is refused.
        above: bool,
        /// Whether a search should move on a logarithmic scale.
        log: bool,
    },
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// null, or a value of the inner range.
    Optional(&'static Range),
    /// Either of two ranges: a word or a number, say.
    Either(&'static Range, &'static Range),
    /// A list of values of the inner range.
    List(&'static Range),
    /// Any text.
    Text,
    /// A structure that the learner itself checks (a nested learner, an array of centers).
    Any,
}

impl Range {
    /// Any number that is finite.
    pub const FINITE: Self = Self::Real { min: f64::MIN, max: f64::MAX, above: false, log: false };

    /// A number from 0 to 1.
    pub const SHARE: Self = Self::Real { min: 0.0, max: 1.0, above: false, log: false };

    /// A number at or above `min`.
    pub const fn at_least(min: f64) -> Self {
        Self::Real { min, max: f64::INFINITY, above: false, log: false }
    }

    /// A number above `min`, searched on a logarithmic scale.
    pub const fn above(min: f64) -> Self {
        Self::Real { min, max: f64::INFINITY, above: true, log: true }
    }

    /// A whole number at or above `min`.
    pub const fn int_from(min: i64) -> Self {
        Self::Int { min, max: i64::MAX }
    }

    /// Whether a value is in the range.
    pub fn contains(&self, value: &Value) -> bool {
        match self {
            Self::Bool => value.is_boolean(),
            Self::Int { min, max } => {
                let whole =
                    value.as_i64().or_else(|| value.as_f64().filter(|v| v.fract() == 0.0 && v.abs() < 9e15).map(|v| v as i64));
                whole.is_some_and(|v| *min <= v && v <= *max)
            }
            Self::Real { min, max, above, .. } => {
                value.as_f64().is_some_and(|v| (if *above { v > *min } else { v >= *min }) && v <= *max)
            }
            Self::Choice(words) => value.as_str().is_some_and(|v| words.contains(&v)),
            Self::Optional(inner) => value.is_null() || inner.contains(value),
            Self::Either(a, b) => a.contains(value) || b.contains(value),
            Self::List(inner) => value.as_array().is_some_and(|v| v.iter().all(|v| inner.contains(v))),
            Self::Text => value.is_string(),
            Self::Any => true,
        }
    }

    /// The range in words: "a number above 0", "one of a, b". The largest finite number is not named as a limit.
    pub fn describe(&self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Int { min, max: i64::MAX } => format!("a whole number from {min} up"),
            Self::Int { min, max } => format!("a whole number from {min} to {max}"),
            Self::Real { min, max, above, .. } => match (*min > f64::MIN, *max < f64::MAX, above) {
                (false, false, _) => "a number".into(),
                (true, false, true) => format!("a number above {min}"),
                (true, false, false) => format!("a number from {min} up"),
                (false, true, _) => format!("a number up to {max}"),
                (true, true, true) => format!("a number above {min} and up to {max}"),
                (true, true, false) => format!("a number from {min} to {max}"),
            },
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Optional(inner) => format!("null or {}", inner.describe()),
            Self::Either(a, b) => format!("{}, or {}", a.describe(), b.describe()),
            Self::List(inner) => format!("a list, each {}", inner.describe()),
            Self::Text => "text".into(),
            Self::Any => "a structure".into(),
        }
    }
}

/// One parameter. Its default is the field of `Default::default()` with the same name.
#[derive(Debug, Clone, Copy)]
pub struct ParamSpec {
    /// The name; scikit-learn's where it has the same parameter.
    pub name: &'static str,
    /// Its effect, in a sentence or two.
    pub doc: &'static str,
    /// Its range.
    pub range: Range,
}

/// Declaration of a learner.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The name on the command line, in kebab case.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// The objective, as a formula in plain text.
    pub objective: &'static str,
    /// When to choose it, what it costs, what it does not do.
    pub notes: &'static str,
    /// The reference.
    pub reference: &'static str,
    /// Its family.
    pub family: Family,
    /// Its tasks.
    pub tasks: &'static [Task],
    /// The data that it accepts.
    pub accepts: Accepts,
    /// Its parameters.
    pub params: &'static [ParamSpec],
}

impl Spec {
    /// Whether columns of any kind are allowed, text and identifiers too: preparations that take categories, composites
    /// of these, and baselines decide themselves what to do with each column.
    pub fn accepts_any_column(&self) -> bool {
        self.accepts.categorical
            && self.accepts.missing
            && matches!(self.family, Family::Baseline | Family::Preparation | Family::Composite)
    }

    /// The parameter called `name`; an unknown one is answered with the nearest.
    pub fn param(&self, name: &str) -> Result<&'static ParamSpec> {
        self.params
            .iter()
            .find(|p| p.name == name)
            .ok_or_else(|| Error::unknown(format!("parameter of {}", self.name), name, self.params.iter().map(|p| p.name)))
    }

    /// Checks every declared parameter of `params`, an object, against its range.
    pub fn check_params(&self, params: &Value) -> Result<()> {
        self.params.iter().try_for_each(|p| self.check_param(p, params.get(p.name).unwrap_or(&Value::Null)))
    }

    /// Checks the value of one parameter against its range.
    pub fn check_param(&self, param: &ParamSpec, value: &Value) -> Result<()> {
        if param.range.contains(value) { Ok(()) } else { Err(self.out_of_range(param, value)) }
    }

    /// The error for a value outside a parameter's range.
    pub fn out_of_range(&self, param: &ParamSpec, value: &Value) -> Error {
        out_of_range(self.name, param, value)
    }
}

/// Checks the parameters of a learner, a struct of them, against their ranges: for those that a model file has.
pub fn check_ranges(learner: &'static str, declared: &[ParamSpec], params: &impl serde::Serialize) -> Result<()> {
    let params = serde_json::to_value(params).map_err(|e| Error::Data(format!("parameters of {learner}: {e}")))?;
    let value = |p: &ParamSpec| params.get(p.name).cloned().unwrap_or(Value::Null);
    declared.iter().map(|p| (p, value(p))).try_for_each(|(p, value)| match p.range.contains(&value) {
        true => Ok(()),
        false => Err(out_of_range(learner, p, &value)),
    })
}

fn out_of_range(learner: &'static str, param: &ParamSpec, value: &Value) -> Error {
    let value = match value {
        Value::String(s) => format!("\"{s}\""),
        other => other.to_string(),
    };
    let expected = format!("it must be {}", param.range.describe());
    Error::parameter(learner, param.name, value, expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ranges_take_what_they_say() {
        assert!(Range::above(0.0).contains(&json!(1e-9)) && !Range::above(0.0).contains(&json!(0.0)));
        assert!(Range::at_least(0.0).contains(&json!(0)) && !Range::at_least(0.0).contains(&json!("a")));
        assert!(Range::int_from(1).contains(&json!(3)) && !Range::int_from(1).contains(&json!(2.5)));
        let depth = Range::Optional(&Range::Int { min: 1, max: i64::MAX });
        assert!(depth.contains(&Value::Null) && depth.contains(&json!(4)) && !depth.contains(&json!(0)));
        let alpha = Range::Either(&Range::Choice(&["auto"]), &Range::Real { min: 0.0, max: 1.0, above: false, log: false });
        assert!(alpha.contains(&json!("auto")) && alpha.contains(&json!(0.5)) && !alpha.contains(&json!("car")));
        assert_eq!(depth.describe(), "null or a whole number from 1 up");
    }
}
