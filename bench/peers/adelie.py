"""adelie: group elastic net in C++."""

from functools import partial

import adelie as ad
import numpy as np

from contestant import Contestant

PACKAGES = ("adelie",)
TASKS = {}
TOL = {
    "lasso_dense": 1e-8,
    "enet_dense": 1e-9,
    "lasso_sparse": 1e-9,
}  # what the gate of each task asks of it


def solve(d, lam, l1, intercept, threads, tol):
    if hasattr(d["X"], "tocsc"):
        X = ad.matrix.sparse(d["X"].tocsc(), n_threads=threads)
    else:
        X = ad.matrix.dense(np.asfortranarray(d["X"]), n_threads=threads)
    st = ad.grpnet(
        X,
        ad.glm.gaussian(d["y"]),
        alpha=l1,
        lmda_path=lam,
        tol=tol,
        early_exit=False,
        intercept=intercept,
        n_threads=threads,
        progress_bar=False,
    )
    return st.betas.toarray().T, np.asarray(st.intercepts)


def single(tol, d, p):
    a = p["alpha_of"](d)
    return Contestant(
        lambda: solve(d, np.array([a]), p.get("l1_ratio", 1.0), p["intercept"], p["threads"], tol),
        None,
        lambda m: {"coef": m[0][:, -1], "intercept": m[1][-1]},
    )


for t, tol in TOL.items():
    TASKS[t] = partial(single, tol)


def path(d, p):
    al = p["alphas_of"](d)
    return Contestant(
        lambda: solve(d, al, 1.0, True, p["threads"], 1e-8),
        None,
        lambda m: {"coefs": m[0], "intercepts": m[1]},
    )


def path_cov(d, p):
    """Covariance method: Gram matrix first, then coordinate descent on it."""
    al = p["alphas_of"](d)

    def fit():
        X, y, n = d["X"], d["y"], len(d["y"])
        mx, my = X.mean(0), y.mean()
        G = X.T @ X / n - np.outer(mx, mx)
        v = X.T @ (y - my) / n
        st = ad.gaussian_cov(
            np.asfortranarray(G),
            v,
            lmda_path=al,
            tol=1e-8,
            early_exit=False,
            n_threads=p["threads"],
            progress_bar=False,
        )
        B = st.betas.toarray().T
        return B, my - mx @ B

    return Contestant(fit, None, lambda m: {"coefs": m[0], "intercepts": m[1]})


TASKS["lasso_path:naive"] = path
TASKS["lasso_path:cov"] = path_cov
