//! The logistic and softmax losses over blocks of rows.
//!
//! Every function is finite wherever its value is, exact to a few units in the last place, and has no calls or branches in
//! its inner loop, so that the compiler turns rows into vector lanes. With AVX2 and FMA the same source is compiled a
//! second time for these; which one runs is decided once a block.

/// Sums of a block of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockLoss {
    /// Sum of weight times loss.
    pub loss: f64,
    /// The margin: minimum over the rows of positive weight of the log odds of the own class against all others. It is
    /// positive when every row is classified correctly, which detects separable data.
    pub margin: f64,
}

/// log(1 + eᶻ), for any z.
pub fn log1p_exp(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// 1 / (1 + e⁻ᶻ), for any z; the derivative of [`log1p_exp`].
pub fn sigmoid(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    (if z < 0.0 { e } else { 1.0 }) / (1.0 + e)
}

/// log Σ e^{zₖ}; -∞ of nothing. Its derivative by zₖ is e^{zₖ} / Σ e^{zⱼ}.
pub fn log_sum_exp(z: &[f64]) -> f64 {
    let max = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !max.is_finite() {
        return max;
    }
    max + z.iter().map(|v| (v - max).exp()).sum::<f64>().ln()
}

/// Replaces every value by its exponential, to within two units in the last place.
pub fn exp_in_place(values: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if crate::simd::has_avx512() {
        // SAFETY: the processor has all of these features.
        return unsafe { exp_slice_wide(values) };
    }
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both features.
        return unsafe { exp_slice_fma(values) };
    }
    exp_slice::<NATIVE_FMA>(values);
}

/// The logistic loss of a block: scores `z` become residuals.
///
/// With s = +1 where `positive`, else -1, the loss of a row is log(1 + e^{-s z}), its derivative by z is -s σ(-s z), which
/// replaces z, and its second derivative σ(z) σ(-z), which goes to `curvature` unless that is empty. All are multiplied
/// by `weight` (all 1 when empty).
pub fn logistic_block(z: &mut [f64], positive: &[bool], weight: &[f64], curvature: &mut [f64]) -> BlockLoss {
    assert!(positive.len() == z.len() && (weight.is_empty() || weight.len() == z.len()), "one class and weight per row");
    assert!(curvature.is_empty() || curvature.len() == z.len(), "one curvature per row");
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both features.
        return unsafe { logistic_slice_fma(z, positive, weight, curvature) };
    }
    logistic_slice::<NATIVE_FMA>(z, positive, weight, curvature)
}

/// The softmax loss of a block: scores `z` become residuals. Both lie class by class, a run of rows for each.
///
/// The loss of a row of class c is log Σₖ e^{zₖ} - z_c, its derivative by zₖ is pₖ - [k = c], which replaces zₖ. The
/// probabilities pₖ go to `proba` unless that is empty. Loss and residuals are multiplied by `weight` (all 1 when empty).
pub fn softmax_block(z: &mut [f64], codes: &[u32], weight: &[f64], proba: &mut [f64]) -> BlockLoss {
    let rows = codes.len();
    assert!(rows == 0 || (z.len() >= rows && z.len().is_multiple_of(rows)), "a run of rows for each class");
    assert!(weight.is_empty() || weight.len() == rows, "one weight per row");
    assert!(proba.is_empty() || proba.len() == z.len(), "a probability per score");
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both features.
        return unsafe { softmax_slice_fma(z, codes, weight, proba) };
    }
    softmax_slice::<NATIVE_FMA>(z, codes, weight, proba)
}

/// Turns logarithms of joint densities into posteriors. `z` lies component by component, a run of rows for each: e^{zₖ} / Σ e^{zⱼ}
/// replaces zₖ, and log Σ e^{zⱼ} goes to `totals`, one a row.
///
/// A component may be impossible (-∞). Where all are, the total is -∞ and the posteriors are not numbers.
pub fn posterior_block(z: &mut [f64], totals: &mut [f64]) {
    let rows = totals.len();
    assert!(rows == 0 || (z.len() >= rows && z.len().is_multiple_of(rows)), "a run of rows for each component");
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both features.
        return unsafe { posterior_slice_fma(z, totals) };
    }
    posterior_slice::<NATIVE_FMA>(z, totals);
}

/// Whether a fused multiply-add costs no call on this target even without asking the processor.
const NATIVE_FMA: bool = cfg!(target_arch = "aarch64");

