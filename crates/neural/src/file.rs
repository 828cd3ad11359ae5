//! Networks in model files.

use ermine_core::{Error, ModelReader, ModelWriter, Result};
use ermine_math::nn::AlignedBuffer;

use crate::plan::NetworkPlan;
use crate::{Architecture, Network, Shape, WeightInit};

/// Writes a network: its architecture and input as text, one array per weight array ("layer3.weights", row-major),
/// moving averages of normalized channels.
pub(crate) fn write(network: &Network, out: &mut ModelWriter) -> Result<()> {
    out.field("architecture", network.architecture())?;
    out.field("input", &network.input())?;
    for w in network.weights() {
        out.array(&format!("layer{}.{}", w.layer, w.name), &[w.shape.0, w.shape.1], &w.values);
    }
    for (layer, mean, variance) in network.running_stats() {
        out.vec(&format!("layer{layer}.mean"), &mean);
        out.vec(&format!("layer{layer}.variance"), &variance);
    }
    Ok(())
}

/// Reads a network and checks all that prediction relies on. Arrays are compared with the architecture before memory is
/// allocated.
pub(crate) fn read(input: &ModelReader) -> Result<Network> {
    let (architecture, shape): (Architecture, Shape) = (input.field("architecture")?, input.field("input")?);
    let bad = |message: String| Error::Model(message);
    // A forged architecture must not allocate more memory than its arrays have.
    let plan = NetworkPlan::new(&architecture, shape).map_err(|e| bad(e.to_string()))?;
    let name = |segment: &crate::plan::WeightSegment| format!("layer{}.{}", segment.layer, segment.name());
    for segment in &plan.segments {
        let (rows, cols) = segment.shape(&plan);
        match input.array_info(&name(segment)) {
            Some((_, shape)) if shape == [rows, cols] => {}
            found => return Err(bad(format!("{} is {found:?}, not {rows} x {cols}", name(segment)))),
        }
    }
    let mut network = Network::new(&architecture, shape, WeightInit::Glorot, 0).map_err(|e| bad(e.to_string()))?;
    for segment in &plan.segments {
        let (_, values) = input.array::<f32>(&name(segment))?;
        network.set_weights(segment.layer, &segment.name(), &values)?;
    }
    for (layer, mean, _) in network.running_stats() {
        let mean = input.vec_of::<f32>(&format!("layer{layer}.mean"), mean.len())?;
        let variance = input.vec_of::<f32>(&format!("layer{layer}.variance"), mean.len())?;
        if variance.iter().any(|v| *v < 0.0) {
            return Err(bad(format!("layer {} has a negative variance", layer + 1)));
        }
        network.set_running_stats(layer, &mean, &variance)?;
    }
    if !network.is_finite() {
        return Err(bad("a weight is not a finite number".into()));
    }
    Ok(network)
}

/// Reads numbers in the layout of a network's weights.
pub(crate) fn read_buffer(name: &str, input: &ModelReader) -> Result<AlignedBuffer<f32>> {
    let values: Vec<f32> = input.vec(name)?;
    if values.iter().any(|v| !v.is_finite()) {
        return Err(Error::Model(format!("array \"{name}\" has a number that is not finite")));
    }
    Ok(AlignedBuffer::from_slice(&values))
}
