"""LightGBM."""

import os

import numpy as np

from contestant import Contestant

PACKAGES = ("lightgbm",)
TASKS = {}


def params(p, **kw):
    return dict(
        num_leaves=p["leaves"],
        max_bin=p["bins"],
        learning_rate=p["lr"],
        num_threads=p["threads"],
        min_data_in_leaf=20,
        verbosity=-1,
        seed=0,
        **kw,
    )


def booster(**kw):
    def factory(d, p):
        import lightgbm as lgb

        def fit():
            return lgb.train(params(p, **kw), lgb.Dataset(d["X"], d["y"]), p["iters"])

        return Contestant(fit, lambda m: m.predict(d["X_test"], num_threads=p["threads"]))

    return factory


TASKS["gbdt_higgs"] = booster(objective="binary")
TASKS["gbdt_reg"] = booster(objective="l2")
TASKS["gbdt_multi"] = booster(objective="multiclass", num_class=10)
TASKS["gbdt_higgs:quantized"] = booster(objective="binary", use_quantized_grad=True)


def cat(d, p):
    import lightgbm as lgb

    k = d["num"].shape[1]

    def join(num, c):
        return np.hstack([num, c.astype(np.float32)])

    def fit():
        X = join(d["num"], d["cat"])
        return lgb.train(
            params(p, objective="binary"),
            lgb.Dataset(X, d["y"], categorical_feature=list(range(k, X.shape[1]))),
            p["iters"],
        )

    return Contestant(
        fit, lambda m: m.predict(join(d["num_test"], d["cat_test"]), num_threads=p["threads"])
    )


TASKS["gbdt_cat"] = cat


def forest(objective):
    def factory(d, p):
        import lightgbm as lgb

        def fit():
            q = dict(
                boosting="rf",
                objective=objective,
                bagging_freq=1,
                bagging_fraction=0.632,
                feature_fraction_bynode=p["max_features"] / d["X"].shape[1],
                num_leaves=4096,
                min_data_in_leaf=p.get("min_leaf", 2),
                min_sum_hessian_in_leaf=0.0,
                num_threads=p["threads"],
                verbosity=-1,
                seed=0,
            )
            return lgb.train(q, lgb.Dataset(d["X"], d["y"]), p["trees"])

        return Contestant(fit, lambda m: m.predict(d["X_test"], num_threads=p["threads"]))

    return factory


TASKS["rf_cls:rf-4096-leaves"] = forest("binary")
TASKS["rf_reg:rf-4096-leaves"] = forest("l2")


def model_file(d, p):
    """The model of the prediction tasks, trained once and cached beside the data."""
    import lightgbm as lgb

    path = os.path.join(d["cache_dir"], f"lightgbm-{p['iters']}x{p['leaves']}.txt")
    if not os.path.exists(path):
        m = lgb.train(params(p, objective="binary"), lgb.Dataset(d["X"], d["y"]), p["iters"])
        m.save_model(path + ".part")
        os.replace(path + ".part", path)
    return path


def train_binary(d, p):
    """The model that the converters (ONNX, treelite, lleaves, oneDAL) start from."""
    import lightgbm as lgb

    return lgb.Booster(model_file=model_file(d, p))


def predict(d, p):
    X = d["X_test"][: p["rows"]]

    def load(path):
        import lightgbm as lgb

        return lgb.Booster(model_file=path)

    return Contestant(
        lambda: train_binary(d, p),
        lambda m: m.predict(X, num_threads=p["threads"]),
        save=lambda m, path: m.save_model(path),
        load=load,
    )


for t in ("predict_1row", "predict_1k", "predict_1m", "io_gbdt"):
    TASKS[t] = predict


def single_row_fast(d, p):
    """The C interface's fast single-row call, without the Python wrapper's checks."""
    import ctypes

    from lightgbm import basic

    X = np.ascontiguousarray(d["X_test"][:1], np.float32)

    def fit():
        b = train_binary(d, p)
        fast = ctypes.c_void_p()
        basic._safe_call(
            basic._LIB.LGBM_BoosterPredictForMatSingleRowFastInit(
                b._handle,
                0,
                0,
                -1,
                basic._C_API_DTYPE_FLOAT32,
                X.shape[1],
                b"num_threads=1",
                ctypes.byref(fast),
            )
        )
        out, n = np.zeros(1), ctypes.c_int64()
        ptr, optr = (
            X.ctypes.data_as(ctypes.c_void_p),
            out.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
        )
        return b, fast, ptr, out, optr, n

    def call(m):
        basic._LIB.LGBM_BoosterPredictForMatSingleRowFast(m[1], m[2], ctypes.byref(m[5]), m[4])
        return m[3]

    return Contestant(fit, call)


TASKS["predict_1row:c-fast"] = single_row_fast
