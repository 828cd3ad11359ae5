"""celer: working sets + dual extrapolation."""

import numpy as np

from contestant import Contestant, linear_info

PACKAGES = ("celer",)
TASKS = {}
TOL = 1e-5


def single(d, p):
    from celer import ElasticNet, Lasso

    a = p["alpha_of"](d)
    l1 = p.get("l1_ratio", 1.0)

    def fit():
        kw = dict(alpha=a, tol=TOL, fit_intercept=p["intercept"])
        m = Lasso(**kw) if l1 == 1 else ElasticNet(l1_ratio=l1, **kw)
        return m.fit(d["X"], d["y"])

    return Contestant(fit, lambda m: m.predict(d["X_test"]), linear_info)


for t in ("lasso_dense", "enet_dense", "lasso_sparse"):
    TASKS[t] = single


def path(d, p):
    from celer import celer_path

    alphas = p["alphas_of"](d)

    def fit():
        mx, my = d["X"].mean(0), d["y"].mean()
        _, coefs, _ = celer_path(
            np.asfortranarray(d["X"] - mx),
            d["y"] - my,
            "lasso",
            alphas=alphas,
            tol=TOL,
            max_iter=100,
            prune=1,
        )
        return coefs, my - mx @ coefs

    return Contestant(fit, None, lambda m: {"coefs": m[0], "intercepts": m[1]})


TASKS["lasso_path"] = path


def logistic(d, p):
    from celer import LogisticRegression

    return Contestant(
        lambda: LogisticRegression(C=p["C"], penalty="l1", tol=1e-4).fit(d["X"], d["y"]),
        lambda m: m.predict(d["X_test"]),
        lambda m: {"coef": m.coef_},
    )


TASKS["logreg_l1_sparse"] = logistic
