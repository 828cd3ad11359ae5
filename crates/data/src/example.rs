//! Data sets embedded in the binary, so that the first command needs no file.

use ermine_core::{Error, Result, Table};

/// Name, purpose and compressed CSV of each embedded example. Sources and licenses are in `examples/README.md`.
const FILES: [(&str, &str, &[u8]); 6] = [
    ("penguins", "344 penguins of 3 species: classification with missing values", include_bytes!("../examples/penguins.csv.zst")),
    ("iris", "150 irises of 3 species: classification", include_bytes!("../examples/iris.csv.zst")),
    ("diabetes", "442 patients and the progression of their disease: regression", include_bytes!("../examples/diabetes.csv.zst")),
    ("faithful", "272 eruptions of a geyser: clustering and density", include_bytes!("../examples/faithful.csv.zst")),
    ("mushrooms", "8124 mushrooms, edible or not: categories only", include_bytes!("../examples/mushrooms.csv.zst")),
    ("digits", "1797 images of 8 x 8 pixels, 10 digits: classification", include_bytes!("../examples/digits.csv.zst")),
];

/// The embedded examples: name and purpose.
pub const EXAMPLES: [(&str, &str); 6] = {
    let mut out = [("", ""); 6];
    let mut i = 0;
    while i < out.len() {
        out[i] = (FILES[i].0, FILES[i].1);
        i += 1;
    }
    out
};

/// The compressed text of an example; an unknown name is answered with the nearest.
pub(crate) fn compressed_csv(name: &str) -> Result<&'static [u8]> {
    match FILES.iter().find(|f| f.0 == name) {
        Some(f) => Ok(f.2),
        None => Err(Error::unknown("example", name, FILES.iter().map(|f| f.0))),
    }
}

/// An embedded example as a table. An unknown name is answered with the nearest.
///
/// ```
/// let iris = ermine_data::example("iris")?;
/// assert_eq!((iris.rows(), iris.schema().len()), (150, 5));
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub fn example(name: &str) -> Result<Table> {
    crate::read_table(format!("example:{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::Column;

    #[test]
    fn every_example_has_its_shape_and_kinds() {
        let shape = |name: &str| example(name).map(|t| (t.rows(), t.schema().len())).unwrap();
        assert_eq!(shape("penguins"), (344, 8));
        assert_eq!(shape("iris"), (150, 5));
        assert_eq!(shape("diabetes"), (442, 11));
        assert_eq!(shape("faithful"), (272, 2));
        assert_eq!(shape("mushrooms"), (8124, 23));
        assert_eq!(shape("digits"), (1797, 65));
        let iris = example("iris").unwrap();
        let Column::Category { names, .. } = iris.column("species").unwrap() else { panic!("species is a category") };
        assert_eq!(**names, ["setosa", "versicolor", "virginica"]);
        let penguins = example("penguins").unwrap();
        let missing = |name: &str| {
            let at = penguins.schema().position(name).unwrap();
            penguins.view().missing(at).map_or(0, |m| m.0)
        };
        assert_eq!(missing("body_mass_g"), 2);
        assert_eq!(missing("sex"), 11);
        assert_eq!(missing("species"), 0);
    }

    #[test]
    fn an_unknown_example_is_answered_with_the_nearest() {
        let message = example("penguin").unwrap_err().to_string();
        assert!(message.contains("did you mean \"penguins\""), "{message}");
    }
}
