//! How long a grid search takes: 20 values in 5 folds, of ridge, logistic regression and linear discriminant analysis.
//!
//! `cargo run --release -p ermine-auto --example grid_search -- FOLDER` reads what `bench/grid_search.py` wrote there, which also runs it, beside scikit-learn:
//! `x.bin` and `y.bin` (f64), `class.bin` and `fold.bin` (32-bit numbers), `shape.json`. It prints a line of JSON a search.

use std::path::Path;
use std::time::Instant;

use ermine_auto::{Budget, ParameterSearch, SearchAxis, SearchMethod, SearchSpace, identity};
use ermine_bayes::Lda;
use ermine_core::{AnyLearner, Context, DatasetRef, Features, MatRef, Target};
use ermine_eval::model_selection::{CvSplits, FoldIds};
use ermine_linear::{Logistic, Ridge};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

fn numbers<const N: usize, T>(folder: &Path, name: &str, of: fn([u8; N]) -> T) -> Result<Vec<T>, Failure> {
    let bytes = std::fs::read(folder.join(name))?;
    Ok(bytes.chunks_exact(N).filter_map(|c| c.try_into().ok()).map(of).collect())
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("name the folder that bench/grid_search.py wrote")?;
    let folder = Path::new(&folder);
    let only: Vec<String> = std::env::args().skip(2).collect();
    let shape: Value = serde_json::from_slice(&std::fs::read(folder.join("shape.json"))?)?;
    let size = |name: &str| shape[name].as_u64().map(|v| v as usize).ok_or(format!("shape.json has no {name}"));
    let (rows, cols, folds, threads) = (size("rows")?, size("cols")?, size("folds")?, size("threads")?);
    let (x, y) = (numbers(folder, "x.bin", f64::from_le_bytes)?, numbers(folder, "y.bin", f64::from_le_bytes)?);
    let codes = numbers(folder, "class.bin", u32::from_le_bytes)?;
    let fold_of = numbers(folder, "fold.bin", u32::from_le_bytes)?.into_iter().map(|f| f as usize).collect();
    let names: Vec<String> = (0..=codes.iter().copied().max().unwrap_or(0)).map(|k| k.to_string()).collect();
    let features = Features::F64(MatRef::row_major(&x, rows, cols));
    let rounds = CvSplits::from(FoldIds { fold_of, folds });
    let (real, class) = (Target::Real(&y), Target::Class { codes: &codes, names: &names });
    let mut lda = Lda::default();
    lda.set("solver", "lsqr".into())?;
    let searches: [(&str, &dyn AnyLearner, Target<'_>, &str, &str); 3] = [
        ("ridge", &Ridge::default(), real, "alpha", "r2"),
        ("logistic", &Logistic::default(), class, "C", "log_loss"),
        ("lda", &lda, class, "shrinkage", "accuracy"),
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    for (name, learner, target, parameter, metric) in searches {
        if !only.is_empty() && !only.iter().any(|o| o == name) {
            continue;
        }
        let values = shape[name].as_array().cloned().ok_or(format!("shape.json has no {name}"))?;
        let space = SearchSpace { axes: vec![(parameter.to_owned(), SearchAxis::Choice(values))] };
        let search = ParameterSearch {
            learner,
            wrap: &identity,
            space: &space,
            method: SearchMethod::Grid { steps: 20 },
            metric,
            rounds: &rounds,
            budget: Budget::default(),
            give_up: false,
        };
        let data = DatasetRef::new(features).with_target(target);
        let started = Instant::now();
        let result = pool.install(|| search.run(&data, Vec::new(), &Context::default(), &|_| {}))?;
        let seconds = started.elapsed().as_secs_f64();
        let scores: Vec<f64> = result.trials.iter().map(|t| t.summary().mean).collect();
        let best = &result.best().params[parameter];
        println!("{}", json!({ "search": name, "seconds": seconds, "best": best, "scores": scores }));
    }
    Ok(())
}
