"""The best model of a time, against AutoGluon, FLAML, LightGBM and CatBoost: test scores, regret, ranks, time and memory.

    python bench/auto.py DATA [--budget 60] [--splits 3] [--tables adult,bike,...] [--contestants ermine,lightgbm,...]
                         [--binary target/release/ermine] [--out results.json]

DATA is a folder with the public tables named in TABLES; scikit-learn's own come with it. Every contestant gets the same
training rows as a CSV file (the peers as a data frame of the same types), two threads and the same seconds; peers without a
budget of their own (LightGBM, CatBoost) have their defaults. Peers that are not installed are left out, and that is said.
Classes are scored by accuracy and log loss, numbers by RMSE; regret is the distance to the best of the table, divided by
that of a constant to the best. Machines are noisy: a run says how busy the machine was.
"""

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import train_test_split

THREADS = 2
# Name: file, target, whether it has classes, columns that give the target away or are no columns.
TABLES = {
    "adult": ("adult_train.csv.gz", "income", True, []),
    "german": ("german_credit.csv.gz", "risk", True, []),
    "titanic": ("titanic.csv.gz", "Survived", True, ["PassengerId", "Name", "Ticket"]),
    "penguins": ("penguins.csv.gz", "species", True, []),
    "mushrooms": ("mushrooms.csv.gz", "class", True, []),
    "electricity": ("electricity.csv.gz", "up", True, []),
    "covtype": ("covtype.csv.gz", "cover_type", True, []),
    "wine-quality": ("wine_quality.csv.gz", "quality", False, []),
    "california": ("california_housing.csv.gz", "median_house_value", False, []),
    "bike": ("bike_sharing_hour.csv.gz", "cnt", False, ["casual", "registered", "instant", "dteday"]),
    "mtpl": ("be_mtpl97.csv.gz", "nclaims", False, ["id", "average", "amount"]),
}
OWN = {"breast-cancer": (datasets.load_breast_cancer, True), "digits": (datasets.load_digits, True),
       "wine": (datasets.load_wine, True), "diabetes": (datasets.load_diabetes, False)}


def read(folder, name):
    """The rows, the target, and whether it has classes."""
    if name in OWN:
        load, classes = OWN[name]
        x, y = load(return_X_y=True, as_frame=True)
    else:
        file, target, classes, drop = TABLES[name]
        frame = pd.read_csv(Path(folder) / file)
        y, x = frame[target], frame.drop(columns=[target, *(c for c in drop if c in frame)])
    x.columns = [str(c).replace(" ", "_").replace("(", "").replace(")", "") for c in x.columns]
    for c in x.columns:
        if not pd.api.types.is_numeric_dtype(x[c]):
            x[c] = x[c].astype("category")
    return x, (y.astype(str).map(lambda v: f"c{v}") if classes else y.astype(float)), classes


