//! Fitting with the interpreter released, and Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ermine::Fitted;
use ermine::core::file::TargetInfo;
use ermine::core::{Context, DatasetRef, Error, Flow, MatRef, Offset, Progress, Schema, Target};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::error::{EstimatorName, raise};
use crate::input::PyFeatures;
use crate::model::NativeModel;

/// How often a running fit looks for Ctrl-C.
const SIGNALS_EVERY: Duration = Duration::from_millis(50);

/// A target as Python gives it.
pub enum PyTarget<'py> {
    None,
    One(PyReadonlyArray1<'py, f64>),
    Many(PyReadonlyArray2<'py, f64>),
    Class(PyReadonlyArray1<'py, u32>),
}

impl<'py> PyTarget<'py> {
    /// Codes, or else a vector or matrix of numbers.
    pub fn new(y: Option<&Bound<'py, PyAny>>, codes: Option<PyReadonlyArray1<'py, u32>>) -> PyResult<Self> {
        Ok(match (y, codes) {
            (_, Some(codes)) => Self::Class(codes),
            (Some(y), None) => match y.cast::<PyArray1<f64>>() {
                Ok(one) => Self::One(one.readonly()),
                Err(_) => Self::Many(y.cast::<PyArray2<f64>>()?.readonly()),
            },
            (None, None) => Self::None,
        })
    }

    /// A view of it; `classes` are the names of the codes.
    pub fn view<'a>(&'a self, classes: &'a [String]) -> PyResult<Target<'a>> {
        Ok(match self {
            Self::None => Target::None,
            Self::One(y) => Target::Real(y.as_slice().map_err(not_dense)?),
            Self::Many(y) => {
                let (rows, cols) = (y.shape()[0], y.shape()[1]);
                let data = y.as_slice().map_err(not_dense)?;
                Target::Reals(if y.is_c_contiguous() {
                    MatRef::row_major(data, rows, cols)
                } else {
                    MatRef::col_major(data, rows, cols)
                })
            }
            Self::Class(codes) => Target::Class { codes: codes.as_slice().map_err(not_dense)?, names: classes },
        })
    }
}

fn not_dense<E>(_: E) -> PyErr {
    PyValueError::new_err("y, codes and weight must be contiguous")
}

/// Rows, target and weights that a fit watches to know when to stop.
type PyValidation<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<PyReadonlyArray1<'py, f64>>);

/// Fits a learner of the catalogue.
///
/// `params` is a JSON object. `y` is a vector or matrix of float64; for a classification `codes` (uint32, into
/// `classes`) stands in its place. `names` are the columns' names where they have some. With `resume` the learner goes on
/// from the model `start`, or begins with all classes that are named when that is None. With `go_on` it adds parts (trees) to
/// `start`, or begins when that is None. `watched` are rows for early stopping: X, y (or codes) and weights. `offset` and
/// `watched_offset` are where the scores of the rows start, in C order, for learners that boost.
#[pyfunction]
#[pyo3(signature = (learner, params, x, *, y=None, codes=None, classes=None, weight=None, seed=0, names=None, target=None, estimator="", start=None, resume=false, go_on=false, watched=None, offset=None, watched_offset=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit<'py>(
    py: Python<'py>,
    learner: &str,
    params: &str,
    x: &Bound<'py, PyAny>,
    y: Option<&Bound<'py, PyAny>>,
    codes: Option<PyReadonlyArray1<'py, u32>>,
    classes: Option<Vec<String>>,
    weight: Option<PyReadonlyArray1<'py, f64>>,
    seed: u64,
    names: Option<Vec<String>>,
    target: Option<Vec<String>>,
    estimator: &str,
    start: Option<&Bound<'py, NativeModel>>,
    resume: bool,
    go_on: bool,
    watched: Option<PyValidation<'py>>,
    offset: Option<PyReadonlyArray2<'py, f64>>,
    watched_offset: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<NativeModel> {
    let named = |dtype| EstimatorName { estimator, dtype };
    let mut learner = ermine::learner(learner).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    let params: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(params).map_err(|e| PyValueError::new_err(format!("parameters: {e}")))?;
    learner.set_all(&params).map_err(|e| raise(e, named("float64")))?;

    let input = PyFeatures::new(x)?;
    let features = input.features()?;
    let y = PyTarget::new(y, codes)?;
    let classes = classes.unwrap_or_default();
    let target_view = y.view(&classes)?;
    let weight = weight.as_ref().map(|w| w.as_slice()).transpose().map_err(not_dense)?;
    let schema = names.map(Schema::numbers);
    let mut data = DatasetRef::new(features).with_target(target_view).with_weight(weight);
    if schema.is_some() {
        data.schema = schema.as_ref();
    }
    let info = TargetInfo { names: target.unwrap_or_default(), classes: classes.clone() };

    let watched = match &watched {
        None => None,
        Some((x, y, weight)) => {
            let y = match y.cast::<PyArray1<u32>>() {
                Ok(codes) => PyTarget::Class(codes.readonly()),
                Err(_) => PyTarget::One(y.cast::<PyArray1<f64>>()?.readonly()),
            };
            Some((PyFeatures::new(x)?, y, weight.as_ref()))
        }
    };
    let watched = match &watched {
        None => None,
        Some((x, y, weight)) => {
            let target = match y {
                PyTarget::Class(codes) => Target::Class { codes: codes.as_slice().map_err(not_dense)?, names: &classes },
                PyTarget::One(y) => Target::Real(y.as_slice().map_err(not_dense)?),
                _ => Target::None,
            };
            let weight = weight.map(|w| w.as_slice()).transpose().map_err(not_dense)?;
            Some(DatasetRef::new(x.features()?).with_target(target).with_weight(weight))
        }
    };

    let by_rows = |m: &PyReadonlyArray2<'py, f64>| (m.shape()[0], m.shape()[1]);
    let not_by_rows = |_| PyValueError::new_err("offsets must be contiguous and in C order");
    let matrix = |m| -> PyResult<MatRef<'_, f64>> {
        let (rows, cols) = by_rows(m);
        Ok(MatRef::row_major(m.as_slice().map_err(not_by_rows)?, rows, cols))
    };
    let offset = match &offset {
        None => None,
        Some(rows) => Some(Offset { rows: matrix(rows)?, validation: watched_offset.as_ref().map(matrix).transpose()? }),
    };
    let context = Context { seed, validation: watched.as_ref(), offset, ..Context::default() };
    let start = start.map(|model| &*model.get().fitted.model);
    let fitted = interruptible(py, named(input.dtype()), &context, |cx| match (resume, go_on) {
        (true, _) => Fitted::partial_fit(learner, start, &data, info, cx),
        (false, true) => Fitted::warm_start(learner, start, &data, info, cx),
        (false, false) => Fitted::train_on(learner, &data, info, cx),
    })?;
    Ok(NativeModel::new(fitted))
}

/// Long work on the pool, with the interpreter released, that Ctrl-C stops.
///
/// The work runs on the pool while this thread waits, because Python delivers signals to its main thread only: every 50 ms it takes the
/// interpreter back for a moment and asks. Work that is stopped ends at its next report to the context.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    named: EstimatorName<'_>,
    context: &Context<'_>,
    work: impl FnOnce(&Context<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let pool = crate::threads::pool()?;
    let stop = AtomicBool::new(false);
    let observer = |_: &Progress| if stop.load(Ordering::Relaxed) { Flow::Stop } else { Flow::Continue };
    let context = Context { observer: Some(&observer), ..*context };
    let mut interrupt = None;
    let outcome = py.detach(|| {
        let (send, receive) = channel();
        let context = &context;
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // A panic is a defect of ours; it becomes an exception below instead of taking the process down.
                let _ = send.send(catch_unwind(AssertUnwindSafe(|| work(context))));
            });
            loop {
                match receive.recv_timeout(SIGNALS_EVERY) {
                    Ok(result) => return Some(result),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {
                        if interrupt.is_none()
                            && let Err(e) = Python::attach(|py| py.check_signals())
                        {
                            interrupt = Some(e);
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
        })
    });
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    match outcome {
        Some(Ok(Ok(value))) => Ok(value),
        Some(Ok(Err(e))) => Err(raise(e, named)),
        Some(Err(panic)) => Err(broken(&*panic)),
        None => Err(PyRuntimeError::new_err("the work ended without an answer")),
    }
}

/// The exception for a panic.
pub fn broken(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let what = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!("internal error, please report it: {}", what.unwrap_or("no message")))
}

/// [`crate::threads::detached`] with panics and errors as exceptions.
pub fn call<T: Send>(py: Python<'_>, named: EstimatorName<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(|| crate::threads::detached(py, work))) {
        Ok(Ok(Ok(value))) => Ok(value),
        Ok(Ok(Err(e))) => Err(raise(e, named)),
        Ok(Err(e)) => Err(e),
        Err(panic) => Err(broken(&*panic)),
    }
}
