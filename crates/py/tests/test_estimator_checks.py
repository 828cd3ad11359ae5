"""scikit-learn's common checks on every class: those of check_estimator, and those it runs only on itself."""

import warnings

import numpy as np
import pytest
from conftest import CLASSES
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils import estimator_checks as checks
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter


# As in scikit-learn, whose classes of these names fail the same checks.
STEPS = {
    f"check_sample_weight_equivalence_on_{form}_data": "a row of weight 2 is a step twice as long, not two steps"
    for form in ("dense", "sparse")
}


# The optima agree to rounding: test_lasso.py.
CUT_OFF = {check: "it allows 5 rounds, and paths that are cut off before the optimum end where they are" for check in STEPS}

# As in scikit-learn, whose classes of these names fail the same checks.
DRAWS = {check: "rows are drawn by their numbers, so a row given twice is drawn otherwise" for check in STEPS}

# As in scikit-learn, whose classes of these names fail the same checks; test_contract.py asks for it at a small tolerance.
ORDER = {check: "rows are visited in random order, and the rounds end at a tolerance" for check in STEPS}

ONE_LABEL = {
    "check_classifiers_one_label_sample_weights": "its LogisticRegression refuses weights that leave one class, in words of its own"
}

EXPECTED = {
    "SGDClassifier": STEPS,
    "SGDRegressor": STEPS,
    "Perceptron": STEPS,
    "LinearSVC": ORDER,
    "LinearSVR": ORDER,
    "MixtureOfExpertsClassifier": ORDER,
    "MiniBatchKMeans": DRAWS,
    "MLPClassifier": STEPS,
    "MLPRegressor": STEPS,
    "ConvNetClassifier": STEPS,
    "Autoencoder": STEPS,
    "GAN": STEPS,
    "LassoCV": CUT_OFF,
    "LogisticRegressionCV": {"check_sparsify_coefficients": "it has 3 rows a class, and 5 folds need 5"},
    "BaggingClassifier": DRAWS,
    "BaggingRegressor": DRAWS,
    "RandomForestClassifier": DRAWS,
    "RandomForestRegressor": DRAWS,
    "VotingClassifier": ONE_LABEL,
    "StackingClassifier": ONE_LABEL,
}


def expected_failures(estimator):
    return EXPECTED.get(type(estimator).__name__, {})


@parametrize_with_checks([cls() for cls in CLASSES.values()], expected_failed_checks=expected_failures)
def test_check_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


# The checks that scikit-learn's generator does not yield for others but that it runs on its own estimators.


def test_parameters_are_validated(cls):
    checks.check_param_validation(cls.__name__, cls())


def test_column_names_are_kept(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        checks.check_dataframe_column_names_consistency(cls.__name__, cls())


@pytest.mark.parametrize(
    "check",
    [
        checks.check_set_output_transform,
        checks.check_set_output_transform_pandas,
        checks.check_global_output_transform_pandas,
        checks.check_set_output_transform_polars,
        checks.check_global_set_output_transform_polars,
        checks.check_transformer_get_feature_names_out,
        checks.check_transformer_get_feature_names_out_pandas,
    ],
    ids=lambda check: check.__name__,
)
def test_output_of_transformers(cls, check):
    estimator = cls(sparse_output=False) if "sparse_output" in cls().get_params() else cls()
    if hasattr(estimator, "set_output"):
        check(cls.__name__, estimator)


def test_names_out_need_a_fit(cls):
    if hasattr(cls, "get_feature_names_out"):
        checks.check_get_feature_names_out_error(cls.__name__, cls())


def test_read_only_input_stays_as_it_was(cls):
    estimator = cls()
    for name in ("copy", "copy_X", "copy_x"):
        if name in estimator.get_params():
            estimator.set_params(**{name: False})
    checks.check_inplace_ensure_writeable(cls.__name__, estimator)


def test_weights_of_zero_only_are_refused(cls):
    if has_fit_parameter(cls(), "sample_weight"):
        checks.check_all_zero_sample_weights_error(cls.__name__, cls())


def test_balanced_class_weights_help_the_rare_class(cls):
    estimator = cls()
    if "class_weight" not in estimator.get_params():
        return
    # The classes overlap, so that weights have something to decide: a split of pure leaves would not.
    # There are enough rows that 1000 rounds of boosting, which the check asks for, do not end in pure leaves.
    X, y = make_classification(n_samples=3000, weights=[0.85], class_sep=0.4, flip_y=0.1, random_state=0)
    if "max_depth" in estimator.get_params():
        estimator.set_params(max_depth=2)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=0, stratify=y)
    # Score on rows of both classes alike, since that is what balancing is for.
    rare = np.flatnonzero(y[test] == 1)
    common = np.flatnonzero(y[test] == 0)[: len(rare)]
    test = test[np.concatenate([rare, common])]
    checks.check_class_weight_balanced_classifiers(cls.__name__, estimator, X[train], y[train], X[test], y[test], [0.85, 0.15])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_follow_scores(cls, n_classes):
    if not is_classifier(cls()):
        return
    X, y = load_iris(return_X_y=True)
    keep = y < n_classes
    checks.check_classifiers_predictions(X[keep], y[keep], cls.__name__, cls())
    checks.check_classifiers_predictions(X[keep], np.array(["a", "b", "c"])[y[keep]], cls.__name__, cls())


@pytest.mark.parametrize("form", ["NotAnArray", "PandasDataframe"])
def test_other_forms_of_data(cls, form):
    estimator = cls()
    if is_regressor(estimator) or hasattr(estimator, "predict"):
        X = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]] * 3)
        y = np.array([1, 1, 1, 2, 2, 2] * 3)
        if "n_clusters" in estimator.get_params():
            estimator.set_params(n_clusters=2)
        checks.check_estimators_data_not_an_array(cls.__name__, estimator, X, y, form)


def test_tags_that_call_for_further_checks(cls):
    """The remaining checks are for estimators of a kind that none of ours is; this fails when one becomes so."""
    tags = cls().__sklearn_tags__()
    assert not tags.input_tags.pairwise  # check_nonsquare_error
    assert tags.requires_fit  # check_transformers_unfitted_stateless
    assert tags.estimator_type != "outlier_detector"  # check_outlier_corruption
    assert not tags.array_api_support  # check_array_api_input_and_values
    if tags.classifier_tags is not None:
        assert tags.classifier_tags.multi_class  # check_classifier_not_supporting_multiclass
