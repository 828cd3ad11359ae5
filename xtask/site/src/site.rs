//! The site: pages of Markdown at the places of their sources, a page for each method, an index, one style.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use crate::markdown::{self, Rendered};
use crate::method::{Method, python_classes};
use crate::pictures;

const TEMPLATE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/search.js");

/// Pages at the root that become part of the site.
const ROOT_PAGES: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"];
/// Other pages and files that links lead to.
const FILES: [&str; 3] = ["fixtures/README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// An entry of the search.
#[derive(Serialize)]
struct Entry {
    title: String,
    /// Where the page is, from the root of the site.
    path: String,
    /// Further words that find it.
    words: String,
}

/// Methods of one family, in the order of the catalogue.
#[derive(Serialize)]
struct Group<'a> {
    title: &'static str,
    methods: Vec<&'a Method>,
}

/// Writes the site into a folder; the page to open.
pub fn write(root: &Path, folder: &Path) -> Result<PathBuf> {
    let methods = methods(root)?;
    let pages = pages(root)?;
    check_links(root, &pages, &methods)?;
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template("page", TEMPLATE)?;
    let template = environment.get_template("page")?;
    let groups = groups(&methods);

    let put = |path: &str, text: &str| -> Result<()> {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (source, page) in &pages {
        let path = html_path(source);
        let text = template.render(context! { up => up(&path), title => &*page.title, html => &*page.html })?;
        put(&path, &text)?;
    }
    for method in &methods {
        let path = method_path(method);
        let text =
            template.render(context! { up => up(&path), title => &*method.title, method => Value::from(Serde(method)) })?;
        put(&path, &text)?;
    }
    let questions = questions(&pages)?;
    put("index.html", &template.render(context! { up => "", title => "Ermine", index => true, groups => Value::from(Serde(&groups)), questions => &*questions })?)?;
    put("style.css", &format!("{STYLE}\n{}", ermine::chart::page_style()))?;
    put("search.js", SCRIPT)?;
    // A script and not JSON: pages opened from a disk may not read files.
    put("entries.js", &format!("const entries = {};\n", serde_json::to_string(&entries(&pages, &methods))?))?;
    copy_files(root, folder, &pages)?;
    Ok(folder.join("index.html"))
}

fn methods(root: &Path) -> Result<Vec<Method>> {
    let classes = python_classes(root)?;
    let read = |learner: Box<dyn ermine::core::AnyLearner>| -> Result<Method> {
        let mut method = Method::read(root, &*learner, &classes)?;
        method.picture = pictures::of(method.name).with_context(|| format!("the picture of {}", method.name))?;
        Ok(method)
    };
    ermine::catalogue().map(read).collect()
}

/// The pages that are no methods, by the path of their source.
fn pages(root: &Path) -> Result<BTreeMap<String, Rendered>> {
    let mut sources: Vec<String> = ROOT_PAGES.iter().chain(&FILES[..1]).map(|&p| p.to_owned()).collect();
    for entry in fs::read_dir(root.join("docs")).context("cannot read docs")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            sources.push(format!("docs/{name}"));
        }
    }
    sources.push("docs/methods/README.md".into());
    let page = |source: String| -> Result<(String, Rendered)> {
        let text = fs::read_to_string(root.join(&source)).with_context(|| format!("cannot read {source}"))?;
        let page = markdown::render(&text).with_context(|| source.clone())?;
        Ok((source, page))
    };
    sources.into_iter().map(page).collect()
}

fn groups(methods: &[Method]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for method in methods {
        match groups.iter_mut().find(|g| g.title == method.family) {
            Some(group) => group.methods.push(method),
            None => groups.push(Group { title: method.family, methods: vec![method] }),
        }
    }
    groups
}

/// The table of questions of the page of methods.
fn questions(pages: &BTreeMap<String, Rendered>) -> Result<String> {
    let html = &pages.get("docs/methods/README.md").context("docs/methods/README.md is missing")?.html;
    let table = html.split_once("<div class=\"scroll\">").and_then(|(_, rest)| rest.split_once("</div>"));
    let (table, _) = table.context("docs/methods/README.md has no table of questions")?;
    Ok(format!("<div class=\"scroll\">{}</div>", table.replace("href=\"", "href=\"docs/methods/")))
}

