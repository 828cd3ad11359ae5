use ermine_core::{Curve, Mat};

use super::*;

/// Every tag is closed in order, and text has no markup.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "a stray > in {:?}", &rest[..at]);
        for entity in rest[..at].match_indices('&').map(|(i, _)| &rest[i..at]) {
            assert!(["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|e| entity.starts_with(e)), "{entity}");
        }
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
        match (tag.strip_prefix('/'), tag.strip_suffix('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name), "{tag}"),
            (None, Some(_)) => {}
            (None, None) => open.push(tag.split(' ').next().unwrap()),
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

/// The values of an attribute, in order.
fn attribute(svg: &str, tag: &str, name: &str) -> Vec<f64> {
    let value = |line: &str| {
        let from = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
        line[from..from + line[from..].find('"').unwrap()].parse().unwrap()
    };
    svg.lines().filter(|l| l.starts_with(tag)).map(value).collect()
}

fn loss() -> Chart {
    Chart::new("Loss", "step", "loss")
        .with(Series::line("training", vec![(0.0, 1.0), (1.0, 0.5), (2.0, 0.25)]))
        .with(Series::step("validation", vec![(0.0, 1.1), (1.0, 0.75), (2.0, 0.7)]))
}

#[test]
fn points_stand_where_they_belong() {
    let even = Chart::new("", "x", "y").with(Series::points("p", vec![(0.0, 10.0), (1.0, 20.0), (3.0, 40.0)])).to_svg();
    let (x, y) = (attribute(&even, "<circle", "cx"), attribute(&even, "<circle", "cy"));
    assert!(((x[2] - x[1]) / (x[1] - x[0]) - 2.0).abs() < 1e-3, "{x:?}");
    assert!(((y[2] - y[1]) / (y[1] - y[0]) - 2.0).abs() < 1e-3 && y[0] > y[2], "up is more: {y:?}");
    let ratios = Chart::new("", "x", "y").with(Series::points("p", vec![(0.01, 1.0), (0.1, 2.0), (10.0, 3.0)])).log_x().to_svg();
    let x = attribute(&ratios, "<circle", "cx");
    assert!(((x[2] - x[1]) / (x[1] - x[0]) - 2.0).abs() < 1e-3, "{x:?}");
    // A tick stands at the height of a point with its value.
    let line = even.lines().find(|l| l.contains(">20<")).unwrap();
    let tick: f64 = line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    assert!((tick - 4.0 - y[1]).abs() < 0.02, "{tick} {y:?}");
}

#[test]
fn bars_begin_at_zero() {
    let svg = Chart::new("Importance", "column", "share")
        .with(Series::bars("", vec![(0.0, 0.5), (1.0, -0.25)]))
        .named_x(["age", "a < b"])
        .to_svg();
    assert_well_formed(&svg);
    let (y, h) = (attribute(&svg, "<rect", "y"), attribute(&svg, "<rect", "height"));
    assert!((y[0] + h[0] - y[1]).abs() < 0.02, "one ends where the other begins: {y:?} {h:?}");
    assert!((h[0] / h[1] - 2.0).abs() < 0.01);
    assert!(svg.contains("a &lt; b"));
}

#[test]
fn pictures_are_whole_whatever_is_drawn() {
    let hostile = "<script>\u{0}&\"'\n]]>";
    let mut all = vec![
        loss(),
        Chart::new("", "", ""),
        Chart::new(hostile, hostile, hostile).with(Series::line(hostile, vec![(f64::NAN, 1.0), (0.0, f64::INFINITY)])),
        Chart::new("one", "x", "y").with(Series::line("a", vec![(2.0, 3.0)])),
        Chart::new("flat", "x", "y").with(Series::line("a", vec![(0.0, 0.0), (1.0, 0.0)])),
        Chart::new("far", "x", "y").with(Series::line("a", vec![(-1e308, -1e308), (1e308, 1e308)])),
        Chart::new("near", "x", "y").with(Series::line("a", vec![(1e-310, 1.0), (2e-310, 1.0 + 1e-15)])),
        Chart::new("below", "x", "y").with(Series::line("a", vec![(-1.0, -1.0), (0.0, 2.0)])).log_x().log_y(),
    ];
    let mut many = Chart::new("many", "x", "y");
    for k in 0..40 {
        many =
            many.with(Series::line(format!("series {k} with a name that does not end"), vec![(0.0, 0.0), (1.0, f64::from(k))]));
    }
    all.push(many);
    for chart in &all {
        let svg = chart.to_svg();
        assert_well_formed(&svg);
        assert!(!svg.contains("<script"));
        assert_eq!(svg, chart.to_svg(), "the same chart gives the same bytes");
        for (width, height) in [(80, 16), (40, 6), (120, 30)] {
            let text = chart.to_text(width, height);
            assert!(text.lines().all(|l| l.chars().count() <= width), "{text}");
        }
    }
    assert!(all[8].to_svg().contains("series 39") && !all[8].to_svg().contains("series 3 "), "the farthest are named");
}

#[test]
fn long_names_stay_apart_and_gray_curves_are_counted() {
    let mut chart = Chart::new("path", "x", "y");
    for k in 0..11 {
        chart = chart.with(Series::line(format!("the_same_long_beginning_{k:02}"), vec![(0.0, 0.0), (1.0, f64::from(k))]));
    }
    let (svg, text) = (chart.to_svg(), chart.to_text(100, 20));
    for k in 3..11 {
        let end = format!("nning_{k:02}");
        assert_eq!(svg.matches(&format!("{end}</text>")).count(), 1, "{k}: {svg}");
        assert_eq!(text.matches(&end).count(), 1, "{k}: {text}");
    }
    assert!(svg.contains(">and 3 more, in gray</text>"), "{svg}");
    assert!(!loss().to_svg().contains("in gray"));
}

#[test]
fn heat_colors_by_value() {
    let values = Mat::from_vec(2, 2, vec![1.0, -0.5, f64::NAN, 0.25]);
    let heat = Heatmap { title: "r".into(), rows: vec!["a".into(), "b&c".into()], columns: vec!["a".into(), "b".into()], values };
    let svg = heat.to_svg();
    assert_well_formed(&svg);
    assert_eq!(svg.matches("<rect ").count(), 3, "a cell that is no number stays empty");
    assert!(svg.contains("rgb(5,88,145)") && svg.contains("−0.50"));
}

#[test]
fn text_shows_the_course() {
    let text = loss().to_text(80, 12);
    assert!(text.starts_with("Loss\nloss\n") && text.contains("training") && text.contains("validation"), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let first = |l: &str| l.chars().position(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
    let (top, bottom) = (lines[2..14].iter().find_map(|l| first(l)), lines[2..14].iter().rev().find_map(|l| first(l)));
    assert!(top < bottom, "the curves fall: {text}");
    assert!(lines.last().unwrap().trim() == "step", "{text}");
}

#[test]
fn a_path_runs_from_where_all_curves_meet() {
    let grid: Vec<f64> = (0..60).map(|k| 10f64.powf(-3.0 + 0.05 * f64::from(k))).collect();
    let curve = |name: &str, slope: f64| Curve {
        name: name.into(),
        points: grid.iter().map(|&a| (a, slope * (0.8 - a).max(0.0))).collect(),
    };
    let section = Section::Plot {
        title: "Path".into(),
        x: "alpha".into(),
        y: "coefficient".into(),
        curves: vec![curve("bmi", 1.0), curve("bp", -0.5)],
    };
    let chart = Chart::of(&section).unwrap();
    assert!(chart.x.scale == Scale::Log && chart.x.reversed);
    assert_eq!(Chart::of(&Section::Text("no".into())), None);
    let course = Section::Plot {
        title: "Inertia".into(),
        x: "step".into(),
        y: "inertia".into(),
        curves: vec![Curve {
            name: "inertia".into(),
            points: (0..30).map(|k| (f64::from(k), 100.0 / f64::from(k + 1))).collect(),
        }],
    };
    let chart = Chart::of(&course).unwrap();
    assert!(chart.x.scale == Scale::Linear && !chart.x.reversed);
}

#[test]
fn trees_are_drawn_whole_and_safely() {
    let leaf = |condition: &str, says: &str, rows: f64, shares: &[f64]| ermine_core::TreeNodeReport {
        condition: condition.into(),
        prediction: says.into(),
        rows,
        shares: shares.to_vec(),
        ..Default::default()
    };
    let mut nodes =
        vec![leaf("", "a", 10.0, &[0.6, 0.4]), leaf("x <= 1", "a", 6.0, &[1.0, 0.0]), leaf("x > 1", "<b>", 4.0, &[0.0, 1.0])];
    nodes[0].children = vec![1, 2];
    let section = Section::Tree { title: "Tree".into(), classes: vec!["a".into(), "<b>".into()], nodes };
    let svg = TreeChart::of(&section).unwrap().to_svg();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("x &lt;= 1") && svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
    assert_eq!(svg.matches("<path ").count(), 2);
    assert_well_formed(&svg);
    assert_eq!(svg, TreeChart::of(&section).unwrap().to_svg());
    // Nodes that are no tree are not drawn.
    let Section::Tree { title, classes, mut nodes } = section else { unreachable!("it is a tree") };
    nodes[1].children = vec![0];
    assert_eq!(TreeChart::of(&Section::Tree { title, classes, nodes }), None);
    assert_eq!(TreeChart::of(&Section::Text("no".into())), None);
}

#[test]
fn bands_lie_around_their_lines_and_dashes_are_dashed() {
    let points = vec![(1.0, 2.0), (2.0, 3.0), (3.0, 5.0)];
    let band = vec![(1.0, 3.0), (2.0, 4.0), (4.0, 9.0)];
    let chart = Chart::new("Regret", "round", "regret")
        .with(Series::line("ucb", points.clone()).with_band(band.clone()))
        .with(Series::dashed("bound", vec![(1.0, 8.0), (3.0, 8.5)]));
    let svg = chart.to_svg();
    assert_well_formed(&svg);
    assert_eq!(svg.matches("fill-opacity=\".16\"").count(), 1);
    assert_eq!(svg.matches("stroke-dasharray").count(), 1);
    // The band reaches above all points, and the axis with it: its highest point is not cut off.
    let path = svg.lines().find(|l| l.contains("fill-opacity=\".16\"")).unwrap();
    let d = path.split(" d=\"M").nth(1).unwrap().split('Z').next().unwrap();
    let heights: Vec<f64> = d.split('L').map(|p| p.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(heights.len(), 6);
    assert!(heights.iter().all(|y| (44.0..=384.0).contains(y)), "{heights:?}");
    assert!(heights[2] < heights[3] && heights[0] < heights[5], "upper ends are above lower ones: {heights:?}");
    // On an axis of ratios a band that touches 0 goes to the bottom; a gap stays a gap.
    let zero = Chart::new("", "x", "y").with(Series::line("a", points).with_band(vec![(0.0, 3.0), (0.5, 4.0), (f64::NAN, 9.0)]));
    assert_well_formed(&zero.clone().log_y().to_svg());
    assert_eq!(zero.log_y().to_svg().matches("fill-opacity=\".16\"").count(), 1);
    assert!(chart.to_text(60, 10).contains("ucb"));
}
