//! `ermine._native`: the one bridge between the catalogue and Python.
//!
//! No learner is named here. Python passes a learner's name, its parameters as JSON and arrays; what comes back is a
//! `model::NativeModel` whose arrays and fields are those of the model file. Arrays are borrowed, the
//! interpreter is released while Rust works, and Ctrl-C stops a fit.

mod bandits;
mod course;
mod decide;
mod error;
mod fit;
mod forest;
mod input;
mod labels;
mod mdp;
mod mixture;
mod model;
mod neighbors;
mod optimize;
mod rl;
mod search;
mod table;
mod threads;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::bandits::{NativePolicy, agent_catalogue, bandit_off_policy, bandit_simulate, bandit_top};
    #[pymodule_export]
    use super::course::{course_chapters, course_run};
    #[pymodule_export]
    use super::decide::{
        NativeCalibration, decide_actions, decide_ask, decide_cost_threshold, decide_order, decide_sure, decide_threshold,
        decide_uncertainty,
    };
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::forest::{forest_bags, forest_seeds};
    #[pymodule_export]
    use super::input::refuse_non_finite;
    #[pymodule_export]
    use super::labels::encode_integers;
    #[pymodule_export]
    use super::mdp::NativeMdp;
    #[pymodule_export]
    use super::mixture::{experts_gate, experts_moments, mixture_impute, mixture_posterior, mixture_sample};
    #[pymodule_export]
    use super::model::{NativeModel, compose, load, model_from_bytes, model_with_arrays};
    #[pymodule_export]
    use super::neighbors::{NativeIndex, connect_neighbors, neighbors, neighbors_within};
    #[pymodule_export]
    use super::optimize::quadprog;
    #[pymodule_export]
    use super::rl::{NativeAgent, NativeEnvironment, NativeVector, rl_train, rl_train_box, rl_train_discrete};
    #[pymodule_export]
    use super::search::score_settings;
    #[pymodule_export]
    use super::table::{NativeTable, example, read_table};
    #[pymodule_export]
    use super::threads::{num_threads, set_num_threads};

    use pyo3::prelude::*;

    /// The catalogue: a list of dicts as JSON.
    #[pyfunction]
    fn catalogue() -> String {
        super::model::catalogue_json().to_string()
    }

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        m.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
