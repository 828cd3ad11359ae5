//! Scores of a few queries against one group of rows, in f32, compared with one limit per query while they are still in
//! registers: scores above the limit are never written.

/// Rows of a group: three vectors of sixteen f32.
pub(super) const GROUP: usize = 48;

/// Queries per tile.
pub(super) const QUERIES: usize = 8;

/// The score of a query x and a row y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScoreKind {
    /// bias(y) - x·y.
    Product,
    /// bias(y) + Σ |x - y|.
    Sum,
    /// max of bias(y) and |x - y|.
    Max,
}

const PRODUCT: u8 = 0;
const SUM: u8 = 1;
const MAX: u8 = 2;

/// Scores of a tile, of the queries that have one at or below their limit.
#[repr(align(64))]
pub(super) struct TileScores(pub(super) [[f32; GROUP]; QUERIES]);

/// Scores of eight queries against a group. `queries` has the cells of the queries interleaved, column after column;
/// `group` the cells of the rows, likewise. Returns which queries have a score at or below their limit, as bits; only
/// their scores are written.
///
/// # Panics
/// When the slices do not fit together.
#[inline]
pub(super) fn tile(
    score: ScoreKind,
    queries: &[f32],
    group: &[f32],
    bias: &[f32; GROUP],
    limits: &[f32; QUERIES],
    out: &mut TileScores,
) -> u8 {
    assert_eq!(queries.len() / QUERIES, group.len() / GROUP, "queries and rows of different widths");
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the feature is there; both slices have `cols` columns.
            return unsafe {
                match score {
                    ScoreKind::Product => wide::tile::<PRODUCT>(queries, group, bias, limits, out),
                    ScoreKind::Sum => wide::tile::<SUM>(queries, group, bias, limits, out),
                    ScoreKind::Max => wide::tile::<MAX>(queries, group, bias, limits, out),
                }
            };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the features are there.
            return unsafe {
                match score {
                    ScoreKind::Product => narrow::tile::<PRODUCT>(queries, group, bias, limits, out),
                    ScoreKind::Sum => narrow::tile::<SUM>(queries, group, bias, limits, out),
                    ScoreKind::Max => narrow::tile::<MAX>(queries, group, bias, limits, out),
                }
            };
        }
    }
    match score {
        ScoreKind::Product => portable::<PRODUCT>(queries, group, bias, limits, out),
        ScoreKind::Sum => portable::<SUM>(queries, group, bias, limits, out),
        ScoreKind::Max => portable::<MAX>(queries, group, bias, limits, out),
    }
}

