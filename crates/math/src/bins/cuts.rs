//! From the value of a cell to its bin.

use serde::{Deserialize, Serialize};

use super::QuantileSketch;

/// The bins 0, 1, … of one column. The bin after the last one, [`ColumnBins::missing`], is that of missing values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ColumnBins {
    /// Numbers: bin k holds the values above cut k - 1 and up to cut k.
    Numbers {
        /// Ascending.
        cuts: Vec<f64>,
    },
    /// Categories: a bin for each of the frequent ones, and one for all others if there are any.
    Categories {
        /// The bin of each code.
        bin_of: Vec<u32>,
        /// Number of categories with a bin of their own. Bin `own` is that of the others, when `rest` is true.
        own: usize,
        /// Whether some categories share a bin.
        rest: bool,
    },
}

impl ColumnBins {
    /// Bins for numbers, at most `max_bins`.
    pub fn numbers(sketch: &QuantileSketch, max_bins: usize) -> Self {
        Self::Numbers { cuts: sketch.cuts(max_bins) }
    }

    /// Bins for categories, at most `max_bins`, given the weight of each. When there are more categories the heaviest keep bins
    /// of their own (of equal ones those of lower code), the others share the last bin. Categories without weight share it too,
    /// or count as missing when nothing else does.
    pub fn categories(weights: &[f64], max_bins: usize) -> Self {
        let present = weights.iter().filter(|w| **w > 0.0).count();
        let own = if present > max_bins { max_bins - 1 } else { present };
        let rest = own < present;
        let mut order: Vec<usize> = (0..weights.len()).filter(|&c| weights[c] > 0.0).collect();
        ermine_core::order::sort_by_number_descending(&mut order, |a| weights[a]);
        order.truncate(own);
        order.sort_unstable();
        // Codes without a bin of their own get bin `own`: the shared bin, or that of missing values.
        let mut bin_of = vec![own as u32; weights.len()];
        for (bin, &code) in order.iter().enumerate() {
            bin_of[code] = bin as u32;
        }
        Self::Categories { bin_of, own, rest }
    }

    /// How many bins there are besides that of missing values.
    pub fn bins(&self) -> usize {
        match self {
            Self::Numbers { cuts } => cuts.len() + 1,
            Self::Categories { own, rest, .. } => own + usize::from(*rest),
        }
    }

    /// The bin of missing values.
    pub fn missing(&self) -> usize {
        self.bins()
    }

    /// Whether the bins have no order.
    pub fn is_category(&self) -> bool {
        matches!(self, Self::Categories { .. })
    }

    /// The bin of a number; NaN is missing. For a category column the number is the code.
    #[inline]
    pub fn bin(&self, value: f64) -> usize {
        match self {
            _ if value.is_nan() => self.missing(),
            Self::Numbers { cuts } => cuts.partition_point(|c| *c < value),
            Self::Categories { bin_of, .. } => bin_of.get(value as usize).map_or(self.missing(), |&b| b as usize),
        }
    }

    /// The bins of many cells at a time.
    pub fn bin_all(&self, values: &[f64], out: &mut [u16]) {
        assert_eq!(values.len(), out.len(), "one bin per value");
        match self {
            Self::Numbers { cuts } if cuts.len() < 256 => {
                #[cfg(target_arch = "x86_64")]
                if std::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has the feature.
                    return unsafe { count_all_avx2(cuts, values, out) };
                }
                count_all(cuts, values, out);
            }
            _ => values.iter().zip(out).for_each(|(&v, out)| *out = self.bin(v) as u16),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_all_avx2(cuts: &[f64], values: &[f64], out: &mut [u16]) {
    count_all(cuts, values, out);
}

/// How many of up to 255 cuts lie below each value, for NaN one more than all. Every sixteenth cut selects the sixteen
/// to count: two short loops without branches, which the compiler vectorizes.
#[inline(always)]
fn count_all(cuts: &[f64], values: &[f64], out: &mut [u16]) {
    let mut table = [[f64::INFINITY; 16]; 16];
    for (k, &c) in cuts.iter().enumerate() {
        table[k / 16][k % 16] = c;
    }
    let last: [f64; 16] = std::array::from_fn(|k| table[k][15]);
    let below = |cuts: &[f64; 16], v: f64| cuts.iter().map(|c| u64::from(*c < v)).sum::<u64>() as usize;
    let missing = cuts.len() as u16 + 1;
    for (&v, out) in values.iter().zip(out) {
        // The last entry of the table is infinite, so there is always a match.
        let row = below(&last, v) & 15;
        let count = (16 * row + below(&table[row], v)) as u16;
        *out = if v.is_nan() { missing } else { count };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_cells_at_a_time_fall_where_each_alone_does() {
        for n in [0usize, 1, 2, 7, 100, 254, 255, 300] {
            let cuts: Vec<f64> = (0..n).map(|k| k as f64 * 0.5 - 10.0).collect();
            let bins = ColumnBins::Numbers { cuts };
            let values: Vec<f64> = (-60..401)
                .map(|k| f64::from(k) * 0.25)
                .chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0])
                .collect();
            let mut out = vec![0; values.len()];
            bins.bin_all(&values, &mut out);
            for (v, b) in values.iter().zip(out) {
                assert_eq!(usize::from(b), bins.bin(*v), "{v} among {n} cuts");
            }
        }
    }

    #[test]
    fn rare_categories_share_a_bin() {
        let bins = ColumnBins::categories(&[5.0, 1.0, 9.0, 0.0, 5.0, 2.0], 4);
        let ColumnBins::Categories { bin_of, own, rest } = &bins else { panic!() };
        assert_eq!((bin_of.as_slice(), *own, *rest), (&[0, 3, 1, 3, 2, 3][..], 3, true));
        assert_eq!((bins.bins(), bins.missing(), bins.bin(f64::NAN), bins.bin(99.0)), (4, 4, 4, 4));
        let few = ColumnBins::categories(&[5.0, 0.0, 9.0], 4);
        assert_eq!((few.bins(), few.bin(1.0), few.bin(2.0)), (2, 2, 1));
    }
}
