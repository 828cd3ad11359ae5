"""How good a result is: one function a kind of task, computed here for every contestant alike.

Each takes (data, parameters, out), where `out` is what the contestant's `info` returned with the
prediction as out["pred"], and returns named figures. The first figure is the one that is gated.
"""

import numpy as np
from scipy.special import xlogy


def _linear(out):
    return np.asarray(out["coef"], float).ravel(), float(np.ravel(out.get("intercept", 0.0))[0])


def _signs(y):
    return np.where(y == 1, 1, -1)


def _linear_accuracy(d, w):
    return float((((d["X_test"] @ w) > 0) == (d["y_test"] == 1)).mean())


# ---- linear models: the objective itself


def least_squares(d, p, out):
    """(|y - Xw - b|^2 + alpha |w|^2) / n."""
    w, b = _linear(out)
    r = d["y"] - d["X"] @ w - b
    return {"objective": float((r @ r + p.get("alpha", 0.0) * (w @ w)) / len(r))}


def pinball(d, p, out):
    """mean pinball(y - Xw - b) + alpha |w|_1."""
    w, b = _linear(out)
    r = d["y"] - d["X"] @ w - b
    loss = np.maximum(p["quantile"] * r, (p["quantile"] - 1) * r).mean()
    return {"objective": float(loss + p["alpha"] * np.abs(w).sum())}


def huber(d, p, out):
    """(sum (s + H(r / s) s) + alpha |w|^2) / n at the best scale s for these coefficients."""
    w, b = _linear(out)
    a = np.abs(d["y"] - d["X"] @ w - b)
    low, high = 1e-12 * a.max(), a.max()
    for _ in range(100):
        s = np.sqrt(low * high)
        low, high = (s, high) if (np.minimum(a / s, p["epsilon"]) ** 2).mean() > 1 else (low, s)
    z, e = a / s, p["epsilon"]
    loss = s + s * np.where(z <= e, z * z, 2 * e * z - e * e)
    return {"objective": float(loss.mean() + p["alpha"] * (w @ w) / len(a))}


def _elastic_net(X, y, w, b, alpha, l1_ratio=1.0, intercept=True):
    """Objective and duality gap of 1/(2n) |y-Xw-b|^2 + alpha (l1 |w|_1 + (1-l1)/2 |w|^2).

    Both in units of the objective of the empty model, with the count of non-zero coefficients.
    """
    n = len(y)
    r = y - X @ w - b
    if intercept:
        r = r - r.mean()
        y = y - y.mean()
    l1, l2 = alpha * l1_ratio, alpha * (1 - l1_ratio)
    gradient = X.T @ r / n - l2 * w
    s = min(1.0, l1 / np.abs(gradient).max())
    primal = r @ r / (2 * n) + l1 * np.abs(w).sum() + l2 / 2 * (w @ w)
    # Dual point of the augmented least squares: theta = s (r, -sqrt(n l2) w) / n.
    dual = (y @ y - (y - s * r) @ (y - s * r)) / (2 * n) - l2 / 2 * s * s * (w @ w)
    null = y @ y / (2 * n)
    return float(primal / null), float((primal - dual) / null), int((w != 0).sum())


def lasso(d, p, out):
    w, b = _linear(out)
    objective, gap, nonzero = _elastic_net(
        d["X"], d["y"], w, b, p["alpha_of"](d), p.get("l1_ratio", 1.0), p["intercept"]
    )
    return {"objective": objective, "gap": gap, "nnz": nonzero}


def lasso_path(d, p, out):
    """Sum of the objectives at four points of the path of 100."""
    alphas = p["alphas_of"](d)
    coefs, intercepts = np.asarray(out["coefs"]), np.asarray(out["intercepts"])  # (p, L), (L,)
    points = [
        _elastic_net(d["X"], d["y"], coefs[:, i], intercepts[i], alphas[i]) for i in (9, 49, 74, 99)
    ]
    return {
        "objective": sum(x[0] for x in points),
        "gap": max(x[1] for x in points),
        "nnz": points[-1][2],
    }


