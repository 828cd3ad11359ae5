"""Seeded data recipes.  Each returns a dict of numpy arrays / scipy CSR matrices."""

import os

import numpy as np
import scipy.sparse as sp


def _split(X, y, n_test):
    return dict(X=X[:-n_test], y=y[:-n_test], X_test=X[-n_test:], y_test=y[-n_test:])


def regression(n, p, seed=0, informative=0.2, noise=1.0, n_test=10_000):
    """Correlated Gaussian design (5 latent factors), sparse truth."""
    r = np.random.default_rng(seed)
    m = n + n_test
    X = r.standard_normal((m, p))
    X += 0.7 * r.standard_normal((m, 5)) @ r.standard_normal((5, p))
    w = r.standard_normal(p) * (r.random(p) < informative)
    y = X @ w
    y += noise * y.std() * 0.5 * r.standard_normal(m) + 3.0
    return _split(X, y, n_test)


def outliers(n, p, seed=0, share=0.1, n_test=10_000):
    """As `regression`, with some targets far off and a spread that grows with the first column."""
    d = regression(n, p, seed, n_test=n_test)
    r = np.random.default_rng(seed + 1)
    for X, y in ((d["X"], d["y"]), (d["X_test"], d["y_test"])):
        spread = y.std() * np.exp(0.3 * X[:, 0])
        y += 0.3 * spread * r.standard_normal(len(y))
        y += 10 * spread * r.standard_exponential(len(y)) * (r.random(len(y)) < share)
    return d


def binary_linear(n, p, seed=0, n_test=20_000):
    r = np.random.default_rng(seed)
    m = n + n_test
    X = r.standard_normal((m, p))
    X += 0.5 * r.standard_normal((m, 3)) @ r.standard_normal((3, p))
    X *= r.uniform(0.3, 3.0, p)
    w = r.standard_normal(p) / (X.std(0) * np.sqrt(p))
    y = (r.random(m) < 1 / (1 + np.exp(-3 * X @ w))).astype(np.int64)
    return _split(X, y, n_test)


def counts(n, p, seed=0, n_test=20_000):
    """Columns of different scales with shared factors; Poisson counts with a mean of about 2."""
    r = np.random.default_rng(seed)
    m = n + n_test
    X = r.standard_normal((m, p))
    X += 0.5 * r.standard_normal((m, 3)) @ r.standard_normal((3, p))
    X *= r.uniform(0.3, 3.0, p)
    z = X @ (r.standard_normal(p) / X.std(0))
    y = r.poisson(np.exp(0.5 + 0.6 * z / z.std())).astype(np.float64)
    return _split(X, y, n_test)


def text(n, p, seed=0, length=120, n_test=5_000, target="binary"):
    """Zipf word counts, tf-idf, unit rows: about `length`*0.6 non-zeros per row."""
    r = np.random.default_rng(seed)
    m = n + n_test
    prob = 1.0 / np.arange(3, p + 3) ** 1.05
    cdf = np.cumsum(prob / prob.sum())
    lens = np.maximum(5, r.poisson(length, m))
    rows = np.repeat(np.arange(m), lens)
    perm = r.permutation(p)
    cols = perm[np.minimum(np.searchsorted(cdf, r.random(rows.size)), p - 1)]
    X = sp.csr_matrix((np.ones(rows.size), (rows, cols)), shape=(m, p))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    df = np.bincount(X.indices, minlength=p)
    X.data *= np.log((1 + m) / (1 + df))[X.indices] + 1
    norm = np.sqrt(np.asarray(X.multiply(X).sum(1)).ravel())
    X = sp.csr_matrix(sp.diags(1 / norm) @ X)
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    w = r.standard_normal(p) * (r.random(p) < 0.05)
    s = X @ w
    s /= s.std()
    if target == "binary":
        y = (r.random(m) < 1 / (1 + np.exp(-4 * s))).astype(np.int64)
    else:
        y = s + 0.5 * r.standard_normal(m)
        y -= y.mean()
    return _split(X, y, n_test)


