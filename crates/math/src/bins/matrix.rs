//! Binned cells in panels of a few columns.

use super::ColumnBins;

/// Most columns of a panel: with 256 bins of 8 bytes the histograms of a panel stay in the first-level cache.
pub const PANEL: usize = 16;

/// A cell: u8 where all columns have at most 256 bins (that of missing values included), else u16.
pub trait Bin: Copy + Default + Send + Sync + 'static {
    /// From a number that fits.
    fn of(bin: u16) -> Self;
    /// As an index.
    fn index(self) -> usize;
}

impl Bin for u8 {
    #[inline(always)]
    fn of(bin: u16) -> Self {
        bin as u8
    }
    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }
}

impl Bin for u16 {
    #[inline(always)]
    fn of(bin: u16) -> Self {
        bin
    }
    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }
}

/// The cells of some adjacent columns, row by row, so that a row of a panel is one short run of memory.
#[derive(Debug, Clone)]
pub struct Panel<T> {
    /// The first of its columns.
    pub first: usize,
    /// How many columns it has.
    pub width: usize,
    pub(super) cells: Vec<T>,
    /// The same cells column by column: splitting a node reads one column, which then stays in a nearer cache.
    pub(super) columns: Vec<Vec<T>>,
}

impl<T: Bin> Panel<T> {
    /// The bin of a cell; `slot` counts columns from the first of the panel.
    #[inline]
    pub fn get(&self, row: usize, slot: usize) -> usize {
        self.cells[row * self.width + slot].index()
    }
}

/// Panels of one kind of cell.
#[derive(Debug, Clone)]
pub enum Panels {
    /// One byte per cell.
    Small(Vec<Panel<u8>>),
    /// Two bytes per cell.
    Large(Vec<Panel<u16>>),
}

/// A table of bins.
#[derive(Debug, Clone)]
pub struct BinMatrix {
    rows: usize,
    columns: Vec<ColumnBins>,
    /// Offset of the histogram of each column; one more than columns.
    offsets: Vec<usize>,
    panels: Panels,
}

impl BinMatrix {
    /// A table without rows. Columns have at most 65535 bins, that of missing values included.
    ///
    /// # Panics
    /// When a column has more bins.
    pub fn new(columns: Vec<ColumnBins>) -> Self {
        let most = columns.iter().map(|c| c.missing()).max().unwrap_or(0);
        assert!(most < usize::from(u16::MAX), "a column of {most} bins");
        let mut offsets = vec![0];
        for c in &columns {
            offsets.push(offsets[offsets.len() - 1] + c.missing() + 1);
        }
        // Panels of equal width where possible, and an even number of them, so that threads share them evenly: two of
        // 14 are better than 16 and 12, and eight better than seven.
        let count = match columns.len().div_ceil(PANEL) {
            0 | 1 => 1,
            many => many.next_multiple_of(2),
        };
        let edges: Vec<usize> = (0..=count).map(|p| p * columns.len() / count).collect();
        fn empty<T: Bin>(edges: &[usize]) -> Vec<Panel<T>> {
            let panel = |first: usize, width: usize| Panel { first, width, cells: Vec::new(), columns: vec![Vec::new(); width] };
            edges.windows(2).map(|e| panel(e[0], e[1] - e[0])).collect()
        }
        let panels = if most < 256 { Panels::Small(empty(&edges)) } else { Panels::Large(empty(&edges)) };
        Self { rows: 0, columns, offsets, panels }
    }

    /// Room for so many more rows.
    pub fn reserve(&mut self, rows: usize) {
        fn all<T>(panels: &mut [Panel<T>], rows: usize) {
            for p in panels {
                p.cells.reserve_exact(rows * p.width);
                p.columns.iter_mut().for_each(|c| c.reserve_exact(rows));
            }
        }
        match &mut self.panels {
            Panels::Small(panels) => all(panels, rows),
            Panels::Large(panels) => all(panels, rows),
        }
    }

