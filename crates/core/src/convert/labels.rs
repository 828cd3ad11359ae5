//! Classes by name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::str::FromStr;

use crate::{Error, Result};

/// A class as programs have it: a word, a boolean, an integer, or a variant of an enum. The order of the values is the
/// order of the classes.
///
/// ```
/// use ermine_core::{AsTarget, Label};
/// use std::borrow::Cow;
///
/// #[derive(PartialEq, Eq, PartialOrd, Ord)]
/// enum Answer {
///     No,
///     Yes,
/// }
/// impl Label for Answer {
///     fn name(&self) -> Cow<'_, str> {
///         match self {
///             Self::No => "no".into(),
///             Self::Yes => "yes".into(),
///         }
///     }
/// }
/// assert_eq!([Answer::Yes, Answer::No].as_target()?.view().classes()?.0, [1, 0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub trait Label: Ord {
    /// The name of the class.
    fn name(&self) -> Cow<'_, str>;
}

impl Label for String {
    fn name(&self) -> Cow<'_, str> {
        self.as_str().into()
    }
}

impl Label for &str {
    fn name(&self) -> Cow<'_, str> {
        (*self).into()
    }
}

macro_rules! printed {
    ($($type:ty)*) => {
        $(impl Label for $type {
            fn name(&self) -> Cow<'_, str> {
                self.to_string().into()
            }
        })*
    };
}

printed! { bool char u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

/// The class of each row: what a classifier predicts, or the target of a classification. Compares with words.
///
/// ```
/// use ermine_core::Labels;
///
/// let labels = Labels::encode(&[true, false, true]);
/// assert_eq!(labels, ["true", "false", "true"]);
/// assert_eq!(&labels[1], "false");
/// assert_eq!(labels.parse::<bool>()?, [true, false, true]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Labels {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Labels {
    /// Labels from codes into names; a code without a name is an error.
    pub fn new(codes: Vec<u32>, names: Vec<String>) -> Result<Self> {
        match codes.iter().position(|&c| c as usize >= names.len()) {
            Some(row) => {
                let message = format!("there is no class {} of {}", codes[row], names.len());
                Err(Error::Row { place: "labels".into(), row, message })
            }
            None => Ok(Self { codes, names }),
        }
    }

    /// The labels of words, booleans, integers or enums. Classes are in the order of the values; values of one name are
    /// one class.
    pub fn encode<L: Label>(values: &[L]) -> Self {
        let distinct: BTreeSet<&L> = values.iter().collect();
        let mut names: Vec<String> = Vec::new();
        let mut code_of_name: BTreeMap<String, u32> = BTreeMap::new();
        let mut code_of: BTreeMap<&L, u32> = BTreeMap::new();
        for label in distinct {
            let code = *code_of_name.entry(label.name().into_owned()).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() as u32 - 1
            });
            code_of.insert(label, code);
        }
        Self { codes: values.iter().map(|label| code_of[label]).collect(), names }
    }

    /// Codes and names.
    pub fn into_parts(self) -> (Vec<u32>, Vec<String>) {
        (self.codes, self.names)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The class of each row, as a position in [`Labels::names`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of all classes, also of those that no row has.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of the class of each row.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.codes.iter().map(|&c| self.names[c as usize].as_str())
    }

    /// The name of the class of each row, each a string of its own.
    pub fn to_strings(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }

    /// The classes as values of another type, such as the integers or booleans that were the target. Each name is parsed
    /// once.
    pub fn parse<T: FromStr + Clone>(&self) -> Result<Vec<T>> {
        let parse = |name: &String| {
            let type_name = std::any::type_name::<T>();
            name.parse::<T>().map_err(|_| Error::Data(format!("the class \"{name}\" is no {type_name}")))
        };
        let values = self.names.iter().map(parse).collect::<Result<Vec<T>>>()?;
        Ok(self.codes.iter().map(|&c| values[c as usize].clone()).collect())
    }
}

impl Index<usize> for Labels {
    type Output = str;
    fn index(&self, row: usize) -> &str {
        &self.names[self.codes[row] as usize]
    }
}

impl std::fmt::Debug for Labels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<S: AsRef<str>> PartialEq<[S]> for Labels {
    fn eq(&self, other: &[S]) -> bool {
        self.iter().eq(other.iter().map(S::as_ref))
    }
}

impl<S: AsRef<str>> PartialEq<Vec<S>> for Labels {
    fn eq(&self, other: &Vec<S>) -> bool {
        *self == other[..]
    }
}

impl<S: AsRef<str>, const N: usize> PartialEq<[S; N]> for Labels {
    fn eq(&self, other: &[S; N]) -> bool {
        *self == other[..]
    }
}

/// Whatever is one class per row: [`Labels`], and slices, vectors and arrays of what is a [`Label`].
pub trait AsLabels {
    /// The class of each row.
    fn as_labels(&self) -> Cow<'_, Labels>;
}

impl AsLabels for Labels {
    fn as_labels(&self) -> Cow<'_, Labels> {
        Cow::Borrowed(self)
    }
}

impl<L: Label> AsLabels for [L] {
    fn as_labels(&self) -> Cow<'_, Labels> {
        Cow::Owned(Labels::encode(self))
    }
}

impl<L: Label> AsLabels for Vec<L> {
    fn as_labels(&self) -> Cow<'_, Labels> {
        self[..].as_labels()
    }
}

impl<L: Label, const N: usize> AsLabels for [L; N] {
    fn as_labels(&self) -> Cow<'_, Labels> {
        self[..].as_labels()
    }
}

impl<T: AsLabels + ?Sized> AsLabels for &T {
    fn as_labels(&self) -> Cow<'_, Labels> {
        (**self).as_labels()
    }
}
