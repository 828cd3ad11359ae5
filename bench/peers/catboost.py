"""CatBoost: its own symmetric trees of depth 6 (64 leaves), plain boosting."""

from contestant import Contestant

PACKAGES = ("catboost",)
TASKS = {}


def params(p, **kw):
    return dict(
        iterations=p["iters"],
        depth=6 if p["leaves"] > 31 else 5,
        learning_rate=p["lr"],
        border_count=p["bins"] - 1,
        thread_count=p["threads"],
        boosting_type="Plain",
        random_seed=0,
        logging_level="Silent",
        allow_writing_files=False,
        **kw,
    )


def model(kind, **kw):
    def factory(d, p):
        import catboost as cb

        cls = cb.CatBoostRegressor if kind == "reg" else cb.CatBoostClassifier
        return Contestant(
            lambda: cls(**params(p, **kw)).fit(d["X"], d["y"]),
            (lambda m: m.predict(d["X_test"], thread_count=p["threads"]))
            if kind == "reg"
            else (lambda m: m.predict_proba(d["X_test"], thread_count=p["threads"])),
        )

    return factory


TASKS["gbdt_higgs:symmetric"] = model("bin")
TASKS["gbdt_reg:symmetric"] = model("reg")
TASKS["gbdt_multi:symmetric"] = model("multi", loss_function="MultiClass")


def cat(d, p):
    import catboost as cb

    def pool(num, c, y=None):
        fd = cb.FeaturesData(num_feature_data=num, cat_feature_data=c.astype("S3").astype(object))
        return cb.Pool(fd, y)

    return Contestant(
        lambda: cb.CatBoostClassifier(**params(p)).fit(pool(d["num"], d["cat"], d["y"])),
        lambda m: m.predict_proba(pool(d["num_test"], d["cat_test"]), thread_count=p["threads"]),
    )


TASKS["gbdt_cat:symmetric"] = cat


def predict(d, p):
    import catboost as cb

    X = d["X_test"][: p["rows"]]
    return Contestant(
        lambda: cb.CatBoostClassifier(**params(p)).fit(d["X"], d["y"]),
        lambda m: m.predict_proba(X, thread_count=p["threads"]),
        save=lambda m, path: m.save_model(path),
        load=lambda path: cb.CatBoostClassifier().load_model(path),
    )


for t in ("predict_1row", "predict_1k", "predict_1m", "io_gbdt"):
    TASKS[f"{t}:symmetric"] = predict
