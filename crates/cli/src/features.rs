//! Feature maps in the syntax of the command line: NAME or NAME(key=value, …).

use ermine::core::typed::parse_named;
use ermine::core::{AnyLearner, Family};

/// A transformer in front of the model.
pub struct FeatureMap(pub Box<dyn AnyLearner>);

impl Clone for FeatureMap {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl std::fmt::Debug for FeatureMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.0.spec().name, self.0.params())
    }
}

pub fn parse(text: &str) -> Result<FeatureMap, String> {
    let (name, params) = parse_named(text).map_err(|e| e.to_string())?;
    let mut learner = ermine::learner(&name).map_err(|e| e.to_string())?;
    if !matches!(learner.spec().family, Family::Preparation | Family::Reduction) {
        return Err(format!("{name} is not a feature map; polynomial, spline, fourier, radial, uncorrelate and pca are"));
    }
    learner.set_all(&params).map_err(|e| e.to_string())?;
    Ok(FeatureMap(learner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_as_typed() {
        let of = |text: &str| format!("{:?}", parse(text).unwrap());
        assert!(of("polynomial(degree=3, interaction_only=true)").starts_with("polynomial "));
        assert!(of("polynomial(degree=[2, 3])").contains("[2,3]"));
        assert!(of(" fourier ( period = 24 ) ").contains("24"));
        assert!(of("pca").starts_with("pca"));
        for (text, says) in [
            ("polinomial", "polynomial"),
            ("ridge", "not a feature map"),
            ("polynomial(degree=2", "bracket"),
            ("polynomial(2)", "KEY=VALUE"),
            ("polynomial(degrees=2)", "degree"),
            ("polynomial(degree=-1)", "degree"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