/// Scores of one query against a group, all of them.
#[inline]
pub(super) fn one(score: ScoreKind, query: &[f32], group: &[f32], bias: &[f32; GROUP], out: &mut [f32; GROUP]) {
    assert_eq!(query.len(), group.len() / GROUP, "query and rows of different widths");
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the feature is there.
            return unsafe { one_wide(score, query, group, bias, out) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the features are there.
            return unsafe { one_narrow(score, query, group, bias, out) };
        }
    }
    one_plain::<false>(score, query, group, bias, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn one_wide(score: ScoreKind, query: &[f32], group: &[f32], bias: &[f32; GROUP], out: &mut [f32; GROUP]) {
    one_plain::<true>(score, query, group, bias, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn one_narrow(score: ScoreKind, query: &[f32], group: &[f32], bias: &[f32; GROUP], out: &mut [f32; GROUP]) {
    one_plain::<true>(score, query, group, bias, out);
}

/// The loop that the compiler vectorizes, once for each processor; `FUSED` with fused multiply-add.
#[inline(always)]
fn one_plain<const FUSED: bool>(score: ScoreKind, query: &[f32], group: &[f32], bias: &[f32; GROUP], out: &mut [f32; GROUP]) {
    let mut sums = *bias;
    let (rows, _) = group.as_chunks::<GROUP>();
    match score {
        ScoreKind::Product => {
            for (&x, y) in query.iter().zip(rows) {
                for l in 0..GROUP {
                    sums[l] = if FUSED { (-x).mul_add(y[l], sums[l]) } else { sums[l] - x * y[l] };
                }
            }
        }
        ScoreKind::Sum => {
            for (&x, y) in query.iter().zip(rows) {
                for l in 0..GROUP {
                    sums[l] += (x - y[l]).abs();
                }
            }
        }
        ScoreKind::Max => {
            for (&x, y) in query.iter().zip(rows) {
                for l in 0..GROUP {
                    let d = (x - y[l]).abs();
                    sums[l] = if d > sums[l] { d } else { sums[l] };
                }
            }
        }
    }
    *out = sums;
}

fn portable<const SCORE: u8>(
    queries: &[f32],
    group: &[f32],
    bias: &[f32; GROUP],
    limits: &[f32; QUERIES],
    out: &mut TileScores,
) -> u8 {
    let (queries, _) = queries.as_chunks::<QUERIES>();
    let (rows, _) = group.as_chunks::<GROUP>();
    let mut hit = 0;
    for r in 0..QUERIES {
        let sums = &mut out.0[r];
        *sums = *bias;
        for (x, y) in queries.iter().zip(rows) {
            for l in 0..GROUP {
                sums[l] = match SCORE {
                    PRODUCT => sums[l] - x[r] * y[l],
                    SUM => sums[l] + (x[r] - y[l]).abs(),
                    _ => sums[l].max((x[r] - y[l]).abs()),
                };
            }
        }
        hit |= u8::from(sums.iter().any(|s| *s <= limits[r])) << r;
    }
    hit
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{GROUP, MAX, PRODUCT, QUERIES, SUM, TileScores};

    /// The whole tile in registers: 24 sums, 3 vectors of rows, and cells of queries as operands in memory.
    #[target_feature(enable = "avx512f")]
    pub(super) fn tile<const SCORE: u8>(
        queries: &[f32],
        group: &[f32],
        bias: &[f32; GROUP],
        limits: &[f32; QUERIES],
        out: &mut TileScores,
    ) -> u8 {
        let cols = group.len() / GROUP;
        assert!(queries.len() >= cols * QUERIES);
        let (mut x, mut y) = (queries.as_ptr(), group.as_ptr());
        // SAFETY: `cols` steps of 8 cells of queries and of 48 cells of rows lie inside the slices; bias, limits and out
        // have the lengths of their types.
        unsafe {
            let start: [__m512; 3] = std::array::from_fn(|c| _mm512_loadu_ps(bias.as_ptr().add(16 * c)));
            let mut sums = [start; QUERIES];
            for _ in 0..cols {
                let rows: [__m512; 3] = std::array::from_fn(|c| _mm512_loadu_ps(y.add(16 * c)));
                for r in 0..QUERIES {
                    let cell = _mm512_set1_ps(*x.add(r));
                    for c in 0..3 {
                        sums[r][c] = match SCORE {
                            PRODUCT => _mm512_fnmadd_ps(cell, rows[c], sums[r][c]),
                            SUM => _mm512_add_ps(sums[r][c], _mm512_abs_ps(_mm512_sub_ps(cell, rows[c]))),
                            _ => _mm512_max_ps(sums[r][c], _mm512_abs_ps(_mm512_sub_ps(cell, rows[c]))),
                        };
                    }
                }
                x = x.add(QUERIES);
                y = y.add(GROUP);
            }
            debug_assert!(matches!(SCORE, PRODUCT | SUM | MAX));
            let mut hit = 0u8;
            for r in 0..QUERIES {
                let least = _mm512_min_ps(_mm512_min_ps(sums[r][0], sums[r][1]), sums[r][2]);
                let below = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(least, _mm512_set1_ps(limits[r]));
                hit |= u8::from(below != 0) << r;
            }
            if hit != 0 {
                for r in 0..QUERIES {
                    for c in 0..3 {
                        _mm512_storeu_ps(out.0[r].as_mut_ptr().add(16 * c), sums[r][c]);
                    }
                }
            }
            hit
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod narrow {
    use std::arch::x86_64::*;

    use super::{GROUP, PRODUCT, QUERIES, SUM, TileScores};

    /// Four queries and two vectors of eight rows at a time: eight sums, as many as two multipliers keep busy.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn tile<const SCORE: u8>(
        queries: &[f32],
        group: &[f32],
        bias: &[f32; GROUP],
        limits: &[f32; QUERIES],
        out: &mut TileScores,
    ) -> u8 {
        let cols = group.len() / GROUP;
        assert!(queries.len() >= cols * QUERIES);
        let sign = _mm256_set1_ps(-0.0);
        let mut hit = 0u8;
        for half in [0, 4] {
            let mut below = [_mm256_setzero_ps(); 4];
            for first in [0, 16, 32] {
                // SAFETY: as for the wide tile; `half + 4 <= 8` and `first + 16 <= 48`.
                unsafe {
                    let (mut x, mut y) = (queries.as_ptr().add(half), group.as_ptr().add(first));
                    let start: [__m256; 2] = std::array::from_fn(|c| _mm256_loadu_ps(bias.as_ptr().add(first + 8 * c)));
                    let mut sums = [start; 4];
                    for _ in 0..cols {
                        let rows: [__m256; 2] = std::array::from_fn(|c| _mm256_loadu_ps(y.add(8 * c)));
                        for r in 0..4 {
                            let cell = _mm256_set1_ps(*x.add(r));
                            for c in 0..2 {
                                sums[r][c] = match SCORE {
                                    PRODUCT => _mm256_fnmadd_ps(cell, rows[c], sums[r][c]),
                                    SUM => _mm256_add_ps(sums[r][c], _mm256_andnot_ps(sign, _mm256_sub_ps(cell, rows[c]))),
                                    _ => _mm256_max_ps(sums[r][c], _mm256_andnot_ps(sign, _mm256_sub_ps(cell, rows[c]))),
                                };
                            }
                        }
                        x = x.wrapping_add(QUERIES);
                        y = y.wrapping_add(GROUP);
                    }
                    for r in 0..4 {
                        let limit = _mm256_set1_ps(limits[half + r]);
                        for c in 0..2 {
                            below[r] = _mm256_or_ps(below[r], _mm256_cmp_ps::<_CMP_LE_OQ>(sums[r][c], limit));
                            _mm256_storeu_ps(out.0[half + r].as_mut_ptr().add(first + 8 * c), sums[r][c]);
                        }
                    }
                }
            }
            for r in 0..4 {
                hit |= u8::from(_mm256_movemask_ps(below[r]) != 0) << (half + r);
            }
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    #[test]
    fn every_kernel_is_the_formula() {
        for cols in [1, 2, 7, 20] {
            let mut s = RngStream::new(cols as u64, "tiles", 0);
            let mut draw = |n: usize| -> Vec<f32> { (0..n).map(|_| s.normal() as f32).collect() };
            let (queries, group, bias) = (draw(cols * QUERIES), draw(cols * GROUP), draw(GROUP));
            let bias: &[f32; GROUP] = bias.as_slice().try_into().unwrap();
            for score in [ScoreKind::Product, ScoreKind::Sum, ScoreKind::Max] {
                let want = |r: usize, l: usize| -> f64 {
                    (0..cols).fold(f64::from(bias[l]), |sum, j| {
                        let (x, y) = (f64::from(queries[j * QUERIES + r]), f64::from(group[j * GROUP + l]));
                        match score {
                            ScoreKind::Product => sum - x * y,
                            ScoreKind::Sum => sum + (x - y).abs(),
                            ScoreKind::Max => sum.max((x - y).abs()),
                        }
                    })
                };
                let least: Vec<f64> = (0..QUERIES).map(|r| (0..GROUP).map(|l| want(r, l)).fold(f64::MAX, f64::min)).collect();
                // Limits just above the least score of even queries and just below that of odd ones.
                let limits: [f32; QUERIES] = std::array::from_fn(|r| (least[r] + if r % 2 == 0 { 1e-3 } else { -1e-3 }) as f32);
                let close = |got: f32, r: usize, l: usize| {
                    assert!((f64::from(got) - want(r, l)).abs() < 1e-4, "{score:?} {cols} columns, query {r}, row {l}: {got}");
                };
                type Kernel<'a> = Box<dyn Fn(&mut TileScores) -> u8 + 'a>;
                let mut kernels: Vec<Kernel<'_>> = Vec::new();
                let (q, g) = (&queries, &group);
                kernels.push(Box::new(move |out| tile(score, q, g, bias, &limits, out)));
                kernels.push(Box::new(move |out| match score {
                    ScoreKind::Product => portable::<PRODUCT>(q, g, bias, &limits, out),
                    ScoreKind::Sum => portable::<SUM>(q, g, bias, &limits, out),
                    ScoreKind::Max => portable::<MAX>(q, g, bias, &limits, out),
                }));
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the features are there.
                    kernels.push(Box::new(move |out| unsafe {
                        match score {
                            ScoreKind::Product => narrow::tile::<PRODUCT>(q, g, bias, &limits, out),
                            ScoreKind::Sum => narrow::tile::<SUM>(q, g, bias, &limits, out),
                            ScoreKind::Max => narrow::tile::<MAX>(q, g, bias, &limits, out),
                        }
                    }));
                }
                for kernel in kernels {
                    let mut out = TileScores([[f32::NAN; GROUP]; QUERIES]);
                    assert_eq!(kernel(&mut out), 0b0101_0101, "{score:?} {cols} columns");
                    (0..QUERIES).step_by(2).for_each(|r| (0..GROUP).for_each(|l| close(out.0[r][l], r, l)));
                }
                for r in 0..QUERIES {
                    let query: Vec<f32> = (0..cols).map(|j| queries[j * QUERIES + r]).collect();
                    let mut scores = [0.0; GROUP];
                    one(score, &query, &group, bias, &mut scores);
                    (0..GROUP).for_each(|l| close(scores[l], r, l));
                    one_plain::<false>(score, &query, &group, bias, &mut scores);
                    (0..GROUP).for_each(|l| close(scores[l], r, l));
                }
            }
        }
    }
}
