//! How long trees take to predict: 100 trees of 63 leaves over 28 columns of f32.
//!
//! `cargo run --release -p ermine-tree --example tree_prediction` prints nanoseconds a row for a million rows, a
//! thousand and one. `--export FILE` also writes the trees as a LightGBM text model, for others to be timed on the same.

use std::fmt::Write as _;
use std::time::Instant;

use ermine_core::{Features, Mat, MatRef, RngStream};
use ermine_tree::tree::ensemble::{TreeNode, Trees};

const COLS: usize = 28;
const TREES: usize = 100;
const LEAVES: usize = 63;

/// A tree grown best first on made-up gains: the leaf with the largest share of the rows, give or take, splits.
fn grow(s: &mut RngStream) -> Vec<TreeNode> {
    struct DemoNode {
        share: f64,
        test: Option<(u32, f64, usize, usize)>,
    }
    let mut buds = vec![DemoNode { share: 1.0, test: None }];
    for _ in 1..LEAVES {
        let open = (0..buds.len()).filter(|&i| buds[i].test.is_none());
        let urge = |i: &usize| buds[*i].share * (0.3 + (i * 7919 % 101) as f64 / 101.0);
        let at = open.max_by(|a, b| urge(a).total_cmp(&urge(b))).expect("there is always a leaf");
        let part = 0.15 + 0.7 * s.uniform();
        let first = buds.len();
        buds.push(DemoNode { share: buds[at].share * part, test: None });
        buds.push(DemoNode { share: buds[at].share * (1.0 - part), test: None });
        // One of 255 places a column, as histograms have.
        let threshold = f64::from(((s.below(255) as f32) / 255.0 - 0.5) * 4.0);
        buds[at].test = Some((s.below(COLS) as u32, threshold, first, first + 1));
    }
    fn write(buds: &[DemoNode], at: usize, s: &mut RngStream, out: &mut Vec<TreeNode>) {
        let here = out.len();
        out.push(TreeNode { cover: buds[at].share * 1e6, values: vec![s.normal() * 0.1], ..TreeNode::default() });
        if let Some((feature, threshold, left, right)) = buds[at].test {
            write(buds, left, s, out);
            let place = out.len() as u32;
            out[here] = TreeNode { feature, threshold, right: place, gain: 1.0, ..out[here].clone() };
            write(buds, right, s, out);
        }
    }
    let mut out = Vec::new();
    write(&buds, 0, s, &mut out);
    out
}

/// The trees as LightGBM writes them: inner nodes and leaves numbered apart, leaves as the complement.
fn lightgbm(list: &[Vec<TreeNode>]) -> String {
    let mut trees = Vec::new();
    for (t, tree) in list.iter().enumerate() {
        let mut number = vec![0i64; tree.len()];
        let (mut inner, mut leaf) = (0, 0);
        for (i, node) in tree.iter().enumerate() {
            if node.right == 0 {
                leaf += 1;
                number[i] = -leaf;
            } else {
                number[i] = inner;
                inner += 1;
            }
        }
        let list = |f: &dyn Fn(usize) -> String, inner: bool| {
            let chosen = (0..tree.len()).filter(|&i| (tree[i].right != 0) == inner);
            chosen.map(f).collect::<Vec<_>>().join(" ")
        };
        let mut text = format!("Tree={t}\nnum_leaves={leaf}\nnum_cat=0\n");
        let mut line = |name: &str, value: String| writeln!(text, "{name}={value}").expect("a string takes all");
        line("split_feature", list(&|i| tree[i].feature.to_string(), true));
        line("split_gain", list(&|_| "1".into(), true));
        line("threshold", list(&|i| format!("{:?}", tree[i].threshold), true));
        line("decision_type", list(&|_| "8".into(), true));
        line("left_child", list(&|i| number[i + 1].to_string(), true));
        line("right_child", list(&|i| number[tree[i].right as usize].to_string(), true));
        line("leaf_value", list(&|i| format!("{:?}", tree[i].values[0]), false));
        line("leaf_weight", list(&|i| format!("{:?}", tree[i].cover), false));
        line("leaf_count", list(&|i| format!("{}", tree[i].cover as u64 + 1), false));
        line("internal_value", list(&|_| "0".into(), true));
        line("internal_weight", list(&|i| format!("{:?}", tree[i].cover), true));
        line("internal_count", list(&|i| format!("{}", tree[i].cover as u64 + 1), true));
        line("is_linear", "0".into());
        line("shrinkage", "1".into());
        trees.push(format!("{text}\n\n"));
    }
    let names: Vec<String> = (0..COLS).map(|j| format!("Column_{j}")).collect();
    let ranges = vec!["[-10:10]"; COLS].join(" ");
    let sizes: Vec<String> = trees.iter().map(|t| t.len().to_string()).collect();
    format!(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={}\nobjective=regression\n\
         feature_names={}\nfeature_infos={ranges}\ntree_sizes={}\n\n{}end of trees\n\nfeature_importances:\n\nparameters:\nend of \
         parameters\n\npandas_categorical:null\n",
        COLS - 1,
        names.join(" "),
        sizes.join(" "),
        trees.concat()
    )
}

fn main() {
    let mut s = RngStream::new(1, "trees", 0);
    let list: Vec<Vec<TreeNode>> = (0..TREES).map(|_| grow(&mut s)).collect();
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, path] = &arguments[..]
        && flag == "--export"
    {
        std::fs::write(path, lightgbm(&list)).expect("the file can be written");
    }
    let mut trees = Trees::new(vec![None; COLS], 1);
    list.iter().for_each(|tree| trees.push(tree));
    let cells: Vec<f32> = (0..1_000_000 * COLS).map(|_| s.normal() as f32).collect();
    for rows in [1_000_000, 1_000, 100, 10, 1] {
        let repeats = (3_000_000 / rows).clamp(3, 200_000);
        let mut out = Mat::zeros(rows, 1);
        let mut best = f64::INFINITY;
        for round in 0..5 {
            let started = Instant::now();
            for k in 0..repeats {
                let first = (round * repeats + k) * 7 % (1_000_000 - rows + 1) * COLS;
                let x = Features::F32(MatRef::row_major(&cells[first..first + rows * COLS], rows, COLS));
                trees.add_to(&x, 0..TREES, 1, &mut out).expect("the columns fit");
            }
            best = best.min(started.elapsed().as_secs_f64() / repeats as f64);
        }
        println!("{rows:>8} rows: {:>9.1} us, {:>7.1} ns a row", best * 1e6, best * 1e9 / rows as f64);
    }
}