def logistic(d, p, out):
    """C sum log(1 + exp(-y f)) + penalty, without intercept."""
    w = np.asarray(out["coef"], float).ravel()
    loss = np.logaddexp(0, -_signs(d["y"]) * (d["X"] @ w)).sum()
    penalty = np.abs(w).sum() if p.get("penalty") == "l1" else w @ w / 2
    res = {"objective": float(p["C"] * loss + penalty), "acc": _linear_accuracy(d, w)}
    if p.get("penalty") == "l1":
        res["nnz"] = int((w != 0).sum())
    return res


def _half_poisson_deviance(y, z):
    return float((xlogy(y, y) - y - y * z + np.exp(z)).mean())


def poisson(d, p, out):
    """Half the mean deviance + alpha |w|^2 / 2."""
    w, b = _linear(out)
    half = _half_poisson_deviance(d["y"], d["X"] @ w + b)
    test = _half_poisson_deviance(d["y_test"], d["X_test"] @ w + b)
    return {"objective": half + p["alpha"] / 2 * float(w @ w), "test": test}


def softmax(d, p, out):
    """C sum(-log p_y) + |W|^2 / 2, without intercept."""
    W = np.asarray(out["coef"], float)
    Z = d["X"] @ W.T
    Z -= Z.max(1, keepdims=True)
    loss = (np.log(np.exp(Z).sum(1)) - Z[np.arange(len(Z)), d["y"]]).sum()
    acc = float(((d["X_test"] @ W.T).argmax(1) == d["y_test"]).mean())
    return {"objective": float(p["C"] * loss + (W * W).sum() / 2), "acc": acc}


def linear_svm(d, p, out):
    """C sum of hinge losses (squared or not) + |w|^2 / 2."""
    w = np.asarray(out["coef"], float).ravel()
    z = np.maximum(0, 1 - _signs(d["y"]) * (d["X"] @ w))
    loss = (z * z).sum() if p["loss"] == "squared_hinge" else z.sum()
    return {"objective": float(p["C"] * loss + w @ w / 2), "acc": _linear_accuracy(d, w)}


def steps(d, p, out):
    """Mean loss (logistic or hinge) + alpha |w|^2 / 2, without intercept."""
    w = np.asarray(out["coef"], float).ravel()
    m = _signs(d["y"]) * (d["X"] @ w)
    loss = np.logaddexp(0, -m) if p["loss"] == "log_loss" else np.maximum(0, 1 - m)
    objective = float(loss.mean() + p["alpha"] * (w @ w) / 2)
    return {"objective": objective, "acc": _linear_accuracy(d, w)}


# ---- kernel machines, neighbors


def _rbf(A, B, gamma):
    squares = (A * A).sum(1)[:, None] + (B * B).sum(1)[None, :] - 2 * A @ B.T
    return np.exp(-gamma * np.maximum(squares, 0))


def svm(d, p, out):
    """Dual objective (minimized) and test score."""
    support = np.asarray(out["support"]).ravel()
    a = np.asarray(out["dual_coef"], float).ravel()
    Xs = d["X"][support].astype(np.float64)
    quadratic = sum(
        a[i : i + 2000] @ (_rbf(Xs[i : i + 2000], Xs, p["gamma"]) @ a)
        for i in range(0, len(support), 2000)
    )
    if "epsilon" in p:
        linear = p["epsilon"] * np.abs(a).sum() - d["y"][support] @ a
        score = {"rmse": float(np.sqrt(np.mean((out["pred"] - d["y_test"]) ** 2)))}
    else:
        linear = -np.abs(a).sum()
        score = {"acc": float((np.asarray(out["pred"]) == d["y_test"]).mean())}
    return {"dual": float(0.5 * quadratic + linear), **score, "n_sv": len(support)}


def error_rate(d, p, out):
    return {"err": 1 - accuracy(d, p, out)["acc"]}


def kernel_pca(d, p, out):
    return {"sum_eig": float(np.sum(out["eigenvalues"]))}


