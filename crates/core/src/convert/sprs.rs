//! Sparse matrices of `sprs` 0.11.

use sprs::{CsMatI, SpIndex};

use super::{AsFeatures, FeaturesCow};
use crate::{Csr, Error, OwnedFeatures, Result};

/// Copied once, since positions are 32 bits wide here; a matrix stored by columns is turned first.
impl<I: SpIndex> AsFeatures for CsMatI<f64, I> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        let turned = if self.is_csr() { None } else { Some(self.to_csr()) };
        let rows = turned.as_ref().unwrap_or(self);
        let narrow = |j: &I| {
            u32::try_from(j.index())
                .map_err(|_| Error::Data(format!("column {}: sparse rows have at most 2^32 columns", j.index())))
        };
        let indptr = rows.proper_indptr().iter().map(|p| p.index()).collect();
        let indices = rows.indices().iter().map(narrow).collect::<Result<Vec<u32>>>()?;
        Ok(FeaturesCow::Owned(OwnedFeatures::Csr(Csr::new(indptr, indices, rows.data().to_vec(), rows.cols())?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use sprs::{CsMat, TriMat};

    #[test]
    fn rows_and_columns_give_the_same_sparse_rows() {
        let mut cells = TriMat::new((3, 4));
        for (i, j, v) in [(0, 1, 1.0), (2, 3, 2.0), (2, 0, 3.0)] {
            cells.add_triplet(i, j, v);
        }
        let (by_row, by_col): (CsMat<f64>, CsMat<f64>) = (cells.to_csr(), cells.to_csc());
        for x in [by_row.as_features().unwrap(), by_col.as_features().unwrap()] {
            let Features::Csr(m) = x.view() else { panic!("sparse") };
            assert_eq!((m.rows(), m.cols(), m.stored()), (3, 4, 3));
            assert_eq!(m.to_dense().row(2), [3.0, 0.0, 0.0, 2.0]);
        }
    }
}
