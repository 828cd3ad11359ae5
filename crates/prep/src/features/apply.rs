//! A user-defined function as a feature map.

use ermine_core::{Features, Mat, Result};

use ermine_core::blocks::{by_blocks, numbers};

/// New columns by a function of each row: `f` reads the cells of a row and writes `width` new ones. Rows are processed
/// in parallel, so `f` is called from several threads.
///
/// Apply it to training and prediction rows alike; [`Function`](super::Function) does so as a step of a pipeline.
/// Missing cells are NaN.
///
/// ```
/// use ermine_core::{Features, MatRef};
/// use ermine_prep::features::apply;
///
/// let sides = [3.0, 4.0, 5.0, 12.0];
/// let x = Features::F64(MatRef::row_major(&sides, 2, 2));
/// let z = apply(&x, 1, |cells, new| new[0] = cells[0].hypot(cells[1]))?;
/// assert_eq!(z.as_slice(), [5.0, 13.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub fn apply(x: &Features<'_>, width: usize, f: impl Fn(&[f64], &mut [f64]) + Sync) -> Result<Mat<f64>> {
    by_blocks(x, width, |block, _, out| {
        let (mut scratch, mut cells) = (Vec::new(), vec![0.0; block.cols()]);
        let block = numbers(block, &mut scratch, "apply")?;
        for (i, new) in out.chunks_exact_mut(width).enumerate() {
            block.copy_row(i, &mut cells);
            f(&cells, new);
        }
        Ok(())
    })
}