def ermine(binary):
    def run(x, y, test, classes, budget, names, folder):
        table = x.copy()
        table["the_target"] = y.to_numpy()
        train, asked, model, out = (str(Path(folder) / f) for f in ("train.csv", "test.csv", "m.ermine", "out.csv"))
        table.to_csv(train, index=False)
        test.to_csv(asked, index=False)
        task = ["--task", "classification" if classes else "regression", "--type",
                f"the_target={'category' if classes else 'number'}"]
        kinds = [a for c in x.columns if x[c].dtype == "category" for a in ("--type", f"{c}=category")]
        common = ["--threads", str(THREADS), "--quiet"]
        metric = "log_loss" if classes else "rmse"
        started = time.perf_counter()
        fit = subprocess.run([binary, "fit", train, "--target", "the_target", "--metric", metric, "--budget", f"{budget}s",
                              "-o", model, "--json", *task, *kinds, *common], check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        found = json.loads(fit.stdout)
        started = time.perf_counter()
        subprocess.run([binary, "predict", model, asked, "-o", out, *(["--proba"] if classes else []), *common], check=True,
                       capture_output=True)
        predicting = time.perf_counter() - started
        got = pd.read_csv(out)
        more = {"said": found.get("score"), "kept": found["leaderboard"][0]["model"] if found.get("leaderboard") else None}
        if not classes:
            return got.iloc[:, 0].to_numpy(), seconds, predicting, more
        columns = [next(c for c in got.columns if c != "prediction" and c.endswith(n)) for n in names]
        return got[columns].to_numpy(), seconds, predicting, more

    return run


def of_estimator(make):
    """A peer with fit and predict."""

    def run(x, y, test, classes, budget, names, folder):
        started = time.perf_counter()
        model = make(x, y, classes, budget)
        seconds = time.perf_counter() - started
        started = time.perf_counter()
        p = model.predict_proba(test) if classes else model.predict(test)
        predicting = time.perf_counter() - started
        if classes:
            p = np.asarray(p)[:, [list(model.classes_).index(n) for n in names]]
        return np.asarray(p), seconds, predicting, {}

    return run


def lightgbm(x, y, classes, budget):
    import lightgbm

    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    return kind(n_jobs=THREADS, verbose=-1, random_state=0).fit(x, y)


def catboost(x, y, classes, budget):
    import catboost

    x = x.copy()
    columns = [c for c in x.columns if x[c].dtype == "category"]

    class Filled:
        """Missing categories are a name of their own."""

        def __init__(self):
            kind = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
            self.model = kind(thread_count=THREADS, verbose=False, random_seed=0, cat_features=columns)
            self.model.fit(self.filled(x), y)
            self.classes_ = getattr(self.model, "classes_", None)

        def filled(self, x):
            x = x.copy()
            for c in columns:
                x[c] = x[c].astype(object).where(x[c].notna(), "missing").astype(str)
            return x

        def predict(self, x):
            return self.model.predict(self.filled(x))

        def predict_proba(self, x):
            return self.model.predict_proba(self.filled(x))

    return Filled()


def flaml(x, y, classes, budget):
    from flaml import AutoML

    model = AutoML()
    model.fit(x, y, task="classification" if classes else "regression", metric="log_loss" if classes else "rmse",
              time_budget=budget, n_jobs=THREADS, verbose=0, seed=0)
    return model


def autogluon(preset):
    def make(x, y, classes, budget):
        from autogluon.tabular import TabularPredictor

        table = x.copy()
        table["the_target"] = y.to_numpy()
        kind = ("binary" if y.nunique() == 2 else "multiclass") if classes else "regression"
        predictor = TabularPredictor("the_target", problem_type=kind, verbosity=0, path=tempfile.mkdtemp(),
                                     eval_metric="log_loss" if classes else "root_mean_squared_error")
        predictor.fit(table, time_limit=budget, presets=preset, num_cpus=THREADS, num_gpus=0)

        class Model:
            classes_ = predictor.class_labels if classes else None

            def predict(self, x):
                return predictor.predict(x)

            def predict_proba(self, x):
                return predictor.predict_proba(x)[predictor.class_labels]

        return Model()

    return make


def contestants(binary):
    peers = {
        "lightgbm": ("lightgbm", of_estimator(lightgbm)),
        "catboost": ("catboost", of_estimator(catboost)),
        "flaml": ("flaml", of_estimator(flaml)),
        "autogluon": ("autogluon.tabular", of_estimator(autogluon("medium_quality"))),
        "autogluon-best": ("autogluon.tabular", of_estimator(autogluon("best_quality"))),
    }
    out = {"ermine": ermine(binary)}
    for name, (module, run) in peers.items():
        try:
            there = importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:
            there = False
        if there:
            out[name] = run
        else:
            print(f"{name} is not installed and left out", file=sys.stderr)
    return out


def scores(truth, p, names, classes):
    """Loss to rank by, and others."""
    if not classes:
        error = np.asarray(truth, float) - p
        return {"loss": float(np.sqrt(np.mean(error**2))), "r2": float(1 - np.sum(error**2) / np.sum((truth - truth.mean()) ** 2))}
    p = np.clip(p, 1e-15, 1)
    p = p / p.sum(axis=1, keepdims=True)
    codes = np.array([names.index(t) for t in truth])
    return {"loss": float(-np.mean(np.log(p[np.arange(len(p)), codes]))), "accuracy": float(np.mean(p.argmax(axis=1) == codes))}


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("data")
    ask.add_argument("--budget", type=float, default=60)
    ask.add_argument("--splits", type=int, default=3)
    ask.add_argument("--tables", default=",".join([*TABLES, *OWN]))
    ask.add_argument("--contestants")
    ask.add_argument("--binary", default="target/release/ermine")
    ask.add_argument("--out")
    args = ask.parse_args()
    field = contestants(args.binary)
    if args.contestants:
        field = {n: r for n, r in field.items() if n in args.contestants.split(",")}
    results = []
    for name in args.tables.split(","):
        x, y, classes = read(args.data, name)
        for split in range(args.splits):
            train, test = train_test_split(np.arange(len(y)), test_size=0.25, random_state=split, stratify=y if classes else None)
            names = sorted(y.iloc[train].unique()) if classes else []
            parts = x.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True), x.iloc[test].reset_index(drop=True)
            truth = y.iloc[test].to_numpy()
            constant = np.tile([np.mean(parts[1] == n) for n in names], (len(test), 1)) if classes else np.full(len(test), parts[1].mean())
            base = scores(truth, constant, names, classes)["loss"]
            for who, run in field.items():
                row = {"table": name, "split": split, "contestant": who, "budget": args.budget, "constant": base,
                       "busy": os.getloadavg()[0]}
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        p, seconds, predicting, more = run(*parts, classes, args.budget, names, folder)
                    row |= scores(truth, p, names, classes) | {"seconds": seconds, "predict_seconds": predicting} | more
                except Exception as error:  # A peer that fails is a result too.
                    row["error"] = (getattr(error, "stderr", None) or repr(error))[-300:]
                row["peak_kb"] = resource.getrusage(resource.RUSAGE_CHILDREN if who == "ermine" else resource.RUSAGE_SELF).ru_maxrss
                results.append(row)
                print(json.dumps(row), flush=True)
    summary(results, list(field))
    if args.out:
        Path(args.out).write_text(json.dumps(results, indent=1))


def summary(results, field):
    frame = pd.DataFrame(results)
    if "loss" not in frame:
        return
    table = frame.pivot_table(index=["table", "split"], columns="contestant", values="loss").reindex(columns=field)
    constant = frame.groupby(["table", "split"])["constant"].first()
    best = table.min(axis=1)
    regret = table.sub(best, axis=0).div((constant - best).clip(lower=1e-12), axis=0)
    ranks = table.rank(axis=1)
    print(table.groupby("table").mean().to_string(float_format="%.4f"))
    print("\nmean rank\n" + ranks.mean().to_string(float_format="%.2f"))
    print("\nmean regret\n" + regret.mean().to_string(float_format="%.4f"))
    print("\nworst regret\n" + regret.max().to_string(float_format="%.4f"))
    print("\nseconds, most\n" + frame.groupby("contestant")["seconds"].max().to_string(float_format="%.1f"))
    print(f"\nload of the machine: {frame['busy'].mean():.1f} on average, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
