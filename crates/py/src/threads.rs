//! The threads that fits and predictions run on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ermine::core::Error;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The requested number; 0 means the default.
static WANTED: AtomicUsize = AtomicUsize::new(0);

struct PoolState {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

static RUNNING: Mutex<Option<PoolState>> = Mutex::new(None);

/// `ERMINE_NUM_THREADS`, else `OMP_NUM_THREADS` (joblib lowers it in its workers, so that processes and threads together
/// do not ask for more than the machine has), else one thread per core.
fn default_threads() -> usize {
    let variable = |name: &str| std::env::var(name).ok()?.trim().parse::<usize>().ok().filter(|&n| n > 0);
    variable("ERMINE_NUM_THREADS")
        .or_else(|| variable("OMP_NUM_THREADS"))
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
}

fn threads() -> usize {
    match WANTED.load(Ordering::Relaxed) {
        0 => default_threads(),
        n => n,
    }
}

/// The pool of this process. A forked child has none of its parent's threads, so it gets its own.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let (process, threads) = (std::process::id(), threads());
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(r) = &*running
        && r.process == process
        && r.threads == threads
    {
        return Ok(r.pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("ermine-{i}"))
        .build()
        .map_err(|e| PyRuntimeError::new_err(format!("threads could not be started: {e}")))?;
    let pool = Arc::new(pool);
    if let Some(old) = running.replace(PoolState { process, threads, pool: pool.clone() })
        && old.process != process
    {
        // The threads behind it live in the parent; there is nothing here to stop.
        std::mem::forget(old.pool);
    }
    Ok(pool)
}

/// Runs `work` on the pool with the interpreter released.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<Result<T, Error>> {
    let pool = pool()?;
    Ok(py.detach(|| pool.install(work)))
}

/// Sets how many threads fits and predictions use. 0 or None: the default, which is the environment variable
/// ERMINE_NUM_THREADS where it is set, else all cores.
#[pyfunction]
#[pyo3(signature = (n=None))]
pub fn set_num_threads(n: Option<i64>) -> PyResult<()> {
    let n = n.unwrap_or(0);
    let n = usize::try_from(n).map_err(|_| PyValueError::new_err(format!("n must be 0 or more, not {n}")))?;
    WANTED.store(n, Ordering::Relaxed);
    Ok(())
}

/// How many threads fits and predictions use.
#[pyfunction]
pub fn num_threads() -> usize {
    threads()
}
