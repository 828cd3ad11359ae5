"""LIBLINEAR's own Python package (the multicore build also answers to -m threads)."""

import numpy as np

from contestant import Contestant

PACKAGES = ("liblinear-multicore", "liblinear-official")
TASKS = {}


def solver(kind, eps, multicore=False):
    def factory(d, p):
        from liblinear.liblinearutil import train

        def fit():
            m = f" -m {p['threads']}" if multicore else ""
            return train(
                np.where(d["y"] == 1, 1.0, -1.0),
                d["X"],
                f"-s {kind} -c {p['C']} -e {eps} -B -1 -q{m}",
            )

        def info(m):
            w = np.array(m.get_decfun()[0])
            return {"coef": w if m.get_labels()[0] == 1 else -w}

        return Contestant(fit, None, info, jit=True)

    return factory


TASKS["logreg_dense:newton"] = solver(0, 1e-4)
TASKS["logreg_dense:newton-m2"] = solver(0, 1e-4, True)
TASKS["logreg_sparse:newton"] = solver(0, 1e-3)
TASKS["logreg_sparse:newton-m2"] = solver(0, 1e-3, True)
TASKS["logreg_sparse:dual"] = solver(7, 1e-2)
TASKS["logreg_l1_sparse"] = solver(6, 1e-3)
TASKS["linsvm_dense:newton"] = solver(2, 1e-3)
TASKS["linsvm_dense:newton-m2"] = solver(2, 1e-3, True)
TASKS["linsvm_sparse:newton"] = solver(2, 1e-3)
TASKS["linsvm_sparse:newton-m2"] = solver(2, 1e-3, True)
TASKS["linsvm_sparse:dual"] = solver(1, 1e-2)
TASKS["linsvm_hinge_sparse:dual"] = solver(3, 1e-2)
TASKS["linsvm_hinge_sparse:dual-m2"] = solver(3, 1e-2, True)
