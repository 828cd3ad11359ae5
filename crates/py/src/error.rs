//! Errors as Python exceptions, with scikit-learn's wording where programs depend on it.

use ermine::core::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyKeyError, PyOSError, PyRuntimeError, PyValueError};

/// Whose data it was and what its numbers were called, for messages.
#[derive(Clone, Copy)]
pub struct EstimatorName<'a> {
    /// The estimator.
    pub estimator: &'a str,
    /// `float64` or `float32`.
    pub dtype: &'a str,
}

impl EstimatorName<'_> {
    /// No estimator in particular.
    pub const NOBODY: EstimatorName<'static> = EstimatorName { estimator: "", dtype: "float64" };
}

/// The exception for an error.
pub fn raise(error: Error, named: EstimatorName<'_>) -> PyErr {
    let who = if named.estimator.is_empty() { String::new() } else { format!("{}: ", named.estimator) };
    let help = error.help().map(|h| format!("; {h}")).unwrap_or_default();
    match &error {
        Error::NotFinite { value, .. } if value == "NaN" => {
            PyValueError::new_err(format!("Input X contains NaN.\n{who}{error}{help}"))
        }
        Error::NotFinite { .. } => PyValueError::new_err(format!(
            "Input X contains infinity or a value too large for dtype('{}').\n{who}{error}{help}",
            named.dtype
        )),
        Error::Missing { .. } => PyValueError::new_err(format!("Input X contains NaN.\n{who}{error}{help}")),
        Error::Unknown { what, .. } if what == "file" => PyFileNotFoundError::new_err(error.to_string()),
        Error::Unknown { .. } => PyKeyError::new_err(error.to_string()),
        Error::Io { source, .. } => match source.raw_os_error() {
            Some(code) => PyOSError::new_err((code, error.to_string())),
            None => PyOSError::new_err(error.to_string()),
        },
        // Numbers that overflow are the caller's, and scikit-learn (like NumPy's LinAlgError) has a ValueError for them: `Error::Numeric` is below.
        Error::Deadline(_) | Error::Stopped(_) => PyRuntimeError::new_err(format!("{who}{error}{help}")),
        _ => PyValueError::new_err(format!("{who}{error}{help}")),
    }
}
