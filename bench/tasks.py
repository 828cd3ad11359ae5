"""The tasks: for each its data, sizes, parameters, quality gate and the least work it needs."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import data
import quality

CACHE = Path(
    os.environ.get("ERMINE_BENCH_CACHE") or os.path.join(tempfile.gettempdir(), "ermine-bench")
)


@dataclass
class Task:
    name: str
    group: str
    doc: str
    make: Callable  # (**size) -> dict of arrays
    full: dict  # sizes of the normal run
    quick: dict  # sizes of --quick
    quality: Callable | None  # see quality.py; the first figure it returns is gated
    gate: tuple = ("min", 1e-3)  # which way is good, and the slack relative to the best
    params: dict = field(default_factory=dict)
    quick_params: dict = field(default_factory=dict)  # replaces some of params under --quick
    primary: str = "fit"  # the time that is compared: fit, predict, total, load
    work: Callable | None = None  # (size, params) -> flops64, flops32, bytes, hist: least work
    gate_from: str = ""  # a task whose gate decides here too

    def size(self, quick):
        return self.quick if quick else self.full

    def parameters(self, quick):
        return {**self.params, **(self.quick_params if quick else {})}

    def load(self, quick):
        """Data from the cache folder, made on first use."""
        size = self.size(quick)
        values = (f"{k}{getattr(v, '__name__', v)}" for k, v in sorted(size.items()))
        folder = CACHE / "-".join([self.make.__name__, *values])
        if not (folder / "done").exists():
            folder.mkdir(parents=True, exist_ok=True)
            for k, v in self.make(**size).items():
                if sp.issparse(v):
                    sp.save_npz(folder / f"{k}.npz", v, compressed=False)
                else:
                    np.save(folder / f"{k}.npy", v)
            (folder / "done").touch()
        d = {f.stem: np.load(f) for f in sorted(folder.glob("*.npy"))}
        d.update((f.stem, sp.csr_matrix(sp.load_npz(f))) for f in sorted(folder.glob("*.npz")))
        d["cache_dir"] = str(folder)
        return d


def input_bytes(d):
    """Size of the input of a fit."""
    if "path" in d:
        return os.path.getsize(str(d["path"]))
    given = [d[k] for k in ("X", "y", "num", "cat") if k in d]
    return sum(
        sum(part.nbytes for part in (v.data, v.indices, v.indptr)) if sp.issparse(v) else v.nbytes
        for v in given
    )


TASKS = {}


def add(name, group, doc, make, full, quick, quality, gate, **rest):
    TASKS[name] = Task(name, group, doc, make, full, quick, quality, gate, **rest)


# ---- least work known of a task, for the floor that limits.py turns into seconds


def gram(s, p):
    """One symmetric product X'X and one read of X."""
    return dict(flops64=s["n"] * s["p"] ** 2, bytes=8 * s["n"] * s["p"])


def reads(passes=1, width=8, per_row=None):
    """That many passes over the data; for sparse data `per_row` entries a row."""
    return lambda s, p: dict(bytes=passes * width * s["n"] * (per_row or s["p"]))


def distances(s, p):
    return dict(flops32=2.0 * s["n"] * s["n_test"] * s["p"])


def histograms(leaves, outputs=1):
    """Rows put in histograms: the root and, by subtraction, at most half of each level below."""
    levels = 1 + 0.5 * (np.log2(leaves) - 1)
    return lambda s, p: dict(hist=s["n"] * s.get("p", 30) * p["iters"] * outputs * levels)


# ---- linear models

TALL = dict(n=1_000_000, p=50), dict(n=100_000, p=50)
WIDE = dict(n=20_000, p=1000), dict(n=5_000, p=400)
EXACT = ("min", 1e-8)
for shape, (full, quick) in (("tall", TALL), ("wide", WIDE)):
    add(f"ols_{shape}", "linear", "least squares with intercept",
        data.regression, full, quick, quality.least_squares, EXACT, work=gram)
    add(f"ridge_{shape}", "linear", "ridge alpha=10 with intercept",
        data.regression, full, quick, quality.least_squares, EXACT,
        params=dict(alpha=10.0), work=gram)


