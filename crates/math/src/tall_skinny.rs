//! Products of rows with few vectors: X Wᵀ and Rᵀ X where W and R have one to a few dozen vectors.
//!
//! A general product packs its operands first, which for few vectors costs as much as the product. These kernels read
//! the rows without packing. Both are meant for blocks of rows that fit in the second-level cache, one after the other:
//! the rows are then read from memory once for the scores and the gradient together.

use ermine_core::MatRef;

/// Columns multiplied before the sums are stored: the vectors' share of them stays in first-level cache.
const CHUNK: usize = 256;

/// Number of rows of `cols` f64 to pass to [`scores`] and then [`add_products`], so that they are still in second-level
/// cache the second time.
pub fn rows_at_once(cols: usize) -> usize {
    // A multiple of what loops over rows take at a time.
    ((3 << 14) / cols.max(1)).clamp(16, 256) & !15
}

/// Scores of rows, a run of rows for each vector: `out[c * rows + i]` = `bias[c]` + Σⱼ xᵢⱼ `w[c * stride + j]`, with as many
/// vectors as `bias` has elements.
///
/// The bits of a row's scores do not depend on the rows around it. Meanwhile the memory of `ahead` is prefetched: rows
/// that come next, so that reading and computing overlap.
///
/// # Panics
/// When the rows of `x` are not contiguous or a slice is too short.
pub fn scores(x: MatRef<'_, f64>, w: &[f64], stride: usize, bias: &[f64], out: &mut [f64], ahead: &[f64]) {
    let (rows, cols, k) = (x.rows(), x.cols(), bias.len());
    assert!(k > 0 && stride >= cols && w.len() >= (k - 1) * stride + cols, "{k} vectors of {cols}");
    assert!(x.col_stride() == 1 || cols <= 1, "rows that are not contiguous");
    assert_eq!(out.len(), rows * k, "one score per row and vector");
    if rows == 0 {
        return;
    }
    out.chunks_exact_mut(rows).zip(bias).for_each(|(run, &b)| run.fill(b));
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both features; the lengths were checked above.
        return unsafe { avx2::add_dots(x, w, stride, k, out, ahead) };
    }
    let _ = ahead;
    portable::add_dots(x, w, stride, k, out);
}

/// Adds products to a gradient: `g[c * stride + j]` += Σᵢ `r[c * rows + i]` xᵢⱼ, for `k` vectors. `ahead` is
/// as in [`scores`].
///
/// # Panics
/// When the rows of `x` are not contiguous or a slice is too short.
pub fn add_products(x: MatRef<'_, f64>, r: &[f64], k: usize, g: &mut [f64], stride: usize, ahead: &[f64]) {
    let (rows, cols) = (x.rows(), x.cols());
    assert!(k > 0 && stride >= cols && g.len() >= (k - 1) * stride + cols, "{k} vectors of {cols}");
    assert!(x.col_stride() == 1 || cols <= 1, "rows that are not contiguous");
    assert_eq!(r.len(), rows * k, "one factor per row and vector");
    if rows == 0 || cols == 0 {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both features; the lengths were checked above.
        return unsafe { avx2::add_products(x, r, k, g, stride, ahead) };
    }
    let _ = ahead;
    portable::add_products(x, r, k, g, stride);
}

/// Cuts `total` in the fewest groups of at most `most`, as equal as can be: (start, length).
fn groups(total: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = total.div_ceil(most).max(1);
    (0..count).map(move |g| (g * total / count, (g + 1) * total / count - g * total / count))
}

mod portable {
    use ermine_core::MatRef;

    pub fn add_dots(x: MatRef<'_, f64>, w: &[f64], stride: usize, k: usize, sums: &mut [f64]) {
        let (rows, cols) = (x.rows(), x.cols());
        for i in 0..rows {
            let Some(row) = x.row(i) else { return };
            for c in 0..k {
                let w = &w[c * stride..c * stride + cols];
                let mut lanes = [0.0; 4];
                let (mut a, mut b) = (row.chunks_exact(4), w.chunks_exact(4));
                for (a, b) in (&mut a).zip(&mut b) {
                    for l in 0..4 {
                        lanes[l] += a[l] * b[l];
                    }
                }
                for (l, (a, b)) in a.remainder().iter().zip(b.remainder()).enumerate() {
                    lanes[l] += a * b;
                }
                sums[c * rows + i] += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            }
        }
    }

