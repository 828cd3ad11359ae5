"""The preparation classes: the way through Rust against the formulas, model files, pickles."""

import pickle

import ermine
import numpy as np
import pytest

RNG = np.random.default_rng(7)
HOLED = np.where(RNG.random((200, 4)) < 0.1, np.nan, RNG.normal(3.0, 2.0, (200, 4)))
FEW = RNG.integers(0, 5, (200, 3)).astype(float)


def fitted():
    """Estimators whose model file holds all of them, each with rows to transform."""
    yield ermine.StandardScaler().fit(HOLED), HOLED
    yield ermine.StandardScaler(with_mean=False).fit(HOLED), HOLED
    yield ermine.StandardScaler().partial_fit(FEW[:50]).partial_fit(FEW[50:]), FEW
    yield ermine.MinMaxScaler(feature_range=(-1, 2), clip=True).fit(HOLED[:100]), HOLED
    yield ermine.MinMaxScaler().partial_fit(FEW[:50]).partial_fit(FEW[50:]), FEW
    yield ermine.OneHotEncoder(sparse_output=False, drop="first").fit(FEW), FEW
    yield ermine.OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(FEW), FEW + 1
    yield ermine.OneHotEncoder(sparse_output=False, drop=[1, 0, 4]).fit(FEW.astype(int)), FEW
    yield ermine.OrdinalEncoder().fit(FEW), FEW
    yield ermine.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(FEW), FEW + 1
    for strategy in ("mean", "median", "most_frequent", "constant"):
        yield ermine.SimpleImputer(strategy=strategy).fit(HOLED), HOLED
    yield ermine.SimpleImputer(add_indicator=True).fit(HOLED), HOLED
    yield ermine.PolynomialFeatures(degree=(2, 3), include_bias=False).fit(FEW), FEW
    yield ermine.PolynomialFeatures(interaction_only=True).fit(FEW), FEW
    yield ermine.SplineTransformer(extrapolation="linear", include_bias=False).fit(FEW), FEW + 1
    yield ermine.SplineTransformer(knots="quantile", handle_missing="zeros").fit(HOLED), HOLED
    yield ermine.SplineTransformer(knots=[[0.0] * 3, [2.0] * 3, [4.0] * 3], extrapolation="periodic", degree=2).fit(FEW), FEW


@pytest.mark.parametrize("estimator, X", list(fitted()), ids=lambda v: repr(v)[:60] if hasattr(v, "fit") else "")
def test_files_and_pickles_hold_all(estimator, X, tmp_path):
    want = estimator.transform(X)
    again = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(again.transform(X), want)
    estimator.save(tmp_path / "model")
    again = ermine.load(tmp_path / "model")
    assert type(again) is type(estimator)
    if hasattr(again, "sparse_output"):
        again.sparse_output = False
    np.testing.assert_allclose(again.transform(X), want, rtol=1e-12, atol=1e-12)
    assert len(again.get_feature_names_out()) == want.shape[1]


def test_files_hold_text(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X = pd.DataFrame({"size": ["s", "m", np.nan, "l"], "count": [1.5, 2.0, 1.5, 3.0]}, dtype=object)
    X["count"] = X["count"].astype(float)
    for estimator in (ermine.OneHotEncoder(sparse_output=False), ermine.OrdinalEncoder(encoded_missing_value=-1)):
        want = estimator.fit_transform(X)
        estimator.save(tmp_path / "model")
        again = ermine.load(tmp_path / "model").set_params(
            **{k: v for k, v in estimator.get_params().items() if k == "sparse_output"}
        )
        np.testing.assert_array_equal(again.transform(X), want)
        assert list(again.get_feature_names_out()) == list(estimator.get_feature_names_out())


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scalers_are_their_formulas(order, dtype):
    X = np.array(HOLED, dtype=dtype, order=order)
    mean, sd = np.nanmean(X, axis=0, dtype=np.float64), np.nanstd(X, axis=0, dtype=np.float64)
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    for estimator, want in (
        (ermine.StandardScaler(), (X - mean) / sd),
        (ermine.MinMaxScaler(), (X - low) / (high - low)),
    ):
        before = X.copy()
        got = estimator.fit_transform(X)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(estimator.inverse_transform(got), X, rtol=10 * tolerance, atol=10 * tolerance)
        np.testing.assert_array_equal(X, before)


def test_parts_are_the_whole():
    whole, parts = ermine.StandardScaler().fit(HOLED), ermine.StandardScaler()
    for rows in np.array_split(HOLED, 7):
        parts.partial_fit(rows)
    np.testing.assert_allclose(parts.mean_, whole.mean_, rtol=1e-13)
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-13)
    np.testing.assert_array_equal(parts.n_samples_seen_, np.sum(~np.isnan(HOLED), axis=0))


def test_numbers_and_text_get_the_same_codes():
    text = np.array([f"v{int(v)}" for v in FEW.ravel()], dtype=object).reshape(FEW.shape)
    for make in (
        ermine.OrdinalEncoder,
        lambda: ermine.OneHotEncoder(sparse_output=False, min_frequency=30, drop="first"),
    ):
        np.testing.assert_array_equal(make().fit_transform(FEW), make().fit_transform(text))


def test_numbers_beyond_float64_are_kept_apart():
    big = np.array([[2**62], [2**62 + 1], [2**62]])
    np.testing.assert_array_equal(ermine.OrdinalEncoder().fit_transform(big).ravel(), [0, 1, 0])


def test_infinity_is_refused_by_name():
    X = HOLED.copy()
    X[3, 1] = np.inf
    for cls in (ermine.StandardScaler, ermine.MinMaxScaler, ermine.SimpleImputer, ermine.OneHotEncoder):
        with pytest.raises(ValueError, match="infinity"):
            cls().fit(X)


def test_fourier_features_are_sines_and_cosines_of_the_period():
    hours = np.array([[0.0], [3.0], [6.0], [23.0]])
    maker = ermine.FourierFeatures(order=2, period=24.0).fit(hours)
    angle = 2 * np.pi * hours / 24.0
    expected = np.hstack([np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle)])
    np.testing.assert_allclose(maker.transform(hours), expected, atol=1e-15)
    assert list(maker.get_feature_names_out(["hour"])) == ["hour_sin_1", "hour_cos_1", "hour_sin_2", "hour_cos_2"]
    np.testing.assert_array_equal(maker.period_, [24.0])
