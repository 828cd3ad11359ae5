//! Preparation of columns: scaling, encoding, imputation.

mod cells;
mod encoding;
mod levels;
mod min_max;
pub(crate) mod moments;
mod one_hot;
mod ordinal;
pub(crate) mod quantile;
mod standardise;

pub use levels::{Level, Numbers};
pub use min_max::{MinMax, MinMaxModel};
pub use one_hot::{OneHot, OneHotModel, UnknownOneHot};
pub use ordinal::{Ordinal, OrdinalModel, UnknownOrdinal};
pub use standardise::{Standardise, StandardiseModel};
