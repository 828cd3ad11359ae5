//! Bayes classifiers.

use super::*;

const ALPHA: Param =
    translated("alpha", Number(1.0), &[ArrayLike, at_least(0.0)], "").kind("float or array-like of shape (n_features,)");

const FORCE_ALPHA: Param = own(
    "force_alpha",
    Flag(true),
    BOOL,
    "Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.",
);

const CLASS_PRIOR: Param =
    translated("class_prior", Nothing, &[ArrayLike, Null], "").kind("array-like of shape (n_classes,) or None");

const PRIORS: Param = translated("priors", Nothing, &[ArrayLike, Null], "").kind("array-like of shape (n_classes,) or None");

const SHRINKAGE: Param = translated("shrinkage", Nothing, &[Words(&["auto"]), reals(0.0, 1.0, Both), Null], "");

const TOL: Param = like("tol", Number(0.0001), &[at_least(0.0)]);

const COVARIANCE_ESTIMATOR: Param = own(
    "covariance_estimator",
    Nothing,
    &[Methods(&["fit"]), Null],
    "An object with `fit` and an attribute `covariance_`, which estimates covariances in place of `shrinkage`; not for svd.",
);

const CLASS_COUNT: Attribute = ("class_count_", "ndarray of shape (n_classes,)", "Weight of each class.");
const CLASS_LOG_PRIOR: Attribute =
    ("class_log_prior_", "ndarray of shape (n_classes,)", "Logarithm of the probability of each class.");
const FEATURE_COUNT: Attribute =
    ("feature_count_", "ndarray of shape (n_classes, n_features)", "Sum of each column in each class, with weights.");
const MEANS: Attribute = ("means_", "ndarray of shape (n_classes, n_features)", "Mean of each column in each class.");
const PRIORS_OF: Attribute = ("priors_", "ndarray of shape (n_classes,)", "Probability of each class.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "GaussianNB",
        learner: "gaussian-nb",
        module: "naive_bayes",
        base: "_gaussian.GaussianNB",
        params: &[PRIORS, like("var_smoothing", Number(1e-09), &[at_least(0.0)])],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            ("class_prior_", "ndarray of shape (n_classes,)", "Probability of each class."),
            ("theta_", "ndarray of shape (n_classes, n_features)", "Mean of each column in each class."),
            ("var_", "ndarray of shape (n_classes, n_features)", "Variance of each column in each class, smoothing included."),
            ("epsilon_", "float", "What smoothing added to the variances."),
        ],
        arrays: &["theta", "var", "class_prior", "class_count"],
        fields: &["epsilon"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "MultinomialNB",
        learner: "multinomial-nb",
        module: "naive_bayes",
        base: "_discrete.MultinomialNB",
        params: &[ALPHA, FORCE_ALPHA, same("fit_prior"), CLASS_PRIOR],
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
        arrays: &["class_count", "class_log_prior"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ComplementNB",
        learner: "multinomial-nb",
        module: "naive_bayes",
        base: "_discrete.ComplementNB",
        summary: "Naive Bayes for counts that scores a class by how little a row looks like all others",
        notes: "The learner is multinomial-nb with `complement`.",
        params: &[ALPHA, FORCE_ALPHA, same("fit_prior"), CLASS_PRIOR, same("norm")],
        handled: &["complement"],
        attributes: &[
            CLASSES,
            CLASS_COUNT,
            CLASS_LOG_PRIOR,
            FEATURE_COUNT,
            ("feature_all_", "ndarray of shape (n_features,)", "Sum of each column in all classes."),
            ("feature_log_prob_", "ndarray of shape (n_classes, n_features)", "Weight of each column in each class."),
        ],
        arrays: &["class_count", "class_log_prior"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "BernoulliNB",
        learner: "bernoulli-nb",
        module: "naive_bayes",
        base: "_discrete.BernoulliNB",
        params: &[ALPHA, FORCE_ALPHA, like("binarize", Number(0.0), &[Null, at_least(0.0)]), same("fit_prior"), CLASS_PRIOR],
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
        arrays: &["class_count", "class_log_prior"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "CategoricalNB",
        learner: "categorical-nb",
        module: "naive_bayes",
        base: "_discrete.CategoricalNB",
        notes: "Columns hold codes, whole numbers from 0 up. A code that training has not seen is refused.",
        params: &[
            like("alpha", Number(1.0), &[at_least(0.0)]),
            FORCE_ALPHA,
            same("fit_prior"),
            CLASS_PRIOR,
            translated("min_categories", Nothing, &[Null, ArrayLike, ints_from(1)], "")
                .kind("int, array-like of shape (n_features,) or None"),
        ],
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
        arrays: &["class_count", "class_log_prior"],
        refuses: &["missing"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "LinearDiscriminantAnalysis",
        learner: "lda",
        module: "discriminant_analysis",
        base: "_discriminant.LinearDiscriminantAnalysis",
        params: &[
            like("solver", Word("svd"), &[Words(&["svd", "lsqr", "eigen"])]),
            SHRINKAGE,
            PRIORS,
            translated("n_components", Nothing, &[ints_from(1), Null], ""),
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
        ..PythonClass::NEW
    },
    PythonClass {
        class: "QuadraticDiscriminantAnalysis",
        learner: "qda",
        module: "discriminant_analysis",
        base: "_discriminant.QuadraticDiscriminantAnalysis",
        notes: "As in scikit-learn, a covariance with a variance of at most `tol` in some direction is an error here; the learner itself copes \
                with it.",
        params: &[
            like("solver", Word("svd"), &[Words(&["svd", "eigen"])]),
            SHRINKAGE,
            PRIORS,
            translated("reg_param", Number(0.0), &[reals(0.0, 1.0, Both)], ""),
            own("store_covariance", Flag(false), BOOL, "Keep the covariances of the classes as `covariance_`."),
            own(
                "tol",
                Number(0.0001),
                &[at_least(0.0)],
                "The least variance in any direction, in the units of the columns; less is refused.",
            ),
            COVARIANCE_ESTIMATOR,
        ],
        handled: &["tol", "divisor"],
        attributes: &[
            CLASSES,
            MEANS,
            PRIORS_OF,
            ("covariance_", "list of ndarray of shape (n_features, n_features)", "Covariance of each class, where it is kept."),
            ("rotations_", "list of ndarray of shape (n_features, n_features)", "Principal axes of each class, as columns."),
            ("scalings_", "list of ndarray of shape (n_features,)", "Variances along these axes."),
        ],
        arrays: &["means", "priors"],
        ..PythonClass::NEW
    },
];
