//! A decision tree as a picture: the root at the left, one line per leaf.

use std::fmt::Write;

use ermine_core::{Section, TreeNodeReport};

use super::MOST_NAMED;
use super::style::{LETTER_WIDTH, SvgImage, TITLE, escape, short, wide};
use super::svg::WIDTH;

/// A decision tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeChart {
    /// The title.
    pub title: String,
    /// Classes of the shares in the nodes.
    pub classes: Vec<String>,
    /// The nodes: the root first, children after their parents.
    pub nodes: Vec<TreeNodeReport>,
}

/// Height of a leaf.
const ROW: f64 = 38.0;
/// Width and height of the bar of a node.
const BAR: (f64, f64) = (64.0, 9.0);
/// Letters of a condition and of the prediction of a leaf.
const CONDITION: usize = 34;
const SAYS: usize = 22;
/// Room between the levels.
const GAP: f64 = 34.0;
/// Room above the first leaf, below the title.
const TOP: f64 = 44.0;

impl TreeChart {
    /// The tree of a report's section; `None` for other sections.
    pub fn of(section: &Section) -> Option<Self> {
        let Section::Tree { title, classes, nodes } = section else { return None };
        let fits = nodes.iter().enumerate().all(|(i, n)| n.children.iter().all(|&c| c > i && c < nodes.len()));
        (fits && !nodes.is_empty()).then(|| Self { title: title.clone(), classes: classes.clone(), nodes: nodes.clone() })
    }

    /// The picture as a complete SVG document. A bar shows the class shares of the rows in a node, or, for numbers, how
    /// many rows there are.
    pub fn to_svg(&self) -> String {
        self.draw(true).document()
    }

    /// The picture as a part of a page that has [`super::page_style`]; `alt_text` is the alternative text.
    pub fn to_inline(&self, alt_text: &str) -> String {
        self.draw(false).inline(alt_text)
    }

    fn draw(&self, titled: bool) -> SvgImage {
        let above = if titled { TITLE } else { 0.0 };
        let (depth, y) = self.places(above + TOP);
        let levels = depth.iter().max().map_or(1, |d| d + 1);
        let mut room = vec![0.0f64; levels];
        for (node, &d) in self.nodes.iter().zip(&depth) {
            let below = if node.children.is_empty() { BAR.0 + 8.0 + wide(&leaf_text(node)) } else { BAR.0 };
            room[d] = room[d].max(below).max(wide(&short(&node.condition, CONDITION)));
        }
        let mut x = vec![16.0; levels];
        for d in 1..levels {
            x[d] = x[d - 1] + room[d - 1] + GAP;
        }
        let least = if titled { WIDTH } else { 0.0 };
        let width = (x[levels - 1] + room[levels - 1] + 16.0).max(least).ceil();
        let height = (y.iter().copied().fold(0.0, f64::max) + 30.0).ceil();
        let mut picture = SvgImage::new(width, height, &self.title, titled);
        let out = &mut picture.shapes;
        self.legend(out, width, above);
        for (i, node) in self.nodes.iter().enumerate() {
            let from = x[depth[i]] + BAR.0;
            for &child in &node.children {
                let (to, middle) = (x[depth[child]], x[depth[child]] - 0.5 * GAP);
                let _ =
                    writeln!(out, "<path class=\"line many\" d=\"M{from:.2} {:.2}H{middle:.2}V{:.2}H{to:.2}\"/>", y[i], y[child]);
            }
        }
        for (i, node) in self.nodes.iter().enumerate() {
            self.node(out, node, x[depth[i]], y[i]);
        }
        picture
    }

