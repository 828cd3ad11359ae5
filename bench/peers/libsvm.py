"""LIBSVM's own Python package."""

import numpy as np

from contestant import Contestant

PACKAGES = ("libsvm-official",)
TASKS = {}


def machine(kind):
    def factory(d, p):
        from libsvm.svmutil import svm_predict, svm_train

        def fit():
            opt = f"-s {kind} -t 2 -c {p['C']} -g {p['gamma']} -e {p['tol']} -m 1000 -q"
            return svm_train(
                d["y"].astype(float), d["X"], opt + (f" -p {p['epsilon']}" if kind == 3 else "")
            )

        def info(m):
            if len(m.get_labels() if kind == 0 else [0, 1]) > 2:
                return {}
            return {
                "support": np.array(m.get_sv_indices()) - 1,
                "dual_coef": np.array([c[0] for c in m.get_sv_coef()]),
            }

        return Contestant(
            fit, lambda m: np.array(svm_predict([], d["X_test"], m, "-q")[0]), info, jit=True
        )

    return factory


for t in ("", "_fine"):
    TASKS[f"svc_rbf_20{t}"] = machine(0)
    TASKS[f"svc_rbf_784{t}"] = machine(0)
    TASKS[f"svr_rbf{t}"] = machine(3)
