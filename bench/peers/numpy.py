"""Plain numpy/scipy: what a careful user writes with BLAS and LAPACK."""

import numpy as np

from contestant import Contestant

PACKAGES = ("numpy", "scipy")
TASKS = {}


def normal_equations(d, p):
    import scipy.linalg as la

    def fit():
        X, y, n = d["X"], d["y"], len(d["y"])
        mx, my = X.mean(0), y.mean()
        G = X.T @ X  # numpy calls syrk here
        G -= n * np.outer(mx, mx)
        G.flat[:: len(G) + 1] += p.get("alpha", 0.0)
        w = la.cho_solve(la.cho_factor(G, overwrite_a=True), X.T @ y - n * my * mx)
        return w, my - mx @ w

    return Contestant(
        fit, lambda m: d["X_test"] @ m[0] + m[1], lambda m: {"coef": m[0], "intercept": m[1]}
    )


for t in ("ols_tall", "ols_wide", "ridge_tall", "ridge_wide"):
    TASKS[f"{t}:normal-eq"] = normal_equations


def rbf(A, B, gamma):
    K = A @ B.T
    K *= 2 * gamma
    K -= gamma * (A * A).sum(1)[:, None]
    K -= gamma * (B * B).sum(1)[None, :]
    return np.exp(K, out=K)


def kernel_ridge(d, p):
    import scipy.linalg as la

    def fit():
        K = rbf(d["X"], d["X"], p["gamma"])
        K.flat[:: len(K) + 1] += p["alpha"]
        return la.cho_solve(
            la.cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False),
            d["y"],
            check_finite=False,
        )

    return Contestant(fit, lambda a: rbf(d["X_test"], d["X"], p["gamma"]) @ a)


TASKS["kernel_ridge:cholesky"] = kernel_ridge


def newton_logistic(d, p):
    """Newton's method: X'WX by syrk, Cholesky."""
    import scipy.linalg as la

    def fit():
        X, s, C = d["X"], np.where(d["y"] == 1, 1.0, -1.0), p["C"]
        w = np.zeros(X.shape[1])
        for _ in range(30):
            q = 1 / (1 + np.exp(s * (X @ w)))
            g = w - C * (X.T @ (s * q))
            if np.abs(g).max() < 1e-4 * C * len(s) ** 0.5:
                break
            Z = X * np.sqrt(C * q * (1 - q))[:, None]
            H = Z.T @ Z
            H.flat[:: len(H) + 1] += 1
            w -= la.cho_solve(la.cho_factor(H), g)
        return w

    return Contestant(fit, lambda w: d["X_test"] @ w > 0, lambda w: {"coef": w})


TASKS["logreg_dense:newton"] = newton_logistic


def gnb(d, p):
    def fit():
        X, y = d["X"], d["y"]
        k = y.max() + 1
        Y = np.zeros((len(y), k))
        Y[np.arange(len(y)), y] = 1
        n = Y.sum(0)
        mu = (Y.T @ X) / n[:, None]
        var = (Y.T @ (X * X)) / n[:, None] - mu * mu
        return mu, var, np.log(n / len(y))

    def predict(m):
        mu, var, lp = m
        X = d["X_test"]
        s = (
            lp
            - 0.5 * (np.log(var) + mu * mu / var).sum(1)
            - 0.5 * ((X * X) @ (1 / var).T)
            + X @ (mu / var).T
        )
        return s.argmax(1)

    return Contestant(fit, predict)


TASKS["gnb"] = gnb


def pca(d, p):
    import scipy.linalg as la

    def fit():
        X = d["X"]
        mu = X.mean(0)
        C = X.T @ X
        C -= len(X) * np.outer(mu, mu)
        n = len(C)
        _, V = la.eigh(C, subset_by_index=[n - p["k"], n - 1], overwrite_a=True)
        return V.T[::-1], mu

    return Contestant(
        fit, lambda m: d["X"] @ m[0].T - m[1] @ m[0].T, lambda m: {"components": m[0]}
    )


TASKS["pca_full:syrk"] = pca
TASKS["pca_rand:syrk"] = pca


def kdtree(d, p):
    from scipy.spatial import cKDTree

    return Contestant(
        lambda: cKDTree(d["X"]), lambda m: m.query(d["X_test"], k=p["k"], workers=p["threads"])[1]
    )


TASKS["knn_20:scipy-kdtree"] = kdtree


def read_csv(d, p):
    def fit():
        return np.loadtxt(str(d["path"]), delimiter=",", skiprows=1)

    return Contestant(fit, None, lambda a: {"array": a})


TASKS["csv_read:loadtxt"] = read_csv