add("quantile", "linear", "quantile 0.9 without penalty",
    data.outliers, dict(n=20_000, p=20), dict(n=4_000, p=10), quality.pinball, ("min", 1e-6),
    params=dict(quantile=0.9, alpha=0.0), work=reads())
add("quantile_l1", "linear", "median with penalty",
    data.outliers, dict(n=10_000, p=50), dict(n=2_000, p=20), quality.pinball, ("min", 1e-6),
    params=dict(quantile=0.5, alpha=0.02), work=reads())
add("huber", "linear", "Huber with scale, epsilon=1.35, alpha=1e-4, a tenth of the targets far off",
    data.outliers, dict(n=200_000, p=50), dict(n=20_000, p=20), quality.huber, ("min", 1e-6),
    params=dict(epsilon=1.35, alpha=1e-4), work=gram)


def _largest_penalty(d, intercept):
    """The smallest lasso penalty at which every coefficient is zero."""
    r = d["y"] - d["y"].mean() if intercept else d["y"]
    return float(np.abs(d["X"].T @ r).max() / len(r))


def penalty(ratio, intercept=True):
    return lambda d: ratio * _largest_penalty(d, intercept)


def penalty_path(d):
    return _largest_penalty(d, True) * np.logspace(0, -2, 100)


LASSO = dict(n=20_000, p=2000), dict(n=4_000, p=500)
TEXT = dict(n=50_000, p=100_000), dict(n=8_000, p=20_000)
TEXT_REG, TEXT_BINARY = (
    tuple(dict(size, target=target) for size in TEXT) for target in ("reg", "binary")
)
add("lasso_dense", "lasso", "one penalty, 1/50 of the largest",
    data.regression, *LASSO, quality.lasso, ("min", 1e-6),
    params=dict(alpha_of=penalty(0.02), intercept=True), work=reads())
add("enet_dense", "lasso", "1/50 of the largest penalty, l1_ratio 0.5",
    data.regression, *LASSO, quality.lasso, ("min", 1e-6),
    params=dict(alpha_of=penalty(0.02), l1_ratio=0.5, intercept=True), work=reads())
add("lasso_path", "lasso", "100 penalties, from the largest to 1/100 of it",
    data.regression, *LASSO, quality.lasso_path, ("min", 1e-6),
    params=dict(alphas_of=penalty_path), work=gram)
add("lasso_sparse", "lasso", "text-like CSR, 1/20 of the largest penalty, no intercept",
    data.text, *TEXT_REG, quality.lasso, ("min", 1e-6),
    params=dict(alpha_of=penalty(0.05, False), intercept=False),
    work=reads(width=12, per_row=100))

# The passes assumed in `work` are what good solvers take, so these floors are estimates.
add("logreg_dense", "logistic", "L2, C=1, no intercept",
    data.binary_linear, dict(n=500_000, p=50), dict(n=60_000, p=50),
    quality.logistic, ("min", 1e-6), params=dict(C=1.0),
    work=lambda s, p: {k: 5 * v for k, v in gram(s, p).items()})
add("logreg_sparse", "logistic", "L2, C=10, text-like CSR",
    data.text, *TEXT_BINARY, quality.logistic, ("min", 1e-6), params=dict(C=10.0),
    work=reads(30, 12, 100))
add("logreg_l1_sparse", "logistic", "L1, C=1, text-like CSR",
    data.text, *TEXT_BINARY, quality.logistic, ("min", 1e-6),
    params=dict(C=1.0, penalty="l1"))
add("glm_poisson", "glm", "Poisson with log link, alpha=1e-4, with intercept",
    data.counts, dict(n=500_000, p=50), dict(n=60_000, p=50),
    quality.poisson, ("min", 1e-6), params=dict(alpha=1e-4),
    work=lambda s, p: {k: 5 * v for k, v in gram(s, p).items()})
