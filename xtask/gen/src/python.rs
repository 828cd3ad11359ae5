//! The classes: signatures, constraints, documentation, and what they accept and keep as data.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;

use crate::NOTICE;
use crate::class::Class;
use crate::faces::Role;

const WIDTH: usize = 112;

/// Where each class of the package is, and its learner.
pub fn index(classes: &[Class], modules: &[&str]) -> String {
    let mut out = format!("\"\"\"Where each estimator is.\"\"\"\n\n{NOTICE}\n# The modules with estimators.\nMODULES = [\n");
    for module in modules {
        let _ = writeln!(out, "    {module:?},");
    }
    out += "]\n\n# Class: its module and its learner.\nESTIMATORS = {\n";
    for class in classes {
        let face = class.face;
        let _ = writeln!(out, "    {:?}: ({:?}, {:?}),", face.class, face.module, face.learner);
    }
    out + "}\n"
}

/// The classes of a module.
pub fn module(classes: &[&Class]) -> Result<String> {
    let mut body = String::new();
    let mut bases = BTreeSet::from(["from .._docs import documented".to_owned()]);
    for class in classes {
        let (base, import) = class.base()?;
        bases.insert(import);
        body += &definition(class, &base)?;
    }
    let mut out =
        format!("\"\"\"Signatures, constraints and documentation; what the classes do is in their bases.\"\"\"\n\n{NOTICE}\n");
    let used = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| contains_name(&body, name)).collect()
    };
    let numbers = used(&["Integral", "Real"]);
    if !numbers.is_empty() {
        let _ = writeln!(out, "from numbers import {}\n", numbers.join(", "));
    }
    if contains_name(&body, "np") {
        out += "import numpy as np\n";
    }
    if contains_name(&body, "get_scorer_names") {
        out += "from sklearn.metrics import get_scorer_names\n";
    }
    let rules = used(&["HasMethods", "Hidden", "Interval", "MissingValues", "Options", "RealNotInt", "StrOptions"]);
    if !rules.is_empty() {
        let _ = writeln!(out, "from sklearn.utils._param_validation import {}\n", rules.join(", "));
    }
    // "from .." sorts before "from . " here as a linter has it: the package before the module.
    let (package, files): (Vec<&String>, Vec<&String>) = bases.iter().partition(|line| line.starts_with("from .."));
    for line in package {
        let _ = writeln!(out, "{line}");
    }
    let files: Vec<&str> = files.iter().filter_map(|line| line.strip_prefix("from . import ")).collect();
    if !files.is_empty() {
        let _ = writeln!(out, "from . import {}", files.join(", "));
    }
    let names: Vec<String> = classes.iter().map(|c| format!("    {:?},\n", c.face.class)).collect();
    let _ = write!(out, "\n__all__ = [\n{}]\n", names.concat());
    Ok(out + &body)
}

/// Whether Python text uses a name.
fn contains_name(text: &str, name: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(part_of_name) && matches!(after, Some('(' | ',' | '.' | ']'))
    })
}

fn definition(class: &Class, base: &str) -> Result<String> {
    let face = class.face;
    // The decorator comes last, when scikit-learn has wrapped what it wraps.
    let mut out = format!("\n\n@documented\nclass {}({base}):\n{}\n", face.class, docstring(class)?);
    // Where users import it from, and where pickles look for it.
    let _ = writeln!(out, "    __module__ = \"ermine.{}\"", face.module);
    let _ = writeln!(out, "    _learner = {:?}", face.learner);
    if let Some(accepts) = class.accepts() {
        let _ = writeln!(out, "    _accepts = {}", tuple(&accepts));
    }
    for (name, list) in [("_arrays", face.arrays), ("_fields", face.fields)] {
        if !list.is_empty() {
            let _ = writeln!(out, "    {name} = {}", tuple(list));
        }
    }
    let forwarded = class.params.iter().filter_map(|p| match p.role {
        Role::Forwarded(theirs) => Some(format!("{:?}: {theirs:?}", p.name)),
        _ => None,
    });
    let _ = writeln!(out, "    _forwarded = {{{}}}", forwarded.collect::<Vec<_>>().join(", "));
    out += "    _parameter_constraints: dict = {\n";
    for p in &class.params {
        let _ = writeln!(out, "        {:?}: {},", p.name, class.constraint(p)?);
    }
    out += "    }\n\n";
    let init = class.signature(|p| Ok(format!("{}={}", p.name, class.default(p))))?;
    let line = init.join(", ");
    if line.len() + 23 <= WIDTH + 8 {
        let _ = writeln!(out, "    def __init__({line}):");
    } else {
        let _ = writeln!(out, "    def __init__(\n        {},\n    ):", init.join(",\n        "));
    }
    for p in &class.params {
        let _ = writeln!(out, "        self.{0} = {0}", p.name);
    }
    if class.params.is_empty() {
        out += "        pass\n";
    }
    Ok(out)
}

fn tuple(words: &[&str]) -> String {
    let comma = if words.len() == 1 { "," } else { "" };
    format!("({}{comma})", words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", "))
}

fn docstring(class: &Class) -> Result<String> {
    let (face, spec) = (class.face, class.spec);
    let summary = if face.summary.is_empty() { spec.summary } else { face.summary };
    let mut out = format!("    \"\"\"{}.\n", summary.trim_end_matches('.'));
    for text in [spec.objective, spec.notes, face.notes] {
        if !text.is_empty() {
            let _ = write!(out, "\n{}", wrapped(text, "    ", WIDTH));
        }
    }
    if !class.params.is_empty() {
        heading(&mut out, "Parameters");
    }
    for p in &class.params {
        let _ = writeln!(out, "    {} : {}, default={}", p.name, class.kind(p)?, class.default(p));
        out += &wrapped(&class.doc(p)?, "        ", WIDTH);
        out.push('\n');
    }
    if !class.params.is_empty() {
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

fn heading(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n    {title}\n    {}", "-".repeat(title.len()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_used_are_imported() {
        assert!(contains_name("[Interval(Real, 0, None)]", "Real"));
        assert!(!contains_name("[RealNotInt, None]", "Real"));
        assert!(contains_name("{np.inf}", "np"));
        assert!(!contains_name("ninp.x", "np"));
    }

    #[test]
    fn long_text_is_wrapped_and_paragraphs_stay() {
        assert_eq!(wrapped("aa bb cc\n\ndd", "  ", 7), "  aa bb\n  cc\n\n  dd\n");
    }
}
