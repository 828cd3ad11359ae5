//! The page of a method: the text of `docs/methods` with the catalogue's description of its learner.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ermine::core::{AnyLearner, Range, Spec};
use serde::Serialize;
use serde_json::Value;

use crate::markdown;

/// The sections of every page, in order; the objective comes before them.
const SECTIONS: [&str; 4] = ["When to use it", "Example", "Cost", "Limits"];

/// A page as the template sees it.
#[derive(Serialize)]
pub struct Method {
    pub name: &'static str,
    pub title: String,
    pub family: &'static str,
    pub summary: &'static str,
    pub tasks: Vec<&'static str>,
    /// The data that it accepts.
    pub accepts: Vec<(&'static str, bool)>,
    /// The Python classes.
    pub classes: Vec<String>,
    pub objective: String,
    pub picture: String,
    pub when: String,
    pub example: String,
    pub params: Vec<Param>,
    pub cost: String,
    pub limits: String,
    pub reference: &'static str,
    /// Where its links lead.
    #[serde(skip)]
    pub links: Vec<String>,
}

#[derive(Serialize)]
pub struct Param {
    pub name: &'static str,
    pub default: String,
    pub range: String,
    pub doc: &'static str,
}

impl Method {
    /// The page of a learner. A missing section is an error, and so is one too many.
    pub fn read(root: &Path, learner: &dyn AnyLearner, classes: &PythonClasses) -> Result<Self> {
        let spec = learner.spec();
        let path = root.join("docs/methods").join(format!("{}.md", spec.name));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::of(&text, learner, classes).with_context(|| format!("docs/methods/{}.md", spec.name))
    }

