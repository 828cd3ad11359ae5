//! From the value of a cell to its bin.

use serde::{Deserialize, Serialize};

use super::Sketch;

/// How the cells of one column become bins 0, 1, …. The bin after the last one, [`ColumnBins::missing`], is that of missing
/// values.
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
        /// How many categories have a bin of their own. Bin `own` is that of the others, when `rest` is true.
        own: usize,
        /// Whether some categories share a bin.
        rest: bool,
    },
}

impl ColumnBins {
    /// Bins for numbers, at most `max_bins`.
    pub fn numbers(sketch: &Sketch, max_bins: usize) -> Self {
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
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        order.truncate(own);
        order.sort_unstable();
        // What has no bin of its own falls into bin `own`: the shared bin, or that of missing values.
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
        assert_eq!(values.len(), out.len(), "a bin a value");
        match self {
            Self::Numbers { cuts } if cuts.len() < 256 => {
                // Halving without branches on a table of fixed size: many searches are under way at a time.
                let mut table = [f64::INFINITY; 256];
                table[..cuts.len()].copy_from_slice(cuts);
                let (missing, last) = (cuts.len() as u16 + 1, cuts.len() as u16);
                for (values, out) in values.chunks(8).zip(out.chunks_mut(8)) {
                    let mut at = [0usize; 8];
                    let mut v = [0.0; 8];
                    v[..values.len()].copy_from_slice(values);
                    for half in [128, 64, 32, 16, 8, 4, 2, 1] {
                        for k in 0..8 {
                            at[k] += if table[(at[k] + half - 1) & 255] < v[k] { half } else { 0 };
                        }
                    }
                    for (k, out) in out.iter_mut().enumerate() {
                        // Infinity may pass the end of the table, whose rest is filled with infinities.
                        *out = if v[k].is_nan() { missing } else { (at[k] as u16).min(last) };
                    }
                }
            }
            _ => values.iter().zip(out).for_each(|(&v, out)| *out = self.bin(v) as u16),
        }
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
