//! Times a fit on raw arrays: boosting_speed FOLDER, with X.f32, y.f32, shape.txt (rows cols classes).
use std::time::Instant;

use ermine_core::{Context, Dataset, Features, Learner, MatRef, OwnedTarget, Target};
use ermine_learn::boosting::Boosting;

fn floats(path: String) -> Vec<f32> {
    std::fs::read(path).unwrap().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let shape: Vec<usize> = std::fs::read_to_string(format!("{}/shape.txt", args[1]))
        .unwrap()
        .split_whitespace()
        .map(|v| v.parse().unwrap())
        .collect();
    let x = floats(format!("{}/X.f32", args[1]));
    let y = floats(format!("{}/y.f32", args[1]));
    let x = Features::F32(MatRef::row_major(&x, shape[0], shape[1]));
    let (iters, leaves): (u64, u64) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    let real: Vec<f64> = y.iter().map(|&v| f64::from(v)).collect();
    let owned = OwnedTarget::Class {
        codes: y.iter().map(|&v| v as u32).collect(),
        names: (0..shape[2].max(1)).map(|k| k.to_string()).collect(),
    };
    let target = if shape[2] > 0 { owned.view() } else { Target::Real(&real) };
    let data = Dataset::new(x).with_target(target);
    let learner = Boosting { max_iter: iters, max_leaf_nodes: Some(leaves), ..Boosting::default() };
    let started = Instant::now();
    let model = learner.fit(&data, &Context::default()).unwrap();
    let trace = ermine_core::Model::trace(&model).unwrap();
    println!("{:.3} s, loss {}", started.elapsed().as_secs_f64(), trace.rows.last().unwrap()[1]);
}
