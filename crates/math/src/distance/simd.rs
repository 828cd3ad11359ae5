//! The kernels in AVX2 and FMA. The two number types differ only in the names of the instructions.

macro_rules! simd {
    ($module:ident, $t:ty, $v:ty, $lanes:literal, $set1:ident, $loadu:ident, $storeu:ident, $fmadd:ident, $add:ident, $sub:ident,
     $mul:ident, $max:ident, $min:ident, $blendv:ident, $cmp:ident, $zero:ident, $maskload:ident, $mask:expr, $swaps:ident) => {
        pub(super) mod $module {
            use std::arch::x86_64::*;

            use super::super::{CenterSums, Centers, StridedRows};
            use super::$swaps as swaps;

            const L: usize = $lanes;

            /// How many rows before their use they are fetched.
            const AHEAD: usize = 12;

            /// Scores of R rows and C vectors of centers.
            ///
            /// # Safety
            /// AVX2 and FMA are there; `rows` are readable for `cols` numbers each; `centers` for `cols * C` vectors and
            /// `bias` for C vectors.
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn products<const R: usize, const C: usize>(
                rows: [*const $t; R],
                cols: usize,
                centers: *const $t,
                bias: *const $t,
                ahead: Option<usize>,
            ) -> [[$v; C]; R] {
                // SAFETY: the caller promises the ranges.
                unsafe {
                    let start: [$v; C] = std::array::from_fn(|c| $loadu(bias.add(c * L)));
                    let mut sums = [start; R];
                    let mut line = 0;
                    while line < cols {
                        if let Some(ahead) = ahead {
                            // Several rows are read side by side, which hides from the processor that they follow each
                            // other. A few lines at a time leave room for the loads; any address is harmless.
                            for r in 0..R {
                                _mm_prefetch::<_MM_HINT_T0>(rows[r].wrapping_add(line + ahead).cast());
                            }
                        }
                        let end = cols.min(line + 64 / size_of::<$t>());
                        for j in line..end {
                            let values: [$v; C] = std::array::from_fn(|c| $loadu(centers.add((j * C + c) * L)));
                            for r in 0..R {
                                let x = $set1(*rows[r].add(j));
                                for c in 0..C {
                                    sums[r][c] = $fmadd(x, values[c], sums[r][c]);
                                }
                            }
                        }
                        line = end;
                    }
                    sums
                }
            }

            /// Scores of R rows and C vectors of centers, reduced to the best of each lane.
            ///
            /// # Safety
            /// As [`products`].
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn tile<const R: usize, const C: usize>(
                rows: [*const $t; R],
                cols: usize,
                centers: *const $t,
                bias: *const $t,
                first: usize,
                ahead: Option<usize>,
            ) -> [($v, $v); R] {
                // SAFETY: the caller promises the ranges.
                unsafe {
                    let sums = products::<R, C>(rows, cols, centers, bias, ahead);
                    let lane: $v = $loadu(LANE.as_ptr());
                    std::array::from_fn(|r| {
                        let (mut top, mut at) = (sums[r][0], $add(lane, $set1(first as $t)));
                        for c in 1..C {
                            let number = $add(lane, $set1((first + c * L) as $t));
                            // Only a greater score displaces an earlier center.
                            at = $blendv(at, number, $cmp::<_CMP_GT_OQ>(sums[r][c], top));
                            top = $max(sums[r][c], top);
                        }
                        (top, at)
                    })
                }
            }

            /// Scores of some rows with one group of centers; see [`super::super::kernel::Kernel::scores`].
            #[target_feature(enable = "avx2,fma")]
            pub(in super::super) fn scores(
                centers: &Centers<$t>,
                group: usize,
                x: &StridedRows<'_, $t>,
                rows: &[u32],
                stride: usize,
                out: &mut [$t],
            ) {
                match centers.groups[group].vectors {
                    1 => scores_of::<8, 1>(centers, group, x, rows, stride, out),
                    _ => scores_of::<6, 2>(centers, group, x, rows, stride, out),
                }
            }

            #[target_feature(enable = "avx2,fma")]
            fn scores_of<const R: usize, const C: usize>(
                centers: &Centers<$t>,
                group: usize,
                x: &StridedRows<'_, $t>,
                rows: &[u32],
                stride: usize,
                out: &mut [$t],
            ) {
                let group = centers.groups[group];
                let cols = centers.cols;
                assert!(x.cols == cols);
                let packed = &centers.packed[group.start..group.start + cols * C * L];
                let bias = &centers.bias[group.first..group.first + C * L];
                let mut put = |i: u32, sums: [$v; C]| {
                    let room = &mut out[i as usize * stride..i as usize * stride + C * L];
                    for c in 0..C {
                        // SAFETY: the room is C vectors long.
                        unsafe { $storeu(room.as_mut_ptr().add(c * L), sums[c]) };
                    }
                };
                let mut chunks = rows.chunks_exact(R);
                for chunk in &mut chunks {
                    let at: [*const $t; R] = std::array::from_fn(|r| x.row(chunk[r] as usize).as_ptr());
                    // SAFETY: `row` checked `cols` numbers of each row; the slices have the lengths that are read.
                    let sums = unsafe { products::<R, C>(at, cols, packed.as_ptr(), bias.as_ptr(), None) };
                    for r in 0..R {
                        put(chunk[r], sums[r]);
                    }
                }
                for &i in chunks.remainder() {
                    // SAFETY: as above.
                    let [sums] =
                        unsafe { products::<1, C>([x.row(i as usize).as_ptr()], cols, packed.as_ptr(), bias.as_ptr(), None) };
                    put(i, sums);
                }
            }

            const LANE: [$t; L] = {
                let mut lane = [0.0; L];
                let mut i = 0;
                while i < L {
                    lane[i] = i as $t;
                    i += 1;
                }
                lane
            };

            /// The least center among the lanes with the greatest score.
            #[inline]
            #[target_feature(enable = "avx2,fma")]
            fn winner(top: $v, at: $v) -> $t {
                let most = swaps::reduce_lanes(top, |a, b| $max(a, b));
                let candidates = $blendv($set1(<$t>::MAX), at, $cmp::<_CMP_EQ_OQ>(top, most));
                swaps::first(swaps::reduce_lanes(candidates, |a, b| $min(a, b)))
            }

            /// Nearest centers of rows; see [`Centers::nearest`].
            #[target_feature(enable = "avx2,fma")]
            pub(in super::super) fn nearest(centers: &Centers<$t>, x: &StridedRows<'_, $t>, best: &mut [$t], labels: &mut [u32]) {
                assert!(best.len() >= 2 * L * labels.len() && labels.len() == x.rows && x.cols == centers.cols);
                for (g, group) in centers.groups.iter().enumerate() {
                    let (is_first, is_last) = (g == 0, g + 1 == centers.groups.len());
                    // Sums, centers and one number of a row fill the sixteen registers without spilling.
                    match group.vectors {
                        1 => scan::<8, 1>(centers, g, x, best, labels, is_first, is_last),
                        _ => scan::<6, 2>(centers, g, x, best, labels, is_first, is_last),
                    }
                }
            }

            /// All rows against one group of centers, R rows at a time.
            #[target_feature(enable = "avx2,fma")]
            fn scan<const R: usize, const C: usize>(
                centers: &Centers<$t>,
                group: usize,
                x: &StridedRows<'_, $t>,
                best: &mut [$t],
                labels: &mut [u32],
                is_first: bool,
                is_last: bool,
            ) {
                let group = centers.groups[group];
                let cols = centers.cols;
                let packed = &centers.packed[group.start..group.start + cols * C * L];
                let bias = &centers.bias[group.first..group.first + C * L];
                let most = (centers.k - 1) as u32;
                let mut put = |i: usize, (mut top, mut at): ($v, $v)| {
                    let room = &mut best[2 * L * i..2 * L * (i + 1)];
                    // SAFETY: the room is two vectors long.
                    unsafe {
                        if !is_first {
                            let (before, before_at) = ($loadu(room.as_ptr()), $loadu(room.as_ptr().add(L)));
                            at = $blendv(before_at, at, $cmp::<_CMP_GT_OQ>(top, before));
                            top = $max(top, before);
                        }
                        if is_last {
                            // NaN scores have no winner; the data are rejected later.
                            labels[i] = (winner(top, at) as u32).min(most);
                        } else {
                            $storeu(room.as_mut_ptr(), top);
                            $storeu(room.as_mut_ptr().add(L), at);
                        }
                    }
                };
                let ahead = is_first.then_some(AHEAD * x.stride);
                let mut i = 0;
                while i + R <= x.rows {
                    let rows: [*const $t; R] = std::array::from_fn(|r| x.row(i + r).as_ptr());
                    // SAFETY: `row` checked `cols` numbers of each row; the slices have the lengths the tile reads.
                    let tops = unsafe { tile::<R, C>(rows, cols, packed.as_ptr(), bias.as_ptr(), group.first, ahead) };
                    for r in 0..R {
                        put(i + r, tops[r]);
                    }
                    i += R;
                }
                while i < x.rows {
                    // SAFETY: as above.
                    let [top] =
                        unsafe { tile::<1, C>([x.row(i).as_ptr()], cols, packed.as_ptr(), bias.as_ptr(), group.first, ahead) };
                    put(i, top);
                    i += 1;
                }
            }

            /// Sums of row minus center; see [`Centers::nearest_and_sum`].
            #[target_feature(enable = "avx2,fma")]
            pub(in super::super) fn sum(
                centers: &Centers<$t>,
                x: &StridedRows<'_, $t>,
                weight: Option<&[f64]>,
                labels: &[u32],
                sums: &mut CenterSums<$t>,
            ) {
                let (cols, width) = (centers.cols, centers.width);
                assert!(labels.len() == x.rows && width == cols.next_multiple_of(L));
                let tail = swaps::tail_mask(cols % L);
                // Two sums, because one would wait for itself.
                let mut squares = [$zero(); 2];
                for (i, &label) in labels.iter().enumerate() {
                    let c = label as usize;
                    let w = weight.map_or(1.0, |w| w[i]);
                    sums.weight[c] += w;
                    let row = x.row(i).as_ptr();
                    let center = centers.rows[c * width..(c + 1) * width].as_ptr();
                    let sum = sums.residuals[c * width..(c + 1) * width].as_mut_ptr();
                    let factor = $set1(w as $t);
                    // SAFETY: the row has `cols` numbers, center and sum have `width`, whole vectors; the tail of the row
                    // is read under a mask, and the tail of the center is 0.
                    unsafe {
                        let mut take = |j: usize, x: $v, odd: usize| {
                            let d = $sub(x, $loadu(center.add(j)));
                            let wd = if weight.is_none() { d } else { $mul(factor, d) };
                            $storeu(sum.add(j), $add($loadu(sum.add(j)), wd));
                            squares[odd] = $fmadd(wd, d, squares[odd]);
                        };
                        let mut j = 0;
                        while j + 2 * L <= cols {
                            take(j, $loadu(row.add(j)), 0);
                            take(j + L, $loadu(row.add(j + L)), 1);
                            j += 2 * L;
                        }
                        if j + L <= cols {
                            take(j, $loadu(row.add(j)), 0);
                            j += L;
                        }
                        if j < cols {
                            take(j, $maskload(row.add(j), tail), 1);
                        }
                    }
                }
                let mut parts = [0.0; L];
                // SAFETY: the array is one vector long.
                unsafe { $storeu(parts.as_mut_ptr(), $add(squares[0], squares[1])) };
                sums.inertia += parts.iter().map(|&v| f64::from(v)).sum::<f64>();
            }
        }
    };
}