def documents(n, p, k=20, seed=0, length=120, n_test=5_000):
    """Counts of words in texts of `k` classes: Zipf words, a tenth of which lean toward one class each."""
    r = np.random.default_rng(seed)
    m = n + n_test
    prob = 1.0 / np.arange(3, p + 3) ** 1.05
    lean = np.where(r.random(p) < 0.1, r.integers(0, k, p), -1)
    y = r.integers(0, k, m)
    lens = np.maximum(5, r.poisson(length, m))
    parts, cdfs = [], []
    for c in range(k):
        own = prob * np.where(lean == c, 4.0, 1.0)
        cdfs.append(np.cumsum(own / own.sum()))
    for c in range(k):
        rows = np.repeat(np.flatnonzero(y == c), lens[y == c])
        cols = np.minimum(np.searchsorted(cdfs[c], r.random(rows.size)), p - 1)
        parts.append((rows, cols))
    rows, cols = (np.concatenate(v) for v in zip(*parts))
    X = sp.csr_matrix((np.ones(rows.size), (rows, cols)), shape=(m, p))
    X.sum_duplicates()
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return _split(X, y, n_test)


def images(n, seed=0, n_test=5_000, dtype=np.float64):
    """MNIST-like: 28x28 in [0,1], mostly zero, 10 classes x 4 styles, shifts and noise."""
    r = np.random.default_rng(seed)
    m = n + n_test
    yy, xx = np.mgrid[0:28, 0:28]
    proto = np.zeros((10, 4, 28, 28))
    base = r.uniform(7, 21, (10, 5, 2))
    for c in range(10):
        for s in range(4):
            pts = base[c] + r.normal(0, 1.6, (5, 2))
            for a, b in zip(pts[:-1], pts[1:], strict=True):
                for t in np.linspace(0, 1, 12):
                    q = a * (1 - t) + b * t
                    proto[c, s] = np.maximum(
                        proto[c, s], np.exp(-((yy - q[0]) ** 2 + (xx - q[1]) ** 2) / 2.5)
                    )
    y = r.integers(0, 10, m)
    style = r.integers(0, 4, m)
    X = np.empty((m, 784), dtype)
    dy, dx = r.integers(-3, 4, m), r.integers(-3, 4, m)
    for i in range(m):
        X[i] = np.roll(proto[y[i], style[i]], (dy[i], dx[i]), (0, 1)).ravel()
    X *= r.uniform(0.6, 1.0, (m, 1)).astype(dtype)
    noise = r.random((m, 784), dtype=np.float32)
    X += (noise > 0.97) * (noise - 0.97) * 20
    X[X < 0.08] = 0
    np.minimum(X, 1, out=X)
    return _split(X, y.astype(np.int64), n_test)


def digits():
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    r = np.random.default_rng(0).permutation(len(y))
    return _split(np.ascontiguousarray(X[r] / 16.0), y[r].astype(np.int64), 297)


