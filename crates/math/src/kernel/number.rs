//! f32 and f64 as kernels use them: products by faer where it is there, maps in loops that the compiler vectorizes.

use ermine_core::MatRef;

use super::panels::LANES;

/// What a number needs to be a factor of a matrix product.
#[cfg(feature = "linalg")]
pub use faer::traits::ComplexField as Factor;

/// What a number needs to be a factor of a matrix product.
#[cfg(not(feature = "linalg"))]
pub trait Factor: std::ops::Mul<Output = Self> + std::ops::Add<Output = Self> + Sized {}

#[cfg(not(feature = "linalg"))]
impl Factor for f32 {}

#[cfg(not(feature = "linalg"))]
impl Factor for f64 {}

/// The numbers Gram blocks are computed in: `f32` or `f64`.
pub trait GramNumber: Factor + Copy + PartialOrd + Send + Sync + Default + 'static {
    /// From f64, rounded.
    fn from_f64(v: f64) -> Self;
    /// To f64.
    fn to_f64(self) -> f64;
    /// The f64 values without a copy, where `Self` is f64.
    fn as_slice_if_f64(values: &[f64]) -> Option<&[Self]>;
    /// exp of every element.
    fn exp_all(values: &mut [Self]);
    /// Replaces vⱼ by exp(-γ (a + bⱼ - 2 vⱼ)): with squared norms a and b and inner products v, the Gaussian kernel.
    fn gaussian(values: &mut [Self], a: Self, b: &[Self], gamma: f64);
    /// Inner products of a sparse row with eight interleaved rows, `wide[8 column + row]`.
    fn sparse_products(wide: &[Self], cols: usize, indices: &[u32], values: &[Self]) -> [Self; LANES];
}