fn entries(pages: &BTreeMap<String, Rendered>, methods: &[Method]) -> Vec<Entry> {
    let of_method = |m: &Method| Entry {
        title: m.title.clone(),
        path: method_path(m),
        words: format!("{} {} {} {} {}", m.name, m.family, m.summary, m.classes.join(" "), m.tasks.join(" ")),
    };
    let of_page = |(source, page): (&String, &Rendered)| Entry {
        title: page.title.clone(),
        path: html_path(source),
        words: page.anchors.join(" ").replace('-', " "),
    };
    methods.iter().map(of_method).chain(pages.iter().map(of_page)).collect()
}

fn method_path(method: &Method) -> String {
    format!("docs/methods/{}.html", method.name)
}

fn html_path(source: &str) -> String {
    source.strip_suffix(".md").map_or_else(|| source.to_owned(), |page| format!("{page}.html"))
}

/// The relative path from a page to the root of the site.
fn up(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

/// Every link must lead to a page of the site, or a file that is copied, and every anchor to a heading.
fn check_links(root: &Path, pages: &BTreeMap<String, Rendered>, methods: &[Method]) -> Result<()> {
    let method_source = |m: &Method| format!("docs/methods/{}.md", m.name);
    let of_pages = pages.iter().flat_map(|(source, page)| page.links.iter().map(move |link| (source.clone(), link)));
    let of_methods = methods.iter().flat_map(|m| m.links.iter().map(move |link| (method_source(m), link)));
    for (source, link) in of_pages.chain(of_methods) {
        let (path, anchor) = link.split_once('#').map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
        let mut target = if path.is_empty() { source.clone() } else { resolve(&source, path) };
        if path.ends_with('/') {
            target.push_str("/README.md");
        }
        let page = pages.get(&target);
        let known = page.is_some() || methods.iter().any(|m| method_source(m) == target) || is_copied(root, &target);
        ensure!(known, "{source} links {link}, and the site has no such page");
        if let (Some(anchor), Some(page)) = (anchor, page) {
            ensure!(page.anchors.iter().any(|a| a == anchor), "{source} links {link}, and {target} has no such heading");
        }
    }
    Ok(())
}

fn is_copied(root: &Path, target: &str) -> bool {
    let picture = [".svg", ".png"].iter().any(|end| target.ends_with(end));
    (picture || FILES.contains(&target)) && root.join(target).is_file()
}

/// A link as a path from the root.
fn resolve(source: &str, link: &str) -> String {
    let mut parts: Vec<&str> = source.split('/').collect();
    parts.pop();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(name) => parts.push(name.to_str().unwrap_or_default()),
            _ => {}
        }
    }
    parts.join("/")
}

fn copy_files(root: &Path, folder: &Path, pages: &BTreeMap<String, Rendered>) -> Result<()> {
    for (source, page) in pages {
        for target in page.links.iter().map(|link| resolve(source, link)).filter(|t| is_copied(root, t) && !t.ends_with(".md")) {
            let to = folder.join(&target);
            fs::create_dir_all(to.parent().unwrap_or(folder))?;
            fs::copy(root.join(&target), &to).with_context(|| format!("cannot copy {target}"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_from_their_page() {
        assert_eq!(resolve("docs/methods/ridge.md", "../cli.md"), "docs/cli.md");
        assert_eq!(resolve("README.md", "docs/report.png"), "docs/report.png");
        assert_eq!(up("docs/methods/ridge.html"), "../../");
    }

    #[test]
    fn links_that_lead_nowhere_are_refused() {
        let page = |text: &str| BTreeMap::from([("a.md".to_owned(), markdown::render(text).unwrap())]);
        assert!(check_links(Path::new(crate::ROOT), &page("# A\n\n## B\n\n[x](a.md#b) [y](LICENSE-MIT)"), &[]).is_ok());
        assert!(check_links(Path::new(crate::ROOT), &page("[x](c.md)"), &[]).is_err());
        assert!(check_links(Path::new(crate::ROOT), &page("# A\n\n[x](#c)"), &[]).is_err());
    }

    /// All pages render, all links lead somewhere, all pictures are drawn.
    #[test]
    fn the_site_is_whole() {
        let folder = std::env::temp_dir().join(format!("ermine-site-{}", std::process::id()));
        let index = write(Path::new(crate::ROOT), &folder).unwrap();
        let text = fs::read_to_string(&index).unwrap();
        for learner in ermine::catalogue() {
            let page = format!("docs/methods/{}.html", learner.spec().name);
            assert!(text.contains(&page), "the index does not link {page}");
            let page = fs::read_to_string(folder.join(&page)).unwrap();
            assert!(page.contains("<svg class=\"chart\"") && page.contains("<math"), "{}", learner.spec().name);
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