add("softmax_mnist", "logistic", "10 classes, image-like, L2 C=0.01, no intercept",
    data.images, dict(n=60_000), dict(n=3_000, n_test=1_000),
    quality.softmax, ("min", 1e-4), params=dict(C=0.01),
    work=lambda s, p: dict(flops64=40 * 4 * s["n"] * 7840, bytes=40 * 8 * s["n"] * 784))
add("softmax_digits", "logistic", "10 classes, 1500 x 64 real digits, L2 C=1, no intercept",
    data.digits, {}, {}, quality.softmax, ("min", 1e-4), params=dict(C=1.0))

SQUARED = dict(C=1.0, loss="squared_hinge")
add("linsvm_dense", "linsvm", "squared hinge, C=1",
    data.binary_linear, dict(n=200_000, p=50), dict(n=30_000, p=50),
    quality.linear_svm, ("min", 1e-4), params=SQUARED, work=reads(10))
add("linsvm_sparse", "linsvm", "squared hinge, C=1, text-like CSR",
    data.text, *TEXT_BINARY, quality.linear_svm, ("min", 1e-4), params=SQUARED,
    work=reads(10, 12, 100))
add("linsvm_hinge_sparse", "linsvm", "hinge, C=1, text-like CSR",
    data.text, *TEXT_BINARY, quality.linear_svm, ("min", 1e-3),
    params=dict(C=1.0, loss="hinge"))

# The same number of epochs for all; the last steps leave the objective within a few percent.
for loss in ("hinge", "log_loss"):
    epochs = dict(loss=loss, alpha=1e-5, epochs=10)
    add(f"sgd_{loss}_dense", "sgd", f"{loss}, alpha 1e-5, 10 epochs a row at a time",
        data.binary_linear, dict(n=500_000, p=50), dict(n=60_000, p=50),
        quality.steps, ("min", 0.03), params=epochs, work=reads(10))
    add(f"sgd_{loss}_sparse", "sgd", f"{loss}, alpha 1e-5, 10 epochs a row at a time, text-like CSR",
        data.text, *TEXT_BINARY, quality.steps, ("min", 0.03), params=epochs,
        work=reads(10, 12, 100))


# ---- kernel machines and neighbors


def table(n, p, task, n_test, **rest):
    return dict(n=n, p=p, task=task, n_test=n_test, **rest)


F64 = dict(dtype=np.float64)
# At the tolerance of LIBSVM, and at one where a solution in single precision no longer does.
for name, tol in (("", 1e-3), ("_fine", 1e-6)):
    add(f"svc_rbf_20{name}", "svm", f"RBF classifier, C=1, tol {tol:g}",
        data.tabular, table(20_000, 20, "binary", 5_000, **F64),
        table(2_500, 20, "binary", 1_000, **F64),
        quality.svm, ("min", tol), params=dict(C=1.0, gamma=0.05, tol=tol))
    add(f"svc_rbf_784{name}", "svm", f"RBF classifier, 10 classes in pairs, image-like, tol {tol:g}",
        data.images, dict(n=5_000), dict(n=800, n_test=500),
        quality.error_rate, ("min", 0.1), params=dict(C=5.0, gamma=0.03, tol=tol))
    add(f"svr_rbf{name}", "svm", f"RBF regressor, C=1, epsilon 0.1, tol {tol:g}",
        data.tabular, table(10_000, 20, "reg", 5_000, **F64),
        table(2_000, 20, "reg", 1_000, **F64),
        quality.svm, ("min", tol), params=dict(C=1.0, gamma=0.05, epsilon=0.1, tol=tol))
add("kernel_ridge", "kernel", "RBF, alpha=0.1",
    data.tabular, table(5_000, 20, "reg", 5_000, **F64), table(1_500, 20, "reg", 1_000, **F64),
    quality.rmse, ("min", 1e-6), params=dict(alpha=0.1, gamma=0.05),
    work=lambda s, p: dict(flops64=s["n"] ** 3 / 3 + s["n"] ** 2 * s["p"]))
