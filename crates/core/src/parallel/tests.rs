use std::sync::atomic::{AtomicUsize, Ordering};

use super::prelude::*;

fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn results_come_in_the_order_of_the_items() {
    for threads in [1, 2, 3, 8] {
        for n in [0, 1, 2, 7, 64, 1000, 5001] {
            with_threads(threads, || {
                let expected: Vec<usize> = (0..n).map(|i| i * i).collect();
                let squares: Vec<usize> = (0..n).into_par_iter().map(|i| i * i).collect();
                assert_eq!(squares, expected);
                let few: Vec<usize> = squares.par_iter().with_min_len(100).map(|v| *v).collect();
                assert_eq!(few, expected);
                let single: Vec<usize> = squares.clone().into_par_iter().with_max_len(1).map(|v| v).collect();
                assert_eq!(single, expected);
                let twice: Vec<usize> = (0..n as u64).into_par_iter().flat_map_iter(|i| [i as usize; 2]).collect();
                assert_eq!(twice, (0..2 * n).map(|i| i / 2).collect::<Vec<_>>());
            });
        }
    }
}

#[test]
fn chunks_are_numbered_and_zipped_as_one_thread_does() {
    for threads in [1, 2, 5] {
        with_threads(threads, || {
            for size in [1, 3, 10, 1000] {
                let values: Vec<usize> = (0..997).collect();
                let (mut sums, mut out) = (vec![0; 997usize.div_ceil(size)], vec![0; 997]);
                let chunks = out.par_chunks_mut(size).zip(values.par_chunks(size)).zip(&mut sums).enumerate();
                chunks.for_each(|(k, ((to, from), sum))| {
                    assert_eq!(from[0], k * size);
                    to.copy_from_slice(from);
                    *sum = from.iter().sum();
                });
                assert_eq!(out, values);
                assert_eq!(sums, values.chunks(size).map(|c| c.iter().sum()).collect::<Vec<usize>>());
            }
        });
    }
}

#[test]
fn the_error_is_that_of_the_first_item_and_ends_the_loop() {
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let fail = |i: usize| if i % 100 == 37 { Err(i) } else { Ok(i) };
            let all: Result<Vec<usize>, usize> = (0..10_000usize).into_par_iter().map(fail).collect();
            assert_eq!(all, Err(37));
            assert_eq!((0..10_000usize).into_par_iter().try_for_each(|i| fail(i).map(drop)), Err(37));
            let fine: Result<Vec<usize>, usize> = (0..37usize).into_par_iter().map(fail).collect();
            assert_eq!(fine, Ok((0..37).collect()));
        });
    }
}

#[test]
fn a_state_is_made_for_items_in_turn() {
    let made = AtomicUsize::new(0);
    let items = 10_000usize;
    let init = || {
        made.fetch_add(1, Ordering::Relaxed);
        Vec::<usize>::new()
    };
    let lengths: Vec<usize> = with_threads(2, || {
        let step = |seen: &mut Vec<usize>, i: usize| {
            assert!(seen.last().is_none_or(|last| *last + 1 == i));
            seen.push(i);
            seen.len()
        };
        (0..items).into_par_iter().map_init(init, step).collect()
    });
    assert_eq!(lengths.iter().filter(|l| **l == 1).count(), made.into_inner());
    assert!(lengths.len() == items);
}
