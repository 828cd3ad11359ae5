"""Grid searches beside scikit-learn's GridSearchCV: 20 values in 5 folds on the same rows and folds, two threads each.

    cargo build --release -p ermine-auto --example grid_search
    python bench/grid_search.py target/release/examples/grid_search [--rows 100000] [--rounds 3]

Rounds alternate between the two. Printed are the medians, their ratio, whether both choose the same value, and the largest
difference of the mean scores relative to the best of them.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

THREADS = 2
FOLDS = 5
GRIDS = {
    "ridge": np.logspace(-3, 3, 20),
    "logistic": np.logspace(-3, 2, 20),
    "lda": np.linspace(0, 1, 20),
}


def make(folder, rows, cols, seed=0):
    """Columns that depend on each other, and targets that noise keeps from being known."""
    rng = np.random.default_rng(seed)
    mix = 0.5 * rng.normal(size=(cols, cols)) / np.sqrt(cols) + np.eye(cols)
    x = rng.normal(size=(rows, cols)) @ mix
    score = x @ rng.normal(size=cols) / np.sqrt(cols)
    y = score + rng.normal(size=rows) * 2
    label = (score + rng.logistic(size=rows) > 0).astype(np.uint32)
    fold = rng.permutation(np.arange(rows, dtype=np.uint32) % FOLDS)
    for name, values in {"x": x, "y": y, "class": label, "fold": fold}.items():
        np.ascontiguousarray(values).tofile(folder / f"{name}.bin")
    shape = {"rows": rows, "cols": cols, "folds": FOLDS, "threads": THREADS}
    shape |= {name: grid.tolist() for name, grid in GRIDS.items()}
    (folder / "shape.json").write_text(json.dumps(shape))
    return x, y, label, fold


def search(name, x, y, label, fold):
    """Seconds, best value and mean scores of scikit-learn."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import GridSearchCV, PredefinedSplit

    estimator, parameter, scoring, sign, target = {
        "ridge": (Ridge(), "alpha", "r2", 1, y),
        "logistic": (LogisticRegression(max_iter=1000), "C", "neg_log_loss", -1, label),
        "lda": (LinearDiscriminantAnalysis(solver="lsqr"), "shrinkage", "accuracy", 1, label),
    }[name]
    grid = GridSearchCV(
        estimator,
        {parameter: GRIDS[name]},
        scoring=scoring,
        cv=PredefinedSplit(fold),
        refit=False,
        n_jobs=THREADS,
    )
    started = time.perf_counter()
    grid.fit(x, target)
    seconds = time.perf_counter() - started
    return seconds, grid.best_params_[parameter], sign * grid.cv_results_["mean_test_score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--cols", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(GRIDS))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = make(Path(folder), args.rows, args.cols)
        for name in args.only:
            ours, theirs = [], []
            for _ in range(args.rounds):
                out = subprocess.run([args.binary, folder, name], capture_output=True, text=True, check=True)
                found = json.loads(out.stdout)
                ours.append(found["seconds"])
                seconds, best, scores = search(name, *data)
                theirs.append(seconds)
            gap = np.max(np.abs(np.array(found["scores"]) - scores)) / np.max(np.abs(scores))
            same = "same best" if np.isclose(best, found["best"]) else f"best {found['best']} and {best}"
            a, b = median(ours), median(theirs)
            print(f"{name:9} ermine {a:7.3f} s   scikit-learn {b:7.3f} s   {b / a:5.1f} x   {same}, scores within {gap:.1e}")


if __name__ == "__main__":
    main()