    pub fn add_products(x: MatRef<'_, f64>, r: &[f64], k: usize, g: &mut [f64], stride: usize) {
        let (rows, cols) = (x.rows(), x.cols());
        for i in 0..rows {
            let Some(row) = x.row(i) else { return };
            for c in 0..k {
                let f = r[c * rows + i];
                for (g, &v) in g[c * stride..c * stride + cols].iter_mut().zip(row) {
                    *g += f * v;
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{CHUNK, groups};
    use ermine_core::MatRef;

    /// The lanes below `n` of four.
    #[target_feature(enable = "avx2,fma")]
    fn lanes_below(n: usize) -> __m256i {
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3))
    }

    /// Prefetching of a few cache lines per step, spread over the work.
    struct SkinnyPrefetch {
        at: *const f64,
        left: usize,
        each: usize,
    }

    impl SkinnyPrefetch {
        fn new(ahead: &[f64], turns: usize) -> Self {
            let lines = ahead.len().div_ceil(8);
            Self { at: ahead.as_ptr(), left: lines, each: lines.div_ceil(turns.max(1)) }
        }

        #[inline(always)]
        fn advance(&mut self) {
            let now = self.each.min(self.left);
            for _ in 0..now {
                // SAFETY: a hint; what it names is not touched.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(self.at.cast()) };
                self.at = self.at.wrapping_add(8);
            }
            self.left -= now;
        }

        /// Prefetches for `rows` rows of a tile, as the first address and the step from one to the next.
        fn rows_prefetch(&mut self, rows: usize) -> (*const u8, usize) {
            let (at, lines) = (self.at.cast(), (self.each * rows.div_ceil(2)).min(self.left));
            self.at = self.at.wrapping_add(8 * lines);
            self.left -= lines;
            (at, 64 * lines / rows)
        }
    }

    /// Sums of dot products, `sums[c * rows + i]` += xᵢ · w_c.
    ///
    /// # Safety
    /// Rows of `x` are contiguous, `w` holds `k` vectors of `x.cols()` at `stride`, `sums` has `k * x.rows()` elements.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn add_dots(x: MatRef<'_, f64>, w: &[f64], stride: usize, k: usize, sums: &mut [f64], ahead: &[f64]) {
        let (rows, cols, xs) = (x.rows(), x.cols(), x.row_stride());
        let data = x.as_slice().as_ptr();
        // Sixteen columns of four rows and a group of vectors are one turn.
        let mut ask = SkinnyPrefetch::new(ahead, rows.div_ceil(4) * cols.div_ceil(16) * k.div_ceil(3));
        let mut i = 0;
        while i < rows {
            let quad = rows - i >= 4;
            // Rows outermost, so that memory is read in its order.
            for start in (0..cols).step_by(CHUNK) {
                let width = CHUNK.min(cols - start);
                for (c, len) in groups(k, 3) {
                    // SAFETY: rows i..i+4 (or i), these columns and vectors c..c+len exist by the contract of this function.
                    unsafe {
                        let x = data.add(i * xs + start);
                        let (w, out) = (w.as_ptr().add(c * stride + start), sums.as_mut_ptr().add(c * rows + i));
                        match (quad, len) {
                            (true, 3) => dots::<4, 3>(x, xs, &mut ask, w, stride, width, out, rows),
                            (true, 2) => dots::<4, 2>(x, xs, &mut ask, w, stride, width, out, rows),
                            (true, _) => dots::<4, 1>(x, xs, &mut ask, w, stride, width, out, rows),
                            (false, 3) => dots::<1, 3>(x, xs, &mut ask, w, stride, width, out, rows),
                            (false, 2) => dots::<1, 2>(x, xs, &mut ask, w, stride, width, out, rows),
                            (false, _) => dots::<1, 1>(x, xs, &mut ask, w, stride, width, out, rows),
                        }
                    }
                }
            }
            i += if quad { 4 } else { 1 };
        }
    }

    /// R rows times K vectors, the products in registers. R is 1 or 4; both add in the same order.
    ///
    /// # Safety
    /// As [`add_dots`], for R rows and K vectors from the pointers on.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "three matrices with their strides")]
    unsafe fn dots<const R: usize, const K: usize>(
        x: *const f64,
        xs: usize,
        ask: &mut SkinnyPrefetch,
        w: *const f64,
        ws: usize,
        cols: usize,
        out: *mut f64,
        os: usize,
    ) {
        let mut acc = [[_mm256_setzero_pd(); K]; R];
        let whole = cols & !3;
        // SAFETY: every load is of four elements below `cols` of an existing row, or masked to those; every store is to an
        // existing sum.
        unsafe {
            let mut j = 0;
            while j < whole {
                let mut wv = [_mm256_setzero_pd(); K];
                for c in 0..K {
                    wv[c] = _mm256_loadu_pd(w.add(c * ws + j));
                }
                if j % 16 == 0 {
                    ask.advance();
                }
                for r in 0..R {
                    let xv = _mm256_loadu_pd(x.add(r * xs + j));
                    for c in 0..K {
                        acc[r][c] = _mm256_fmadd_pd(xv, wv[c], acc[r][c]);
                    }
                }
                j += 4;
            }
            if whole < cols {
                let mask = lanes_below(cols - whole);
                for r in 0..R {
                    let xv = _mm256_maskload_pd(x.add(r * xs + whole), mask);
                    for c in 0..K {
                        let wv = _mm256_maskload_pd(w.add(c * ws + whole), mask);
                        acc[r][c] = _mm256_fmadd_pd(xv, wv, acc[r][c]);
                    }
                }
            }
            for c in 0..K {
                let out = out.add(c * os);
                if R == 4 {
                    // (a0+a1, b0+b1, a2+a3, b2+b3), then the halves across.
                    let ab = _mm256_hadd_pd(acc[0][c], acc[1][c]);
                    let cd = _mm256_hadd_pd(acc[2][c], acc[3][c]);
                    let low = _mm256_permute2f128_pd::<0x20>(ab, cd);
                    let high = _mm256_permute2f128_pd::<0x31>(ab, cd);
                    _mm256_storeu_pd(out, _mm256_add_pd(_mm256_loadu_pd(out), _mm256_add_pd(low, high)));
                } else {
                    let mut l = [0.0; 4];
                    _mm256_storeu_pd(l.as_mut_ptr(), acc[0][c]);
                    *out += (l[0] + l[1]) + (l[2] + l[3]);
                }
            }
        }
    }

    /// `g[c * stride + j]` += Σᵢ `r[c * rows + i]` xᵢⱼ.
    ///
    /// # Safety
    /// Rows of `x` are contiguous, `r` has `k` runs of one factor per row, `g` holds `k` vectors of `x.cols()` at `stride`.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn add_products(x: MatRef<'_, f64>, r: &[f64], k: usize, g: &mut [f64], stride: usize, ahead: &[f64]) {
        let (rows, cols, xs) = (x.rows(), x.cols(), x.row_stride());
        let (data, r, g) = (x.as_slice().as_ptr(), r.as_ptr(), g.as_mut_ptr());
        // Two rows of a tile and a group of vectors are one turn.
        let tiles = cols.div_ceil(if k == 1 { 32 } else { 12 });
        let mut ask = SkinnyPrefetch::new(ahead, rows.div_ceil(2) * tiles * k.div_ceil(4));
        let mut j = 0;
        while j < cols {
            let left = cols - j;
            // One vector alone needs more columns in flight to keep the multipliers busy.
            let width = match left {
                32.. if k == 1 => 32,
                16.. if k <= 2 => 16,
                12.. => 12,
                4.. => 4,
                _ => left,
            };
            for (c, len) in groups(k, 4) {
                // SAFETY: columns j..j+width and vectors c..c+len exist by the contract of this function.
                unsafe {
                    let (x, r, g) = (data.add(j), r.add(c * rows), g.add(c * stride + j));
                    match (width, len) {
                        (32, _) => tile::<1, 8>(x, xs, rows, r, g, stride, &mut ask),
                        (16, 2) => tile::<2, 4>(x, xs, rows, r, g, stride, &mut ask),
                        (16, _) => tile::<1, 4>(x, xs, rows, r, g, stride, &mut ask),
                        (12, 4) => tile_4x3(x, xs, rows, r, g, stride, &mut ask),
                        (12, 3) => tile::<3, 3>(x, xs, rows, r, g, stride, &mut ask),
                        (12, 2) => tile::<2, 3>(x, xs, rows, r, g, stride, &mut ask),
                        (12, _) => tile::<1, 3>(x, xs, rows, r, g, stride, &mut ask),
                        (4, 4) => tile::<4, 1>(x, xs, rows, r, g, stride, &mut ask),
                        (4, 3) => tile::<3, 1>(x, xs, rows, r, g, stride, &mut ask),
                        (4, 2) => tile::<2, 1>(x, xs, rows, r, g, stride, &mut ask),
                        (4, _) => tile::<1, 1>(x, xs, rows, r, g, stride, &mut ask),
                        _ => edge(x, xs, rows, width, r, len, g, stride),
                    }
                }
            }
            j += width;
        }
    }

