//! Parameters of Python classes as data: the learner's parameter, default and constraints.

use Closed::{Both, High, Low, Neither};
use DefaultValue::Same;
use Rule::{Fractions, Ints, Reals};

/// One parameter of a class. Empty texts are filled from the learner and the rules.
#[derive(Clone, Copy)]
pub struct Param {
    pub name: &'static str,
    pub role: Role,
    pub default: DefaultValue,
    /// Its constraints; empty: the learner's range.
    pub rules: &'static [Rule],
    /// Its type in the documentation.
    pub kind: &'static str,
    pub doc: &'static str,
}

/// The relation of a parameter of a class to its learner.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    /// It is the learner's parameter of this name.
    Forwarded(&'static str),
    /// It is the learner's parameter of this name, whose value the class translates.
    Translated(&'static str),
    /// It is the class's own.
    Own,
    /// scikit-learn has it, and it has nothing to do here.
    Unused,
}

#[derive(Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// The learner's.
    Same,
    Nothing,
    Flag(bool),
    Whole(i64),
    Number(f64),
    Word(&'static str),
    Wholes(&'static [i64]),
    Numbers(&'static [f64]),
    Nan,
    Float64,
}

/// Which ends belong to an interval.
#[derive(Clone, Copy, PartialEq)]
pub enum Closed {
    Both,
    Low,
    High,
    Neither,
}

/// A constraint on a parameter: one of scikit-learn's.
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    Anything,
    Null,
    Bool,
    Int,
    /// Whole numbers from the first to the second, both included; `i64::MAX` is no limit.
    Ints(i64, i64),
    Real,
    Reals(f64, f64, Closed),
    /// Numbers that are not of an integer type.
    Fractions(f64, f64, Closed),
    Infinity,
    NotANumber,
    Text,
    Words(&'static [&'static str]),
    /// Words that are taken and not documented.
    Hidden(&'static [&'static str]),
    ScorerName,
    ArrayLike,
    SparseMatrix,
    Callable,
    Dict,
    List,
    Tuple,
    /// An object that has these methods.
    Methods(&'static [&'static str]),
    RandomState,
    Verbose,
    /// The values that scikit-learn's `check_cv` takes.
    Folds,
    MissingValue,
}

pub const fn ints_from(least: i64) -> Rule {
    Ints(least, i64::MAX)
}

pub const fn ints(least: i64, most: i64) -> Rule {
    Ints(least, most)
}

pub const fn at_least(least: f64) -> Rule {
    Reals(least, f64::INFINITY, Low)
}

pub const fn above(bound: f64) -> Rule {
    Reals(bound, f64::INFINITY, Neither)
}

pub const fn reals(low: f64, high: f64, closed: Closed) -> Rule {
    Reals(low, high, closed)
}

pub const fn fractions(low: f64, high: f64, closed: Closed) -> Rule {
    Fractions(low, high, closed)
}

impl Param {
    const fn new(name: &'static str, role: Role, default: DefaultValue, rules: &'static [Rule]) -> Self {
        Self { name, role, default, rules, kind: "", doc: "" }
    }

    pub const fn kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    pub const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    /// The learner's parameter behind it.
    pub fn learners(&self) -> Option<&'static str> {
        match self.role {
            Role::Forwarded(name) | Role::Translated(name) => Some(name),
            Role::Own | Role::Unused => None,
        }
    }
}

/// The learner's parameter as it is.
pub const fn same(name: &'static str) -> Param {
    Param::new(name, Role::Forwarded(name), Same, &[])
}

/// The learner's parameter with Python's own default and rules.
pub const fn like(name: &'static str, default: DefaultValue, rules: &'static [Rule]) -> Param {
    Param::new(name, Role::Forwarded(name), default, rules)
}

/// The same under another name than the learner's, `theirs`.
pub const fn renamed(name: &'static str, theirs: &'static str, default: DefaultValue, rules: &'static [Rule]) -> Param {
    Param::new(name, Role::Forwarded(theirs), default, rules)
}

/// The learner's parameter, whose value the class translates.
pub const fn translated(name: &'static str, default: DefaultValue, rules: &'static [Rule], doc: &'static str) -> Param {
    Param::new(name, Role::Translated(name), default, rules).doc(doc)
}

/// A parameter of the class alone.
pub const fn own(name: &'static str, default: DefaultValue, rules: &'static [Rule], doc: &'static str) -> Param {
    Param::new(name, Role::Own, default, rules).doc(doc)
}

/// A parameter that has no effect.
pub const fn unused(name: &'static str, default: DefaultValue, rules: &'static [Rule], doc: &'static str) -> Param {
    Param::new(name, Role::Unused, default, rules).doc(doc)
}

/// A number as Python reads it.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "None".into() }
}

fn words(words: &[&str]) -> String {
    words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", ")
}

impl DefaultValue {
    /// It as a Python expression; none for the learner's.
    pub fn python(&self) -> Option<String> {
        // A tuple of one keeps its comma.
        let tuple = |items: Vec<String>| format!("({}{})", items.join(", "), if items.len() == 1 { "," } else { "" });
        Some(match self {
            Self::Same => return None,
            Self::Nothing => "None".into(),
            Self::Flag(true) => "True".into(),
            Self::Flag(false) => "False".into(),
            Self::Whole(n) => n.to_string(),
            Self::Number(x) => format!("{x:?}"),
            Self::Word(word) => format!("{word:?}"),
            Self::Wholes(items) => tuple(items.iter().map(i64::to_string).collect()),
            Self::Numbers(items) => tuple(items.iter().map(|x| format!("{x:?}")).collect()),
            Self::Nan => "np.nan".into(),
            Self::Float64 => "np.float64".into(),
        })
    }
}