/// Rows that one round of a kernel holds in registers and first-level cache.
const TILE: usize = 64;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn exp_slice_wide(values: &mut [f64]) {
    exp_slice::<true>(values);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn exp_slice_fma(values: &mut [f64]) {
    exp_slice::<true>(values);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn logistic_slice_fma(z: &mut [f64], positive: &[bool], weight: &[f64], curvature: &mut [f64]) -> BlockLoss {
    logistic_slice::<true>(z, positive, weight, curvature)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn softmax_slice_fma(z: &mut [f64], codes: &[u32], weight: &[f64], proba: &mut [f64]) -> BlockLoss {
    softmax_slice::<true>(z, codes, weight, proba)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn posterior_slice_fma(z: &mut [f64], totals: &mut [f64]) {
    posterior_slice::<true>(z, totals);
}

#[inline(always)]
fn posterior_slice<const FMA: bool>(z: &mut [f64], totals: &mut [f64]) {
    let rows = totals.len();
    for start in (0..rows).step_by(TILE) {
        let len = TILE.min(rows - start);
        // Whole tiles, so that the bits of a row do not depend on where it stands.
        let (mut max, mut sum, mut tile) = ([f64::NEG_INFINITY; TILE], [0.0; TILE], [0.0; TILE]);
        for run in z.chunks_exact(rows) {
            tile[..len].copy_from_slice(&run[start..start + len]);
            for i in 0..TILE {
                max[i] = if tile[i] > max[i] { tile[i] } else { max[i] };
            }
        }
        for run in z.chunks_exact_mut(rows) {
            let run = &mut run[start..start + len];
            tile[..len].copy_from_slice(run);
            for i in 0..TILE {
                tile[i] = exp::<FMA>(tile[i] - max[i]);
                sum[i] += tile[i];
            }
            run.copy_from_slice(&tile[..len]);
        }
        let mut inverse = [0.0; TILE];
        for i in 0..TILE {
            inverse[i] = 1.0 / sum[i];
            // The largest term is 1, so that the logarithm of the others' sum over 1 is what is left.
            tile[i] = max[i] + log1p::<FMA>(sum[i] - 1.0);
        }
        for i in 0..len {
            totals[start + i] = if max[i] == f64::NEG_INFINITY { max[i] } else { tile[i] };
        }
        for run in z.chunks_exact_mut(rows) {
            let run = &mut run[start..start + len];
            (0..len).for_each(|i| run[i] *= inverse[i]);
        }
    }
}

#[inline(always)]
fn exp_slice<const FMA: bool>(values: &mut [f64]) {
    let mut tiles = values.chunks_exact_mut(TILE);
    for tile in &mut tiles {
        tile.iter_mut().for_each(|v| *v = exp::<FMA>(*v));
    }
    // A short rest goes through the same loop, so that the bits of a value never depend on where it stands.
    let rest = tiles.into_remainder();
    if rest.is_empty() {
        return;
    }
    let mut tile = [0.0; TILE];
    tile[..rest.len()].copy_from_slice(rest);
    tile.iter_mut().for_each(|v| *v = exp::<FMA>(*v));
    rest.copy_from_slice(&tile[..rest.len()]);
}

#[inline(always)]
fn logistic_slice<const FMA: bool>(z: &mut [f64], positive: &[bool], weight: &[f64], curvature: &mut [f64]) -> BlockLoss {
    let (mut sums, mut least) = ([0.0; 8], [f64::INFINITY; 8]);
    for start in (0..z.len()).step_by(TILE) {
        let rows = TILE.min(z.len() - start);
        // Rows beyond the end have weight 0.
        let (mut t, mut sign, mut w) = ([0.0; TILE], [1.0; TILE], [0.0; TILE]);
        t[..rows].copy_from_slice(&z[start..start + rows]);
        for (s, &positive) in sign.iter_mut().zip(&positive[start..start + rows]) {
            *s = if positive { 1.0 } else { -1.0 };
        }
        match weight.is_empty() {
            true => w[..rows].fill(1.0),
            false => w[..rows].copy_from_slice(&weight[start..start + rows]),
        }
        let (mut loss, mut margin, mut curve) = ([0.0; TILE], [0.0; TILE], [0.0; TILE]);
        for i in 0..TILE {
            let m = sign[i] * t[i];
            let e = exp::<FMA>(-m.abs());
            let q = 1.0 / (1.0 + e);
            let wrong = if m < 0.0 { q } else { e * q };
            // Not `max`, which would turn a NaN score into 0.
            let linear = if m < 0.0 { -m } else { 0.0 * m };
            loss[i] = w[i] * (linear + log1p_unit::<FMA>(e));
            margin[i] = if w[i] > 0.0 { m } else { f64::INFINITY };
            curve[i] = w[i] * (e * q * q);
            t[i] = -sign[i] * w[i] * wrong;
        }
        z[start..start + rows].copy_from_slice(&t[..rows]);
        if !curvature.is_empty() {
            curvature[start..start + rows].copy_from_slice(&curve[..rows]);
        }
        for (losses, margins) in loss.chunks_exact(8).zip(margin.chunks_exact(8)) {
            for lane in 0..8 {
                sums[lane] += losses[lane];
                least[lane] = if margins[lane] < least[lane] { margins[lane] } else { least[lane] };
            }
        }
    }
    BlockLoss { loss: sums.iter().sum(), margin: least.into_iter().fold(f64::INFINITY, f64::min) }
}

#[inline(always)]
fn softmax_slice<const FMA: bool>(z: &mut [f64], codes: &[u32], weight: &[f64], proba: &mut [f64]) -> BlockLoss {
    let rows = codes.len();
    let (mut out, mut least) = (BlockLoss { loss: 0.0, margin: f64::INFINITY }, f64::INFINITY);
    for start in (0..rows).step_by(TILE) {
        let len = TILE.min(rows - start);
        let (mut own_class, mut w) = ([0.0; TILE], [1.0; TILE]);
        own_class.iter_mut().zip(&codes[start..start + len]).for_each(|(o, &c)| *o = f64::from(c));
        if !weight.is_empty() {
            w[..len].copy_from_slice(&weight[start..start + len]);
        }
        let mut max = [f64::NEG_INFINITY; TILE];
        for run in z.chunks_exact(rows) {
            let run = &run[start..start + len];
            for i in 0..len {
                max[i] = if run[i] > max[i] { run[i] } else { max[i] };
            }
        }
        // Picked by index: a choice inside the loops over classes would be stored through a mask, which is slow.
        let pick = |z: &[f64], out: &mut [f64; TILE]| {
            for (i, &c) in codes[start..start + len].iter().enumerate() {
                out[i] = z[c as usize * rows + start + i];
            }
        };
        let (mut own, mut mine, mut others) = ([0.0; TILE], [0.0; TILE], [0.0; TILE]);
        pick(z, &mut own);
        // The sum over all classes but the row's own: what is left of 1 keeps its digits that way.
        for (k, run) in z.chunks_exact_mut(rows).enumerate() {
            let (k, run) = (k as f64, &mut run[start..start + len]);
            for i in 0..len {
                let e = exp::<FMA>(run[i] - max[i]);
                run[i] = e;
                others[i] += if own_class[i] == k { 0.0 } else { e };
            }
        }
        pick(z, &mut mine);
        let (mut loss, mut inverse, mut odds) = ([0.0; TILE], [0.0; TILE], [f64::INFINITY; TILE]);
        for i in 0..len {
            let total = mine[i] + others[i];
            inverse[i] = 1.0 / total;
            // Where another class is on top the loss is not small, and nothing is lost by the subtraction.
            let below = if own[i] == max[i] { others[i] } else { total - 1.0 };
            loss[i] = w[i] * (log1p::<FMA>(below) + (max[i] - own[i]));
            odds[i] = if w[i] > 0.0 { mine[i] / others[i] } else { f64::INFINITY };
        }
        for i in 0..len {
            out.loss += loss[i];
            least = if odds[i] < least { odds[i] } else { least };
        }
        for (k, run) in z.chunks_exact_mut(rows).enumerate() {
            if !proba.is_empty() {
                let p = &mut proba[k * rows + start..k * rows + start + len];
                (0..len).for_each(|i| p[i] = run[start + i] * inverse[i]);
            }
            let (k, run) = (k as f64, &mut run[start..start + len]);
            for i in 0..len {
                run[i] = w[i] * inverse[i] * if own_class[i] == k { -others[i] } else { run[i] };
            }
        }
    }
    out.margin = least.ln();
    out
}

#[inline(always)]
fn mul_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// eˣ = 2ⁿ eʳ with n the whole number nearest x / ln 2, and eʳ by its Taylor series: |r| <= ln 2 / 2, so that the term
/// after the last, r¹⁴ / 14!, is below 1e-17.
#[inline(always)]
fn exp<const FMA: bool>(x: f64) -> f64 {
    // Adding 1.5 * 2^52 rounds to a whole number, which then stands in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // ln 2 in two parts; the first has 32 bits, so that n times it is exact.
    const LN2_HI: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
    const TAYLOR: [f64; 14] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    // Beyond these the result is 0 or infinity in any case. Comparisons, not `clamp`, let NaN through.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let n = mul_add::<FMA>(x, std::f64::consts::LOG2_E, ROUND) - ROUND;
    let r = mul_add::<FMA>(n, -LN2_LO, mul_add::<FMA>(n, -LN2_HI, x));
    let mut p = TAYLOR[13];
    let mut k = 13;
    while k > 0 {
        k -= 1;
        p = mul_add::<FMA>(p, r, TAYLOR[k]);
    }
    // 2ⁿ in two factors, since n goes beyond the exponents of normal numbers at both ends.
    let half = (n * 0.5 + ROUND) - ROUND;
    let power = |n: f64| f64::from_bits((n + (ROUND + 1023.0)).to_bits() << 52);
    p * power(half) * power(n - half)
}

/// log(1 + e) for e in [0, 1]: 2 artanh(s) with s = e / (2 + e), or ln 2 + 2 artanh(s) with s = (e - 1) / (e + 3) where that
/// is nearer to 0.
#[inline(always)]
fn log1p_unit<const FMA: bool>(e: f64) -> f64 {
    let upper = e > SQRT2_M1;
    let s = (if upper { e - 1.0 } else { e }) / (e + if upper { 3.0 } else { 2.0 });
    let series = artanh_2::<FMA>(s);
    if upper { std::f64::consts::LN_2 + series } else { series }
}

/// log(1 + e) for e from 0 up: as above for small e, else n ln 2 + log m with 1 + e = 2ⁿ m and m near 1.
#[inline(always)]
fn log1p<const FMA: bool>(e: f64) -> f64 {
    let u = 1.0 + e;
    // The exponent of u / sqrt(1/2), so that m lies between sqrt(1/2) and sqrt(2).
    let shifted = u * std::f64::consts::SQRT_2;
    let bits = shifted.to_bits() & 0x7FF0_0000_0000_0000;
    // The exponent field as a number: put into the mantissa of 2^52, which is then taken off.
    let n = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let power = f64::from_bits(bits);
    let small = e <= SQRT2_M1;
    // u - 2ⁿ is exact.
    let s = (if small { e } else { u - power }) / (if small { 2.0 + e } else { u + power });
    let series = artanh_2::<FMA>(s);
    if small { series } else { mul_add::<FMA>(n, std::f64::consts::LN_2, series) }
}

const SQRT2_M1: f64 = std::f64::consts::SQRT_2 - 1.0;

/// 2 artanh(s) by its series, for s² < 0.0295, so that the term after the last is below 1e-17.
#[inline(always)]
fn artanh_2<const FMA: bool>(s: f64) -> f64 {
    let u = s * s;
    let mut p = 1.0 / 21.0;
    let mut k = 19;
    while k > 1 {
        p = mul_add::<FMA>(p, u, 1.0 / k as f64);
        k -= 2;
    }
    mul_add::<FMA>(2.0 * s, u * p, 2.0 * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> f64 {
        if a == b { 0.0 } else { (a - b).abs() / (b.abs() * f64::EPSILON).max(f64::from_bits(1)) }
    }

    /// Points over all magnitudes, the ends among them.
    fn points() -> impl Iterator<Item = f64> {
        let fine = (0..200_000).map(|i| -745.0 + 1454.0 * f64::from(i) / 200_000.0);
        let small = (0..2000).flat_map(|i| [1.0, -1.0].map(|s| s * 10f64.powf(-18.0 + f64::from(i) / 100.0)));
        fine.chain(small).chain([0.0, -0.0, 0.5, -0.5, 709.78, -708.4, -744.4, -745.13])
    }

    #[test]
    fn posteriors_are_shares_of_the_joint_densities() {
        let (rows, components) = (151, 4);
        let joint = |i: usize, k: usize| match (i % 13, k) {
            (3, 2) => f64::NEG_INFINITY,
            (7, 0) => 900.0,
            _ => ((i * 37 + k * 101) % 97) as f64 * 0.3 - 700.0 * (i % 3) as f64,
        };
        let mut z: Vec<f64> = (0..components).flat_map(|k| (0..rows).map(move |i| joint(i, k))).collect();
        let mut totals = vec![0.0; rows];
        posterior_block(&mut z, &mut totals);
        for i in 0..rows {
            let all: Vec<f64> = (0..components).map(|k| joint(i, k)).collect();
            let want = log_sum_exp(&all);
            assert!((totals[i] - want).abs() <= 1e-14 * want.abs().max(1.0), "{} for {want}", totals[i]);
            for k in 0..components {
                let share = (all[k] - want).exp();
                assert!((z[k * rows + i] - share).abs() <= 4.0 * f64::EPSILON * want.abs().max(1.0) * share, "row {i}");
            }
            let sum: f64 = (0..components).map(|k| z[k * rows + i]).sum();
            assert!((sum - 1.0).abs() < 1e-14);
            // A row alone has the same bits.
            let mut alone = all.clone();
            let mut total = [0.0];
            posterior_block(&mut alone, &mut total);
            assert_eq!(total[0], totals[i]);
            (0..components).for_each(|k| assert_eq!(alone[k], z[k * rows + i]));
        }
        let mut total = [0.0];
        posterior_block(&mut [f64::NEG_INFINITY; 3], &mut total);
        assert_eq!(total[0], f64::NEG_INFINITY);
    }

    #[test]
    fn the_exponential_is_within_two_units_of_the_last_place() {
        for fma in [false, true] {
            let mut worst = 0.0f64;
            for x in points() {
                let y = if fma { exp::<true>(x) } else { exp::<false>(x) };
                worst = worst.max(ulps(y, libm::exp(x)));
            }
            assert!(worst <= 2.0, "{worst} units, fused: {fma}");
        }
        let mut v = [f64::NEG_INFINITY, -1000.0, 1000.0, f64::INFINITY, f64::NAN, 0.0];
        exp_in_place(&mut v);
        assert_eq!(v[..4], [0.0, 0.0, f64::INFINITY, f64::INFINITY]);
        assert!(v[4].is_nan() && v[5] == 1.0);
    }

    #[test]
    fn the_logarithm_of_one_plus_is_within_three_units_of_the_last_place() {
        let mut worst = 0.0f64;
        for i in 0..=100_000 {
            let e = f64::from(i) / 100_000.0;
            worst = worst.max(ulps(log1p_unit::<true>(e), libm::log1p(e))).max(ulps(log1p_unit::<false>(e), libm::log1p(e)));
        }
        for i in 0..300 {
            let e = 10f64.powf(-f64::from(i));
            worst = worst.max(ulps(log1p_unit::<true>(e), libm::log1p(e)));
        }
        for i in 0..100_000 {
            let e = 1.0 + f64::from(i) * 0.017;
            worst = worst.max(ulps(log1p::<true>(e), libm::log1p(e))).max(ulps(log1p::<false>(e), libm::log1p(e)));
        }
        for i in 0..=100_000 {
            let e = f64::from(i) / 100_000.0;
            worst = worst.max(ulps(log1p::<true>(e), libm::log1p(e)));
        }
        assert!(worst <= 3.0, "{worst} units");
    }

    #[test]
    fn scalar_pieces_hold_at_both_ends_and_differentiate_into_each_other() {
        assert_eq!(log1p_exp(1000.0), 1000.0);
        assert_eq!(log1p_exp(-1000.0), 0.0);
        assert_eq!(log1p_exp(-40.0), (-40f64).exp());
        assert_eq!((sigmoid(1000.0), sigmoid(-1000.0), sigmoid(0.0)), (1.0, 0.0, 0.5));
        assert!((log_sum_exp(&[1000.0, 1000.0]) - 1000.0 - 2f64.ln()).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY, 3.0]), 3.0);
        let h = 1e-5;
        for z in [-20.0, -3.0, -0.1, 0.0, 0.7, 5.0, 30.0] {
            let slope = (log1p_exp(z + h) - log1p_exp(z - h)) / (2.0 * h);
            assert!((slope - sigmoid(z)).abs() < 1e-9, "{z}");
            let other = 0.3;
            let slope = (log_sum_exp(&[z + h, other]) - log_sum_exp(&[z - h, other])) / (2.0 * h);
            assert!((slope - sigmoid(z - other)).abs() < 1e-9, "{z}");
        }
    }

    #[test]
    fn the_logistic_block_has_the_derivatives_of_its_loss() {
        let z: Vec<f64> = (0..151).map(|i| f64::from(i - 75) * 0.3).collect();
        let positive: Vec<bool> = (0..151).map(|i| i % 3 == 0).collect();
        let weight: Vec<f64> = (0..151).map(|i| f64::from(i % 4)).collect();
        let (mut r, mut d) = (z.clone(), vec![0.0; 151]);
        let total = logistic_block(&mut r, &positive, &weight, &mut d);
        let loss = |i: usize, z: f64| weight[i] * log1p_exp(if positive[i] { -z } else { z });
        let expected: f64 = (0..151).map(|i| loss(i, z[i])).sum();
        assert!((total.loss - expected).abs() < 1e-13 * expected);
        let h = 1e-4;
        for i in 0..151 {
            let (a, b, c) = (loss(i, z[i] - h), loss(i, z[i]), loss(i, z[i] + h));
            assert!((r[i] - (c - a) / (2.0 * h)).abs() < 1e-7, "row {i}");
            assert!((d[i] - (a - 2.0 * b + c) / (h * h)).abs() < 1e-5, "row {i}");
        }
        let margin = (0..151).filter(|&i| weight[i] > 0.0).map(|i| if positive[i] { z[i] } else { -z[i] });
        assert_eq!(total.margin, margin.fold(f64::INFINITY, f64::min));
    }

    #[test]
    fn far_scores_neither_overflow_nor_lose_their_digits() {
        let mut z = [800.0, -800.0, 50.0];
        let out = logistic_block(&mut z, &[true, true, true], &[], &mut []);
        assert_eq!(out.loss, 800.0 + (-50f64).exp());
        assert_eq!(out.margin, -800.0);
        assert!(ulps(z[2], -(-50f64).exp()) <= 2.0, "{}", z[2]);
        // Two rows of three classes, class by class.
        let mut z = [60.0, -900.0, 0.0, 900.0, 0.0, 0.0];
        let out = softmax_block(&mut z, &[0, 0], &[], &mut []);
        assert!((out.loss - 1800.0).abs() < 1e-12);
        assert_eq!(out.margin, f64::NEG_INFINITY);
        assert!(ulps(z[0], -2.0 * (-60f64).exp()) <= 4.0);
        assert_eq!([z[1], z[3], z[5]], [-1.0, 1.0, 0.0]);
        let mut z = [f64::NAN, 1.0];
        assert!(logistic_block(&mut z, &[true, false], &[], &mut []).loss.is_nan());
        assert!(softmax_block(&mut [f64::NAN, 1.0], &[0], &[], &mut []).loss.is_nan());
        assert!(softmax_block(&mut [1.0, f64::NAN], &[0], &[], &mut []).loss.is_nan());
    }

    #[test]
    fn the_softmax_block_has_the_gradient_of_its_loss() {
        let (classes, rows) = (4, 70);
        let z: Vec<f64> = (0..classes * rows).map(|i| f64::from((i * 37) as u32 % 23) * 0.4 - 3.0).collect();
        let codes: Vec<u32> = (0..rows as u32).map(|i| i % 4).collect();
        let weight: Vec<f64> = (0..rows as u32).map(|i| f64::from(i % 3)).collect();
        let (mut r, mut p) = (z.clone(), vec![0.0; z.len()]);
        let total = softmax_block(&mut r, &codes, &weight, &mut p);
        let row = |z: &[f64], i: usize| -> Vec<f64> { (0..classes).map(|k| z[k * rows + i]).collect() };
        let one = |z: &[f64], i: usize| weight[i] * (log_sum_exp(&row(z, i)) - row(z, i)[codes[i] as usize]);
        let loss = |z: &[f64]| -> f64 { (0..rows).map(|i| one(z, i)).sum() };
        assert!((total.loss - loss(&z)).abs() < 1e-12 * total.loss);
        for j in 0..z.len() {
            let h = 1e-5;
            let (mut up, mut down) = (z.clone(), z.clone());
            up[j] += h;
            down[j] -= h;
            assert!((r[j] - (loss(&up) - loss(&down)) / (2.0 * h)).abs() < 1e-8, "score {j}");
        }
        assert!((0..rows).all(|i| (row(&p, i).iter().sum::<f64>() - 1.0).abs() < 1e-15));
        let margin = |i: usize| {
            let (z, own) = (row(&z, i), codes[i] as usize);
            let others: Vec<f64> = (0..classes).filter(|&k| k != own).map(|k| z[k]).collect();
            z[own] - log_sum_exp(&others)
        };
        let least = (0..rows).filter(|&i| weight[i] > 0.0).map(margin).fold(f64::INFINITY, f64::min);
        assert!((total.margin - least).abs() < 1e-13);
    }
}
