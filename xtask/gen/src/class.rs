//! A face together with its learner: parameters, types and accepted data of the Python class.

use anyhow::{Context, Result, bail, ensure};
use ermine::core::{AnyLearner, Family, Range, Spec, Task, ValueKind};
use serde_json::Value;

use crate::faces::{self, FACES, Param, PythonClass, Role};

pub struct Class {
    pub face: &'static PythonClass,
    pub spec: &'static Spec,
    pub params: Vec<Param>,
    defaults: Value,
    values: ValueKind,
}

impl Class {
    /// A class for each face; every parameter of every learner must be spoken for.
    pub fn all() -> Result<Vec<Self>> {
        let class = |face: &'static PythonClass| -> Result<Self> {
            let learner = ermine::learner(face.learner)?;
            let spec = learner.spec();
            let mut params = face.params.to_vec();
            if params.is_empty() {
                let free = spec.params.iter().filter(|p| !face.handled.contains(&p.name));
                params.extend(free.map(|p| faces::same(p.name)));
            }
            let defaults = AnyLearner::params(&*learner);
            let class = Self { face, spec, params, defaults, values: learner.value_kind() };
            class.check()?;
            Ok(class)
        };
        let faces = FACES.iter().copied().flatten();
        faces.map(|face| class(face).with_context(|| format!("class {}", face.class))).collect()
    }

    fn check(&self) -> Result<()> {
        let face = self.face;
        for name in self.params.iter().filter_map(Param::learners).chain(face.handled.iter().copied()) {
            self.spec.param(name)?;
        }
        for p in self.spec.params {
            let spoken_for =
                self.params.iter().filter_map(Param::learners).any(|n| n == p.name) || face.handled.contains(&p.name);
            ensure!(spoken_for, "parameter \"{}\" of {} is neither in the face nor handled by it", p.name, self.spec.name);
        }
        for name in face.arrays.iter().chain(face.fields) {
            let described = face.attributes.iter().any(|(attribute, ..)| attribute.strip_suffix('_') == Some(*name));
            ensure!(described, "the array or field \"{name}\" is no attribute \"{name}_\"");
        }
        for name in face.refuses {
            ensure!(self.accepted().contains(name), "the class refuses \"{name}\", which the learner does not accept either");
        }
        Ok(())
    }

    /// The data that the learner accepts, in the words of Python's `_accepts`.
    fn accepted(&self) -> Vec<&'static str> {
        let accepts = &self.spec.accepts;
        let all = [
            (accepts.sparse, "sparse"),
            (accepts.missing, "missing"),
            (accepts.categorical, "categories"),
            (accepts.multi_target, "targets"),
            (self.values == ValueKind::Counts, "counts"),
            (self.values == ValueKind::Codes, "codes"),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, word)| word).collect()
    }

    /// The data that the class accepts; none where its members decide.
    pub fn accepts(&self) -> Option<Vec<&'static str>> {
        let accepted = self.accepted().into_iter().filter(|word| !self.face.refuses.contains(word)).collect();
        (self.spec.family != Family::Composite).then_some(accepted)
    }

    /// The class with its behavior, and the module it comes from as seen from the module of the class.
    pub fn base(&self) -> Result<(String, String)> {
        if let Some((file, _)) = self.face.base.split_once('.') {
            return Ok((self.face.base.to_owned(), format!("from . import {file}")));
        }
        let is = |task| self.spec.tasks.contains(&task);
        let (file, base) = match (is(Task::Regression), is(Task::Classification)) {
            (true, true) => bail!("a class of a learner for numbers and classes names its base"),
            (true, false) => ("_regressor", "NativeRegressor"),
            (false, true) => ("_classifier", "NativeClassifier"),
            _ if is(Task::Reduction) || is(Task::Preparation) => ("_transformer", "NativeTransformer"),
            _ => bail!("no base for the tasks of {}", self.spec.name),
        };
        Ok((base.to_owned(), format!("from ..{file} import {base}")))
    }

    pub fn doc(&self, param: &Param) -> Result<String> {
        Ok(match param.role {
            Role::Forwarded(name) | Role::Translated(name) if param.doc.is_empty() => self.spec.param(name)?.doc.to_owned(),
            Role::Unused => {
                let text = "Accepted so that programs written for scikit-learn run; it has no effect.";
                [text, param.doc].join(" ").trim_end().to_owned()
            }
            _ => param.doc.to_owned(),
        })
    }

    /// The default as a Python expression.
    pub fn default(&self, param: &Param) -> String {
        let of_learner = || param.learners().and_then(|name| self.defaults.get(name)).map_or("None".into(), literal);
        param.default.python().unwrap_or_else(of_learner)
    }

    pub fn constraint(&self, param: &Param) -> Result<String> {
        Ok(match param.learners() {
            Some(name) if param.rules.is_empty() => {
                format!("[{}]", constraints(&self.spec.param(name)?.range)?.join(", "))
            }
            _ => faces::constraint(param.rules),
        })
    }

    /// The type in the documentation.
    pub fn kind(&self, param: &Param) -> Result<String> {
        Ok(match param.learners() {
            _ if !param.kind.is_empty() => param.kind.to_owned(),
            Some(name) if param.rules.is_empty() => kind(&self.spec.param(name)?.range),
            _ => faces::kind(param.rules),
        })
    }

    /// The parameters of `__init__`, those after the first few by keyword only.
    pub fn signature(&self, with: impl Fn(&Param) -> Result<String>) -> Result<Vec<String>> {
        let mut parts = vec!["self".to_owned()];
        for (i, p) in self.params.iter().enumerate() {
            if i == self.face.positional {
                parts.push("*".into());
            }
            parts.push(with(p)?);
        }
        Ok(parts)
    }
}

