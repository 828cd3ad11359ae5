//! A forest on rows that come from a stream: held in bins against grown in passes, each in a process of its own so that peak
//! memory can be told.
//!
//! `cargo run --release -p ermine-tree --example forest_stream -- [rows] [trees] [megabytes]`

use std::time::Instant;

use ermine_core::{Context, DatasetRef, Features, Flow, Learner, MatRef, Result, RngStream, RowSource, Schema, Target};
use ermine_tree::tree::forest::RandomForest;

const COLUMNS: usize = 20;
const RUN: usize = 1 << 16;

/// Rows that are made anew whenever they are read: two classes along a curve, with noise.
struct SyntheticRows(usize);

impl RowSource for SyntheticRows {
    fn schema(&self) -> &Schema {
        const NONE: &Schema = &Schema { fields: Vec::new() };
        NONE
    }
    fn rows(&self) -> Option<usize> {
        Some(self.0)
    }
    fn scan(&self, visit: &mut dyn FnMut(&DatasetRef<'_>) -> Result<Flow>) -> Result<()> {
        let names = ["no".to_owned(), "yes".to_owned()];
        for first in (0..self.0).step_by(RUN) {
            let rows = RUN.min(self.0 - first);
            let mut random = RngStream::new(1, "rows", first as u64);
            let x: Vec<f32> = (0..rows * COLUMNS).map(|_| random.uniform() as f32).collect();
            let curve = |x: &[f32]| f64::from((6.0 * x[0]).sin() * x[1] + x[2] * x[3] - 0.5 * x[4]);
            let codes: Vec<u32> =
                x.chunks_exact(COLUMNS).map(|x| u32::from(curve(x) + 0.6 * (random.uniform() - 0.5) > 0.0)).collect();
            let features = Features::F32(MatRef::row_major(&x, rows, COLUMNS));
            let data = DatasetRef::new(features).with_target(Target::Class { codes: &codes, names: &names });
            if visit(&data)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }
}

/// The most memory this process has had, in megabytes.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).map_or(f64::NAN, |kb| kb / 1024.0)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize, or: usize| args.get(at).and_then(|a| a.parse().ok()).unwrap_or(or);
    let (rows, trees, megabytes) = (number(1, 1_000_000), number(2, 20), number(3, 0));
    if megabytes == 0 {
        for megabytes in [8192, 256, 64, 16] {
            let args = [rows, trees, megabytes].map(|a| a.to_string());
            std::process::Command::new(std::env::current_exe()?).args(args).status()?;
        }
        return Ok(());
    }
    let forest = RandomForest { n_estimators: trees as u64, ..RandomForest::default() };
    let passes = std::sync::atomic::AtomicU64::new(0);
    let observer = |p: &ermine_core::Progress| {
        if p.stage == "passes" {
            passes.store(p.done, std::sync::atomic::Ordering::Relaxed);
        }
        Flow::Continue
    };
    let cx = Context { memory: Some((megabytes as u64) << 20), observer: Some(&observer), ..Context::default() };
    let start = Instant::now();
    let fit = RandomForest::STREAM.ok_or("forests learn from streams")?;
    let model = fit(&forest, &SyntheticRows(rows), &cx)?;
    let nodes: usize = (0..trees).map(|t| model.trees().nodes(t).len()).sum();
    println!(
        "{rows} rows, {trees} trees, {nodes} nodes: at most {megabytes} MB held, {:.1} s, {} passes, peak {:.0} MB",
        start.elapsed().as_secs_f64(),
        passes.into_inner(),
        peak()
    );
    Ok(())
}