simd!(
    single,
    f32,
    __m256,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_fmadd_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_blendv_ps,
    _mm256_cmp_ps,
    _mm256_setzero_ps,
    _mm256_maskload_ps,
    (),
    single_lanes
);
simd!(
    double,
    f64,
    __m256d,
    4,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_fmadd_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_max_pd,
    _mm256_min_pd,
    _mm256_blendv_pd,
    _mm256_cmp_pd,
    _mm256_setzero_pd,
    _mm256_maskload_pd,
    (),
    double_lanes
);

/// Cross-lane operations, for f32.
mod single_lanes {
    use std::arch::x86_64::*;

    /// One number from all lanes, in all lanes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn reduce_lanes(v: __m256, f: impl Fn(__m256, __m256) -> __m256) -> __m256 {
        let v = f(v, _mm256_permute2f128_ps::<1>(v, v));
        let v = f(v, _mm256_permute_ps::<0b01_00_11_10>(v));
        f(v, _mm256_permute_ps::<0b10_11_00_01>(v))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn first(v: __m256) -> f32 {
        _mm256_cvtss_f32(v)
    }

    /// A mask for the first `n` lanes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn tail_mask(n: usize) -> __m256i {
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
    }
}

/// Cross-lane operations, for f64.
mod double_lanes {
    use std::arch::x86_64::*;

    /// One number from all lanes, in all lanes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn reduce_lanes(v: __m256d, f: impl Fn(__m256d, __m256d) -> __m256d) -> __m256d {
        let v = f(v, _mm256_permute2f128_pd::<1>(v, v));
        f(v, _mm256_permute_pd::<0b0101>(v))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn first(v: __m256d) -> f64 {
        _mm256_cvtsd_f64(v)
    }

    /// A mask for the first `n` lanes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn tail_mask(n: usize) -> __m256i {
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3))
    }
}
