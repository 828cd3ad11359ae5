"""Boosted trees on real data at matched settings: held-out loss of Ermine, LightGBM, XGBoost and CatBoost.

    ERMINE_DATA=folder python real_data.py [adult covtype california bike claims] [--splits 3] [--stop 50]

The folder holds adult_train.csv.gz, covtype.csv.gz, california_housing.csv.gz, bike_sharing_hour.csv.gz and be_mtpl97.csv.gz.
Every contestant gets the same rows, rounds, leaves, rate, penalty and least rows of a leaf, and columns of words as categories. A
fifth of the rows is held out (covtype: a tenth to learn from, a tenth to judge); the loss is the mean over splits. With --stop each
watches its own loss on the same tenth of the rows and ends, after at most 2000 rounds, when that many brought nothing better: then
all are judged at their best, and not at a number of rounds that suits the quick or the slow.
"""

import argparse
import os
import time
import warnings

import numpy as np
import pandas as pd

ROUNDS, STOPPED_ROUNDS, LEAVES, RATE, LEAST, BINS, L2 = 200, 2000, 31, 0.1, 20, 255, 1.0


def read(name):
    frame = pd.read_csv(os.path.join(os.environ["ERMINE_DATA"], f"{name}.csv.gz"), na_values=["?"])
    words = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    return frame.astype({c: "category" for c in words})


def adult():
    frame = read("adult_train")
    return frame.drop(columns="income"), frame["income"].cat.codes.to_numpy(), None, "classes"


def covtype():
    frame = read("covtype").iloc[::5].reset_index(drop=True)
    return frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy() - 1, None, "classes"


def california():
    frame = read("california_housing")
    return frame.drop(columns="median_house_value"), frame["median_house_value"].to_numpy() / 1e5, None, "squared"


def bike():
    frame = read("bike_sharing_hour")
    return frame.drop(columns=["instant", "dteday", "casual", "registered", "cnt"]), frame["cnt"].to_numpy(float), None, "squared"


def claims():
    frame = read("be_mtpl97")
    x = frame[["coverage", "ageph", "sex", "bm", "power", "agec", "fuel", "use", "fleet", "long", "lat"]]
    exposure = frame["expo"].to_numpy()
    return x, frame["nclaims"].to_numpy() / exposure, exposure, "poisson"


DATA = {f.__name__: f for f in (adult, covtype, california, bike, claims)}


class Watch:
    """Rows whose loss decides when to stop; none without rows."""

    def __init__(self, x=None, y=None, w=None, patience=0):
        self.x, self.y, self.w, self.patience = x, y, w, patience
        self.on = x is not None
        self.rounds = STOPPED_ROUNDS if self.on else ROUNDS


def ermine(kind, x, y, w, x_test, watch):
    import ermine

    given = dict(max_iter=watch.rounds, max_leaf_nodes=LEAVES, learning_rate=RATE, min_samples_leaf=LEAST, max_bins=BINS)
    given |= dict(l2_regularization=L2, early_stopping=watch.on, n_iter_no_change=max(watch.patience, 1), random_state=0)
    fit = dict(sample_weight=w)
    if watch.on:
        fit |= dict(X_val=watch.x, y_val=watch.y, sample_weight_val=watch.w)
    if kind == "classes":
        model = ermine.HistGradientBoostingClassifier(**given).fit(x, y, **fit)
        scores = model.staged_predict_proba if watch.on else None
    else:
        loss = {"squared": "squared_error", "poisson": "poisson"}[kind]
        model = ermine.HistGradientBoostingRegressor(loss=loss, **given).fit(x, y, **fit)
        scores = model.staged_predict if watch.on else None
    if scores:  # the others keep their best round, not their last
        best = int(np.argmax(model.validation_score_))
        return next(said for i, said in enumerate(scores(x_test), 1) if i >= best)
    return model.predict_proba(x_test) if kind == "classes" else model.predict(x_test)


def lightgbm(kind, x, y, w, x_test, watch):
    import lightgbm

    given = dict(n_estimators=watch.rounds, num_leaves=LEAVES, learning_rate=RATE, min_child_samples=LEAST, max_bin=BINS, n_jobs=2)
    given |= dict(reg_lambda=L2, random_state=0, verbose=-1)
    fit = dict(sample_weight=w)
    if watch.on:
        stop = lightgbm.early_stopping(watch.patience, verbose=False)
        fit |= dict(eval_set=[(watch.x, watch.y)], eval_sample_weight=None if watch.w is None else [watch.w], callbacks=[stop])
    if kind == "classes":
        return lightgbm.LGBMClassifier(**given).fit(x, y, **fit).predict_proba(x_test)
    objective = {"squared": "regression", "poisson": "poisson"}[kind]
    return lightgbm.LGBMRegressor(objective=objective, **given).fit(x, y, **fit).predict(x_test)


