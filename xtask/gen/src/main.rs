//! What `cargo xtask gen` writes from the catalogue: the Python classes and their stubs.

mod faces;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use ermine::core::{AnyLearner, Range, Spec};
use serde_json::Value;

use faces::{FACES, Param, PythonClass};

const FOLDER: &str = "crates/py/python/ermine";

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    generate(&args).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn generate(args: &[String]) -> Result<ExitCode> {
    let check = match args {
        [] => false,
        [one] if one == "--check" => true,
        _ => bail!("it takes --check and nothing else"),
    };
    let mut stale = false;
    for (name, text) in [("_generated.py", python()?), ("_generated.pyi", stubs()?)] {
        let path = Path::new(ROOT).join(FOLDER).join(name);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            eprintln!("{FOLDER}/{name} is stale; run `cargo xtask gen`");
            stale = true;
        } else {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote {FOLDER}/{name}");
        }
    }
    Ok(if stale { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A face together with the learner behind it.
struct FaceWithSpec {
    face: &'static PythonClass,
    spec: &'static Spec,
    defaults: Value,
}

impl FaceWithSpec {
    /// A class for each face; every parameter of every learner must be spoken for.
    fn all() -> Result<Vec<Self>> {
        let class = |face: &'static PythonClass| -> Result<Option<Self>> {
            if !written(face) {
                return Ok(None);
            }
            let Ok(learner) = ermine::learner(face.learner) else { return Ok(None) };
            let class = Self { face, spec: learner.spec(), defaults: AnyLearner::params(&*learner) };
            class.check().with_context(|| format!("face {}", face.class))?;
            Ok(Some(class))
        };
        FACES.iter().copied().flatten().filter_map(|face| class(face).transpose()).collect()
    }

    fn check(&self) -> Result<()> {
        let learned = |p: &Param| match p {
            Param::Learner { theirs, .. } => Some(*theirs),
            _ => None,
        };
        for name in self.face.params.iter().filter_map(learned).chain(self.face.handled.iter().copied()) {
            self.spec.param(name)?;
        }
        for p in self.spec.params {
            let spoken_for =
                self.face.params.iter().filter_map(learned).any(|n| n == p.name) || self.face.handled.contains(&p.name);
            ensure!(spoken_for, "parameter \"{}\" of {} is neither in the face nor handled by it", p.name, self.spec.name);
        }
        Ok(())
    }

    fn doc(&self, param: &Param) -> Result<String> {
        Ok(match param {
            Param::Learner { theirs, doc: "", .. } => self.spec.param(theirs)?.doc.to_owned(),
            Param::Learner { doc, .. } | Param::Own { doc, .. } => (*doc).to_owned(),
            Param::Unused { doc, .. } => {
                format!("Accepted so that programs written for scikit-learn run; it has no effect. {doc}")
            }
        })
    }

    fn default(&self, param: &Param) -> Result<String> {
        Ok(match param {
            Param::Learner { theirs, default: "", .. } => literal(self.defaults.get(theirs).unwrap_or(&Value::Null)),
            Param::Learner { default, .. } | Param::Own { default, .. } | Param::Unused { default, .. } => (*default).to_owned(),
        })
    }

    fn constraint(&self, param: &Param) -> Result<String> {
        Ok(match param {
            Param::Learner { theirs, constraint: "", .. } => {
                format!("[{}]", constraints(&self.spec.param(theirs)?.range)?.join(", "))
            }
            Param::Learner { constraint, .. } | Param::Own { constraint, .. } | Param::Unused { constraint, .. } => {
                (*constraint).to_owned()
            }
        })
    }

    fn kind(&self, param: &Param) -> Result<String> {
        Ok(match param {
            Param::Learner { theirs, kind: "", .. } => kind(&self.spec.param(theirs)?.range),
            Param::Learner { kind, .. } | Param::Own { kind, .. } | Param::Unused { kind, .. } => (*kind).to_owned(),
        })
    }
}

/// Whether the module with a face's behaviour is there.
fn written(face: &PythonClass) -> bool {
    let module = face.base.split('.').next().unwrap_or_default();
    Path::new(ROOT).join(FOLDER).join(format!("{module}.py")).exists()
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
        Range::Any => bail!("a parameter of any structure needs a constraint in the face"),
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

/// Text broken into lines of at most `width` characters, each behind `indent`; backslashes are Python's to read.
fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent.len() + line.chars().count() + 1 + word.chars().count() > width {
                let _ = writeln!(out, "{indent}{line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        let _ = writeln!(out, "{indent}{line}");
    }
    out.replace('\\', "\\\\")
}

const WIDTH: usize = 112;

fn heading(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n    {title}\n    {}", "-".repeat(title.len()));
}

fn docstring(class: &FaceWithSpec) -> Result<String> {
    let FaceWithSpec { face, spec, .. } = class;
    let summary = if face.summary.is_empty() { spec.summary } else { face.summary };
    let mut out = format!("    \"\"\"{}.\n", summary.trim_end_matches('.'));
    for text in [spec.objective, spec.notes, face.notes] {
        if !text.is_empty() {
            let _ = write!(out, "\n{}", wrapped(text, "    ", WIDTH));
        }
    }
    if !face.params.is_empty() {
        heading(&mut out, "Parameters");
    }
    for p in face.params {
        let _ = writeln!(out, "    {} : {}, default={}", p.name(), class.kind(p)?, class.default(p)?);
        out += &wrapped(&class.doc(p)?, "        ", WIDTH);
        out.push('\n');
    }
    if !face.params.is_empty() {
        out.pop();
    }
    heading(&mut out, "Attributes");
    for (name, kind, doc) in face.attributes {
        let _ = writeln!(out, "    {name} : {kind}");
        out += &wrapped(doc, "        ", WIDTH);
        out.push('\n');
    }
    out += "    n_features_in_ : int\n        Number of columns seen during fit.\n\n";
    out += "    feature_names_in_ : ndarray of shape (n_features_in_,)\n";
    out += "        Names of the columns, where they all had names that are text.\n";
    if !spec.reference.is_empty() {
        heading(&mut out, "References");
        out += &wrapped(spec.reference, "    ", WIDTH);
    }
    if !face.example.is_empty() {
        heading(&mut out, "Examples");
        for line in face.example.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    out += "    \"\"\"\n";
    Ok(out)
}

/// The parameters of `__init__`, those after the first few by keyword only.
fn signature(class: &FaceWithSpec, with: impl Fn(&Param) -> Result<String>) -> Result<Vec<String>> {
    let mut parts = vec!["self".to_owned()];
    for (i, p) in class.face.params.iter().enumerate() {
        if i == class.face.positional {
            parts.push("*".into());
        }
        parts.push(with(p)?);
    }
    Ok(parts)
}

const NOTICE: &str = "# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.\n";

fn python() -> Result<String> {
    let classes = FaceWithSpec::all()?;
    let mut out = format!(
        "\"\"\"The estimators: signatures, constraints and documentation. What they do is in the modules they import.\"\"\"\n\n{NOTICE}\n"
    );
    out += "from numbers import Integral, Real\n\nimport numpy as np\n";
    out += "from sklearn.metrics import get_scorer_names\n";
    out += "from sklearn.utils._param_validation import HasMethods, Hidden, Interval, MissingValues, Options, RealNotInt, StrOptions\n\n";
    let mut modules: Vec<&str> = classes.iter().filter_map(|c| c.face.base.split_once('.')).map(|(module, _)| module).collect();
    modules.sort_unstable();
    modules.dedup();
    if !modules.is_empty() {
        let _ = writeln!(out, "from . import {}", modules.join(", "));
    }
    let names: Vec<String> = classes.iter().map(|c| format!("    {:?},\n", c.face.class)).collect();
    let _ = write!(out, "\n__all__ = [\n{}]\n", names.concat());
    for class in &classes {
        let face = class.face;
        let _ = write!(out, "\n\nclass {}({}):\n{}\n", face.class, face.base, docstring(class)?);
        let _ = writeln!(out, "    _learner = {:?}", face.learner);
        let forwarded = face.params.iter().filter_map(|p| match p {
            Param::Learner { name, theirs, by_hand: false, .. } => Some(format!("{name:?}: {theirs:?}")),
            _ => None,
        });
        let _ = writeln!(out, "    _forwarded = {{{}}}", forwarded.collect::<Vec<_>>().join(", "));
        out += "    _parameter_constraints: dict = {\n";
        for p in face.params {
            let _ = writeln!(out, "        {:?}: {},", p.name(), class.constraint(p)?);
        }
        out += "    }\n\n";
        let init = signature(class, |p| Ok(format!("{}={}", p.name(), class.default(p)?)))?;
        let line = init.join(", ");
        if line.len() + 23 <= WIDTH + 8 {
            let _ = writeln!(out, "    def __init__({line}):");
        } else {
            let _ = writeln!(out, "    def __init__(\n        {},\n    ):", init.join(",\n        "));
        }
        for p in face.params {
            let _ = writeln!(out, "        self.{0} = {0}", p.name());
        }
        if face.params.is_empty() {
            out += "        pass\n";
        }
    }
    Ok(out)
}

/// A parameter's type as a checker reads it.
fn hint(class: &FaceWithSpec, param: &Param) -> Result<String> {
    let kind = class.kind(param)?;
    let mut hints: Vec<&str> = Vec::new();
    for part in kind.split([',', ' ', '{', '}']).flat_map(|p| p.split(" or ")) {
        let one = match part {
            "bool" => "bool",
            "int" => "int",
            "float" => "float",
            "str" => "str",
            "None" => "None",
            p if p.starts_with('"') => "str",
            "array-like" | "object" | "dict" | "callable" | "list" | "tuple" | "type" | "RandomState" => "Any",
            _ => continue,
        };
        if !hints.contains(&one) {
            hints.push(one);
        }
    }
    Ok(if hints.is_empty() || hints.contains(&"Any") { "Any".into() } else { hints.join(" | ") })
}

fn stubs() -> Result<String> {
    let classes = FaceWithSpec::all()?;
    let mut out = NOTICE.to_owned();
    out += "from typing import Any\n\nimport numpy as np\nfrom numpy.typing import NDArray\n\n";
    let mut modules: Vec<&str> = classes.iter().filter_map(|c| c.face.base.split_once('.')).map(|(module, _)| module).collect();
    modules.sort_unstable();
    modules.dedup();
    if !modules.is_empty() {
        let _ = writeln!(out, "from . import {}", modules.join(", "));
    }
    let names: Vec<String> = classes.iter().map(|c| format!("    {:?},\n", c.face.class)).collect();
    let _ = write!(out, "\n__all__ = [\n{}]\n", names.concat());
    for class in &classes {
        let face = class.face;
        let _ = writeln!(out, "\nclass {}({}):", face.class, face.base);
        for (name, kind, _) in face.attributes {
            let hint = match kind.split([' ', ',']).next().unwrap_or_default() {
                "ndarray" => "NDArray[Any]",
                "int" => "int",
                "float" => "float",
                "bool" => "bool",
                "dict" => "dict[str, Any]",
                _ => "Any",
            };
            let _ = writeln!(out, "    {name}: {hint}");
        }
        out += "    n_features_in_: int\n    feature_names_in_: NDArray[np.object_]\n";
        let init = signature(class, |p| Ok(format!("{}: {} = ...", p.name(), hint(class, p)?)))?;
        let _ = writeln!(out, "    def __init__(\n        {},\n    ) -> None: ...", init.join(",\n        "));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_files_are_what_the_catalogue_says() {
        for (name, text) in [("_generated.py", python().unwrap()), ("_generated.pyi", stubs().unwrap())] {
            let committed = fs::read_to_string(Path::new(ROOT).join(FOLDER).join(name)).unwrap();
            assert!(committed == text, "{name} is stale; run `cargo xtask gen`");
        }
    }

    #[test]
    fn ranges_become_constraints() {
        const TWO_OR_MORE: Range = Range::int_from(2);
        let of = |r: &Range| constraints(r).unwrap().join(", ");
        assert_eq!(of(&Range::above(0.0)), "Interval(Real, 0.0, None, closed=\"neither\")");
        assert_eq!(of(&Range::Optional(&TWO_OR_MORE)), "Interval(Integral, 2, None, closed=\"left\"), None");
        assert_eq!(of(&Range::Choice(&["a", "b"])), "StrOptions({\"a\", \"b\"})");
    }
}
