//! Markdown to HTML, with formulas as MathML and links between pages.

use anyhow::{Result, anyhow};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Storage, mathml::push_mathml};

/// A page as HTML.
pub struct Rendered {
    /// The text of its first heading, which is not part of `html`.
    pub title: String,
    pub html: String,
    /// Where its links and pictures lead, as they are written; pages of other sites left out.
    pub links: Vec<String>,
    /// The names of its headings, to which links may lead.
    pub anchors: Vec<String>,
}

/// Renders a page. A formula that cannot be read is an error.
pub fn render(text: &str) -> Result<Rendered> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
    let (mut title, mut links, mut anchors) = (String::new(), Vec::new(), Vec::new());
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut heading: Option<(usize, String)> = None;
    let mut language = None;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::InlineMath(latex) => events.push(Event::InlineHtml(mathml(&latex, DisplayMode::Inline)?.into())),
            Event::DisplayMath(latex) => {
                let math = mathml(&latex, DisplayMode::Block)?;
                events.push(Event::InlineHtml(format!("<span class=\"formula\">{math}</span>").into()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = page_link(&dest_url, &mut links);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = page_link(&dest_url, &mut links);
                events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let name = match &kind {
                    pulldown_cmark::CodeBlockKind::Fenced(name) => language_title(name),
                    pulldown_cmark::CodeBlockKind::Indented => None,
                };
                if let Some(name) = name {
                    events.push(Event::Html(format!("<div class=\"code\"><span>{name}</span>").into()));
                }
                language = name;
                events.push(Event::Start(Tag::CodeBlock(kind)));
            }
            Event::End(TagEnd::CodeBlock) => {
                events.push(Event::End(TagEnd::CodeBlock));
                if language.take().is_some() {
                    events.push(Event::Html("</div>\n".into()));
                }
            }
            Event::Start(Tag::Table(alignments)) => {
                events.push(Event::Html("<div class=\"scroll\">".into()));
                events.push(Event::Start(Tag::Table(alignments)));
            }
            Event::End(TagEnd::Table) => {
                events.push(Event::End(TagEnd::Table));
                events.push(Event::Html("</div>\n".into()));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((events.len(), String::new()));
                events.push(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }));
            }
            Event::End(TagEnd::Heading(level)) => {
                let (at, words) = heading.take().unwrap_or_default();
                if level == HeadingLevel::H1 && title.is_empty() {
                    title = words;
                    events.truncate(at);
                    continue;
                }
                let id = slug(&words);
                anchors.push(id.clone());
                if let Some(Event::Start(Tag::Heading { id: named, .. })) = events.get_mut(at) {
                    *named = Some(CowStr::from(id));
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            event => {
                if let (Some((_, words)), Event::Text(text) | Event::Code(text)) = (&mut heading, &event) {
                    words.push_str(text);
                }
                events.push(event);
            }
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    Ok(Rendered { title, html: out, links, anchors })
}

/// A formula as MathML.
fn mathml(latex: &str, display_mode: DisplayMode) -> Result<String> {
    let storage = Storage::new();
    let parser = || pulldown_latex::Parser::new(latex, &storage);
    if let Some(Err(error)) = parser().find(Result::is_err) {
        return Err(anyhow!("formula `{latex}`: {error}"));
    }
    let mut out = String::new();
    push_mathml(&mut out, parser(), RenderConfig { display_mode, ..RenderConfig::default() })?;
    Ok(out)
}

/// A link as it is on the site: pages of Markdown become HTML. Links within the site are noted.
fn page_link(url: &str, links: &mut Vec<String>) -> CowStr<'static> {
    if url.contains("://") {
        return url.to_owned().into();
    }
    links.push(url.to_owned());
    let (path, anchor) = url.split_once('#').map_or((url, None), |(path, anchor)| (path, Some(anchor)));
    let path = match path.strip_suffix(".md") {
        Some(page) => format!("{page}.html"),
        None if path.ends_with('/') => format!("{path}README.html"),
        None => path.to_owned(),
    };
    anchor.map_or(path.clone(), |anchor| format!("{path}#{anchor}")).into()
}

fn language_title(name: &str) -> Option<&'static str> {
    match name {
        "sh" => Some("Shell"),
        "python" => Some("Python"),
        "rust" => Some("Rust"),
        _ => None,
    }
}

/// The name of a heading in links, as GitHub makes it.
pub fn slug(heading: &str) -> String {
    let letters = heading.chars().filter_map(|c| match c {
        ' ' | '-' => Some('-'),
        c if c.is_alphanumeric() || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_and_wrong_ones_are_refused() {
        let page = render("# Title\n\n$$\n\\frac{1}{2} x^2\n$$\n\nwith $x$.\n").unwrap();
        assert_eq!(page.title, "Title");
        assert_eq!(page.html.matches("<math").count(), 2);
        assert!(page.html.contains("<mfrac>") && !page.html.contains('$'), "{}", page.html);
        assert!(render("$\\nosuchcommand$").is_err());
    }

    #[test]
    fn links_to_pages_lead_to_their_html() {
        let page = render("[a](b.md#part) [c](../d/) [e](https://x.org/y.md) ![f](g.svg)").unwrap();
        assert_eq!(page.links, ["b.md#part", "../d/", "g.svg"]);
        for href in ["\"b.html#part\"", "\"../d/README.html\"", "\"https://x.org/y.md\"", "\"g.svg\""] {
            assert!(page.html.contains(href), "{href}: {}", page.html);
        }
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let page = render("# T\n\n## Bandits and agents\n\n### `fit --trace`").unwrap();
        assert_eq!(page.anchors, ["bandits-and-agents", "fit---trace"]);
        assert!(page.html.contains("<h2 id=\"bandits-and-agents\">"));
    }
}