    /// The level of each node, and its height: leaves one below the other, parents in the middle of their children.
    fn places(&self, top: f64) -> (Vec<usize>, Vec<f64>) {
        let n = self.nodes.len();
        let (mut depth, mut y) = (vec![0; n], vec![0.0; n]);
        for (i, node) in self.nodes.iter().enumerate() {
            node.children.iter().for_each(|&c| depth[c] = depth[i] + 1);
        }
        let (mut leaves, mut stack) = (0, vec![0]);
        while let Some(at) = stack.pop() {
            if self.nodes[at].children.is_empty() {
                y[at] = top + ROW * leaves as f64;
                leaves += 1;
            }
            stack.extend(self.nodes[at].children.iter().rev());
        }
        for i in (0..n).rev() {
            let children = &self.nodes[i].children;
            if let (Some(&first), Some(&last)) = (children.first(), children.last()) {
                y[i] = 0.5 * (y[first] + y[last]);
            }
        }
        (depth, y)
    }

    fn legend(&self, out: &mut String, width: f64, above: f64) {
        let mut x = 16.0;
        for (k, name) in self.classes.iter().enumerate().take(MOST_NAMED) {
            let name = short(name, SAYS);
            if x + 18.0 + wide(&name) > width - 16.0 {
                break;
            }
            let _ = writeln!(out, "<rect class=\"bar c{k}\" x=\"{x:.2}\" y=\"{}\" width=\"10\" height=\"10\"/>", above + 8.0);
            let _ = writeln!(out, "<text class=\"soft\" x=\"{:.2}\" y=\"{}\">{}</text>", x + 15.0, above + 17.0, escape(&name));
            x += 15.0 + wide(&name) + 18.0;
        }
    }

    fn node(&self, out: &mut String, node: &TreeNodeReport, x: f64, y: f64) {
        let all = self.nodes[0].rows;
        let top = y - 0.5 * BAR.1;
        let _ = writeln!(out, "<g><title>{}</title>", escape(&self.node_text(node)));
        if !node.condition.is_empty() {
            let text = escape(&short(&node.condition, CONDITION));
            let _ = writeln!(out, "<text x=\"{x:.2}\" y=\"{:.2}\">{text}</text>", top - 5.0);
        }
        let _ = writeln!(
            out,
            "<rect class=\"bar many\" x=\"{x:.2}\" y=\"{top:.2}\" width=\"{}\" height=\"{}\" rx=\"1.5\"/>",
            BAR.0, BAR.1
        );
        let mut from = x;
        let whole = [if all > 0.0 { node.rows / all } else { 0.0 }];
        for (k, share) in if node.shares.is_empty() { &whole[..] } else { &node.shares[..] }.iter().enumerate() {
            let wide = BAR.0 * share.clamp(0.0, 1.0);
            if wide > 0.0 && k < MOST_NAMED {
                let _ = writeln!(
                    out,
                    "<rect class=\"bar c{k}\" x=\"{from:.2}\" y=\"{top:.2}\" width=\"{wide:.2}\" height=\"{}\"/>",
                    BAR.1
                );
            }
            from += wide;
        }
        if node.children.is_empty() {
            let says = escape(&short(&node.prediction, SAYS));
            let (at, base) = (x + BAR.0 + 8.0, y + 4.0);
            let rows = format!("{:.0}", node.rows);
            let after = at + wide(&short(&node.prediction, SAYS)) + LETTER_WIDTH;
            let _ = writeln!(out, "<text x=\"{at:.2}\" y=\"{base:.2}\" font-weight=\"600\">{says}</text>");
            let _ = writeln!(out, "<text class=\"soft\" x=\"{after:.2}\" y=\"{base:.2}\">{rows}</text>");
        }
        out.push_str("</g>\n");
    }

    /// A node in words.
    fn node_text(&self, node: &TreeNodeReport) -> String {
        let shares = self.classes.iter().zip(&node.shares).filter(|(_, s)| **s > 0.0);
        let shares: Vec<String> = shares.map(|(c, s)| format!("{c} {:.1}%", 100.0 * s)).collect();
        let condition = if node.condition.is_empty() { "all rows" } else { &node.condition };
        let says = if shares.is_empty() { node.prediction.clone() } else { shares.join(", ") };
        format!("{condition}: {:.0} rows, {says}", node.rows)
    }
}

fn leaf_text(node: &TreeNodeReport) -> String {
    format!("{} {:.0}", short(&node.prediction, SAYS), node.rows)
}