add("kernel_pca", "kernel", "RBF, 10 components",
    data.tabular, table(3_000, 20, "reg", 1_000, **F64), table(1_000, 20, "reg", 1_000, **F64),
    quality.kernel_pca, ("max", 1e-6), params=dict(k=10, gamma=0.05),
    work=lambda s, p: dict(bytes=30 * 8 * s["n"] ** 2))
for width in (20, 128):
    size = dict(p=width, k=50, spread=0.7)
    add(f"knn_{width}", "knn", "exact 10 neighbors, f32",
        data.clusters, dict(size, n=100_000, n_test=5_000), dict(size, n=20_000, n_test=1_000),
        quality.neighbors, ("min", 1e-5), params=dict(k=10), primary="total", work=distances)

# ---- trees

CART = table(100_000, 50, "binary", 20_000), table(8_000, 50, "binary", 4_000)
CART_REG = table(100_000, 50, "reg", 20_000), table(8_000, 50, "reg", 4_000)
FEW = dict(trees=20)
add("tree_cls", "tree", "one CART, gini, at least 20 rows per leaf",
    data.tabular, *CART, quality.auc, ("max", 0.02), params=dict(min_leaf=20))
add("rf_cls", "tree", "100 trees, 7 features a split, to purity",
    data.tabular, *CART, quality.auc, ("max", 0.02),
    params=dict(trees=100, max_features=7), quick_params=FEW)
add("rf_reg", "tree", "100 trees, 16 features a split, at least 5 rows per leaf",
    data.tabular, *CART_REG, quality.rmse, ("min", 0.02),
    params=dict(trees=100, max_features=16, min_leaf=5), quick_params=FEW)
add("adaboost", "tree", "50 stumps, SAMME",
    data.tabular, table(100_000, 20, "binary", 20_000), table(15_000, 20, "binary", 5_000),
    quality.auc, ("max", 0.01), params=dict(rounds=50), quick_params=dict(rounds=15))

BOOST, BOOST_QUICK = dict(iters=100, leaves=63, bins=255, lr=0.1), dict(iters=30)
add("gbdt_higgs", "gbdt", "binary, 100 trees of 63 leaves, 255 bins, rate 0.1",
    data.tabular, table(1_000_000, 28, "binary", 100_000), table(40_000, 28, "binary", 20_000),
    quality.auc, ("max", 0.005), params=BOOST, quick_params=BOOST_QUICK, work=histograms(63))
add("gbdt_reg", "gbdt", "regression, 100 trees of 63 leaves",
    data.tabular, table(100_000, 100, "reg", 50_000), table(10_000, 100, "reg", 10_000),
    quality.rmse, ("min", 0.03), params=BOOST, quick_params=BOOST_QUICK, work=histograms(63))
add("gbdt_multi", "gbdt", "10 classes, 30 rounds, 31 leaves",
    data.tabular, table(100_000, 30, "multi", 50_000), table(10_000, 30, "multi", 10_000),
    quality.log_loss, ("min", 0.03), params=dict(BOOST, iters=30, leaves=31),
    quick_params=dict(iters=5), work=histograms(31, 10))
add("gbdt_cat", "gbdt", "20 numeric columns with NaN, 10 categorical of 2 to 250 levels",
    data.mixed, dict(n=200_000), dict(n=20_000, n_test=10_000),
    quality.auc, ("max", 0.005), params=BOOST, quick_params=BOOST_QUICK, work=histograms(63))

# ---- Bayes and discriminants

GAUSS = dict(n=1_000_000, p=50), dict(n=100_000, p=50)
add("gnb", "bayes", "Gaussian naive Bayes, 5 classes",
    data.classes_gauss, *GAUSS, quality.accuracy, ("max", 1e-4), work=reads())
TEXTS = dict(n=50_000, p=50_000), dict(n=5_000, p=10_000)
add("mnb_text", "bayes", "multinomial naive Bayes on CSR counts, 20 classes, fit and 5000 predictions",
    data.documents, *TEXTS, quality.accuracy, ("max", 1e-4), primary="total", work=reads(width=12, per_row=80))
