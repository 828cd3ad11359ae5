//! The faces of learners in Python: class names, parameters in scikit-learn's order, fitted attributes.
//!
//! Names, defaults, ranges and texts come from the learner's declaration; a face adds what only Python has. Behaviour is
//! hand-written in the class that `base` names.

/// One Python class.
pub struct Face {
    /// Its name, scikit-learn's where it has the class.
    pub class: &'static str,
    /// The learner behind it.
    pub learner: &'static str,
    /// The class with its behaviour, with its module.
    pub base: &'static str,
    /// One line; empty: the learner's.
    pub summary: &'static str,
    /// What holds for the Python class only.
    pub notes: &'static str,
    /// Parameters in the order of the signature.
    pub params: &'static [Param],
    /// How many of them may be given by position.
    pub positional: usize,
    /// Parameters of the learner that the class sets itself.
    pub handled: &'static [&'static str],
    /// Fitted attributes: name, type, meaning.
    pub attributes: &'static [(&'static str, &'static str, &'static str)],
    /// An example for the docstring.
    pub example: &'static str,
}

/// One parameter of a class. Empty texts are filled from the learner.
pub enum Param {
    /// A parameter of the learner; `by_hand` when the class translates its value.
    Learner {
        name: &'static str,
        theirs: &'static str,
        default: &'static str,
        constraint: &'static str,
        kind: &'static str,
        doc: &'static str,
        by_hand: bool,
    },
    /// A parameter of the class itself.
    Own { name: &'static str, default: &'static str, constraint: &'static str, kind: &'static str, doc: &'static str },
    /// A parameter that scikit-learn has and that has nothing to do here.
    Unused { name: &'static str, default: &'static str, constraint: &'static str, kind: &'static str, doc: &'static str },
}

impl Param {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Learner { name, .. } | Self::Own { name, .. } | Self::Unused { name, .. } => name,
        }
    }
}

/// The learner's parameter as it is.
const fn same(name: &'static str) -> Param {
    Param::Learner { name, theirs: name, default: "", constraint: "", kind: "", doc: "", by_hand: false }
}

/// The learner's parameter with Python's own constraint, type and default.
const fn like(name: &'static str, default: &'static str, constraint: &'static str, kind: &'static str) -> Param {
    Param::Learner { name, theirs: name, default, constraint, kind, doc: "", by_hand: false }
}