    fn of(text: &str, learner: &dyn AnyLearner, classes: &PythonClasses) -> Result<Self> {
        let spec = learner.spec();
        let parts = sections(text)?;
        let classes = classes.get(spec.name).cloned().unwrap_or_default();
        for (language, needed) in [("sh", true), ("rust", true), ("python", !classes.is_empty())] {
            let present = parts[2].contains(&format!("```{language}\n"));
            ensure!(present || !needed, "the example in {language} is missing");
        }
        let mut links = Vec::new();
        let mut html = |part: &str| -> Result<(String, String)> {
            let page = markdown::render(part)?;
            links.extend(page.links);
            Ok((page.title, page.html))
        };
        let (title, objective) = html(parts[0])?;
        let [when, example, cost, limits] = [html(parts[1])?.1, html(parts[2])?.1, html(parts[3])?.1, html(parts[4])?.1];
        Ok(Self {
            name: spec.name,
            title,
            family: spec.family.title(),
            summary: spec.summary,
            tasks: spec.tasks.iter().map(|t| t.name()).collect(),
            accepts: accepts(spec),
            classes,
            objective,
            picture: String::new(),
            when,
            example,
            params: params(learner),
            cost,
            limits,
            reference: spec.reference,
            links,
        })
    }
}

/// The text before the first section, then that of each.
fn sections(text: &str) -> Result<Vec<&str>> {
    let mut parts = text.split("\n## ");
    let mut out = vec![parts.next().unwrap_or_default()];
    ensure!(out[0].contains("$$"), "there is no formula before the first section");
    for (wanted, part) in SECTIONS.into_iter().zip(parts.by_ref()) {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        ensure!(title == wanted, "there is a section \"{title}\" where \"{wanted}\" belongs");
        ensure!(!body.trim().is_empty(), "the section \"{title}\" is empty");
        out.push(body);
    }
    ensure!(out.len() == SECTIONS.len() + 1 && parts.next().is_none(), "the sections are {}", SECTIONS.join(", "));
    Ok(out)
}

fn accepts(spec: &Spec) -> Vec<(&'static str, bool)> {
    let a = &spec.accepts;
    vec![
        ("weights", a.weights),
        ("missing values", a.missing),
        ("categories", a.categorical),
        ("sparse rows", a.sparse),
        ("streams", a.passes),
        ("several targets", a.multi_target),
    ]
}

fn params(learner: &dyn AnyLearner) -> Vec<Param> {
    let defaults = learner.params();
    let param = |p: &ermine::core::ParamSpec| Param {
        name: p.name,
        default: defaults.get(p.name).map_or_else(String::new, shown),
        range: if p.range == Range::Any { String::new() } else { p.range.describe() },
        doc: p.doc,
    };
    learner.spec().params.iter().map(param).collect()
}

/// A default as it is typed on the command line.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields.get("learner").and_then(Value::as_str).unwrap_or("…").to_owned(),
        Value::Array(items) if items.iter().any(Value::is_object) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The Python classes of each learner.
pub type PythonClasses = BTreeMap<String, Vec<String>>;

/// The classes of the package, by the learner that each names in `_learner = "…"`.
pub fn python_classes(root: &Path) -> Result<PythonClasses> {
    let mut classes = PythonClasses::new();
    let mut folders = vec![root.join("crates/py/python/ermine")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for path in entries.collect::<std::io::Result<Vec<_>>>()?.into_iter().map(|e| e.path()) {
            match path.extension().and_then(|e| e.to_str()) {
                None if path.is_dir() => folders.push(path),
                Some("py") => classes_of(&fs::read_to_string(&path)?, &mut classes),
                _ => {}
            }
        }
    }
    classes.values_mut().for_each(|names| names.sort());
    ensure!(!classes.is_empty(), "the Python package has no class with a learner");
    Ok(classes)
}

fn classes_of(text: &str, classes: &mut PythonClasses) {
    let mut class = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("class ") {
            class = rest.split(['(', ':']).next().unwrap_or_default();
        }
        let learner = line.trim().strip_prefix("_learner = \"").and_then(|rest| rest.strip_suffix('"'));
        if let Some(learner) = learner
            && !class.starts_with('_')
        {
            classes.entry(learner.to_owned()).or_default().push(class.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# T\n\n$$\nx\n$$\n\n## When to use it\n\na\n\n## Example\n\n```sh\nb\n```\n\n## Cost\n\nc\n\n## Limits\n\nd\n";

    #[test]
    fn a_page_has_all_sections_in_order() {
        assert_eq!(sections(PAGE).unwrap().len(), 5);
        for wrong in [
            PAGE.replace("## Cost", "## Price"),
            PAGE.replace("$$", ""),
            PAGE.replace("\n## Limits\n\nd\n", ""),
            PAGE.replace("c\n", ""),
            format!("{PAGE}\n## More\n\ne\n"),
        ] {
            assert!(sections(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn classes_are_found_by_their_learner() {
        let mut classes = PythonClasses::new();
        classes_of("class Ridge(Base):\n    _learner = \"ridge\"\n\nclass _Hidden:\n    _learner = \"ridge\"\n", &mut classes);
        assert_eq!(classes["ridge"], ["Ridge"]);
    }

    #[test]
    fn an_example_in_each_language_is_asked_for() {
        let learner = ermine::learner("ols").unwrap();
        let error = Method::of(PAGE, &*learner, &PythonClasses::new()).err().unwrap();
        assert!(error.to_string().contains("rust"), "{error}");
    }

    /// Every learner of the catalogue has a page, and every page a learner.
    #[test]
    fn every_learner_has_a_page() {
        let root = Path::new(crate::ROOT);
        let classes = python_classes(root).unwrap();
        let mut names = Vec::new();
        for learner in ermine::catalogue() {
            Method::read(root, &*learner, &classes).unwrap();
            names.push(format!("{}.md", learner.spec().name));
        }
        let pages = fs::read_dir(root.join("docs/methods")).unwrap();
        let pages: Vec<String> =
            pages.map(|e| e.unwrap().file_name().into_string().unwrap()).filter(|p| p != "README.md").collect();
        assert!(pages.iter().all(|p| names.contains(p)), "{pages:?}");
        let index = fs::read_to_string(root.join("docs/methods/README.md")).unwrap();
        let listed = fs::read_to_string(root.join("crates/ermine/src/pages.rs")).unwrap();
        for name in &names {
            assert!(index.contains(&format!("]({name})")), "docs/methods/README.md does not link {name}");
            assert!(listed.contains(&format!("\"methods/{name}\"")), "crates/ermine/src/pages.rs does not list {name}");
        }
    }
}
