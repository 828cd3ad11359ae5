"""CSV reading with duckdb: file to a row-major f64 array."""

import duckdb
import numpy as np

from contestant import csv_reader

PACKAGES = ("duckdb",)


def read(path, p):
    c = duckdb.connect(config={"threads": p["threads"]})
    cols = c.execute("select * from read_csv(?)", [path]).fetchnumpy()
    return np.stack([np.asarray(v, np.float64) for v in cols.values()], 1)


TASKS = {"csv_read": csv_reader(read)}