add("bnb_text", "bayes", "Bernoulli naive Bayes on CSR counts, 20 classes, fit and 5000 predictions",
    data.documents, *TEXTS, quality.accuracy, ("max", 1e-4), primary="total", work=reads(width=12, per_row=80))
add("lda", "bayes", "linear discriminant analysis, 5 classes",
    data.classes_gauss, *GAUSS, quality.accuracy, ("max", 1e-3), work=gram)
add("qda", "bayes", "quadratic discriminant analysis, 5 classes",
    data.classes_gauss, *GAUSS, quality.accuracy, ("max", 1e-3), work=gram)


# ---- clusters and components

add("dbscan", "cluster", "eps 0.3, at least 10 rows, 2 columns",
    data.clusters, dict(n=100_000, p=2, k=50, spread=20.0, **F64), dict(n=10_000, p=2, k=50, spread=20.0, **F64),
    quality.groups, ("max", 1e-9), params=dict(eps=0.3, min_samples=10))
add("ward", "cluster", "the whole tree of 5000 rows, 20 columns, cut into 50",
    data.clusters, dict(n=5_000, p=20, k=50, spread=2.0, **F64), dict(n=1_000, p=20, k=50, spread=2.0, **F64),
    quality.groups, ("max", 1e-9), params=dict(k=50))


def lloyd(s, p):
    rows = s["n"] * s["p"] * p["iters"]
    return dict(flops32=2.0 * rows * s["k"], bytes=4 * rows)


