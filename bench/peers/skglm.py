"""skglm: working sets + Anderson acceleration (numba: compiled in the first fit)."""

import numpy as np

from contestant import Contestant, linear_info

PACKAGES = ("skglm", "numba")
TASKS = {}


def single(d, p):
    from skglm import ElasticNet, Lasso

    a = p["alpha_of"](d)
    l1 = p.get("l1_ratio", 1.0)

    def fit():
        # its tolerance bounds the optimality violation, not the gap
        kw = dict(alpha=a, tol=a * 1e-3, fit_intercept=p["intercept"])
        m = Lasso(**kw) if l1 == 1 else ElasticNet(l1_ratio=l1, **kw)
        return m.fit(d["X"], d["y"])

    return Contestant(fit, lambda m: m.predict(d["X_test"]), linear_info, jit=True)


for t in ("lasso_dense", "enet_dense", "lasso_sparse"):
    TASKS[t] = single


def path(d, p):
    from skglm import Lasso

    alphas = p["alphas_of"](d)

    def fit():
        mx, my = d["X"].mean(0), d["y"].mean()
        m = Lasso(alpha=alphas[-1], tol=alphas[-1] * 1e-3, fit_intercept=False)
        coefs = m.path(np.asfortranarray(d["X"] - mx), d["y"] - my, alphas)[1]
        return coefs, my - mx @ coefs

    return Contestant(fit, None, lambda m: {"coefs": m[0], "intercepts": m[1]}, jit=True)


TASKS["lasso_path"] = path


def logistic(d, p):
    from skglm import SparseLogisticRegression

    a = 1 / (p["C"] * len(d["y"]))
    return Contestant(
        lambda: SparseLogisticRegression(
            alpha=a, tol=a * 1e-2, fit_intercept=False, max_iter=50
        ).fit(d["X"], d["y"]),
        lambda m: m.predict(d["X_test"]),
        lambda m: {"coef": m.coef_},
        jit=True,
    )


TASKS["logreg_l1_sparse"] = logistic
