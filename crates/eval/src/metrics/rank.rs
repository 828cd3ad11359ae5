//! Rank metrics: rank correlations, and the quality of a ranking.

/// Pearson's correlation, weighted; `None` where one of the two is constant.
pub fn pearson(x: &[f64], y: &[f64], weight: Option<&[f64]>) -> Option<f64> {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let total: f64 = (0..x.len()).map(w).sum();
    let size = |v: &[f64]| v.iter().map(|a| a.abs()).fold(0.0, f64::max);
    // Relative to the largest, so that squares do not overflow.
    let (a, b) = (size(x), size(y));
    if !(a > 0.0 && b > 0.0) {
        return None;
    }
    let mean = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(|i| w(i) * f(i)).sum::<f64>() / total;
    let (mx, my) = (mean(&|i| x[i] / a), mean(&|i| y[i] / b));
    let (vx, vy) = (mean(&|i| (x[i] / a - mx).powi(2)), mean(&|i| (y[i] / b - my).powi(2)));
    let both = mean(&|i| (x[i] / a - mx) * (y[i] / b - my));
    (vx > 0.0 && vy > 0.0).then(|| (both / (vx.sqrt() * vy.sqrt())).clamp(-1.0, 1.0))
}

/// Ranks from 1; ties share their mean rank.
pub fn ranks(x: &[f64]) -> Vec<f64> {
    let order = ermine_core::order::argsort(x);
    let mut out = vec![0.0; x.len()];
    let mut start = 0;
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && x[order[end]] == x[order[start]] {
            end += 1;
        }
        let mean = (start + end + 1) as f64 / 2.0;
        order[start..end].iter().for_each(|&i| out[i] = mean);
        start = end;
    }
    out
}

/// Spearman's correlation: Pearson's of the ranks. `None` where one of the two is constant.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    pearson(&ranks(x), &ranks(y), None)
}

/// Kendall's tau-b: concordant minus discordant pairs, over those that are not tied. In time n log n, by counting
/// exchanges of a merge sort (Knight 1966). `None` where one of the two is constant.
pub fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = x.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]).then(y[a].total_cmp(&y[b])));
    let pairs = |m: usize| (m as f64) * (m as f64 - 1.0) / 2.0;
    let runs = |same: &dyn Fn(usize, usize) -> bool, order: &[usize]| {
        let (mut tied, mut long) = (0.0, 1);
        for k in 1..n {
            if same(order[k - 1], order[k]) {
                long += 1;
            } else {
                tied += pairs(long);
                long = 1;
            }
        }
        if n > 0 { tied + pairs(long) } else { 0.0 }
    };
    let tied_x = runs(&|a, b| x[a] == x[b], &order);
    let tied_both = runs(&|a, b| x[a] == x[b] && y[a] == y[b], &order);
    let mut values: Vec<f64> = order.iter().map(|&i| y[i]).collect();
    let exchanges = sort_counting(&mut values, &mut vec![0.0; n]);
    let mut by_y: Vec<usize> = (0..n).collect();
    ermine_core::order::sort_by_number(&mut by_y, |a| y[a]);
    let tied_y = runs(&|a, b| y[a] == y[b], &by_y);
    let all = pairs(n);
    let same = all - tied_x - tied_y + tied_both - 2.0 * exchanges as f64;
    let of = (all - tied_x).sqrt() * (all - tied_y).sqrt();
    (of > 0.0).then(|| same / of)
}

/// Sorts and returns the number of inversions.
fn sort_counting(values: &mut [f64], scratch: &mut [f64]) -> u64 {
    let n = values.len();
    if n < 2 {
        return 0;
    }
    let mid = n / 2;
    let (left, right) = values.split_at_mut(mid);
    let mut count = sort_counting(left, &mut scratch[..mid]) + sort_counting(right, &mut scratch[mid..]);
    let (mut i, mut j) = (0, 0);
    for slot in scratch.iter_mut() {
        if j == right.len() || (i < left.len() && left[i] <= right[j]) {
            *slot = left[i];
            i += 1;
        } else {
            *slot = right[j];
            count += (left.len() - i) as u64;
            j += 1;
        }
    }
    values.copy_from_slice(scratch);
    count
}

/// The gain of a relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DcgGain {
    /// Its number.
    Linear,
    /// 2^relevance - 1.
    Exponential,
}

/// Discounted cumulative gain of relevances in the order of the ranking, the first `at`: Σ gain / log2(rank + 1).
pub fn dcg(relevance: &[f64], gain: DcgGain, at: Option<usize>) -> f64 {
    let worth = |r: f64| if gain == DcgGain::Linear { r } else { r.exp2() - 1.0 };
    let most = at.unwrap_or(relevance.len());
    relevance.iter().take(most).enumerate().map(|(k, &r)| worth(r) / (k as f64 + 2.0).log2()).sum()
}

/// [`dcg`] over that of the best order: 1 for the best ranking. 0 where nothing is relevant.
pub fn ndcg(relevance: &[f64], gain: DcgGain, at: Option<usize>) -> f64 {
    let mut best = relevance.to_vec();
    best.sort_by(|a, b| b.total_cmp(a));
    let most = dcg(&best, gain, at);
    if most > 0.0 { dcg(relevance, gain, at) / most } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn kendall_is_the_count_over_pairs(rows in prop::collection::vec((0u8..6, 0u8..6), 2..40)) {
            let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().map(|r| (f64::from(r.0), f64::from(r.1))).unzip();
            let (mut same, mut nx, mut ny) = (0.0f64, 0.0f64, 0.0f64);
            for i in 0..x.len() {
                for j in 0..i {
                    let (a, b) = ((x[i] - x[j]).signum() * f64::from(x[i] != x[j]), (y[i] - y[j]).signum() * f64::from(y[i] != y[j]));
                    same += a * b;
                    nx += a.abs();
                    ny += b.abs();
                }
            }
            match kendall(&x, &y) {
                Some(tau) => prop_assert!((tau - same / (nx.sqrt() * ny.sqrt())).abs() < 1e-12),
                None => prop_assert!(nx == 0.0 || ny == 0.0),
            }
        }
    }

    #[test]
    fn correlations_do_not_see_units_and_constants_have_none() {
        let (x, y) = ([1.0, 2.0, 4.0, 8.0], [3.0, 1.0, 5.0, 9.0]);
        let far: Vec<f64> = x.iter().map(|v| v * 1e200).collect();
        assert!((pearson(&x, &y, None).unwrap() - pearson(&far, &y, None).unwrap()).abs() < 1e-15);
        assert_eq!((pearson(&[2.0; 4], &y, None), spearman(&[2.0; 4], &y), kendall(&[2.0; 4], &y)), (None, None, None));
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [2.5, 1.0, 2.5]);
    }
}
