"""The package: its modules, what importing it loads, pickles of older versions, the documentation of methods."""

import importlib
import inspect
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn.utils

import ermine
from ermine._index import ESTIMATORS, MODULES

PICKLES = pathlib.Path(__file__).parents[3] / "fixtures" / "pickles"


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_loads_no_estimators():
    loaded = run("import sys, ermine; print([m for m in ('sklearn', 'scipy', 'ermine.linear_model') if m in sys.modules])")
    assert loaded.strip() == "[]"


def test_modules_are_attributes_of_the_package():
    run(
        "import ermine\n"
        "ermine.rl.Environment, ermine.bandits.simulate, ermine.decide.bayes_action, ermine.linear_model.Ridge\n"
        "assert ermine.Ridge is ermine.linear_model.Ridge\n"
        "assert {'rl', 'bandits', 'decide', 'tree', 'Ridge', 'load'} <= set(dir(ermine))\n"
        "from ermine import *\n"
        "Ridge, load, GridSearchCV, enet_path\n"
    )
    with pytest.raises(AttributeError, match="no_such_thing"):
        ermine.no_such_thing


def test_a_class_is_where_scikit_learn_has_it():
    homes = {name: cls.__module__ for name, cls in sklearn.utils.all_estimators()}
    shared = [name for name in ESTIMATORS if name in homes]
    assert len(shared) > 60
    for name in shared:
        module = ESTIMATORS[name][0]
        assert f"{homes[name]}.".startswith(f"sklearn.{module}."), name
        assert getattr(importlib.import_module(f"ermine.{module}"), name) is getattr(ermine, name)
    assert {module for module, _ in ESTIMATORS.values()} == set(MODULES)


@pytest.mark.parametrize("path", sorted(PICKLES.glob("*.pkl")), ids=lambda path: path.stem)
def test_pickles_of_before_the_modules_load_and_predict(path):
    known = np.load(PICKLES / "predictions.npz")
    estimator = pickle.loads(path.read_bytes())
    method = next(m for m in ("predict", "transform") if hasattr(estimator, m))
    rows = known["codes" if path.stem.endswith("Encoder") else "rows"]
    out = getattr(estimator, method)(rows)
    np.testing.assert_array_equal(out.toarray() if hasattr(out, "toarray") else out, known[path.stem])


def test_there_are_pickles():
    assert len(list(PICKLES.glob("*.pkl"))) >= 8


METHODS = ("fit", "partial_fit", "predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "fit_predict")


def test_every_parameter_of_a_method_is_documented(cls):
    for name in METHODS:
        method = inspect.getattr_static(cls, name, None)
        method = getattr(method, "fn", method)  # one that is there on a condition
        if not inspect.isfunction(method):
            continue
        doc = inspect.getdoc(method)
        assert doc, name
        for param in list(inspect.signature(method).parameters)[1:]:
            assert f"\n{param} : " in doc or f"{param} : " in doc, (name, param)
        assert "Returns\n-------\n" in doc, name


def test_methods_say_what_rows_the_class_accepts():
    assert "array-like or sparse matrix" in ermine.Ridge.fit.__doc__
    assert "sparse" not in ermine.GaussianNB.fit.__doc__
    assert "NaN and null are missing values" in ermine.RandomForestRegressor.predict.__doc__
    assert "Class labels" in ermine.LogisticRegression.fit.__doc__
    assert 'metric="precomputed"' in ermine.DBSCAN.fit_predict.__doc__


def test_a_random_state_without_effect_is_not_called_a_seed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    for name in ("Ridge", "LogisticRegression"):
        cls = getattr(ermine, name)
        said = inspect.getdoc(cls).split("random_state : ")[1].split("\n")[1]
        assert "it has no effect" in said
        a, b = (cls(random_state=seed).fit(X, y) for seed in (0, 1))
        np.testing.assert_array_equal(a.coef_, b.coef_)