/// Runs with AVX-512 if available, else with AVX2 and FMA, else without: one source for vectors of every width, to the
/// same bits.
macro_rules! widest {
    ($name:ident, $body:ident, ($($arg:ident: $t:ty),*) $(-> $out:ty)?) => {
        fn $name($($arg: $t),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
                fn sixteen($($arg: $t),*) $(-> $out)? {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn eight($($arg: $t),*) $(-> $out)? {
                    $body($($arg),*)
                }
                if crate::simd::has_avx512() {
                    // SAFETY: the features are there.
                    return unsafe { sixteen($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the features are there.
                    return unsafe { eight($($arg),*) };
                }
            }
            $body($($arg),*)
        }
    };
}
pub(crate) use widest;

#[inline(always)]
fn gaussian_exponents<T: GramNumber + std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<Output = T>>(
    values: &mut [T],
    a: T,
    b: &[T],
    minus_gamma: T,
) {
    let two = T::from_f64(2.0);
    for (v, &b) in values.iter_mut().zip(b) {
        let d = a + b - two * *v;
        *v = minus_gamma * if d > T::default() { d } else { T::default() };
    }
}

#[inline(always)]
fn eight_products<T: GramNumber + std::ops::Mul<Output = T> + std::ops::AddAssign>(
    wide: &[T],
    cols: usize,
    indices: &[u32],
    values: &[T],
) -> [T; LANES] {
    let wide = &wide[..cols * LANES];
    let mut sums = [T::default(); LANES];
    for (&j, &v) in indices.iter().zip(values) {
        let eight: &[T; LANES] = wide[j as usize * LANES..][..LANES].try_into().expect("eight of them");
        for l in 0..LANES {
            sums[l] += v * eight[l];
        }
    }
    sums
}

#[inline(always)]
fn gaussian_single(values: &mut [f32], a: f32, b: &[f32], gamma: f32) {
    gaussian_exponents(values, a, b, -gamma);
    values.iter_mut().for_each(|v| *v = exp(*v));
}

widest!(gaussian_single_any, gaussian_single, (values: &mut [f32], a: f32, b: &[f32], gamma: f32));
widest!(gaussian_exponents_any, gaussian_exponents, (values: &mut [f64], a: f64, b: &[f64], minus_gamma: f64));
widest!(exp_f32, exp_slice, (values: &mut [f32]));
widest!(eight_f32, eight_products, (wide: &[f32], cols: usize, indices: &[u32], values: &[f32]) -> [f32; LANES]);
widest!(eight_f64, eight_products, (wide: &[f64], cols: usize, indices: &[u32], values: &[f64]) -> [f64; LANES]);

impl GramNumber for f64 {
    #[inline(always)]
    fn from_f64(v: f64) -> Self {
        v
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn as_slice_if_f64(values: &[f64]) -> Option<&[Self]> {
        Some(values)
    }
    fn exp_all(values: &mut [Self]) {
        crate::loss::exp_in_place(values);
    }
    fn gaussian(values: &mut [Self], a: Self, b: &[Self], gamma: f64) {
        gaussian_exponents_any(values, a, b, -gamma);
        crate::loss::exp_in_place(values);
    }
    fn sparse_products(wide: &[Self], cols: usize, indices: &[u32], values: &[Self]) -> [Self; LANES] {
        eight_f64(wide, cols, indices, values)
    }
}

impl GramNumber for f32 {
    #[inline(always)]
    fn from_f64(v: f64) -> Self {
        v as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn as_slice_if_f64(_: &[f64]) -> Option<&[Self]> {
        None
    }
    fn exp_all(values: &mut [Self]) {
        exp_f32(values);
    }
    fn gaussian(values: &mut [Self], a: Self, b: &[Self], gamma: f64) {
        // Beyond the largest f32 the kernel is 0 for all rows that differ, and 1 for those that do not.
        gaussian_single_any(values, a, b, gamma.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32);
    }
    fn sparse_products(wide: &[Self], cols: usize, indices: &[u32], values: &[Self]) -> [Self; LANES] {
        eight_f32(wide, cols, indices, values)
    }
}

#[inline(always)]
fn exp_slice(values: &mut [f32]) {
    values.iter_mut().for_each(|v| *v = exp(*v));
}

/// exp within two units of the last place, without branches: x = n ln 2 + r, and a polynomial for exp(r).
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 in two parts; the first has so few digits that n times it is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // Adding 1.5 * 2^23 rounds to a whole number, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // Beyond these the result is infinite or 0; NaN stays NaN.
    let y = if x > 89.0 { 89.0 } else { x };
    let y = if y < -104.0 { -104.0 } else { y };
    let n = (y * LOG2_E + ROUND) - ROUND;
    let r = (y - n * LN_2_HIGH) - n * LN_2_LOW;
    // Taylor coefficients, good to a unit of the last place for |r| up to half of ln 2.
    let mut p = 1.0 / 5040.0;
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = p * r + c;
    }
    // 2^n in two factors, since n may lie outside the exponents of normal numbers.
    let half = (n * 0.5 + ROUND) - ROUND;
    let two = |e: f32| f32::from_bits((e + (ROUND + 127.0)).to_bits() << 23);
    p * two(half) * two(n - half)
}

/// a·b, with eight sums so that the compiler may use vectors.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (wide, narrow) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = wide.remainder().iter().zip(narrow.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in wide.zip(narrow) {
        for l in 0..8 {
            sums[l] += a[l] * b[l];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// vᵖ by repeated squaring, so that the same v and p give the same bits everywhere.
pub(super) fn power(v: f64, p: u32) -> f64 {
    let (mut result, mut square, mut p) = (1.0, v, p);
    while p > 0 {
        if p & 1 == 1 {
            result *= square;
        }
        square *= square;
        p >>= 1;
    }
    result
}

/// c₀ + c₁ v + c₂ v² + …
pub(super) fn horner(c: &[f64], v: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * v + c)
}

/// out = a bᵀ, for rows in any layout; `out` is row-major.
pub(super) fn products<T: GramNumber>(a: MatRef<'_, T>, b: MatRef<'_, T>, out: &mut [T]) {
    assert_eq!(a.cols(), b.cols(), "rows of different lengths");
    assert_eq!(out.len(), a.rows() * b.rows(), "room for the products");
    if out.is_empty() {
        return;
    }
    if a.cols() == 0 {
        out.fill(T::default());
        return;
    }
    multiply(a, b, out);
}

#[cfg(feature = "linalg")]
fn multiply<T: GramNumber>(a: MatRef<'_, T>, b: MatRef<'_, T>, out: &mut [T]) {
    let out = faer::MatMut::from_row_major_slice_mut(out, a.rows(), b.rows());
    faer::linalg::matmul::matmul(out, faer::Accum::Replace, view(a), view(b).transpose(), T::from_f64(1.0), faer::Par::Seq);
}

/// Eight sums at a time, so that the compiler vectorizes them. A model predicts few rows where there is no matrix product of faer.
#[cfg(not(feature = "linalg"))]
fn multiply<T: GramNumber>(a: MatRef<'_, T>, b: MatRef<'_, T>, out: &mut [T]) {
    let cols = a.cols();
    let (mut left, mut right) = (vec![T::default(); cols], vec![T::default(); cols]);
    for j in 0..b.rows() {
        b.copy_row(j, &mut right);
        for i in 0..a.rows() {
            let row = match a.row(i) {
                Some(row) => row,
                None => {
                    a.copy_row(i, &mut left);
                    &left
                }
            };
            let mut sums = [T::default(); 8];
            let (whole, rest) = row.as_chunks::<8>();
            let (other, tail) = right.as_chunks::<8>();
            for (l, r) in whole.iter().zip(other) {
                (0..8).for_each(|k| sums[k] = sums[k] + l[k] * r[k]);
            }
            let last = rest.iter().zip(tail).fold(T::default(), |sum, (&l, &r)| sum + l * r);
            out[i * b.rows() + j] = sums.into_iter().fold(last, |sum, v| sum + v);
        }
    }
}

/// A view of ours as faer sees it.
#[cfg(feature = "linalg")]
fn view<T>(m: MatRef<'_, T>) -> faer::MatRef<'_, T> {
    // SAFETY: a `MatRef` has all its elements inside its slice, which lives as long as the view.
    unsafe {
        faer::MatRef::from_raw_parts(m.as_slice().as_ptr(), m.rows(), m.cols(), m.row_stride() as isize, m.col_stride() as isize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_single_exponential_is_within_two_units_of_the_last_place() {
        let mut x: Vec<f32> = (-10_400..=8_872).map(|i| i as f32 * 0.01).collect();
        x.extend([0.0, -0.0, 1e-30, -1e-30, f32::NEG_INFINITY, -103.9, -87.4]);
        let mut y = x.clone();
        f32::exp_all(&mut y);
        for (x, y) in x.iter().zip(y) {
            let want = f64::from(*x).exp();
            let ulp = f64::from(f32::EPSILON) * want.max(f64::from(f32::MIN_POSITIVE));
            assert!((f64::from(y) - want).abs() <= 2.0 * ulp, "exp({x}) = {y}, not {want}");
        }
        let mut edge = [f32::NAN, f32::INFINITY, 100.0, -200.0];
        f32::exp_all(&mut edge);
        assert!(edge[0].is_nan() && edge[1] == f32::INFINITY && edge[2] == f32::INFINITY && edge[3] == 0.0, "{edge:?}");
    }

    #[test]
    fn powers_and_polynomials_are_those_of_the_definition() {
        for p in 0..9 {
            assert_eq!(power(-1.5, p), (-1.5f64).powi(p as i32));
        }
        assert_eq!(horner(&[1.0, 2.0, 3.0], 2.0), 17.0);
    }
}
