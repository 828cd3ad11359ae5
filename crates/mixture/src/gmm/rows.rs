//! Draws by what rows hold, so that neither their order nor their blocks matter, and a row given twice is a row of weight 2.

use ermine_core::MatRef;

use ermine_core::hash_u64;

/// A hash of the cells of each row that does not depend on the order of the columns; missing cells are all alike.
pub(crate) fn row_hashes(x: MatRef<'_, f64>, seed: u64) -> Vec<u64> {
    let salt = hash_u64(seed);
    let cell = |v: f64| if v.is_nan() { 0x7FF8_0000_0000_0000 } else { (v + 0.0).to_bits() };
    (0..x.rows()).map(|i| hash_u64((0..x.cols()).fold(salt, |h, j| h.wrapping_add(hash_u64(cell(*x.at(i, j))))))).collect()
}

/// A number above 0 and below 1, for a row and a purpose.
pub(crate) fn uniform(hash: u64, purpose: u64) -> f64 {
    ((hash_u64(hash ^ hash_u64(purpose)) >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
}
