//! Category codes of data in terms of a model's own codes.

use std::collections::BTreeMap;
use std::sync::Arc;

use ermine_core::{Error, Features, Result};

/// For each category column the code of the model for each code of the data, found by name; NaN for a name that the model
/// does not know. Columns of another kind than in training are refused.
pub(crate) fn code_maps(categories: &[Option<Arc<Vec<String>>>], x: &Features<'_>) -> Result<Vec<Option<Vec<f64>>>> {
    let wrong = |j: usize, found: &str, needed: &str| Error::Kind {
        column: match x {
            Features::Table(t) => format!("\"{}\"", t.schema().fields[j].name),
            _ => j.to_string(),
        },
        found: found.into(),
        learner: "this model".into(),
        needed: format!("{needed}, as in training"),
    };
    let of = |(j, known): (usize, &Option<Arc<Vec<String>>>)| {
        let found = match x {
            Features::Table(t) if t.numbers(j).is_none() => {
                Some(t.categories(j).ok_or_else(|| wrong(j, "neither numbers nor categories", "one of them"))?.1)
            }
            _ => None,
        };
        match (known, found) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(wrong(j, "of type number", "categories")),
            (None, Some(_)) => Err(wrong(j, "of type category", "numbers")),
            (Some(known), Some(found)) => {
                let codes: BTreeMap<&str, usize> = known.iter().enumerate().map(|(c, name)| (name.as_str(), c)).collect();
                Ok(Some(found.iter().map(|name| codes.get(name.as_str()).map_or(f64::NAN, |&c| c as f64)).collect()))
            }
        }
    };
    categories.iter().enumerate().map(of).collect()
}
