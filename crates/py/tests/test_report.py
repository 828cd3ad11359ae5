"""Reports: the evidence of a fit, as data."""

import numpy as np

import ermine


def table(estimator, title):
    return next(s["table"] for s in estimator.report() if s.get("table", {}).get("title") == title)


def test_least_squares_reports_the_errors_of_the_textbook(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 2))
    y = X @ [2.0, -1.0] + 3.0 + rng.normal(size=50)
    model = ermine.LinearRegression().fit(X, y)
    found = table(model, "Coefficients")
    design = np.column_stack([np.ones(50), X])
    residuals = y - model.predict(X)
    covariance = residuals @ residuals / 47 * np.linalg.inv(design.T @ design)
    at = found["columns"].index("std. error")
    assert [row[0] for row in found["rows"]] == ["(intercept)", "x0", "x1"]
    np.testing.assert_allclose([row[at] for row in found["rows"]], np.sqrt(np.diag(covariance)), rtol=1e-10)
    model.save(tmp_path / "model")
    assert ermine.load(tmp_path / "model").report() == model.report()


def test_a_class_may_have_any_name():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    model = ermine.LogisticRegression().fit(X, ["p", "p", "t", "t", "50% error", "50% error"])
    found = table(model, "Weights")
    assert found["columns"] == ["column", "50% error", "p", "t"]
    np.testing.assert_allclose([row[1:] for row in found["rows"]], np.column_stack([model.intercept_, model.coef_]).T)
