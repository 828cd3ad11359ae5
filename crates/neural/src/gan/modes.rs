//! Modes of rows, and how many of them a generator covers.

use ermine_core::{Mat, RngStream};

/// Cluster centers of the rows, as modes.
pub(super) struct ModeAnchors {
    anchors: Mat<f32>,
    /// The share of the rows nearest to each center.
    shares: Vec<f64>,
}

/// A mode counts as covered when its share of the generated rows is at least this part of its share of the real ones.
const PART: f64 = 0.25;

/// Most rows that centers are chosen from.
const MOST: usize = 20_000;

fn square(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum()
}

impl ModeAnchors {
    /// Up to `count` centers by k-means++, then a few rounds of Lloyd. None where there are fewer than two.
    pub fn find(rows: &Mat<f32>, count: usize, seed: u64) -> Option<Self> {
        let n = rows.rows().min(MOST);
        let count = count.min(n);
        if count < 2 {
            return None;
        }
        let mut stream = RngStream::new(seed, "gan modes", 0);
        let pick: Vec<usize> = stream.permutation(rows.rows()).into_iter().take(n).collect();
        let mut anchors = Mat::filled(count, rows.cols(), 0.0f32);
        anchors.row_mut(0).copy_from_slice(rows.row(pick[0]));
        let mut near: Vec<f64> = pick.iter().map(|&i| square(rows.row(i), anchors.row(0))).collect();
        for k in 1..count {
            if near.iter().sum::<f64>() <= 0.0 {
                return None;
            }
            let chosen = pick[stream.weighted(&near)];
            anchors.row_mut(k).copy_from_slice(rows.row(chosen));
            for (d, &i) in near.iter_mut().zip(&pick) {
                *d = d.min(square(rows.row(i), anchors.row(k)));
            }
        }
        let mut modes = Self { anchors, shares: vec![0.0; count] };
        for _ in 0..20 {
            let mut sums = vec![(0.0f64, vec![0.0f64; rows.cols()]); count];
            for &i in &pick {
                let (n, sum) = &mut sums[modes.nearest(rows.row(i))];
                *n += 1.0;
                sum.iter_mut().zip(rows.row(i)).for_each(|(s, v)| *s += f64::from(*v));
            }
            for (k, (n, sum)) in sums.iter().enumerate().filter(|(_, s)| s.0 > 0.0) {
                modes.anchors.row_mut(k).iter_mut().zip(sum).for_each(|(a, s)| *a = (s / n) as f32);
            }
        }
        for &i in &pick {
            let k = modes.nearest(rows.row(i));
            modes.shares[k] += 1.0 / n as f64;
        }
        Some(modes)
    }

    fn nearest(&self, row: &[f32]) -> usize {
        let far = |k: usize| square(row, self.anchors.row(k));
        (1..self.anchors.rows()).fold((0, far(0)), |b, k| if far(k) < b.1 { (k, far(k)) } else { b }).0
    }

    /// The share of the modes that generated rows cover.
    pub fn coverage(&self, made: &Mat<f32>) -> f64 {
        let mut shares = vec![0.0; self.shares.len()];
        for i in 0..made.rows() {
            shares[self.nearest(made.row(i))] += 1.0 / made.rows() as f64;
        }
        let modes: Vec<usize> = (0..shares.len()).filter(|&k| self.shares[k] > 0.0).collect();
        let reached = modes.iter().filter(|&&k| shares[k] >= PART * self.shares[k]).count();
        reached as f64 / modes.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_counts_the_clouds_that_are_reached() {
        let mut s = RngStream::new(2, "clouds", 0);
        let cloud = |k: usize, s: &mut RngStream, j: usize| {
            let angle = k as f64 * std::f64::consts::TAU / 8.0;
            ((if j == 0 { angle.cos() } else { angle.sin() }) * 5.0 + 0.05 * s.normal()) as f32
        };
        let rows = Mat::from_fn(800, 2, |i, j| cloud(i % 8, &mut s, j));
        let modes = ModeAnchors::find(&rows, 8, 0).unwrap();
        assert_eq!(modes.coverage(&rows), 1.0);
        let half = Mat::from_fn(400, 2, |i, j| cloud(i % 4, &mut s, j));
        assert_eq!(modes.coverage(&half), 0.5);
        let one = Mat::from_fn(400, 2, |_, j| cloud(3, &mut s, j));
        assert_eq!(modes.coverage(&one), 0.125);
        assert!(ModeAnchors::find(&Mat::filled(10, 2, 1.0), 4, 0).is_none());
    }
}