def neighbors(d, p, out):
    """Mean distance to the neighbors found for the first 500 queries."""
    found = np.asarray(out["pred"])[:500]
    diff = d["X"][found].astype(np.float64) - d["X_test"][:500, None, :]
    return {"mean_dist": float(np.sqrt((diff * diff).sum(-1)).mean())}


# ---- prediction on the test rows


def accuracy(d, p, out):
    return {"acc": float((np.asarray(out["pred"]) == d["y_test"]).mean())}


def groups(d, p, out):
    """Mean size of the group of a row, which two equal partitions share."""
    labels = np.asarray(out["labels"])
    return {"size": float(np.bincount(labels + 1)[labels + 1].mean())}


def rmse(d, p, out):
    return {"rmse": float(np.sqrt(np.mean((np.ravel(out["pred"]) - d["y_test"]) ** 2)))}


def auc(d, p, out):
    """Area under the ROC curve by ranks, ties at their mean rank."""
    from scipy.stats import rankdata

    score = np.asarray(out["pred"], float)
    score = score[:, 1] if score.ndim == 2 else score
    positive = d["y_test"][: len(score)] == 1
    n1 = positive.sum()
    n0 = len(score) - n1
    return {"auc": float((rankdata(score)[positive].sum() - n1 * (n1 + 1) / 2) / (n0 * n1))}


def auc_of_many(d, p, out):
    """The area under the curve when there are rows enough to speak of one."""
    return auc(d, p, out) if len(out["pred"]) > 10_000 else {}


def log_loss(d, p, out):
    P = np.clip(np.asarray(out["pred"], float).reshape(len(d["y_test"]), -1), 1e-15, 1)
    P /= P.sum(1, keepdims=True)
    return {"logloss": float(-np.log(P[np.arange(len(P)), d["y_test"]]).mean())}


# ---- clusters, components, tables


def kmeans(d, p, out):
    """Inertia of the centers on all rows, in blocks."""
    centers = np.asarray(out["centers"], np.float64)
    X, inertia = d["X"], 0.0
    for i in range(0, len(X), 100_000):
        rows = X[i : i + 100_000].astype(np.float64)
        nearest = ((centers * centers).sum(1) - 2 * rows @ centers.T).min(1)
        inertia += np.maximum((rows * rows).sum(1) + nearest, 0).sum()
    return {"inertia": float(inertia), "iters": int(out.get("n_iter", -1))}


def mixture(d, p, out):
    X, k = d["X"], len(out["weights"])
    log_p = np.empty((len(X), k))
    for c in range(k):
        L = np.linalg.cholesky(np.asarray(out["covs"])[c])
        z = np.linalg.solve(L, (X - np.asarray(out["means"])[c]).T)
        log_p[:, c] = (
            np.log(out["weights"][c])
            - (z * z).sum(0) / 2
            - np.log(np.diag(L)).sum()
            - X.shape[1] / 2 * np.log(2 * np.pi)
        )
    m = log_p.max(1)
    likelihood = (m + np.log(np.exp(log_p - m[:, None]).sum(1))).mean()
    return {"neg_loglik": float(-likelihood), "iters": int(out.get("n_iter", -1))}


def pca(d, p, out):
    """Variance the components capture, and how far they are from orthonormal."""
    V = np.asarray(out["components"], np.float64)  # (k, p)
    T = d["X"] @ V.T - d["X"].mean(0) @ V.T
    orthogonality = float(np.abs(V @ V.T - np.eye(len(V))).max())
    return {"captured": float((T * T).sum() / len(T)), "orth": orthogonality}


def checksum(d, p, out):
    return {"checksum": float(np.abs(out["array"]).sum())}


def cv_score(d, p, out):
    return {"cv_score": float(out["score"])}


def reconstruction(d, p, out):
    """Mean squared error of the rebuilt test rows."""
    r = np.asarray(out["pred"], np.float64) - d["X_test"]
    return {"mse": float((r * r).mean())}
