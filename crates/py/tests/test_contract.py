"""Every class inside scikit-learn's machinery, in files and pickles, with every form of data."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

import ermine


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    return X, np.arange(90) % 3, X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=90)


def target(estimator, rows):
    if not is_regressor(estimator):
        return rows[1]
    return np.abs(rows[2]) + 0.1 if estimator.__sklearn_tags__().target_tags.positive_only else rows[2]


def cells(estimator, rows):
    """Rows of numbers that the estimator reads: counts or codes where it says so."""
    X, tags = rows[0], estimator.__sklearn_tags__().input_tags
    if not tags.positive_only:
        return X
    return np.floor(2 * np.abs(X)).clip(max=3) if tags.categorical else np.abs(X)


def seeded(cls, **params):
    if "random_state" in cls().get_params():
        params.setdefault("random_state", 0)
    return cls(**params)


def result(estimator, X):
    """What an estimator says of rows, as an array."""
    for method in ("predict_proba", "predict", "transform"):
        if hasattr(estimator, method):
            out = getattr(estimator, method)(X)
            return out.toarray() if sparse.issparse(out) else np.asarray(out)
    if hasattr(estimator, "kneighbors"):
        return estimator.kneighbors(X)[0]
    if hasattr(estimator, "assign"):
        return estimator.assign(X)
    raise AssertionError("it says nothing")


def test_pipeline_clone_and_cross_validation(cls, rows):
    X, y = cells(cls(), rows), target(cls(), rows)
    estimator = clone(seeded(cls))
    if hasattr(estimator, "transform") and not hasattr(estimator, "predict"):
        assert make_pipeline(estimator, ermine.DummyRegressor()).fit(X, rows[2]).predict(X).shape == (90,)
    elif hasattr(estimator, "predict"):
        pipeline = make_pipeline(estimator)
        assert len(cross_val_score(pipeline, X, y, cv=3)) == 3


GRIDS = {
    "Ridge": {"alpha": [0.1, 1.0]},
    "LogisticRegression": {"C": [0.1, 1.0]},
    "GaussianNB": {"var_smoothing": [1e-9, 1e-3]},
    "DecisionTreeClassifier": {"max_depth": [1, 3]},
    "DecisionTreeRegressor": {"max_depth": [1, 3]},
    "KMeans": {"n_clusters": [2, 3]},
    "MultinomialNB": {"alpha": [0.1, 1.0]},
    "BernoulliNB": {"alpha": [0.1, 1.0]},
    "LinearDiscriminantAnalysis": {"solver": ["svd", "lsqr"]},
    "QuadraticDiscriminantAnalysis": {"reg_param": [0.0, 0.1]},
    "HuberRegressor": {"epsilon": [1.2, 2.0]},
    "QuantileRegressor": {"quantile": [0.1, 0.5]},
    "ExpectileRegressor": {"tau": [0.1, 0.5]},
    "LinearRegression": {"fit_intercept": [True, False]},
    "PCA": {"n_components": [1, 2]},
    "DummyClassifier": {"strategy": ["prior", "uniform"]},
    "DummyRegressor": {"strategy": ["mean", "median"]},
}


def test_grid_search(cls, rows):
    if cls.__name__ in GRIDS:
        X, y = cells(cls(), rows), target(cls(), rows)
        search = GridSearchCV(seeded(cls), GRIDS[cls.__name__], cv=3).fit(X, y)
        assert set(search.best_params_) == set(GRIDS[cls.__name__])


def test_a_pickle_says_the_same_and_holds_no_code(cls, rows):
    X, y = cells(cls(), rows), target(cls(), rows)
    estimator = seeded(cls).fit(X, y)
    text = pickle.dumps(estimator)
    again = pickle.loads(text)
    np.testing.assert_array_equal(result(again, X), result(estimator, X))
    assert again.get_params().keys() == estimator.get_params().keys()


# A model file holds the model of the penalty that was chosen, not the search for it.
OPENS_AS = {"RidgeCV": "Ridge", "LassoCV": "ElasticNet", "ElasticNetCV": "ElasticNet", "LogisticRegressionCV": "LogisticRegression"}


# Rows without a target are no model.
NO_FILE = {"NearestNeighbors"}


def test_a_file_says_the_same(cls, rows, tmp_path):
    X, y = cells(cls(), rows), target(cls(), rows)
    estimator = seeded(cls).fit(X, y)
    path = tmp_path / "model.ermine"
    if cls.__name__ in NO_FILE:
        with pytest.raises(ValueError, match="pickle"):
            estimator.save(path)
        return
    estimator.save(path)
    again = ermine.load(path)
    assert type(again).__name__ == OPENS_AS.get(cls.__name__, cls.__name__)
    np.testing.assert_array_equal(result(again, X), result(estimator, X))
    for name in ("coef_", "classes_", "cluster_centers_", "components_", "theta_", "class_prior_", "constant_", "mean_"):
        if hasattr(estimator, name):
            np.testing.assert_array_equal(getattr(again, name), getattr(estimator, name), err_msg=name)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError):
        ermine.load(path)


def test_layouts_and_frames_give_the_same(cls, rows):
    X, y = cells(cls(), rows), target(cls(), rows)
    expected = result(seeded(cls).fit(X, y), X)
    wide = np.zeros((90, 9))
    wide[:, 1::2] = X
    forms = {
        "column-major": np.asfortranarray(X),
        "strided": wide[:, 1::2],
        "reversed": X[::-1, ::-1][::-1, ::-1],
        "list": X.tolist(),
        "pandas": pd.DataFrame(X, columns=list("abcd")),
        "polars": pl.DataFrame(X, schema=list("abcd")),
    }
    for name, form in forms.items():
        got = result(seeded(cls).fit(form, y), form)
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12, err_msg=name)
    if hasattr(cls(), "coef_") or is_regressor(cls()) or is_classifier(cls()):
        single = X.astype(np.float32)
        got = result(seeded(cls).fit(single, y), single)
        np.testing.assert_allclose(got, result(seeded(cls).fit(single.astype(np.float64), y), single.astype(np.float64)), atol=1e-3)


def test_sparse_rows_give_the_same(cls, rows):
    estimator = seeded(cls)
    if not estimator.__sklearn_tags__().input_tags.sparse or cls.__name__ in ("OneHotEncoder", "OrdinalEncoder", "SimpleImputer"):
        return
    if "with_mean" in estimator.get_params():
        estimator.set_params(with_mean=False)
    X, y = rows[0] * (rows[0] > 0), target(estimator, rows)
    expected = result(clone(estimator).fit(X, y), X)
    for form in (sparse.csr_array(X), sparse.csc_array(X), sparse.csr_matrix(X)):
        np.testing.assert_allclose(result(clone(estimator).fit(form, y), form), expected, rtol=1e-8, atol=1e-10)


def test_the_number_of_threads_changes_no_bit(cls, rows):
    X, y = cells(cls(), rows), target(cls(), rows)
    before = ermine.num_threads()
    try:
        ermine.set_num_threads(1)
        one = result(seeded(cls).fit(X, y), X)
        ermine.set_num_threads(3)
        np.testing.assert_array_equal(result(seeded(cls).fit(X, y), X), one)
    finally:
        ermine.set_num_threads(before)


# Another start of KMeans, other batches; a step twice as long, not two steps.
# Samples and folds are drawn by row numbers.
DRAWN = ("BaggingClassifier", "BaggingRegressor", "StackingClassifier", "StackingRegressor", "LogisticRegressionCV")
# A class whose rows weigh nothing still takes part in the softmax, in the votes of AdaBoost, and has a complement, as in scikit-learn.
EMPTY_CLASSES = ("HistGradientBoostingClassifier", "GradientBoostingClassifier", "AdaBoostClassifier", "ComplementNB")
# Of thresholds that part the rows alike either may be drawn, and rows that were not trained on may then fall on other sides.
TIED = ("ExtraTreesClassifier", "ExtraTreesRegressor")
# Descent ends within tol of the optimum, at which weights are repeated rows.
DESCENT = ("LinearSVC", "LinearSVR", "MixtureOfExpertsClassifier")
# As in scikit-learn, a row of weight 0 can be a core row.
NETWORKS = ("MLPClassifier", "MLPRegressor", "ConvNetClassifier", "Autoencoder", "GAN")
NOT_TWICE = ("KMeans", "MiniBatchKMeans", "DBSCAN", *NETWORKS, "SGDClassifier", "SGDRegressor", "Perceptron", *DRAWN)


def test_weight_two_is_the_row_twice(cls, rows):
    estimator = seeded(cls)
    if not has_fit_parameter(estimator, "sample_weight") or cls.__name__ in NOT_TWICE:
        return
    if cls.__name__ in ("RandomForestClassifier", "RandomForestRegressor"):
        # Bags are drawn by row numbers, in proportion to the weights; all else holds without them.
        estimator.set_params(bootstrap=False)
    if cls.__name__ in DESCENT:
        estimator.set_params(tol=1e-13, max_iter=1_000_000)
    X, y = cells(estimator, rows), target(estimator, rows)
    weight = np.arange(90) % 3.0
    scores = is_classifier(estimator) and not hasattr(estimator, "predict_proba")
    if cls.__name__ in EMPTY_CLASSES or scores:
        y = np.arange(90) // 3 % 3 if is_classifier(estimator) else y
    repeated = np.repeat(np.arange(90), weight.astype(int))
    a = clone(estimator).fit(X, y, sample_weight=weight)
    b = clone(estimator).fit(X[repeated], y[repeated])
    if cls.__name__ in TIED:
        X = X[weight > 0]
    if scores:
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-6, atol=1e-8)
    elif is_classifier(estimator):  # a class all of whose rows weigh nothing keeps its column
        np.testing.assert_allclose(result(a, X)[:, np.isin(a.classes_, b.classes_)], result(b, X), rtol=1e-6, atol=1e-8)
    else:
        np.testing.assert_allclose(result(a, X), result(b, X), rtol=1e-6, atol=1e-8)


def test_column_and_row_of_a_bad_cell_are_named(cls, rows):
    estimator = seeded(cls)
    tags = estimator.__sklearn_tags__()
    if tags.no_validation or tags.input_tags.allow_nan:
        return
    X, y = cells(estimator, rows).copy(), target(estimator, rows)
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"Input X contains NaN(.|\n)*column 2, row 7"):
        estimator.fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b", "width", "d"])
    with pytest.raises(ValueError, match=r'column "width", row 7'):
        clone(estimator).fit(frame, y)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "HuberRegressor", "ExpectileRegressor", "GaussianNB", "KMeans", "PCA", "LogisticRegression"])
def test_fit_does_not_copy_X(name, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(40_000, 25)), order=order)
    y = (X[:, 0] > 0).astype(int)
    estimator = seeded(getattr(ermine, name))
    if name == "KMeans":
        estimator.set_params(max_iter=2)
    tracemalloc.start()
    try:
        estimator.fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # NumPy reports its arrays to tracemalloc: a copy of X in Python would show.
    assert peak < 0.25 * X.nbytes
