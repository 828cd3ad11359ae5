//! A step of a pipeline in a build that only predicts: the name and the parameters of its learner, as the file has them.

use ermine_core::{Model, ModelReader, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One step of a pipeline.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineStep {
    learner: String,
    #[serde(default)]
    params: Map<String, Value>,
}

impl PipelineStep {
    /// The name of its learner.
    pub fn name(&self) -> &str {
        &self.learner
    }

    pub(crate) fn param(&self, name: &str) -> Option<Value> {
        self.params.get(name).cloned()
    }

    pub(crate) fn load_model(&self, file: &ModelReader) -> Result<Box<dyn Model>> {
        crate::load_model(&self.learner, file)
    }
}
