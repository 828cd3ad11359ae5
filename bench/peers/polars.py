"""CSV reading with polars: file to a row-major f64 array."""

import polars as pl

from contestant import csv_reader

PACKAGES = ("polars",)


def read(path, p):
    return pl.read_csv(path).to_numpy(order="c")


TASKS = {"csv_read": csv_reader(read)}
