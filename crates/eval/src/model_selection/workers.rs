//! Parallel tasks with thread pools of their own.

use std::collections::VecDeque;
use std::sync::Mutex;

/// Runs tasks on the threads of the current pool and returns their results in order.
///
/// Each task gets a pool of its own: within one common pool a thread that waits for a part of its task would run
/// another task in the meantime, and neither the time nor the deadline of a fit would be meaningful. While there are
/// more tasks than threads each runs on one thread; the last ones share the remaining threads. What a task computes
/// does not depend on its threads, so the results do not depend on the scheduling.
pub fn parallel_map<T: Send, R: Send>(tasks: Vec<T>, run: impl Fn(usize, T) -> R + Sync) -> Vec<R> {
    let threads = rayon::current_num_threads();
    let count = tasks.len();
    if threads == 1 || count <= 1 {
        return tasks.into_iter().enumerate().map(|(k, t)| run(k, t)).collect();
    }
    let queue = Mutex::new((tasks.into_iter().enumerate().collect::<VecDeque<(usize, T)>>(), 0usize));
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..count).map(|_| None).collect());
    let lock = |running: bool| {
        let mut queue = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !running {
            queue.1 -= 1;
        }
        let next = queue.0.pop_front()?;
        queue.1 += 1;
        let side_by_side = (queue.0.len() + queue.1).min(threads);
        Some((next, (threads / side_by_side).max(1)))
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            scope.spawn(|| {
                let mut first = true;
                while let Some(((k, task), share)) = lock(std::mem::replace(&mut first, false)) {
                    // If no threads can be created the task runs on the current one; the result is the same.
                    let result = match rayon::ThreadPoolBuilder::new().num_threads(share).build() {
                        Ok(pool) => pool.install(|| run(k, task)),
                        Err(_) => run(k, task),
                    };
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[k] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.into_iter().map(|r| r.expect("every task has run")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_every_task_has_threads() {
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let results = pool
                .install(|| parallel_map((0..20).collect(), |k, t: usize| (k, t * t, rayon::current_num_threads() <= threads)));
            assert!(results.iter().enumerate().all(|(k, f)| *f == (k, k * k, true)), "{threads}: {results:?}");
        }
        assert!(parallel_map(Vec::<u8>::new(), |_, t| t).is_empty());
    }
}
