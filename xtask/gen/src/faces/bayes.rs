//! Bayes classifiers.

use super::{BOOL, CLASSES, Param, PythonClass, like, own, same, translated};

const ALPHA: Param = translated(
    "alpha",
    "1.0",
    "[\"array-like\", Interval(Real, 0, None, closed=\"left\")]",
    "float or array-like of shape (n_features,)",
    "",
);

const FORCE_ALPHA: Param = own(
    "force_alpha",
    "True",
    BOOL,
    "bool",
    "Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.",
);

const CLASS_PRIOR: Param =
    translated("class_prior", "None", "[\"array-like\", None]", "array-like of shape (n_classes,) or None", "");

const PRIORS: Param = translated("priors", "None", "[\"array-like\", None]", "array-like of shape (n_classes,) or None", "");

const SHRINKAGE: Param = translated(
    "shrinkage",
    "None",
    "[StrOptions({\"auto\"}), Interval(Real, 0, 1, closed=\"both\"), None]",
    "\"auto\", float or None",
    "",
);

const TOL: Param = like("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float");

const COVARIANCE_ESTIMATOR: Param = own(
    "covariance_estimator",
    "None",
    "[HasMethods(\"fit\"), None]",
    "estimator or None",
    "An object with `fit` and an attribute `covariance_`, which estimates covariances in place of `shrinkage`; not for svd.",
);

const CLASS_COUNT: (&str, &str, &str) = ("class_count_", "ndarray of shape (n_classes,)", "Weight of each class.");
const CLASS_LOG_PRIOR: (&str, &str, &str) =
    ("class_log_prior_", "ndarray of shape (n_classes,)", "Logarithm of the probability of each class.");
const FEATURE_COUNT: (&str, &str, &str) =
    ("feature_count_", "ndarray of shape (n_classes, n_features)", "Sum of each column in each class, with weights.");
