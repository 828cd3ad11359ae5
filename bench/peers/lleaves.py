"""lleaves: a LightGBM model compiled with LLVM.

It needs an older llvmlite than the others: give it an environment with --python lleaves=PYTHON.
"""

import lleaves

from contestant import Contestant, test_rows
from peers.lightgbm import model_file

PACKAGES = ("lleaves", "llvmlite")


def predict(d, p):
    X = test_rows(d, p)

    def fit():
        m = lleaves.Model(model_file=model_file(d, p))
        m.compile()
        return m

    return Contestant(fit, lambda m: m.predict(X, n_jobs=p["threads"] if len(X) > 100 else 1))


TASKS = {t: predict for t in ("predict_1row", "predict_1k", "predict_1m")}
