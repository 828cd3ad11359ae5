"""treelite (GTIL) and tl2cgen (C code) predicting with a LightGBM model."""

import os
import tempfile

import tl2cgen
import treelite
from treelite import gtil

from contestant import Contestant, test_rows
from peers.lightgbm import model_file

PACKAGES = ("treelite", "tl2cgen")
TASKS = {}


def interpreted(d, p):
    X = test_rows(d, p)
    return Contestant(
        lambda: treelite.frontend.load_lightgbm_model(model_file(d, p)),
        lambda m: gtil.predict(m, X, nthread=p["threads"]).reshape(-1),
    )


def compiled(d, p):
    X = test_rows(d, p)

    def fit():
        f = model_file(d, p)
        lib = os.path.join(tempfile.mkdtemp(), "m.so")
        tl2cgen.export_lib(
            treelite.frontend.load_lightgbm_model(f),
            toolchain="gcc",
            libpath=lib,
            params={"parallel_comp": 8},
        )
        return tl2cgen.Predictor(lib, nthread=p["threads"])

    return Contestant(fit, lambda m: m.predict(tl2cgen.DMatrix(X)).reshape(-1))


for t in ("predict_1row", "predict_1k", "predict_1m"):
    TASKS[f"{t}:gtil"] = interpreted
    TASKS[f"{t}:tl2cgen"] = compiled
