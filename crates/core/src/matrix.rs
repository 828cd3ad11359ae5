//! Dense matrices: a borrowed view with two strides and an owned row-major matrix.

use std::ops::{Index, IndexMut, Range};

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};

/// A borrowed matrix: a slice, two lengths and two strides. Row-major, column-major and sub-matrices are the same type.
#[derive(Debug)]
pub struct MatRef<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<T> Clone for MatRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MatRef<'_, T> {}

impl<'a, T> MatRef<'a, T> {
    /// A row-major view of `rows * cols` elements.
    ///
    /// # Panics
    /// When the slice has another length.
    pub fn row_major(data: &'a [T], rows: usize, cols: usize) -> Self {
        assert_eq!(data.len(), rows * cols, "a {rows} x {cols} matrix needs {} elements", rows * cols);
        Self { data, rows, cols, row_stride: cols, col_stride: 1 }
    }

    /// A column-major view of `rows * cols` elements.
    ///
    /// # Panics
    /// When the slice has another length.
    pub fn col_major(data: &'a [T], rows: usize, cols: usize) -> Self {
        assert_eq!(data.len(), rows * cols, "a {rows} x {cols} matrix needs {} elements", rows * cols);
        Self { data, rows, cols, row_stride: 1, col_stride: rows }
    }

    /// A view with given strides, or `None` when an element would lie outside the slice.
    pub fn strided(data: &'a [T], rows: usize, cols: usize, row_stride: usize, col_stride: usize) -> Option<Self> {
        if rows > 0 && cols > 0 {
            let last = (rows - 1).checked_mul(row_stride)?.checked_add((cols - 1).checked_mul(col_stride)?)?;
            if last >= data.len() {
                return None;
            }
        }
        Some(Self { data, rows, cols, row_stride, col_stride })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements between one row and the next.
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Elements between one column and the next.
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// The slice behind the view, from its first element on.
    pub fn as_slice(&self) -> &'a [T] {
        self.data
    }

    /// The elements as a slice, when they are in row-major order without gaps.
    pub fn as_row_major(&self) -> Option<&'a [T]> {
        let dense = (self.col_stride == 1 || self.cols <= 1) && (self.row_stride == self.cols || self.rows <= 1);
        dense.then(|| &self.data[..self.rows * self.cols])
    }

    /// The element at (`row`, `col`).
    #[inline]
    pub fn at(&self, row: usize, col: usize) -> &'a T {
        debug_assert!(row < self.rows && col < self.cols);
        &self.data[row * self.row_stride + col * self.col_stride]
    }

    /// Row `row` as a slice, when rows are contiguous.
    #[inline]
    pub fn row(&self, row: usize) -> Option<&'a [T]> {
        (self.col_stride == 1 || self.cols <= 1).then(|| {
            let start = if self.cols == 0 { 0 } else { row * self.row_stride };
            &self.data[start..start + self.cols]
        })
    }

    /// Column `col` as a slice, when columns are contiguous.
    #[inline]
    pub fn col(&self, col: usize) -> Option<&'a [T]> {
        (self.row_stride == 1 || self.rows <= 1).then(|| {
            let start = if self.rows == 0 { 0 } else { col * self.col_stride };
            &self.data[start..start + self.rows]
        })
    }

    /// The rows of `range` as a view.
    pub fn row_range(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.rows, "rows {range:?} of {}", self.rows);
        let start = if range.is_empty() || self.cols == 0 { 0 } else { range.start * self.row_stride };
        Self { data: &self.data[start..], rows: range.len(), ..*self }
    }

    /// The columns of `range` as a view.
    pub fn col_range(&self, range: Range<usize>) -> Self {
        self.t().row_range(range).t()
    }

    /// The transposed view.
    pub fn t(&self) -> Self {
        Self { data: self.data, rows: self.cols, cols: self.rows, row_stride: self.col_stride, col_stride: self.row_stride }
    }
}

impl<'a, T: Copy> MatRef<'a, T> {
    /// Copies row `row` into `out`.
    #[inline]
    pub fn copy_row(&self, row: usize, out: &mut [T]) {
        match self.row(row) {
            Some(values) => out.copy_from_slice(values),
            None => {
                for (j, o) in out.iter_mut().enumerate() {
                    *o = *self.at(row, j);
                }
            }
        }
    }

    /// The elements of one column, whatever the layout.
    pub fn col_iter(&self, col: usize) -> impl ExactSizeIterator<Item = T> + 'a {
        let this = *self;
        (0..this.rows).map(move |i| *this.at(i, col))
    }

    /// An owned row-major copy.
    pub fn to_owned(&self) -> Mat<T>
    where
        T: Default,
    {
        let mut out = Mat::filled(self.rows, self.cols, T::default());
        for i in 0..self.rows {
            self.copy_row(i, out.row_mut(i));
        }
        out
    }

    /// The given rows, in that order, as an owned row-major matrix.
    pub fn take_rows(&self, rows: &[usize]) -> Mat<T>
    where
        T: Default,
    {
        let mut out = Mat::filled(rows.len(), self.cols, T::default());
        for (i, &row) in rows.iter().enumerate() {
            self.copy_row(row, out.row_mut(i));
        }
        out
    }
}

