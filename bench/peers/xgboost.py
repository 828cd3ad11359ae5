"""XGBoost (hist)."""

import numpy as np

from contestant import Contestant

PACKAGES = ("xgboost-cpu", "xgboost")
TASKS = {}


def params(p, **kw):
    return dict(
        tree_method="hist",
        grow_policy="lossguide",
        max_depth=0,
        max_leaves=p["leaves"],
        max_bin=p["bins"] + 1,
        learning_rate=p["lr"],
        nthread=p["threads"],
        verbosity=0,
        seed=0,
        **kw,
    )


def booster(**kw):
    def factory(d, p):
        import xgboost as xgb

        def fit():
            m = xgb.train(
                params(p, **kw),
                xgb.QuantileDMatrix(d["X"], d["y"], max_bin=p["bins"] + 1, nthread=p["threads"]),
                p["iters"],
            )
            return m

        return Contestant(fit, lambda m: m.inplace_predict(d["X_test"]))

    return factory


TASKS["gbdt_higgs"] = booster(objective="binary:logistic")
TASKS["gbdt_reg"] = booster(objective="reg:squarederror")
TASKS["gbdt_multi"] = booster(objective="multi:softprob", num_class=10)
TASKS["gbdt_higgs:depthwise-6"] = lambda d, p: depthwise(d, p, objective="binary:logistic")
TASKS["gbdt_reg:depthwise-6"] = lambda d, p: depthwise(d, p, objective="reg:squarederror")


def depthwise(d, p, **kw):
    import xgboost as xgb

    q = dict(params(p, **kw), grow_policy="depthwise", max_depth=6, max_leaves=0)
    return Contestant(
        lambda: xgb.train(
            q,
            xgb.QuantileDMatrix(d["X"], d["y"], max_bin=p["bins"] + 1, nthread=p["threads"]),
            p["iters"],
        ),
        lambda m: m.inplace_predict(d["X_test"]),
    )


def cat(d, p):
    import xgboost as xgb

    types = ["q"] * d["num"].shape[1] + ["c"] * d["cat"].shape[1]

    def matrix(num, c, y=None):
        return xgb.QuantileDMatrix(
            np.hstack([num, c.astype(np.float32)]),
            y,
            feature_types=types,
            enable_categorical=True,
            max_bin=p["bins"] + 1,
            nthread=p["threads"],
        )

    def dmatrix(num, c):
        return xgb.DMatrix(
            np.hstack([num, c.astype(np.float32)]),
            feature_types=types,
            enable_categorical=True,
            nthread=p["threads"],
        )

    return Contestant(
        lambda: xgb.train(
            params(p, objective="binary:logistic"), matrix(d["num"], d["cat"], d["y"]), p["iters"]
        ),
        lambda m: m.predict(dmatrix(d["num_test"], d["cat_test"])),
    )


TASKS["gbdt_cat"] = cat


def forest(objective):
    def factory(d, p):
        import xgboost as xgb

        q = dict(
            objective=objective,
            tree_method="hist",
            max_depth=0,
            max_leaves=4096,
            grow_policy="lossguide",
            learning_rate=1.0,
            reg_lambda=0.0,
            subsample=0.632,
            num_parallel_tree=p["trees"],
            colsample_bynode=p["max_features"] / d["X"].shape[1],
            min_child_weight=p.get("min_leaf", 1) * (1.0 if objective.startswith("reg") else 0.1),
            nthread=p["threads"],
            verbosity=0,
            seed=0,
        )
        return Contestant(
            lambda: xgb.train(q, xgb.QuantileDMatrix(d["X"], d["y"], nthread=p["threads"]), 1),
            lambda m: m.inplace_predict(d["X_test"]),
        )

    return factory


TASKS["rf_cls:rf-4096-leaves"] = forest("binary:logistic")
TASKS["rf_reg:rf-4096-leaves"] = forest("reg:squarederror")


def train_binary(d, p):
    import xgboost as xgb

    return xgb.train(
        params(p, objective="binary:logistic"),
        xgb.QuantileDMatrix(d["X"], d["y"], nthread=p["threads"]),
        p["iters"],
    )


def predict(d, p):
    X = d["X_test"][: p["rows"]]

    def save(m, path):
        m.save_model(path + ".ubj")
        import os

        os.replace(path + ".ubj", path)

    def load(path):
        import xgboost as xgb

        with open(path, "rb") as f:
            m = xgb.Booster()
            m.load_model(bytearray(f.read()))
            return m

    return Contestant(
        lambda: train_binary(d, p), lambda m: m.inplace_predict(X), save=save, load=load
    )


for t in ("predict_1row", "predict_1k", "predict_1m", "io_gbdt"):
    TASKS[t] = predict
