"""python-glmnet: the Fortran glmnet."""

import numpy as np
from glmnet import ElasticNet, LogitNet

from contestant import Contestant

PACKAGES = ("python-glmnet", "python_glmnet")
TASKS = {}


def elastic(d, l1, l2, intercept, tol):
    """Coefficients for each pair (l1, l2); glmnet scales y to unit variance, so do that first."""
    s = d["y"].std()
    lam = np.asarray(l1) / s + np.asarray(l2)
    m = ElasticNet(
        alpha=float(l1[0] / s / lam[0]),
        lambda_path=lam,
        standardize=False,
        fit_intercept=intercept,
        n_splits=0,
        tol=tol,
        max_iter=10**7,
    )
    m.fit(d["X"].tocsc() if hasattr(d["X"], "tocsc") else d["X"], d["y"] / s)
    return m.coef_path_ * s, np.ravel(m.intercept_path_) * s


def single(d, p):
    a, r = p["alpha_of"](d), p.get("l1_ratio", 1.0)
    return Contestant(
        lambda: elastic(d, [a * r], [a * (1 - r)], p["intercept"], 1e-9),
        None,
        lambda m: {"coef": m[0][:, 0], "intercept": m[1][0] if p["intercept"] else 0.0},
    )


for t in ("lasso_dense", "enet_dense", "lasso_sparse"):
    TASKS[t] = single


def path(d, p):
    al = p["alphas_of"](d)
    return Contestant(
        lambda: elastic(d, al, 0 * al, True, 1e-8),
        None,
        lambda m: {"coefs": m[0], "intercepts": m[1]},
    )


TASKS["lasso_path"] = path


def logistic(d, p):
    lam = 1 / (p["C"] * len(d["y"]))

    def fit():
        return LogitNet(
            alpha=1.0,
            lambda_path=[lam],
            standardize=False,
            fit_intercept=False,
            n_splits=0,
            tol=1e-6,
            max_iter=10**7,
        ).fit(d["X"].tocsc(), d["y"])

    return Contestant(fit, None, lambda m: {"coef": m.coef_path_.ravel()})


TASKS["logreg_l1_sparse"] = logistic