# The spread is such that nobody converges, and stops, before the last iteration.
for shape, n, p, k, iters, spread in (
    ("1e6x20_k10", 1_000_000, 20, 10, 20, 0.5),
    ("1e6x20_k100", 1_000_000, 20, 100, 10, 0.5),
    ("1e5x128_k10", 100_000, 128, 10, 20, 0.15),
    ("1e5x128_k100", 100_000, 128, 100, 20, 0.5),
):
    size = dict(p=p, k=k, spread=spread)
    add(f"kmeans_{shape}", "cluster", f"Lloyd, given start, {iters} iterations, tol 0, f32",
        data.clusters, dict(size, n=n), dict(size, n=n // 10),
        quality.kmeans, ("min", 2e-3), params=dict(iters=iters), work=lloyd)
add("gmm", "cluster", "EM, full covariance, given start, 20 iterations",
    data.mixture, dict(n=100_000, p=20, k=10), dict(n=20_000, p=20, k=10),
    quality.mixture, ("min", 1e-3), params=dict(iters=20),
    work=lambda s, p: dict(flops64=2.0 * s["n"] * s["k"] * s["p"] ** 2 * p["iters"]))
add("pca_full", "pca", "50 components, exact",
    data.lowrank, dict(n=100_000, p=500), dict(n=10_000, p=300),
    quality.pca, ("max", 1e-8), params=dict(k=50), work=gram)
add("pca_rand", "pca", "10 components, randomized with 4 power iterations or better",
    data.lowrank, dict(n=100_000, p=500), dict(n=10_000, p=300),
    quality.pca, ("max", 2e-3), params=dict(k=10, power=4), work=gram)

add("pca_wide", "pca", "10 components of many columns, randomized with 4 power iterations or better",
    data.lowrank, dict(n=10_000, p=5000), dict(n=2_000, p=1500),
    quality.pca, ("max", 2e-3), params=dict(k=10, power=4),
    work=lambda s, p: dict(flops64=4.0 * s["n"] * s["p"] * (p["k"] + 10) * 2, bytes=3 * 8 * s["n"] * s["p"]))

# ---- model selection, tables, prediction alone, model files

add("grid_logreg", "cv", "5 folds x 6 values of C",
    data.binary_linear, dict(n=100_000, p=50), dict(n=20_000, p=50),
    quality.cv_score, ("max", 1e-3), params=dict(Cs=[1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0], folds=5))
for name, make, values in (
    ("ridge", data.regression, np.logspace(-3, 3, 20)),
    ("logistic", data.binary_linear, np.logspace(-3, 2, 20)),
    ("lda", data.binary_linear, np.linspace(0, 1, 20)),
):
    add(f"grid_{name}", "cv", "5 folds x 20 penalties, without the last fit",
        make, dict(n=100_000, p=50), dict(n=20_000, p=50), quality.cv_score, ("max", 1e-4),
        params=dict(values=values.tolist(), folds=5))
add("grid_rf", "cv", "3 folds x 6 random forests of 30 trees",
    data.tabular, table(20_000, 20, "binary", 5_000), table(4_000, 20, "binary", 1_000),
    quality.cv_score, ("max", 0.01),
    params=dict(depth=[6, 10, 14], feats=[4, 8], trees=30, folds=3))


def csv_table(n, p):
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"table-{n}x{p}.csv"
    data.csv_file(n, p, str(path))
    return dict(path=np.array(str(path)))


add("csv_read", "csv", "read to a row-major f64 array",
    csv_table, dict(n=1_000_000, p=30), dict(n=100_000, p=30),
    quality.checksum, ("max", 1e-9))

SCORE = table(200_000, 28, "binary", 1_000_000), table(20_000, 28, "binary", 100_000)
for name, rows in (("1row", 1), ("1k", 1000), ("1m", None)):
    add(f"predict_{name}", "latency", "prediction of 100 boosted trees of 63 leaves, f32 rows",
        data.tabular, *SCORE, quality.auc_of_many, ("max", 0.005), params=dict(BOOST, rows=rows),
        quick_params=BOOST_QUICK, primary="predict", gate_from="predict_1m")
add("io_gbdt", "io", "save and load of the boosted trees",
    data.tabular, *SCORE, None, ("min", 0), params=dict(BOOST, rows=1000),
    quick_params=BOOST_QUICK, primary="load", gate_from="predict_1m")
add("io_rf", "io", "save and load of a random forest",
    data.tabular, *CART, None, ("min", 0),
    params=dict(trees=100, max_features=7, rows=1000), quick_params=FEW, primary="load")

# ---- networks: so many epochs of Adam, from drawn weights; equal loss on test rows

NETS = dict(n=20_000), dict(n=4_000, n_test=1_000)
add("mlp_784", "neural", "784-256-128-10, ReLU, batches of 128",
    data.pictures, *NETS, quality.log_loss, ("min", 0.1),
    params=dict(hidden=(256, 128), batch=128, epochs=5, rate=1e-3))
add("mlp_tiny", "neural", "4-64-64-2, ReLU, batches of 64",
    data.states, dict(n=64_000), dict(n=6_400, n_test=1_000), quality.log_loss, ("min", 0.1),
    params=dict(hidden=(64, 64), batch=64, epochs=5, rate=1e-3))
add("lenet", "neural", "5x5x6, pool, 5x5x16, pool, 120, 84; batches of 64",
    data.pictures, dict(n=10_000), dict(n=2_000, n_test=1_000), quality.log_loss, ("min", 0.2),
    params=dict(net="lenet", batch=64, epochs=3, rate=1e-3))
add("convnet_bn", "neural", "3x3x32 and 3x3x64 with batch norm, pools, dropout, 128; batches of 64",
    data.pictures, dict(n=5_000), dict(n=1_000, n_test=500), quality.log_loss, ("min", 0.3),
    params=dict(net="bn", batch=64, epochs=2, rate=1e-3))
add("autoencoder", "neural", "784-128-32-128-784, ReLU, batches of 128",
    data.pictures, *NETS, quality.reconstruction, ("min", 0.05),
    params=dict(hidden=(128,), codes=32, batch=128, epochs=5, rate=1e-3))
for name, base in (("mlp_784", "mlp_784"), ("mlp_tiny", "mlp_tiny"), ("lenet", "lenet")):
    t = TASKS[base]
    add(f"{name}_1row", "neural", f"one row through the network of {base}",
        t.make, t.full, t.quick, None, ("min", 0), params=dict(t.params, epochs=1, rows=1),
        primary="predict", gate_from=base)
