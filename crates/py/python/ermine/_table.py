"""Tables: typed columns, from files and from anything that speaks Arrow."""

import os

import numpy as np

from . import _native


class Table:
    """A table with typed columns: numbers, categories, dates, text, each with missing values.

    It has `__arrow_c_stream__`, so pandas, polars, pyarrow and DuckDB can read it, and every estimator of Ermine takes
    it.

    Parameters
    ----------
    data : object with __arrow_c_stream__
        A pandas or polars DataFrame, a pyarrow Table, or the like.
    """

    def __init__(self, data):
        self._native = data if isinstance(data, _native.NativeTable) else _native.NativeTable.from_arrow(data)

    @property
    def columns(self):
        """Names of the columns."""
        return self._native.columns

    @property
    def kinds(self):
        """The kind of each column: "number", "category", "date", "text" or "identifier"."""
        return dict(zip(self._native.columns, self._native.kinds))

    @property
    def shape(self):
        """Number of rows and of columns."""
        return self._native.shape

    def __len__(self):
        return self.shape[0]

    def to_numpy(self):
        """All columns as one float64 array; missing is NaN, categories are their codes.

        Returns
        -------
        X : ndarray of shape (n_rows, n_columns)
        """
        return self._native.to_numpy()

    def select(self, columns):
        """The table with these columns only.

        Parameters
        ----------
        columns : list of str
            Names, in the order wanted.

        Returns
        -------
        table : Table
        """
        return Table(self._native.select(list(columns)))

    def drop(self, columns):
        """The table without these columns.

        Parameters
        ----------
        columns : list of str
            Names.

        Returns
        -------
        table : Table
        """
        gone = set(columns)
        return self.select([c for c in self.columns if c not in gone])

    def __getitem__(self, name):
        """One column as an array: numbers as float64 with NaN where missing, categories and text as objects."""
        return self._native.column(name)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self):
        rows, columns = self.shape
        return f"<ermine.Table of {rows} rows and {columns} columns>"


def read_table(path):
    """Read a table: CSV or TSV (plain, .gz, .zst), Parquet, Arrow IPC, libsvm text; or "example:penguins" and the like.

    Columns are typed by looking at them.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    table : Table
    """
    return Table(_native.read_table(os.fspath(path)))


def is_tabular(X):
    """Whether `X` can be read as a table through Arrow."""
    return isinstance(X, (Table, _native.NativeTable)) or hasattr(X, "__arrow_c_stream__")


def to_native(X, names):
    """Rows as Rust takes them: tables through Arrow, arrays in place."""
    if isinstance(X, Table):
        return X._native
    if is_tabular(X):
        return _native.NativeTable.from_arrow(X)
    X = np.asarray(X)
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    if X.ndim != 2 or X.shape[1] != len(names):
        raise ValueError(f"X has shape {X.shape}, and the model takes {len(names)} columns")
    return np.ascontiguousarray(X)