/// An owned row-major matrix.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mat<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T> Mat<T> {
    /// A matrix from its elements in row-major order.
    ///
    /// # Panics
    /// When the vector has another length than `rows * cols`.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<T>) -> Self {
        assert_eq!(data.len(), rows * cols, "a {rows} x {cols} matrix needs {} elements", rows * cols);
        Self { data, rows, cols }
    }

    /// A matrix whose element at (i, j) is `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                data.push(f(i, j));
            }
        }
        Self { data, rows, cols }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// A view of the whole.
    pub fn view(&self) -> MatRef<'_, T> {
        MatRef { data: &self.data, rows: self.rows, cols: self.cols, row_stride: self.cols, col_stride: 1 }
    }

    /// Row `row`.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.data[row * self.cols..(row + 1) * self.cols]
    }

    /// Row `row`, to write.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.data[row * self.cols..(row + 1) * self.cols]
    }

    /// The elements in row-major order.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// The elements in row-major order, to write.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Adds the rows of another matrix of the same width at the end.
    ///
    /// # Panics
    /// When the widths differ.
    pub fn append_rows(&mut self, other: Self) {
        assert_eq!(self.cols, other.cols, "matrices of different widths");
        self.data.extend(other.data);
        self.rows += other.rows;
    }

    /// The elements in row-major order.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }
}

impl<T: Clone> Mat<T> {
    /// A matrix with all elements equal.
    pub fn filled(rows: usize, cols: usize, value: T) -> Self {
        Self { data: vec![value; rows * cols], rows, cols }
    }
}

impl Mat<f64> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self::filled(rows, cols, 0.0)
    }
}

impl<T> Index<(usize, usize)> for Mat<T> {
    type Output = T;
    #[inline]
    fn index(&self, (row, col): (usize, usize)) -> &T {
        debug_assert!(col < self.cols);
        &self.data[row * self.cols + col]
    }
}

impl<T> IndexMut<(usize, usize)> for Mat<T> {
    #[inline]
    fn index_mut(&mut self, (row, col): (usize, usize)) -> &mut T {
        debug_assert!(col < self.cols);
        &mut self.data[row * self.cols + col]
    }
}

// Partials can be sent to other machines, so a matrix is serializable; its shape is checked when it is read.
impl<T: Serialize> Serialize for Mat<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut s = serializer.serialize_struct("Mat", 3)?;
        s.serialize_field("rows", &self.rows)?;
        s.serialize_field("cols", &self.cols)?;
        s.serialize_field("data", &self.data)?;
        s.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Mat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct MatRepr<T> {
            rows: usize,
            cols: usize,
            data: Vec<T>,
        }
        let raw = MatRepr::deserialize(deserializer)?;
        if raw.rows.checked_mul(raw.cols) != Some(raw.data.len()) {
            return Err(serde::de::Error::custom("matrix shape does not match its data"));
        }
        Ok(Self { data: raw.data, rows: raw.rows, cols: raw.cols })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_layouts_and_sub_views_read_the_same_elements() {
        let row: Vec<i32> = (0..12).collect();
        let m = MatRef::row_major(&row, 3, 4);
        let col: Vec<i32> = (0..4).flat_map(|j| (0..3).map(move |i| i * 4 + j)).collect();
        let c = MatRef::col_major(&col, 3, 4);
        for i in 0..3 {
            for j in 0..4 {
                assert_eq!(m.at(i, j), c.at(i, j));
                assert_eq!(m.t().at(j, i), c.at(i, j));
            }
        }
        let sub = m.row_range(1..3).col_range(2..4);
        assert_eq!(sub.to_owned().as_slice(), [6, 7, 10, 11]);
        assert_eq!(c.take_rows(&[2, 0]).as_slice(), [8, 9, 10, 11, 0, 1, 2, 3]);
        assert!(m.row(1).is_some() && c.row(1).is_none() && c.col(1) == Some(&[1, 5, 9][..]));
    }

    #[test]
    fn a_view_cannot_reach_outside_its_slice() {
        let data = [0.0; 6];
        assert!(MatRef::strided(&data, 2, 3, 3, 1).is_some());
        assert!(MatRef::strided(&data, 3, 3, 3, 1).is_none());
        assert!(MatRef::strided(&data, 2, 2, usize::MAX, 1).is_none());
        assert!(MatRef::strided(&data[..0], 0, 3, 3, 1).is_some());
        assert_eq!(MatRef::strided(&data[..0], 0, 3, 3, 1).unwrap().row_range(0..0).rows(), 0);
    }
}
