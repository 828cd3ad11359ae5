use super::*;
use crate::chart::Series;

const HOSTILE: &str = "<script>alert(1)</script>\"'&`|*";

fn everything(text: &str) -> Document {
    let chart = Chart::new(text, text, text).with(Series::line(text, vec![(0.0, 1.0), (1.0, 0.5)])).sized(400.0, 280.0);
    let class = ExplorerClass::of(text, 10, &[true, false, true], &[0.9, 0.4, 0.2], None);
    let explorer = ThresholdExplorer { classes: vec![class], steps: 10, fp: 1.0, fn_: 1.0, whole: true };
    let entry = TableCell { text: text.into(), tint: -0.5, strong: true, ..TableCell::default() };
    let grid = DocTable {
        caption: text.into(),
        heads: vec![TableHead::word(text), TableHead::number(text)],
        rows: vec![vec![text.into(), entry]],
        note: text.into(),
        tight: true,
    };
    let part = DocSection::new(text)
        .lead(text)
        .text(text)
        .with(DocBlock::Note(text.into()))
        .with(DocBlock::Tiles(vec![MetricTile { name: text.into(), value: text.into(), detail: text.into() }]))
        .with(DocBlock::Table(grid))
        .figures(vec![Figure::new("one", text, chart).alt_text(text).caption(text).wide()])
        .with(DocBlock::Code { name: text.into(), text: text.into() })
        .with(DocBlock::Frames { title: text.into(), frames: vec![text.into(), "two\nlines".into()] })
        .with(DocBlock::Fold { title: text.into(), blocks: vec![DocBlock::Text(text.into())] })
        .with(DocBlock::Explorer(Box::new(explorer)));
    let mut page = Document::new(text, text).fact(text, text).with(part.clone()).with(part);
    (page.kind, page.footer) = (text.into(), text.into());
    page
}

#[test]
fn what_people_wrote_stays_text() {
    let html = everything(HOSTILE).to_html().unwrap();
    assert!(!html.contains("<script>alert"), "{html}");
    assert_eq!(html.matches("<script").count(), 3, "two explorers' numbers and the script of the page");
    let (text, files) = everything(HOSTILE).to_markdown("files");
    assert!(!text.contains("<script>") || text.contains("```"), "{text}");
    assert!(text.replace(&format!("\n{HOSTILE}\n"), "").find("<script").is_none(), "only code stays as it is: {text}");
    assert!(files.iter().all(|f| !f.1.contains("<script")));
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let html = everything("plain").to_html().unwrap();
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let rest = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(outside), "{outside}");
    }
    assert!(html.contains("default-src 'none'"));
    assert!(html.starts_with("<!doctype html>"), "{}", &html[..80]);
    assert!(html.contains("id=\"plain\"") && html.contains("id=\"plain-2\""), "headings of one name are told apart");
    assert_eq!(html, everything("plain").to_html().unwrap(), "the same page gives the same bytes");
}

#[test]
fn frames_stand_below_each_other_until_the_script_plays_them() {
    let frames = DocBlock::Frames { title: "An <episode>".into(), frames: vec!["S..\n".into(), ".S.".into(), "..S".into()] };
    let page = Document::new("A walk", "").with(DocSection::new("Steps").with(frames));
    let html = page.to_html().unwrap();
    assert_eq!(html.matches("<pre tabindex=\"0\">").count(), 3);
    assert!(
        html.contains("<div class=\"player\" hidden>") && html.contains("max=\"2\"") && html.contains("An &lt;episode&gt;"),
        "{html}"
    );
    let (text, _) = page.to_markdown("files");
    assert!(text.contains("step 0\n\n```\nS..\n```") && text.contains("step 2\n\n```\n..S\n```"), "{text}");
    assert!(!text.contains(".S.\n"), "a text shows the ends: {text}");
}

#[test]
fn figures_of_a_text_are_files_beside_it() {
    let (text, files) = everything("plain").to_markdown("page_files");
    assert!(text.contains("![plain](page_files/one.svg)"), "{text}");
    assert_eq!(files.len(), 2);
    assert!(files[0].0 == "one.svg" && files[0].1.starts_with("<svg ") && files[0].1.contains("<style>"));
    for line in ["| 0.4 | 1 | 1 | 1 | 50.0% | 50.0% | 2 |", "| 0.5 (least cost) | 1 | 0 | 1 | 100% | 50.0% | 1 |"] {
        assert!(text.contains(line), "what cannot move stands at some thresholds: {text}");
    }
}

#[test]
fn the_explorer_counts_what_comparing_says() {
    // 0.3 is not a tenth times three in f64, and 0.7 reaches the threshold 7 / 10 only as comparing says.
    let proba = [0.0, 0.1, 0.3, 0.1 * 3.0, 0.7, 0.999, 1.0, 0.55];
    let positive = [false, true, true, false, true, false, true, true];
    let weight = [1.0, 2.0, 1.0, 1.0, 0.5, 1.0, 1.0, 3.0];
    for weight in [None, Some(&weight[..])] {
        let class = ExplorerClass::of("a", 10, &positive, &proba, weight);
        for k in 0..=10 {
            let threshold = f64::from(k) / 10.0;
            let of = |which: bool| -> f64 {
                (0..8).filter(|&i| positive[i] == which && proba[i] >= threshold).map(|i| weight.map_or(1.0, |w| w[i])).sum()
            };
            assert_eq!((class.tp[k as usize], class.fp[k as usize]), (of(true), of(false)), "{threshold}");
        }
        assert_eq!(class.positives, class.tp[0]);
        let explorer = ThresholdExplorer { classes: vec![class.clone()], steps: 10, fp: 5.0, fn_: 1.0, whole: true };
        let best = explorer.best(&class);
        assert!((0..=10).all(|k| explorer.cost(&class, k) >= explorer.cost(&class, best)));
    }
}
