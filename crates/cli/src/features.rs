//! Feature maps as they are typed: NAME or NAME(key=value, …).

use ermine::core::{AnyLearner, Family};
use serde_json::Value;

/// A learner that makes columns for the one behind it.
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
    let text = text.trim();
    let (name, inner) = match text.split_once('(') {
        None => (text, ""),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(')').ok_or_else(|| format!("{text}: the bracket is not closed"))?;
            (name.trim(), inner)
        }
    };
    let mut learner = ermine::learner(name).map_err(|e| e.to_string())?;
    if !matches!(learner.spec().family, Family::Preparation | Family::Reduction) {
        return Err(format!(
            "{name} makes no columns for another model; polynomial, spline, fourier, radial, uncorrelate and pca do"
        ));
    }
    let mut params = serde_json::Map::new();
    for pair in split(inner) {
        let (key, value) = pair.split_once('=').ok_or_else(|| format!("{pair}: write KEY=VALUE"))?;
        // A value is JSON where it reads as such and a word otherwise.
        let value = value.trim();
        params.insert(key.trim().to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
    }
    learner.set_all(&params).map_err(|e| e.to_string())?;
    Ok(FeatureMap(learner))
}

/// The parts between commas that are in no bracket and in no quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut out, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' | '(' if !quoted => depth += 1,
            ']' | '}' | ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
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
            ("ridge", "no columns"),
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