def tabular(n, p, task, seed=0, n_test=50_000, dtype=np.float32, classes=10, noise=1.0):
    """Non-linear tabular data with interactions, for trees, SVMs and neighbors."""
    r = np.random.default_rng(seed)
    m = n + n_test
    X = r.standard_normal((m, p)).astype(dtype)
    heavy = slice(p // 3, 2 * p // 3)
    X[:, heavy] = np.exp(0.6 * X[:, heavy])

    def score():
        a, b, c, e = (
            r.permutation(p)[:4],
            r.permutation(p)[:4],
            r.permutation(p)[:6],
            r.permutation(p)[:3],
        )
        s = (X[:, a] * X[:, b]).sum(1) + np.sin(2 * X[:, c]).sum(1) + 1.5 * (X[:, e] > 0.5).sum(1)
        s = s + X @ r.normal(0, 0.25, p)
        return (s - s.mean()) / s.std()

    if task == "binary":
        y = (r.random(m) < 1 / (1 + np.exp(-2.5 / noise * score()))).astype(np.int64)
    elif task == "multi":
        S = np.stack([score() for _ in range(classes)], 1)
        y = np.argmax(2 * S / noise + r.gumbel(size=S.shape), 1).astype(np.int64)
    else:
        y = (score() + 0.4 * noise * r.standard_normal(m)).astype(np.float64)
    return _split(X, y, n_test)


CARDINALITY = (2, 5, 10, 20, 50, 100, 200, 250, 250, 250)


def mixed(n, seed=0, n_test=50_000, p_num=20, missing=0.1):
    """20 numeric columns with NaN, 10 integer-coded categorical columns; binary target."""
    d = tabular(n, p_num, "reg", seed, n_test, noise=0.0)
    r = np.random.default_rng(seed + 1)
    m = n + n_test
    num = np.concatenate([d["X"], d["X_test"]])
    s = np.concatenate([d["y"], d["y_test"]])
    cat = np.stack(
        [np.minimum(r.integers(0, k, m), r.integers(0, k, m)) for k in CARDINALITY], 1
    ).astype(np.int32)
    for j, k in enumerate(CARDINALITY):
        s = s + 0.5 * r.standard_normal(k)[cat[:, j]]
    miss = r.random(num.shape) < missing
    num[miss] = np.nan
    s = s + 0.8 * miss[:, 0] - s.mean()
    y = (r.random(m) < 1 / (1 + np.exp(-2 * s / s.std()))).astype(np.int64)
    return dict(num=num[:n], cat=cat[:n], y=y[:n], num_test=num[n:], cat_test=cat[n:], y_test=y[n:])


def clusters(n, p, k, seed=0, dtype=np.float32, spread=2.0, n_test=0):
    r = np.random.default_rng(seed)
    centers = r.standard_normal((k, p)) * spread
    m = n + n_test
    X = (centers[r.integers(0, k, m)] + r.standard_normal((m, p))).astype(dtype)
    init = X[r.permutation(n)[:k]].copy()
    return dict(X=X[:n], init=init, X_test=X[n:])


def mixture(n, p, k, seed=0):
    """Gaussian mixture with full covariances and a common start for EM."""
    r = np.random.default_rng(seed)
    mu = r.standard_normal((k, p)) * 1.2
    A = r.standard_normal((k, p, p)) / np.sqrt(p)
    z = r.integers(0, k, n)
    X = np.empty((n, p))
    for c in range(k):
        i = z == c
        X[i] = (
            mu[c] + r.standard_normal((i.sum(), p)) @ A[c].T + 0.3 * r.standard_normal((i.sum(), p))
        )
    return dict(
        X=X,
        means_init=mu + 0.3 * r.standard_normal((k, p)),
        precisions_init=np.stack([np.eye(p)] * k),
        weights_init=np.full(k, 1 / k),
    )


def lowrank(n, p, rank=60, seed=0, dtype=np.float64):
    r = np.random.default_rng(seed)
    s = np.exp(-np.arange(rank) / 15.0) * 10
    X = (r.standard_normal((n, rank)) * s) @ r.standard_normal((rank, p)) / np.sqrt(rank)
    X += r.standard_normal((n, p)) + 1.0
    return dict(X=X.astype(dtype))


def classes_gauss(n, p, k=5, seed=0, n_test=20_000):
    r = np.random.default_rng(seed)
    m = n + n_test
    y = r.integers(0, k, m)
    mu, sd = r.standard_normal((k, p)) * 0.4, r.uniform(0.5, 2, (k, p))
    X = mu[y] + sd[y] * r.standard_normal((m, p))
    X[:, 1] += 0.5 * X[:, 0]
    return _split(X, y.astype(np.int64), n_test)


def csv_file(n, p, path, seed=0):
    """One header line, float columns of mixed precision, a few integer columns."""
    if not os.path.exists(path):
        import pandas as pd

        r = np.random.default_rng(seed)
        cols = {}
        for j in range(p):
            if j % 5 == 4:
                cols[f"i{j}"] = r.integers(0, 10 ** (1 + j % 6), n)
            else:
                cols[f"f{j}"] = np.round(r.standard_normal(n) * 10.0 ** (j % 4), 4 + j % 3)
        pd.DataFrame(cols).to_csv(path + ".part", index=False)
        os.replace(path + ".part", path)


def pictures(n, seed=0, n_test=5_000, classes=10):
    """Images of 28 x 28 in [0, 1]: smooth shapes of ten kinds, shifted by up to two points, with noise."""
    r = np.random.default_rng(seed)
    m = n + n_test
    grid = np.linspace(-1, 1, 32)
    yy, xx = np.meshgrid(grid, grid, indexing="ij")
    kinds = []
    for _ in range(classes):
        waves = sum(
            r.standard_normal() * np.cos(np.pi * (a * xx + b * yy) + r.uniform(0, 6.28))
            for a, b in r.integers(0, 4, (6, 2))
        )
        kinds.append(waves)
    y = r.integers(0, classes, m)
    X = np.empty((m, 784), np.float32)
    for i in range(m):
        dy, dx = r.integers(0, 5, 2)
        image = kinds[y[i]][dy : dy + 28, dx : dx + 28] + 1.5 * r.standard_normal((28, 28))
        X[i] = (1 / (1 + np.exp(-image))).ravel()
    return _split(X, y.astype(np.int64), n_test)


def states(n, seed=0, n_test=5_000):
    """Four numbers per row and two classes with a curved border: about the size of an agent's task."""
    r = np.random.default_rng(seed)
    m = n + n_test
    X = r.standard_normal((m, 4)).astype(np.float32)
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) - 0.5 * X[:, 3]
    y = (score + 0.3 * r.standard_normal(m) > 0).astype(np.int64)
    return _split(X, y, n_test)