/// The learner's parameter, whose value the class translates.
const fn translated(
    name: &'static str,
    default: &'static str,
    constraint: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Param {
    Param::Learner { name, theirs: name, default, constraint, kind, doc, by_hand: true }
}

const fn own(
    name: &'static str,
    default: &'static str,
    constraint: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Param {
    Param::Own { name, default, constraint, kind, doc }
}

const fn unused(
    name: &'static str,
    default: &'static str,
    constraint: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Param {
    Param::Unused { name, default, constraint, kind, doc }
}

const BOOL: &str = "[\"boolean\"]";

const RANDOM_STATE: Param = own(
    "random_state",
    "None",
    "[\"random_state\"]",
    "int, RandomState or None",
    "The seed of all randomness; the same int gives the same model on any number of threads. None draws a seed from \
     NumPy's global generator.",
);

const N_JOBS: Param = unused(
    "n_jobs",
    "None",
    "[None, Integral]",
    "int or None",
    "The number of threads is that of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.",
);

const COPY_X: Param = unused("copy_X", "True", BOOL, "bool", "X is never changed and never copied as a whole.");

const VERBOSE: Param = unused("verbose", "0", "[\"verbose\"]", "int or bool", "");

const CLASS_WEIGHT: Param = translated(
    "class_weight",
    "None",
    "[dict, StrOptions({\"balanced\"}), None]",
    "dict, \"balanced\" or None",
    "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight.",
);

const CLASSES: (&str, &str, &str) = ("classes_", "ndarray of shape (n_classes,)", "The class labels, sorted.");

const COPY_OR_IN_PLACE: Param =
    own("copy", "True", BOOL, "bool", "Whether X must stay as it is; if not, it is changed where it lies when its type allows.");

const ORDER: Param = own(
    "order",
    "\"C\"",
    "[StrOptions({\"C\", \"F\"})]",
    "{\"C\", \"F\"}",
    "The memory order of the new columns, where they are dense.",
);

const MIN_FREQUENCY: Param = translated(
    "min_frequency",
    "None",
    "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0, 1, closed=\"neither\"), None]",
    "int, float or None",
    "",
);

const MAX_CATEGORIES: Param =
    translated("max_categories", "None", "[Interval(Integral, 1, None, closed=\"left\"), None]", "int or None", "");

const CATEGORIES: (&str, &str, &str) = ("categories_", "list of ndarray", "The values of each column, in order.");

const INFREQUENT: (&str, &str, &str) =
    ("infrequent_categories_", "list of ndarray or None", "The infrequent values of each column; None where there are none.");

const TREE_NOTES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value. `sklearn.tree.export_text` and `plot_tree` read it.";

const MAX_DEPTH: Param = same("max_depth");

const MIN_SAMPLES_SPLIT: Param = like(
    "min_samples_split",
    "2",
    "[Interval(Integral, 2, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"right\")]",
    "int or float",
);

const MIN_SAMPLES_LEAF: Param = like(
    "min_samples_leaf",
    "1",
    "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"neither\")]",
    "int or float",
);

const MAX_FEATURES: Param = like(
    "max_features",
    "None",
    "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"right\"), \
     StrOptions({\"sqrt\", \"log2\"}), None]",
    "int, float, {\"sqrt\", \"log2\"} or None",
);

const MONOTONIC: Param =
    translated("monotonic_cst", "None", "[\"array-like\", None]", "array-like of shape (n_features,) or None", "");

const TREE_IMPORTANCES: (&str, &str, &str) =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decrease of the impurity.");

const TREE_ARRAYS: (&str, &str, &str) =
    ("tree_", "Tree", "The nodes as arrays: children_left, children_right, feature, threshold, impurity, value, …");

/// All faces; one whose learner is not in the catalogue, or whose module is not written, is left out.
pub const FACES: &[Face] = &[
    Face {
        class: "LinearRegression",
        learner: "ols",
        base: "_linear.LinearRegression",
        summary: "",
        notes: "",
        params: &[
            same("fit_intercept"),
            COPY_X,
            unused(
                "tol",
                "1e-6",
                "[Interval(Real, 0, None, closed=\"left\")]",
                "float",
                "Rank is decided from the rounding errors of the data, not from a fixed cut-off.",
            ),
            N_JOBS,
            same("positive"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
            ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
            ("rank_", "int", "Rank of the centred X. Dense X only."),
            ("singular_", "ndarray of shape (min(n_samples, n_features),)", "Singular values of the centred X. Dense X only."),
        ],
        example: "",
    },
    Face {
        class: "Ridge",
        learner: "ridge",
        base: "_linear.Ridge",
        summary: "",
        notes: "",
        params: &[
            translated(
                "alpha",
                "1.0",
                "[Interval(Real, 0, None, closed=\"left\"), \"array-like\"]",
                "float or array-like of shape (n_targets,)",
                "",
            ),
            same("fit_intercept"),
            COPY_X,
            unused(
                "max_iter",
                "None",
                "[Interval(Integral, 1, None, closed=\"left\"), None]",
                "int or None",
                "The fit is direct.",
            ),
            unused("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float", "The fit is exact up to rounding."),
            own(
                "solver",
                "\"auto\"",
                "[StrOptions({\"auto\", \"svd\", \"cholesky\", \"lsqr\", \"sparse_cg\", \"sag\", \"saga\", \"lbfgs\"})]",
                "str",
                "Accepted so that programs written for scikit-learn run: every name gives the same exact fit, by the method \
                 that suits the shape of X. \"lbfgs\" needs `positive`; the names that scikit-learn refuses for sparse X \
                 with an intercept are refused here too.",
            ),
            same("positive"),
            RANDOM_STATE,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
            ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
            ("n_iter_", "ndarray of shape (n_targets,)", "1: the fit is direct."),
            ("solver_", "str", "The solver as scikit-learn would name it."),
        ],
        example: "",
    },
    Face {
        class: "LogisticRegression",
        learner: "logistic",
        base: "_logistic.LogisticRegression",
        summary: "",
        notes: "",
        params: &[
            translated(
                "penalty",
                "\"deprecated\"",
                "[StrOptions({\"l1\", \"l2\", \"elasticnet\"}), None, Hidden(StrOptions({\"deprecated\"}))]",
                "{\"l2\"} or None",
                "The old way to say what `C` and `l1_ratio` say; None is C=inf.",
            ),
            translated("C", "1.0", "[Interval(Real, 0, None, closed=\"right\")]", "float", ""),
            own("l1_ratio", "0.0", "[Interval(Real, 0, 1, closed=\"both\"), None]", "float", "0 is the squared penalty."),
            unused("dual", "False", BOOL, "bool", ""),
            translated("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float", ""),
            same("fit_intercept"),
            unused(
                "intercept_scaling",
                "1",
                "[Interval(Real, 0, None, closed=\"neither\")]",
                "float",
                "The constant term is never penalised.",
            ),
            CLASS_WEIGHT,
            RANDOM_STATE,
            translated(
                "solver",
                "\"lbfgs\"",
                "[StrOptions({\"lbfgs\", \"liblinear\", \"newton-cg\", \"newton-cholesky\", \"sag\", \"saga\"})]",
                "str",
                "The names of scikit-learn are accepted. All find the same optimum, by Newton's method or by L-BFGS, \
                 whichever suits the shape of X; the constant term is not penalised by any of them.",
            ),
            translated("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int", ""),
            VERBOSE,
            unused("warm_start", "False", BOOL, "bool", "Every fit starts anew."),
            N_JOBS,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            CLASSES,
            ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients."),
            ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms."),
            ("n_iter_", "ndarray of shape (1,)", "Iterations of the solver."),
        ],
        example: "",
    },
    Face {
        class: "GaussianNB",
        learner: "gaussian-nb",
        base: "_bayes.GaussianNB",
        summary: "",
        notes: "",
        params: &[
            translated("priors", "None", "[\"array-like\", None]", "array-like of shape (n_classes,) or None", ""),
            like("var_smoothing", "1e-9", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            ("class_count_", "ndarray of shape (n_classes,)", "Weight of each class."),
            ("class_prior_", "ndarray of shape (n_classes,)", "Probability of each class."),
            ("theta_", "ndarray of shape (n_classes, n_features)", "Mean of each column in each class."),
            ("var_", "ndarray of shape (n_classes, n_features)", "Variance of each column in each class, smoothing included."),
            ("epsilon_", "float", "What smoothing added to the variances."),
        ],
        example: "",
    },
    Face {
        class: "DecisionTreeClassifier",
        learner: "tree",
        base: "_tree.DecisionTreeClassifier",
        summary: "Decision tree (CART) for classes",
        notes: TREE_NOTES,
        params: &[
            like(
                "criterion",
                "\"gini\"",
                "[StrOptions({\"gini\", \"entropy\", \"log_loss\"})]",
                "{\"gini\", \"entropy\", \"log_loss\"}",
            ),
            same("splitter"),
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            MAX_FEATURES,
            RANDOM_STATE,
            same("max_leaf_nodes"),
            same("min_impurity_decrease"),
            translated(
                "class_weight",
                "None",
                "[dict, list, StrOptions({\"balanced\"}), None]",
                "dict, \"balanced\" or None",
                "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight.",
            ),
            same("ccp_alpha"),
            MONOTONIC,
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            ("n_classes_", "int", "Number of classes."),
            TREE_IMPORTANCES,
            ("max_features_", "int", "Number of columns looked at for each split."),
            ("n_outputs_", "int", "Number of targets."),
            TREE_ARRAYS,
        ],
        example: "",
    },
    Face {
        class: "DecisionTreeRegressor",
        learner: "tree",
        base: "_tree.DecisionTreeRegressor",
        summary: "Decision tree (CART) for numbers",
        notes: TREE_NOTES,
        params: &[
            like(
                "criterion",
                "\"squared_error\"",
                "[StrOptions({\"squared_error\", \"absolute_error\", \"poisson\"}), Hidden(StrOptions({\"friedman_mse\"}))]",
                "{\"squared_error\", \"absolute_error\", \"poisson\"}",
            ),
            same("splitter"),
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            MAX_FEATURES,
            RANDOM_STATE,
            same("max_leaf_nodes"),
            same("min_impurity_decrease"),
            same("ccp_alpha"),
            MONOTONIC,
        ],
        positional: 0,
        handled: &["class_weight"],
        attributes: &[
            TREE_IMPORTANCES,
            ("max_features_", "int", "Number of columns looked at for each split."),
            ("n_outputs_", "int", "Number of targets."),
            TREE_ARRAYS,
        ],
        example: "",
    },
    Face {
        class: "KMeans",
        learner: "kmeans",
        base: "_kmeans.KMeans",
        summary: "",
        notes: "",
        params: &[
            like("n_clusters", "8", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            translated(
                "init",
                "\"k-means++\"",
                "[StrOptions({\"k-means++\", \"random\"}), callable, \"array-like\"]",
                "{\"k-means++\", \"random\"}, callable or array-like of shape (n_clusters, n_features)",
                "",
            ),
            like(
                "n_init",
                "\"auto\"",
                "[StrOptions({\"auto\"}), Interval(Integral, 1, None, closed=\"left\")]",
                "\"auto\" or int",
            ),
            like("max_iter", "300", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            like("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            VERBOSE,
            RANDOM_STATE,
            unused("copy_x", "True", BOOL, "bool", "X is never changed and never copied as a whole."),
            like("algorithm", "\"lloyd\"", "[StrOptions({\"lloyd\", \"elkan\"})]", "{\"lloyd\", \"elkan\"}"),
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("cluster_centers_", "ndarray of shape (n_clusters, n_features)", "The centres."),
            ("labels_", "ndarray of shape (n_samples,)", "The cluster of each row of the training data."),
            ("inertia_", "float", "Sum of the squared distances of the rows to their centres, with weights."),
            ("n_iter_", "int", "Number of steps."),
        ],
        example: "",
    },
    Face {
        class: "PCA",
        learner: "pca",
        base: "_pca.PCA",
        summary: "",
        notes: "",
        params: &[
            like(
                "n_components",
                "None",
                "[Interval(Integral, 0, None, closed=\"left\"), Interval(RealNotInt, 0, 1, closed=\"neither\"), \
                 StrOptions({\"mle\"}), None]",
                "int, float, \"mle\" or None",
            ),
            unused("copy", "True", BOOL, "bool", "X is never changed and never copied as a whole."),
            same("whiten"),
            same("svd_solver"),
            same("tol"),
            like(
                "iterated_power",
                "\"auto\"",
                "[StrOptions({\"auto\"}), Interval(Integral, 0, None, closed=\"left\")]",
                "\"auto\" or int",
            ),
            like("n_oversamples", "10", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            unused("power_iteration_normalizer", "\"auto\"", "[StrOptions({\"auto\", \"QR\", \"LU\", \"none\"})]", "str", ""),
            RANDOM_STATE,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("components_", "ndarray of shape (n_components, n_features)", "The axes, by falling variance."),
            ("explained_variance_", "ndarray of shape (n_components,)", "Variance along each axis."),
            ("explained_variance_ratio_", "ndarray of shape (n_components,)", "Share of the variance along each axis."),
            ("singular_values_", "ndarray of shape (n_components,)", "Singular values of the centred X."),
            ("mean_", "ndarray of shape (n_features,)", "Mean of each column."),
            ("n_components_", "int", "Number of axes."),
            ("n_samples_", "int", "Number of rows."),
            ("noise_variance_", "float", "Mean variance along the axes left out."),
        ],
        example: "",
    },
    Face {
        class: "DummyClassifier",
        learner: "baseline",
        base: "_dummy.DummyClassifier",
        summary: "Classifier that does not look at X: what any other must beat",
        notes: "",
        params: &[
            like(
                "strategy",
                "\"prior\"",
                "[StrOptions({\"most_frequent\", \"prior\", \"stratified\", \"uniform\", \"constant\"})]",
                "{\"most_frequent\", \"prior\", \"stratified\", \"uniform\", \"constant\"}",
            ),
            RANDOM_STATE,
            translated(
                "constant",
                "None",
                "[Integral, str, \"array-like\", None]",
                "int, str or array-like of shape (n_outputs,)",
                "The label that the strategy \"constant\" predicts.",
            ),
        ],
        positional: 0,
        handled: &["quantile"],
        attributes: &[
            CLASSES,
            ("n_classes_", "int or list of int", "Number of classes of each output."),
            ("class_prior_", "ndarray of shape (n_classes,) or list of such", "Share of each class."),
            ("n_outputs_", "int", "Number of targets."),
            ("sparse_output_", "bool", "Whether predictions are sparse, as the target of fit was."),
        ],
        example: "",
    },
    Face {
        class: "DummyRegressor",
        learner: "baseline",
        base: "_dummy.DummyRegressor",
        summary: "Regressor that does not look at X: what any other must beat",
        notes: "",
        params: &[
            like(
                "strategy",
                "\"mean\"",
                "[StrOptions({\"mean\", \"median\", \"quantile\", \"constant\"})]",
                "{\"mean\", \"median\", \"quantile\", \"constant\"}",
            ),
            translated(
                "constant",
                "None",
                "[Interval(Real, None, None, closed=\"neither\"), \"array-like\", None]",
                "float or array-like of shape (n_outputs,)",
                "The number that the strategy \"constant\" predicts.",
            ),
            like("quantile", "None", "[Interval(Real, 0.0, 1.0, closed=\"both\"), None]", "float or None"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            ("constant_", "ndarray of shape (1, n_outputs)", "What is predicted for every row."),
            ("n_outputs_", "int", "Number of targets."),
        ],
        example: "",
    },
    Face {
        class: "StandardScaler",
        learner: "standardise",
        base: "_scale.StandardScaler",
        summary: "",
        notes: "Sparse X is taken when `with_mean` is False.",
        params: &[COPY_OR_IN_PLACE, same("with_mean"), same("with_std")],
        positional: 0,
        handled: &[],
        attributes: &[
            ("scale_", "ndarray of shape (n_features,) or None", "What each column is divided by; None without `with_std`."),
            ("mean_", "ndarray of shape (n_features,) or None", "Mean of each column; None when nothing is computed."),
            ("var_", "ndarray of shape (n_features,) or None", "Variance of each column; None without `with_std`."),
            (
                "n_samples_seen_",
                "int or ndarray of shape (n_features,)",
                "Rows seen; for each column when columns miss different numbers of cells; a sum of weights with weights.",
            ),
        ],
        example: "",
    },
    Face {
        class: "MinMaxScaler",
        learner: "min-max",
        base: "_scale.MinMaxScaler",
        summary: "",
        notes: "",
        params: &[
            translated("feature_range", "(0, 1)", "[tuple]", "tuple (min, max)", "The range of the new columns."),
            COPY_OR_IN_PLACE,
            same("clip"),
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("min_", "ndarray of shape (n_features,)", "What is added to each column after it is multiplied by `scale_`."),
            ("scale_", "ndarray of shape (n_features,)", "What each column is multiplied by."),
            ("data_min_", "ndarray of shape (n_features,)", "Least cell of each column."),
            ("data_max_", "ndarray of shape (n_features,)", "Greatest cell of each column."),
            ("data_range_", "ndarray of shape (n_features,)", "Their difference."),
            ("n_samples_seen_", "int", "Rows seen."),
        ],
        example: "",
    },
    Face {
        class: "OneHotEncoder",
        learner: "one-hot",
        base: "_one_hot.OneHotEncoder",
        summary: "",
        notes: "Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are encoded.",
        params: &[
            translated(
                "categories",
                "\"auto\"",
                "[StrOptions({\"auto\"}), list]",
                "\"auto\" or list of array-like",
                "\"auto\" takes the values found in training, in order. Otherwise a list of values for each column; numbers in \
                 order, NaN last.",
            ),
            translated(
                "drop",
                "None",
                "[StrOptions({\"first\", \"if_binary\"}), \"array-like\", None]",
                "{\"first\", \"if_binary\"}, array-like of shape (n_features,) or None",
                "Which value of a column gets no column: None for none, \"first\", \"if_binary\" (the first, of columns with two \
                 values), or a value for each column.",
            ),
            own("sparse_output", "True", BOOL, "bool", "Whether the new columns are a sparse matrix in CSR format."),
            own("dtype", "np.float64", "\"no_validation\"", "type", "The type of the new columns."),
            translated(
                "handle_unknown",
                "\"error\"",
                "[StrOptions({\"error\", \"ignore\", \"infrequent_if_exist\", \"warn\"})]",
                "{\"error\", \"ignore\", \"infrequent_if_exist\", \"warn\"}",
                "A value that training has not seen is refused (\"error\"), becomes all zeros (\"ignore\"), or goes to the column \
                 of the infrequent values (\"infrequent_if_exist\"; all zeros without one); \"warn\" is the latter with a warning.",
            ),
            MIN_FREQUENCY,
            MAX_CATEGORIES,
            own(
                "feature_name_combiner",
                "\"concat\"",
                "[StrOptions({\"concat\"}), callable]",
                "\"concat\" or callable",
                "How the name of a new column is made of a column's name and a value: \"concat\" puts an underscore between them.",
            ),
        ],
        positional: 0,
        handled: &["numbers"],
        attributes: &[
            CATEGORIES,
            (
                "drop_idx_",
                "ndarray of shape (n_features,) or None",
                "Place in `categories_` of the value without a column; None for none.",
            ),
            INFREQUENT,
        ],
        example: "",
    },
    Face {
        class: "OrdinalEncoder",
        learner: "ordinal",
        base: "_ordinal.OrdinalEncoder",
        summary: "",
        notes: "Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are encoded.",
        params: &[
            translated(
                "categories",
                "\"auto\"",
                "[StrOptions({\"auto\"}), list]",
                "\"auto\" or list of array-like",
                "\"auto\" takes the values found in training, in order. Otherwise a list of values for each column; numbers in \
                 order, NaN last.",
            ),
            own("dtype", "np.float64", "\"no_validation\"", "type", "The type of the codes."),
            translated(
                "handle_unknown",
                "\"error\"",
                "[StrOptions({\"error\", \"use_encoded_value\"})]",
                "{\"error\", \"use_encoded_value\"}",
                "",
            ),
            translated(
                "unknown_value",
                "None",
                "[Integral, type(np.nan), None]",
                "int, NaN or None",
                "The code of values that training has not seen, for \"use_encoded_value\".",
            ),
            translated("encoded_missing_value", "np.nan", "[Integral, type(np.nan)]", "int or NaN", "The code of missing cells."),
            MIN_FREQUENCY,
            MAX_CATEGORIES,
        ],
        positional: 0,
        handled: &["numbers"],
        attributes: &[CATEGORIES, INFREQUENT],
        example: "",
    },
    Face {
        class: "SimpleImputer",
        learner: "impute",
        base: "_impute.SimpleImputer",
        summary: "",
        notes: "Columns may hold numbers, text or objects; text comes out as text.",
        params: &[
            own(
                "missing_values",
                "np.nan",
                "[MissingValues()]",
                "int, float, str, NaN, None or pandas.NA",
                "What stands for a missing cell.",
            ),
            translated(
                "strategy",
                "\"mean\"",
                "[StrOptions({\"mean\", \"median\", \"most_frequent\", \"constant\"}), callable]",
                "{\"mean\", \"median\", \"most_frequent\", \"constant\"} or callable",
                "What a missing cell is filled with: the mean, the median or the most frequent value of the column (the least of \
                 several), or `fill_value`. A callable is given the cells of a column that are there.",
            ),
            translated(
                "fill_value",
                "None",
                "\"no_validation\"",
                "str, number or None",
                "The value of the strategy \"constant\"; None is 0 for numbers and \"missing_value\" for text.",
            ),
            COPY_OR_IN_PLACE,
            translated("add_indicator", "False", BOOL, "bool", ""),
            translated("keep_empty_features", "False", BOOL, "bool", ""),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            ("statistics_", "ndarray of shape (n_features,)", "What the missing cells of each column are filled with."),
            ("indicator_", "MissingIndicator or None", "Which columns get an indicator; None without `add_indicator`."),
        ],
        example: "",
    },
    Face {
        class: "PolynomialFeatures",
        learner: "polynomial",
        base: "_features.PolynomialFeatures",
        summary: "",
        notes: "Sparse X comes out sparse.",
        params: &[
            translated(
                "degree",
                "2",
                "[Interval(Integral, 0, None, closed=\"left\"), \"array-like\"]",
                "int or tuple (min_degree, max_degree)",
                "The greatest degree of a product, or the least and the greatest.",
            ),
            translated("interaction_only", "False", BOOL, "bool", ""),
            translated("include_bias", "True", BOOL, "bool", ""),
            ORDER,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("powers_", "ndarray of shape (n_output_features_, n_features_in_)", "The exponent of each column in each new one."),
            ("n_output_features_", "int", "Number of new columns."),
        ],
        example: "",
    },
    Face {
        class: "SplineTransformer",
        learner: "spline",
        base: "_features.SplineTransformer",
        summary: "",
        notes: "",
        params: &[
            like("n_knots", "5", "[Interval(Integral, 2, None, closed=\"left\")]", "int"),
            like("degree", "3", "[Interval(Integral, 0, None, closed=\"left\")]", "int"),
            translated(
                "knots",
                "\"uniform\"",
                "[StrOptions({\"uniform\", \"quantile\"}), \"array-like\"]",
                "{\"uniform\", \"quantile\"} or array-like of shape (n_knots, n_features)",
                "Where the knots are: at equal distances over the range of the column, at its quantiles, or given, ascending.",
            ),
            same("extrapolation"),
            same("include_bias"),
            ORDER,
            same("handle_missing"),
            own("sparse_output", "False", BOOL, "bool", "Whether the new columns are a sparse matrix in CSR format."),
        ],
        positional: 2,
        handled: &[],
        attributes: &[
            ("bsplines_", "list of scipy.interpolate.BSpline", "The splines of each column."),
            ("n_features_out_", "int", "Number of new columns."),
        ],
        example: "",
    },
];
