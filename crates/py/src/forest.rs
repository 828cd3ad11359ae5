//! Further data of a forest: the rows of its bags and the seeds of its trees.

use ermine::core::{Context, DatasetRef, Features, MatRef, Target};
use ermine::learn::tree::forest::RandomForest;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::EstimatorName;
use crate::fit::call;

/// The rows in the bag of each of the first trees, each as often as it was drawn.
///
/// `codes` and `classes` are needed where `params` weigh classes, else the number of rows is enough.
#[pyfunction]
#[pyo3(signature = (params, rows, trees, seed, *, codes=None, classes=None, weight=None))]
#[allow(clippy::too_many_arguments)]
pub fn forest_bags<'py>(
    py: Python<'py>,
    params: &str,
    rows: usize,
    trees: usize,
    seed: u64,
    codes: Option<PyReadonlyArray1<'py, u32>>,
    classes: Option<Vec<String>>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Vec<Bound<'py, PyArray1<i32>>>> {
    let forest: RandomForest = serde_json::from_str(params).map_err(|e| PyValueError::new_err(format!("parameters: {e}")))?;
    let not_dense = |_| PyValueError::new_err("codes and weight must be contiguous");
    let (cells, zeros) = (vec![0.0; rows], vec![0.0; rows]);
    let classes = classes.unwrap_or_default();
    let target = match &codes {
        Some(codes) => Target::Class { codes: codes.as_slice().map_err(not_dense)?, names: &classes },
        None => Target::Real(&zeros),
    };
    let weight = weight.as_ref().map(|w| w.as_slice()).transpose().map_err(not_dense)?;
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&cells, rows, 1))).with_target(target).with_weight(weight);
    let bags = call(py, EstimatorName::NOBODY, || forest.bags(trees, &data, &Context::seeded(seed)))?;
    let listed = |counts: Vec<u32>| {
        let repeated = |(row, &count): (usize, &u32)| std::iter::repeat_n(row as i32, count as usize);
        counts.iter().enumerate().flat_map(repeated).collect::<Vec<_>>().into_pyarray(py)
    };
    Ok(bags.into_iter().map(listed).collect())
}

/// The seed of each of the first trees: with it and the rows of the bag a forest of one tree is the tree again.
#[pyfunction]
pub fn forest_seeds(seed: u64, trees: usize) -> Vec<u64> {
    (0..trees).map(|t| RandomForest::tree_seed(seed, t)).collect()
}