def xgboost(kind, x, y, w, x_test, watch):
    import xgboost

    given = dict(n_estimators=watch.rounds, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide", tree_method="hist", max_bin=BINS)
    given |= dict(reg_lambda=L2, learning_rate=RATE, enable_categorical=True, n_jobs=2, random_state=0)
    fit = dict(sample_weight=w, verbose=False)
    if watch.on:
        given |= dict(early_stopping_rounds=watch.patience)
        fit |= dict(eval_set=[(watch.x, watch.y)], sample_weight_eval_set=None if watch.w is None else [watch.w])
    # XGBoost has no least number of rows; a row of squared loss has curvature 1.
    if kind == "classes":
        return xgboost.XGBClassifier(**given).fit(x, y, **fit).predict_proba(x_test)
    if kind == "squared":
        given |= dict(min_child_weight=LEAST)
    objective = {"squared": "reg:squarederror", "poisson": "count:poisson"}[kind]
    return xgboost.XGBRegressor(objective=objective, **given).fit(x, y, **fit).predict(x_test)


def catboost(kind, x, y, w, x_test, watch):
    import catboost

    words = [c for c in x.columns if isinstance(x[c].dtype, pd.CategoricalDtype)]
    as_words = lambda f: f.assign(**{c: f[c].astype(object).fillna("missing").astype(str) for c in words})  # noqa: E731
    given = dict(iterations=watch.rounds, max_leaves=LEAVES, learning_rate=RATE, grow_policy="Lossguide", min_data_in_leaf=LEAST)
    given |= dict(l2_leaf_reg=L2, border_count=254, thread_count=2, random_seed=0, verbose=False, cat_features=words)
    given |= dict(allow_writing_files=False)
    fit = dict(sample_weight=w)
    if watch.on:
        held = catboost.Pool(as_words(watch.x), watch.y, cat_features=words, weight=watch.w)
        fit |= dict(eval_set=held, early_stopping_rounds=watch.patience)
    if kind == "classes":
        return catboost.CatBoostClassifier(**given).fit(as_words(x), y, **fit).predict_proba(as_words(x_test))
    model = catboost.CatBoostRegressor(loss_function={"squared": "RMSE", "poisson": "Poisson"}[kind], **given)
    return model.fit(as_words(x), y, **fit).predict(as_words(x_test))


def loss(kind, y, w, said):
    from sklearn.metrics import log_loss, mean_poisson_deviance, root_mean_squared_error

    if kind == "classes":
        return log_loss(y, said)
    if kind == "squared":
        return root_mean_squared_error(y, said)
    return mean_poisson_deviance(y, said, sample_weight=w)


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=list(DATA), metavar="DATA")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--stop", type=int, default=0, metavar="ROUNDS")
    args = parser.parse_args()
    contestants = [ermine, lightgbm, xgboost, catboost]
    for name in args.data:
        x, y, w, kind = DATA[name]()
        totals = np.zeros((len(contestants), 2))
        for split in range(args.splits):
            order = np.random.default_rng(split).permutation(len(y))
            train, test = (order[: len(y) // 2], order[len(y) // 2 :]) if name == "covtype" else np.split(order, [len(y) * 4 // 5])
            weight = lambda rows: None if w is None else w[rows]  # noqa: E731
            watch = Watch()
            if args.stop:
                held, train = np.split(train, [len(train) // 10])
                watch = Watch(x.iloc[held], y[held], weight(held), args.stop)
            for k, contestant in enumerate(contestants):
                start = time.perf_counter()
                said = contestant(kind, x.iloc[train], y[train], weight(train), x.iloc[test], watch)
                totals[k] += loss(kind, y[test], weight(test), said), time.perf_counter() - start
        means = totals / args.splits
        best = means[1:, 0].min()
        print(f"{name}: {len(y)} rows, {x.shape[1]} columns, {kind}", flush=True)
        for contestant, (value, seconds) in zip(contestants, means):
            print(f"  {contestant.__name__:9} {value:.5f}  {100 * (value / best - 1):+6.2f}% of the best peer  {seconds:6.2f} s", flush=True)


if __name__ == "__main__":
    main()