const MEANS: (&str, &str, &str) = ("means_", "ndarray of shape (n_classes, n_features)", "Mean of each column in each class.");
const PRIORS_OF: (&str, &str, &str) = ("priors_", "ndarray of shape (n_classes,)", "Probability of each class.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "GaussianNB",
        learner: "gaussian-nb",
        base: "_bayes.GaussianNB",
        summary: "",
        notes: "",
        params: &[PRIORS, like("var_smoothing", "1e-9", "[Interval(Real, 0, None, closed=\"left\")]", "float")],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            ("class_prior_", "ndarray of shape (n_classes,)", "Probability of each class."),
            ("theta_", "ndarray of shape (n_classes, n_features)", "Mean of each column in each class."),
            ("var_", "ndarray of shape (n_classes, n_features)", "Variance of each column in each class, smoothing included."),
            ("epsilon_", "float", "What smoothing added to the variances."),
        ],
        example: "",
    },
    PythonClass {
        class: "MultinomialNB",
        learner: "multinomial-nb",
        base: "_naive_bayes.MultinomialNB",
        summary: "",
        notes: "",
        params: &[ALPHA, FORCE_ALPHA, same("fit_prior"), CLASS_PRIOR],
        positional: 0,
        handled: &["complement", "norm"],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            CLASS_LOG_PRIOR,
            FEATURE_COUNT,
            (
                "feature_log_prob_",
                "ndarray of shape (n_classes, n_features)",
                "Logarithm of the probability of each column in each class.",
            ),
        ],
        example: "",
    },
    PythonClass {
        class: "ComplementNB",
        learner: "multinomial-nb",
        base: "_naive_bayes.ComplementNB",
        summary: "Naive Bayes for counts that scores a class by how little a row looks like all others",
        notes: "The learner is multinomial-nb with `complement`.",
        params: &[ALPHA, FORCE_ALPHA, same("fit_prior"), CLASS_PRIOR, same("norm")],
        positional: 0,
        handled: &["complement"],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            CLASS_LOG_PRIOR,
            FEATURE_COUNT,
            ("feature_all_", "ndarray of shape (n_features,)", "Sum of each column in all classes."),
            ("feature_log_prob_", "ndarray of shape (n_classes, n_features)", "Weight of each column in each class."),
        ],
        example: "",
    },
    PythonClass {
        class: "BernoulliNB",
        learner: "bernoulli-nb",
        base: "_naive_bayes.BernoulliNB",
        summary: "",
        notes: "",
        params: &[
            ALPHA,
            FORCE_ALPHA,
            like("binarize", "0.0", "[None, Interval(Real, 0, None, closed=\"left\")]", "float or None"),
            same("fit_prior"),
            CLASS_PRIOR,
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            CLASS_LOG_PRIOR,
            ("feature_count_", "ndarray of shape (n_classes, n_features)", "Weight of the rows in which each column holds."),
            (
                "feature_log_prob_",
                "ndarray of shape (n_classes, n_features)",
                "Logarithm of the probability that each column holds in each class.",
            ),
        ],
        example: "",
    },
    PythonClass {
        class: "CategoricalNB",
        learner: "categorical-nb",
        base: "_naive_bayes.CategoricalNB",
        summary: "",
        notes: "Columns hold codes, whole numbers from 0 up. A code that training has not seen is refused.",
        params: &[
            like("alpha", "1.0", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            FORCE_ALPHA,
            same("fit_prior"),
            CLASS_PRIOR,
            translated(
                "min_categories",
                "None",
                "[None, \"array-like\", Interval(Integral, 1, None, closed=\"left\")]",
                "int, array-like of shape (n_features,) or None",
                "",
            ),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            CLASS_LOG_PRIOR,
            ("n_categories_", "ndarray of shape (n_features,)", "Number of levels of each column."),
            (
                "category_count_",
                "list of ndarray of shape (n_classes, n_categories)",
                "For each column the weight of the rows of each class with each level.",
            ),
            (
                "feature_log_prob_",
                "list of ndarray of shape (n_classes, n_categories)",
                "For each column the logarithm of the probability of each level in each class.",
            ),
        ],
        example: "",
    },
    PythonClass {
        class: "LinearDiscriminantAnalysis",
        learner: "lda",
        base: "_discriminant.LinearDiscriminantAnalysis",
        summary: "",
        notes: "",
        params: &[
            like("solver", "\"svd\"", "[StrOptions({\"svd\", \"lsqr\", \"eigen\"})]", "{\"svd\", \"lsqr\", \"eigen\"}"),
            SHRINKAGE,
            PRIORS,
            translated("n_components", "None", "[Interval(Integral, 1, None, closed=\"left\"), None]", "int or None", ""),
            same("store_covariance"),
            TOL,
            COVARIANCE_ESTIMATOR,
        ],
        positional: 7,
        handled: &["divisor"],
        attributes: &[
            CLASSES,
            MEANS,
            PRIORS_OF,
            ("coef_", "ndarray of shape (n_classes, n_features) or (1, n_features)", "Slopes of the scores."),
            ("intercept_", "ndarray of shape (n_classes,) or (1,)", "Scores of a row of zeros."),
            ("covariance_", "ndarray of shape (n_features, n_features)", "Covariance within classes, where it is kept."),
            ("scalings_", "ndarray of shape (n_features, n_directions)", "Fisher's directions; not for lsqr."),
            ("explained_variance_ratio_", "ndarray of shape (n_components,)", "Shares of the variance between classes."),
            ("xbar_", "ndarray of shape (n_features,)", "Mean of the classes by their priors; svd only."),
        ],
        example: "",
    },
    PythonClass {
        class: "QuadraticDiscriminantAnalysis",
        learner: "qda",
        base: "_discriminant.QuadraticDiscriminantAnalysis",
        summary: "",
        notes: "As in scikit-learn, a covariance with a variance of at most `tol` in some direction is an error here; the learner itself copes \
                with it.",
        params: &[
            like("solver", "\"svd\"", "[StrOptions({\"svd\", \"eigen\"})]", "{\"svd\", \"eigen\"}"),
            SHRINKAGE,
            PRIORS,
            translated("reg_param", "0.0", "[Interval(Real, 0, 1, closed=\"both\")]", "float", ""),
            own("store_covariance", "False", BOOL, "bool", "Keep the covariances of the classes as `covariance_`."),
            own(
                "tol",
                "1e-4",
                "[Interval(Real, 0, None, closed=\"left\")]",
                "float",
                "The least variance in any direction, in the units of the columns; less is refused.",
            ),
            COVARIANCE_ESTIMATOR,
        ],
        positional: 0,
        handled: &["tol", "divisor"],
        attributes: &[
            CLASSES,
            MEANS,
            PRIORS_OF,
            ("covariance_", "list of ndarray of shape (n_features, n_features)", "Covariance of each class, where it is kept."),
            ("rotations_", "list of ndarray of shape (n_features, n_features)", "Principal axes of each class, as columns."),
            ("scalings_", "list of ndarray of shape (n_features,)", "Variances along these axes."),
        ],
        example: "",
    },
];
