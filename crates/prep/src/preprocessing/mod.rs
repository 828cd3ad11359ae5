//! Preparation of columns: scaling, encoding, imputation, and the default preparation of a table.

mod encoding;
mod impute;
mod levels;
mod min_max;
mod one_hot;
mod ordinal;
mod prepare_row;
mod standardize;
mod table;

pub use impute::{Impute, ImputeModel, ImputeStrategy};
pub use levels::{LevelValue, NumericColumns};
pub use min_max::{MinMax, MinMaxModel};
pub use one_hot::{OneHot, OneHotModel, UnknownOneHot};
pub use ordinal::{Ordinal, OrdinalModel, UnknownOrdinal};
pub use standardize::{StandardScaler, StandardizeModel};
pub use table::{DropLevel, Prepare, PrepareModel};