    /// Adds rows. `fill(column, first, out)` writes the values of the new rows from `first` on, NaN where missing, the code for
    /// a category; it is called from several threads, for blocks of rows.
    pub fn append(&mut self, rows: usize, fill: impl Fn(usize, usize, &mut [f64]) + Sync) {
        match &mut self.panels {
            Panels::Small(panels) => append(panels, &self.columns, rows, &fill),
            Panels::Large(panels) => append(panels, &self.columns, rows, &fill),
        }
        self.rows += rows;
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The binning of each column.
    pub fn columns(&self) -> &[ColumnBins] {
        &self.columns
    }

    /// Offset of each column in a histogram of all columns, and the end of the last one.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The cells.
    pub fn panels(&self) -> &Panels {
        &self.panels
    }

    /// First and last column (excluded) of each panel.
    pub fn panel_columns(&self) -> Vec<std::ops::Range<usize>> {
        match &self.panels {
            Panels::Small(panels) => panels.iter().map(|p| p.first..p.first + p.width).collect(),
            Panels::Large(panels) => panels.iter().map(|p| p.first..p.first + p.width).collect(),
        }
    }

    /// The panel of a column and its place there.
    pub(super) fn place(&self, column: usize) -> (usize, usize) {
        let find = |mut ranges: Box<dyn Iterator<Item = (usize, usize)> + '_>| {
            ranges.position(|(first, width)| (first..first + width).contains(&column))
        };
        let panel = match &self.panels {
            Panels::Small(panels) => find(Box::new(panels.iter().map(|p| (p.first, p.width)))),
            Panels::Large(panels) => find(Box::new(panels.iter().map(|p| (p.first, p.width)))),
        }
        .expect("every column is in a panel");
        let first = match &self.panels {
            Panels::Small(panels) => panels[panel].first,
            Panels::Large(panels) => panels[panel].first,
        };
        (panel, column - first)
    }

    /// The bin of a cell.
    pub fn get(&self, row: usize, column: usize) -> usize {
        let (panel, slot) = self.place(column);
        match &self.panels {
            Panels::Small(panels) => panels[panel].get(row, slot),
            Panels::Large(panels) => panels[panel].get(row, slot),
        }
    }
}

/// Rows binned at a time: their values of one column fit in the first-level cache.
const BLOCK: usize = 2048;

fn append<T: Bin>(
    panels: &mut [Panel<T>],
    columns: &[ColumnBins],
    rows: usize,
    fill: &(impl Fn(usize, usize, &mut [f64]) + Sync),
) {
    use ermine_core::parallel::prelude::*;
    for panel in panels.iter_mut() {
        let before = panel.cells.len();
        panel.cells.resize(before + rows * panel.width, T::default());
    }
    if columns.is_empty() {
        return;
    }
    // All panels of a block of rows are filled by one thread, since their cells come from the same cache lines.
    let mut blocks: Vec<Vec<(usize, usize, &mut [T])>> = (0..rows.div_ceil(BLOCK)).map(|_| Vec::new()).collect();
    for panel in panels.iter_mut() {
        let (first, width) = (panel.first, panel.width);
        let start = panel.cells.len() - rows * width;
        for (block, cells) in panel.cells[start..].chunks_mut(BLOCK * width.max(1)).enumerate() {
            blocks[block].push((first, width, cells));
        }
    }
    blocks.into_par_iter().enumerate().for_each(|(block, parts)| {
        let mut values = [0.0; BLOCK];
        let mut bins = [0u16; BLOCK];
        for (first, width, cells) in parts {
            let n = cells.len() / width;
            for slot in 0..width {
                fill(first + slot, block * BLOCK, &mut values[..n]);
                columns[first + slot].bin_all(&values[..n], &mut bins[..n]);
                for (i, &bin) in bins[..n].iter().enumerate() {
                    cells[i * width + slot] = T::of(bin);
                }
            }
        }
    });
    for panel in panels {
        let (width, cells) = (panel.width, &panel.cells);
        panel.columns.par_iter_mut().enumerate().for_each(|(slot, column)| {
            let before = column.len();
            column.reserve_exact(rows);
            column.extend(cells[before * width..].iter().skip(slot).step_by(width.max(1)));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_again() {
        for (cols, bins) in [(1, 10), (16, 10), (17, 255), (40, 300)] {
            let columns: Vec<ColumnBins> =
                (0..cols).map(|_| ColumnBins::Numbers { cuts: (0..bins - 1).map(|k| k as f64).collect() }).collect();
            let mut m = BinMatrix::new(columns);
            let value = |j: usize, i: usize| if (i + j).is_multiple_of(11) { f64::NAN } else { ((i * 7 + j * 3) % bins) as f64 };
            m.append(3000, |j, first, out| out.iter_mut().enumerate().for_each(|(i, v)| *v = value(j, first + i)));
            m.append(5, |j, first, out| out.iter_mut().enumerate().for_each(|(i, v)| *v = value(j, 3000 + first + i)));
            assert_eq!(m.rows(), 3005);
            for i in 0..3005 {
                for j in 0..cols {
                    let v = value(j, i);
                    assert_eq!(m.get(i, j), if v.is_nan() { bins } else { v as usize }, "row {i}, column {j}");
                }
            }
        }
    }
}