    /// Four vectors times twelve columns. In assembler because the 12 sums, 3 loads and 1 broadcast fill the 16 registers
    /// exactly: compilers keep a sum in memory and lose a third of the speed.
    ///
    /// # Safety
    /// As [`add_products`], for 12 columns and 4 vectors from the pointers on, and at least one row.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile_4x3(x: *const f64, xs: usize, rows: usize, r: *const f64, g: *mut f64, gs: usize, ask: &mut SkinnyPrefetch) {
        let mut acc = [[_mm256_setzero_pd(); 3]; 4];
        let [[s00, s01, s02], [s10, s11, s12], [s20, s21, s22], [s30, s31, s32]] = &mut acc;
        let (ahead, step) = ask.rows_prefetch(rows);
        // SAFETY: reads the rows and factors that the caller promises and writes registers only; a prefetch of a bad
        // address does nothing. The stores are to existing elements.
        unsafe {
            std::arch::asm!(
                "2:",
                "vmovupd {x0}, [{x}]",
                "vmovupd {x1}, [{x} + 32]",
                "vmovupd {x2}, [{x} + 64]",
                "prefetcht1 [{ahead}]",
                "vbroadcastsd {f}, [{r}]",
                "vfmadd231pd {s00}, {f}, {x0}",
                "vfmadd231pd {s01}, {f}, {x1}",
                "vfmadd231pd {s02}, {f}, {x2}",
                "vbroadcastsd {f}, [{r} + {rs}]",
                "vfmadd231pd {s10}, {f}, {x0}",
                "vfmadd231pd {s11}, {f}, {x1}",
                "vfmadd231pd {s12}, {f}, {x2}",
                "vbroadcastsd {f}, [{r} + 2 * {rs}]",
                "vfmadd231pd {s20}, {f}, {x0}",
                "vfmadd231pd {s21}, {f}, {x1}",
                "vfmadd231pd {s22}, {f}, {x2}",
                "vbroadcastsd {f}, [{r} + {rs3}]",
                "vfmadd231pd {s30}, {f}, {x0}",
                "vfmadd231pd {s31}, {f}, {x1}",
                "vfmadd231pd {s32}, {f}, {x2}",
                "add {ahead}, {step}",
                "add {x}, {xs}",
                "add {r}, 8",
                "dec {rows}",
                "jnz 2b",
                x = inout(reg) x => _, r = inout(reg) r => _, rows = inout(reg) rows => _, ahead = inout(reg) ahead => _,
                xs = in(reg) 8 * xs, rs = in(reg) 8 * rows, rs3 = in(reg) 24 * rows, step = in(reg) step,
                s00 = inout(ymm_reg) *s00, s01 = inout(ymm_reg) *s01, s02 = inout(ymm_reg) *s02,
                s10 = inout(ymm_reg) *s10, s11 = inout(ymm_reg) *s11, s12 = inout(ymm_reg) *s12,
                s20 = inout(ymm_reg) *s20, s21 = inout(ymm_reg) *s21, s22 = inout(ymm_reg) *s22,
                s30 = inout(ymm_reg) *s30, s31 = inout(ymm_reg) *s31, s32 = inout(ymm_reg) *s32,
                x0 = out(ymm_reg) _, x1 = out(ymm_reg) _, x2 = out(ymm_reg) _, f = out(ymm_reg) _,
                options(nostack, readonly),
            );
            for c in 0..4 {
                for v in 0..3 {
                    let at = g.add(c * gs + 4 * v);
                    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), acc[c][v]));
                }
            }
        }
    }

    /// K vectors times 4 V columns, the sums in registers over all rows.
    ///
    /// # Safety
    /// As [`add_products`], for 4 V columns and K vectors from the pointers on.
    #[target_feature(enable = "avx2,fma")]
    // Among many others in one function the sums would not all stay in registers.
    #[inline(never)]
    unsafe fn tile<const K: usize, const V: usize>(
        x: *const f64,
        xs: usize,
        rows: usize,
        r: *const f64,
        g: *mut f64,
        gs: usize,
        ask: &mut SkinnyPrefetch,
    ) {
        let mut acc = [[_mm256_setzero_pd(); V]; K];
        // SAFETY: every load and store lies in an existing row, factor or vector.
        unsafe {
            for i in 0..rows {
                if i % 2 == 0 {
                    ask.advance();
                }
                let mut xv = [_mm256_setzero_pd(); V];
                for v in 0..V {
                    xv[v] = _mm256_loadu_pd(x.add(i * xs + 4 * v));
                }
                for c in 0..K {
                    let f = _mm256_broadcast_sd(&*r.add(c * rows + i));
                    for v in 0..V {
                        acc[c][v] = _mm256_fmadd_pd(f, xv[v], acc[c][v]);
                    }
                }
            }
            for c in 0..K {
                for v in 0..V {
                    let at = g.add(c * gs + 4 * v);
                    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), acc[c][v]));
                }
            }
        }
    }

    /// The last `width` < 4 columns, for `len` vectors.
    ///
    /// # Safety
    /// As [`add_products`], for these columns and vectors.
    #[target_feature(enable = "avx2,fma")]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a tile and its two lengths")]
    unsafe fn edge(x: *const f64, xs: usize, rows: usize, width: usize, r: *const f64, len: usize, g: *mut f64, gs: usize) {
        let mask = lanes_below(width);
        for c in 0..len {
            // SAFETY: masked loads and stores touch only the `width` columns that exist.
            unsafe {
                let mut acc = _mm256_setzero_pd();
                for i in 0..rows {
                    let f = _mm256_broadcast_sd(&*r.add(c * rows + i));
                    acc = _mm256_fmadd_pd(f, _mm256_maskload_pd(x.add(i * xs), mask), acc);
                }
                let at = g.add(c * gs);
                _mm256_maskstore_pd(at, mask, _mm256_add_pd(_mm256_maskload_pd(at, mask), acc));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| (((i * 7919 + seed * 104_729 + 13) % 2003) as f64 - 1000.0) / 100.0).collect()
    }

    #[test]
    fn groups_cover_without_overlap() {
        for total in 1..40 {
            for most in 1..6 {
                let all: Vec<_> = groups(total, most).collect();
                assert!(all.iter().all(|g| g.1 >= 1 && g.1 <= most));
                assert_eq!(all.iter().map(|g| g.1).sum::<usize>(), total);
                assert!(all.windows(2).all(|w| w[0].0 + w[0].1 == w[1].0));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn both_products_agree_with_plain_sums(rows in 0usize..14, cols in 1usize..60, k in 1usize..14, gap in 0usize..3, wide in any::<bool>()) {
            let cols = if wide { cols + 500 } else { cols };
            let stride = cols + gap;
            let data = values(rows * stride, 1);
            let x = MatRef::strided(&data, rows, cols, stride, 1).unwrap();
            let (w, bias, r) = (values(k * stride, 2), values(k, 3), values(rows * k, 4));
            let mut out = vec![0.0; rows * k];
            scores(x, &w, stride, &bias, &mut out, &data);
            let mut g = values(k * stride, 5);
            let before = g.clone();
            add_products(x, &r, k, &mut g, stride, &data);
            let mut plain = vec![0.0; rows * k];
            portable::add_dots(x, &w, stride, k, &mut plain);
            for i in 0..rows {
                for c in 0..k {
                    let exact: f64 = bias[c] + (0..cols).map(|j| x.at(i, j) * w[c * stride + j]).sum::<f64>();
                    let scale: f64 = 1.0 + (0..cols).map(|j| (x.at(i, j) * w[c * stride + j]).abs()).sum::<f64>();
                    prop_assert!((out[c * rows + i] - exact).abs() <= 1e-14 * scale);
                    prop_assert!((bias[c] + plain[c * rows + i] - exact).abs() <= 1e-14 * scale);
                }
            }
            let mut plain = before.clone();
            portable::add_products(x, &r, k, &mut plain, stride);
            for at in 0..k * stride {
                let (c, j) = (at / stride, at % stride);
                let product = |i: usize| if j < cols { r[c * rows + i] * x.at(i, j) } else { 0.0 };
                let exact = before[at] + (0..rows).map(product).sum::<f64>();
                let scale: f64 = before[at].abs() + (0..rows).map(|i| product(i).abs()).sum::<f64>();
                prop_assert!((g[at] - exact).abs() <= 1e-14 * scale);
                prop_assert!((plain[at] - exact).abs() <= 1e-14 * scale);
            }
        }

        #[test]
        fn scores_of_a_row_do_not_depend_on_its_neighbors(rows in 1usize..11, cols in 1usize..600, k in 1usize..7) {
            let data = values(rows * cols, 1);
            let x = MatRef::row_major(&data, rows, cols);
            let (w, bias) = (values(k * cols, 2), values(k, 3));
            let (mut all, mut one) = (vec![0.0; rows * k], vec![0.0; k]);
            scores(x, &w, cols, &bias, &mut all, &data);
            for i in 0..rows {
                scores(x.row_range(i..i + 1), &w, cols, &bias, &mut one, &[]);
                prop_assert!((0..k).all(|c| all[c * rows + i].to_bits() == one[c].to_bits()));
            }
        }
    }
}