impl Rule {
    /// It as scikit-learn's constraint.
    pub fn python(&self) -> String {
        let interval = |kind: &str, low: f64, high: f64, closed: Closed| {
            let closed = match closed {
                Both => "both",
                Low => "left",
                High => "right",
                Neither => "neither",
            };
            format!("Interval({kind}, {}, {}, closed=\"{closed}\")", number(low), number(high))
        };
        match *self {
            Self::Anything => "\"no_validation\"".into(),
            Self::Null => "None".into(),
            Self::Bool => "\"boolean\"".into(),
            Self::Int => "Integral".into(),
            Ints(least, i64::MAX) => format!("Interval(Integral, {least}, None, closed=\"left\")"),
            Ints(least, most) => format!("Interval(Integral, {least}, {most}, closed=\"both\")"),
            Self::Real => "Real".into(),
            Reals(low, high, closed) => interval("Real", low, high, closed),
            Fractions(low, high, closed) => interval("RealNotInt", low, high, closed),
            Self::Infinity => "Options(Real, {np.inf})".into(),
            Self::NotANumber => "type(np.nan)".into(),
            Self::Text => "str".into(),
            Self::Words(list) => format!("StrOptions({{{}}})", words(list)),
            Self::Hidden(list) => format!("Hidden(StrOptions({{{}}}))", words(list)),
            Self::ScorerName => "StrOptions(set(get_scorer_names()))".into(),
            Self::ArrayLike => "\"array-like\"".into(),
            Self::SparseMatrix => "\"sparse matrix\"".into(),
            Self::Callable => "callable".into(),
            Self::Dict => "dict".into(),
            Self::List => "list".into(),
            Self::Tuple => "tuple".into(),
            Self::Methods(list) => format!("HasMethods([{}])", words(list)),
            Self::RandomState => "\"random_state\"".into(),
            Self::Verbose => "\"verbose\"".into(),
            Self::Folds => "\"cv_object\"".into(),
            Self::MissingValue => "MissingValues()".into(),
        }
    }

    /// Its type in the documentation; none for what is not documented.
    fn kind(&self) -> Option<String> {
        Some(match self {
            Self::Hidden(_) | Self::Infinity => return None,
            Self::Words([one]) => format!("{one:?}"),
            Self::Words(list) => format!("{{{}}}", words(list)),
            Self::Anything => "object".into(),
            Self::Null => "None".into(),
            Self::Bool => "bool".into(),
            Self::Int | Ints(..) => "int".into(),
            Self::Real | Reals(..) | Fractions(..) => "float".into(),
            Self::NotANumber => "NaN".into(),
            Self::Text | Self::ScorerName => "str".into(),
            Self::ArrayLike => "array-like".into(),
            Self::SparseMatrix => "sparse matrix".into(),
            Self::Callable => "callable".into(),
            Self::Dict => "dict".into(),
            Self::List => "list".into(),
            Self::Tuple => "tuple".into(),
            Self::Methods(_) => "estimator".into(),
            Self::RandomState => "int, RandomState or None".into(),
            Self::Verbose => "int or bool".into(),
            Self::Folds => "int, splitter, iterable or None".into(),
            Self::MissingValue => "int, float, str, NaN, None or pandas.NA".into(),
        })
    }
}

/// The constraints of a parameter.
pub fn constraint(rules: &[Rule]) -> String {
    match rules {
        [Rule::Anything] => Rule::Anything.python(),
        rules => format!("[{}]", rules.iter().map(Rule::python).collect::<Vec<_>>().join(", ")),
    }
}

/// The type of a parameter in the documentation: "int, float or None", None last.
pub fn kind(rules: &[Rule]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in rules.iter().filter_map(Rule::kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_by_key(|kind| kind == "None");
    match kinds.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "object".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_constraints_and_types() {
        let rules = [Rule::Null, ints_from(1), Rule::Words(&["a", "b"]), Rule::Hidden(&["old"])];
        assert_eq!(
            constraint(&rules),
            "[None, Interval(Integral, 1, None, closed=\"left\"), StrOptions({\"a\", \"b\"}), Hidden(StrOptions({\"old\"}))]"
        );
        assert_eq!(kind(&rules), "int, {\"a\", \"b\"} or None");
        assert_eq!(constraint(&[fractions(0.0, 1.0, High)]), "[Interval(RealNotInt, 0.0, 1.0, closed=\"right\")]");
        assert_eq!(constraint(&[Rule::Anything]), "\"no_validation\"");
    }

    #[test]
    fn defaults_become_expressions() {
        assert_eq!(DefaultValue::Wholes(&[100]).python().unwrap(), "(100,)");
        assert_eq!(DefaultValue::Numbers(&[0.1, 1.0]).python().unwrap(), "(0.1, 1.0)");
        assert_eq!(DefaultValue::Word("auto").python().unwrap(), "\"auto\"");
        assert_eq!(DefaultValue::Same.python(), None);
    }
}
