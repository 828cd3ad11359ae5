//! What loads the models of files, by the names of their learners.

use ermine_core::file::{self, Header};
use ermine_core::{Error, LoadModel, Model, ModelReader, Result, saved_models};

use crate::PipelineModel;
use crate::baseline::BaselineModel;
#[cfg(feature = "tree")]
use crate::ensemble::{AdaBoostModel, BaggingModel};
use crate::ensemble::{StackingModel, VotingModel};

/// The tables of the families that were compiled in. One-against-all classifiers are there with the linear models, as their learners are.
const FAMILIES: &[&[(&str, LoadModel)]] = &[
    saved_models![
        "baseline" => BaselineModel::load,
        "voting" => VotingModel::load,
        "stacking" => StackingModel::load,
        "pipeline" => PipelineModel::load,
    ],
    ermine_prep::MODELS,
    #[cfg(feature = "linear")]
    ermine_linear::MODELS,
    #[cfg(feature = "linear")]
    saved_models!["one-vs-rest" => crate::ensemble::load_one_vs_rest, "one-vs-one" => crate::ensemble::load_one_vs_one],
    #[cfg(feature = "kernel")]
    ermine_kernel::MODELS,
    #[cfg(feature = "bayes")]
    ermine_bayes::MODELS,
    #[cfg(feature = "neighbors")]
    ermine_neighbors::MODELS,
    #[cfg(feature = "tree")]
    ermine_tree::MODELS,
    #[cfg(feature = "tree")]
    saved_models!["adaboost" => AdaBoostModel::load, "bagging" => BaggingModel::load],
    #[cfg(feature = "mixture")]
    ermine_mixture::MODELS,
    #[cfg(feature = "neural")]
    ermine_neural::MODELS,
    #[cfg(feature = "cluster")]
    ermine_cluster::MODELS,
];

/// The names of the learners whose models can be loaded.
pub fn model_names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.iter().map(|(name, _)| *name))
}

/// Reads the model of the learner called `name`, which needs nothing of what trains it.
pub fn load_model(name: &str, file: &ModelReader) -> Result<Box<dyn Model>> {
    let mut all = FAMILIES.iter().flat_map(|family| family.iter());
    match all.find(|(known, _)| *known == name) {
        Some((_, load)) => load(file),
        None => {
            let unknown = Error::unknown("model", name, model_names());
            Err(Error::Model(format!("{unknown}; the feature of its family may not have been compiled in")))
        }
    }
}

/// The header of a model file, and what reads the rest. Files of agents and policies have the same format, and are no models.
pub fn open_file(bytes: Vec<u8>) -> Result<(Header, ModelReader)> {
    let (header, reader) = file::decode(bytes)?;
    if let Some((family, name)) = header.learner.split_once('/') {
        return Err(Error::Model(match family {
            "rl" => format!("it holds a {name} agent; `ermine rl play` and ermine.rl take it"),
            "bandit" => format!("it holds a {name} policy; `ermine bandit replay --resume` and ermine.bandits take it"),
            _ => format!("it holds {}", header.learner),
        }));
    }
    Ok((header, reader))
}

/// Refuses a model that does not agree with the header of its file.
pub fn check_header(header: &Header, model: &dyn Model) -> Result<()> {
    if model.n_features() != header.schema.len() {
        return Err(Error::Model(format!("its schema has {} columns and its model {}", header.schema.len(), model.n_features())));
    }
    if let Some(c) = model.as_classifier()
        && !header.target.classes.is_empty()
        && c.classes() != header.target.classes
    {
        return Err(Error::Model("its target and its model name different classes".into()));
    }
    Ok(())
}