/// A JSON value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(n) => n.to_string(),
        Value::String(s) => format!("{s:?}"),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(_) => "None".into(),
    }
}

/// A range as scikit-learn's constraints.
fn constraints(range: &Range) -> Result<Vec<String>> {
    Ok(match range {
        Range::Bool => vec!["\"boolean\"".into()],
        Range::Int { min, max: i64::MAX } => vec![format!("Interval(Integral, {min}, None, closed=\"left\")")],
        Range::Int { min, max } => vec![format!("Interval(Integral, {min}, {max}, closed=\"both\")")],
        Range::Real { min, max, above, .. } => {
            let end = |v: &f64| if v.is_finite() { format!("{v:?}") } else { "None".into() };
            let closed = match (min.is_finite() && !*above, max.is_finite()) {
                (true, true) => "both",
                (true, false) => "left",
                (false, true) => "right",
                (false, false) => "neither",
            };
            vec![format!("Interval(Real, {}, {}, closed=\"{closed}\")", end(min), end(max))]
        }
        Range::Choice(words) => {
            let words: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
            vec![format!("StrOptions({{{}}})", words.join(", "))]
        }
        Range::Optional(inner) => [constraints(inner)?, vec!["None".into()]].concat(),
        Range::Either(a, b) => [constraints(a)?, constraints(b)?].concat(),
        Range::List(_) => vec!["\"array-like\"".into()],
        Range::Text => vec!["str".into()],
        Range::Any => bail!("a parameter of any structure needs rules in the face"),
    })
}

/// A range as the docstring names its type.
fn kind(range: &Range) -> String {
    match range {
        Range::Bool => "bool".into(),
        Range::Int { .. } => "int".into(),
        Range::Real { .. } => "float".into(),
        Range::Choice(words) => format!("{{{}}}", words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", ")),
        Range::Optional(inner) => format!("{} or None", kind(inner)),
        Range::Either(a, b) => format!("{} or {}", kind(a), kind(b)),
        Range::List(_) => "array-like".into(),
        Range::Text => "str".into(),
        Range::Any => "object".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_constraints() {
        const TWO_OR_MORE: Range = Range::int_from(2);
        let of = |r: &Range| constraints(r).unwrap().join(", ");
        assert_eq!(of(&Range::above(0.0)), "Interval(Real, 0.0, None, closed=\"neither\")");
        assert_eq!(of(&Range::Optional(&TWO_OR_MORE)), "Interval(Integral, 2, None, closed=\"left\"), None");
        assert_eq!(of(&Range::Choice(&["a", "b"])), "StrOptions({\"a\", \"b\"})");
    }
}
