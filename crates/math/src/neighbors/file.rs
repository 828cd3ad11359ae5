//! Indexed rows in a model file.

use super::IndexedPoints;
use ermine_core::{Csr, Error, ModelReader, ModelWriter, Result};

/// Writes rows under a name: an array, or three for sparse rows. Their number of columns goes to `n_features`.
pub fn save_points(out: &mut ModelWriter, name: &str, points: &IndexedPoints) -> Result<()> {
    out.field("n_features", &points.cols())?;
    match points {
        IndexedPoints::F64(m) => out.mat(name, m),
        IndexedPoints::F32(m) => out.mat(name, m),
        IndexedPoints::Csr(m) => {
            let rows = m.view();
            let (mut ends, mut indices, mut values) = (vec![0u64], Vec::new(), Vec::new());
            for i in 0..rows.rows() {
                indices.extend_from_slice(rows.row(i).0);
                values.extend_from_slice(rows.row(i).1);
                ends.push(values.len() as u64);
            }
            out.vec(&format!("{name}_indptr"), &ends);
            out.vec(&format!("{name}_indices"), &indices);
            out.vec(&format!("{name}_values"), &values);
        }
    }
    Ok(())
}

/// Reads what [`save_points`] wrote, and checks it.
pub fn load_points(input: &ModelReader, name: &str) -> Result<IndexedPoints> {
    let points = match input.array_info(name) {
        Some((kind, _)) if kind == "F32" => IndexedPoints::F32(input.mat(name)?),
        Some(_) => IndexedPoints::F64(input.mat(name)?),
        None => {
            let ends: Vec<u64> = input.vec(&format!("{name}_indptr"))?;
            let ends = ends.into_iter().map(usize::try_from).collect::<std::result::Result<_, _>>();
            let ends = ends.map_err(|_| Error::Model("its rows are longer than memory can be".into()))?;
            let cols: usize = input.field("n_features")?;
            let (indices, values) = (input.vec(&format!("{name}_indices"))?, input.vec(&format!("{name}_values"))?);
            IndexedPoints::Csr(Csr::new(ends, indices, values, cols)?)
        }
    };
    points.check()?;
    Ok(points)
}
