//! Sorting by numbers. Each instance of a generic sort is some kilobytes of code, and most of the library sorts one of two
//! things: numbers, or indices by a number each. These are compiled once.

/// Sorts numbers from the least; NaN comes last, or first if its sign bit is set (`f64::total_cmp`).
pub fn sort_numbers(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// Sorts indices by their keys from the least; indices of equal keys stay in their order.
pub fn sort_by_number(indices: &mut [usize], key: impl Fn(usize) -> f64) {
    sort_keyed(indices, indices.iter().map(|&i| key(i)).collect(), false);
}

/// Sorts indices by their keys from the greatest; indices of equal keys stay in their order.
pub fn sort_by_number_descending(indices: &mut [usize], key: impl Fn(usize) -> f64) {
    sort_keyed(indices, indices.iter().map(|&i| key(i)).collect(), true);
}

/// The indices of `keys` from the least key; indices of equal keys stay in their order.
pub fn argsort(keys: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    sort_keyed(&mut order, keys.to_vec(), false);
    order
}

/// The indices of `keys` from the greatest key; indices of equal keys stay in their order.
pub fn argsort_descending(keys: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    sort_keyed(&mut order, keys.to_vec(), true);
    order
}

fn sort_keyed(indices: &mut [usize], keys: Vec<f64>, descending: bool) {
    let mut keyed: Vec<(f64, usize)> = keys.into_iter().zip(indices.iter().copied()).collect();
    if descending {
        keyed.iter_mut().for_each(|k| k.0 = -k.0);
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    indices.iter_mut().zip(keyed).for_each(|(index, (_, sorted))| *index = sorted);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_stay_in_their_order() {
        let keys = [2.0, 1.0, 2.0, f64::NEG_INFINITY, 1.0, 0.0, -0.0];
        assert_eq!(argsort(&keys), [3, 6, 5, 1, 4, 0, 2]);
        assert_eq!(argsort_descending(&keys), [0, 2, 1, 4, 5, 6, 3]);
        let mut some = [4, 2, 1, 0];
        sort_by_number(&mut some, |i| keys[i]);
        assert_eq!(some, [4, 1, 2, 0]);
        sort_by_number_descending(&mut some, |i| keys[i]);
        assert_eq!(some, [2, 0, 4, 1]);
    }

    #[test]
    fn the_order_is_that_of_total_cmp() {
        let keys = [f64::NAN, 1.0, -f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, -1.0];
        for reverse in [false, true] {
            let mut expected: Vec<usize> = (0..keys.len()).collect();
            expected.sort_by(|&a, &b| if reverse { keys[b].total_cmp(&keys[a]) } else { keys[a].total_cmp(&keys[b]) });
            let got = if reverse { argsort_descending(&keys) } else { argsort(&keys) };
            assert_eq!(got, expected);
        }
        let mut sorted = keys;
        sort_numbers(&mut sorted);
        assert!(sorted.windows(2).all(|w| w[0].total_cmp(&w[1]).is_le()));
    }
}
