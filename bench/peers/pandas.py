"""CSV reading with pandas: file to a row-major f64 array."""

import numpy as np
import pandas as pd

from contestant import csv_reader

PACKAGES = ("pandas",)


def c_engine(path, p):
    return pd.read_csv(path).to_numpy(dtype=np.float64)


def arrow_engine(path, p):
    return pd.read_csv(path, engine="pyarrow").to_numpy(dtype=np.float64)


TASKS = {"csv_read": csv_reader(c_engine), "csv_read:pyarrow": csv_reader(arrow_engine)}
