//! Multi-way trees, and learners made of learners.

use super::{BOOL, CLASSES, Param, PythonClass, RANDOM_STATE, like, own, same};

const TABLES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value.";

const LOOP: &str = "The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its \
    contract may be one.";

const ESTIMATOR: Param = own(
    "estimator",
    "None",
    "[HasMethods([\"fit\", \"predict\"]), None]",
    "object",
    "The estimator of each round, with sample weights. None, and a tree of ours with max_depth=1, are boosted in Rust; \
     other estimators in scikit-learn's own loop.",
);

const LEARNING_RATE: Param = like("learning_rate", "1.0", "[Interval(Real, 0, None, closed=\"neither\")]", "float");

const ESTIMATORS_: (&str, &str, &str) = ("estimators_", "list of estimators", "The members, in the order of their rounds.");
const WEIGHTS_: (&str, &str, &str) = ("estimator_weights_", "ndarray of floats", "The vote of each member.");
const ERRORS_: (&str, &str, &str) = ("estimator_errors_", "ndarray of floats", "The weighted error of each member in its round.");
const IMPORTANCES: (&str, &str, &str) =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decisions.");

const BASE: Param = own(
    "estimator",
    "None",
    "[HasMethods([\"fit\", \"predict\"]), None]",
    "object",
    "The estimator of each sample; None for a decision tree of ours.",
);

const N_JOBS: Param = own(
    "n_jobs",
    "None",
    "[None, Integral]",
    "int or None",
    "Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use all cores.",
);

const VERBOSE: Param = own("verbose", "0", "[\"verbose\"]", "int or bool", "Whether scikit-learn's loop tells of its progress.");

const VERBOSE_BOOL: Param =
    own("verbose", "False", "[\"verbose\"]", "bool", "Whether scikit-learn's loop tells of its progress.");

const BAGS: &[Param] = &[
    BASE,
    own("n_estimators", "10", "[Interval(Integral, 1, None, closed=\"left\")]", "int", "Members of the ensemble."),
    own(
        "max_samples",
        "None",
        "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0, None, closed=\"neither\"), None]",
        "int, float or None",
        "Rows drawn for each member: a number, a share, or None for as many as there are.",
    ),
    own(
        "max_features",
        "1.0",
        "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0, 1, closed=\"right\")]",
        "int or float",
        "Columns drawn for each member: a number, or a share.",
    ),
    own("bootstrap", "True", BOOL, "bool", "Whether rows are drawn with replacement."),
    own("bootstrap_features", "False", BOOL, "bool", "Whether columns are drawn with replacement."),
    own(
        "oob_score",
        "False",
        "[\"boolean\", callable]",
        "bool or callable",
        "Whether, or by which score, rows out of bag estimate new rows.",
    ),
    own("warm_start", "False", BOOL, "bool", "Whether a further fit adds members to those there are."),
    N_JOBS,
    RANDOM_STATE,
    VERBOSE,
];

const BAG_PARAMS: &[&str] =
    &["base", "n_estimators", "max_samples", "max_features", "bootstrap", "bootstrap_features", "oob_score", "prepare"];

const MEMBERS: Param = own(
    "estimators",
    "None",
    "[list, None]",
    "list of (str, estimator) or None",
    "The members with their names; \"drop\" leaves one out. None for LogisticRegression, GaussianNB and DecisionTreeClassifier, or \
     Ridge and DecisionTreeRegressor.",
);

const WEIGHTS: Param =
    own("weights", "None", "[\"array-like\", None]", "array-like or None", "A weight for each member; None for equal weights.");

const FINAL: Param = own(
    "final_estimator",
    "None",
    "[None, HasMethods([\"fit\", \"predict\"])]",
    "object",
    "The estimator on top; None for LogisticRegression, or Ridge.",
);

const CV: Param = own(
    "cv",
    "None",
    "[\"cv_object\", StrOptions({\"prefit\"})]",
    "int, splitter or None",
    "Folds of the cross-validated predictions; None for 5.",
);

const PASSTHROUGH: Param =
    own("passthrough", "False", BOOL, "bool", "Whether the final estimator sees the original columns too.");

const BAG_ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("estimator_", "estimator", "The estimator that members are copies of."),
    ESTIMATORS_,
    ("estimators_samples_", "list of ndarray", "The rows of each member."),
    ("estimators_features_", "list of ndarray", "The columns of each member."),
    ("oob_score_", "float", "The score of the rows out of bag, if it was asked for."),
];

const NAMED_ATTRIBUTES: &[(&str, &str, &str)] = &[ESTIMATORS_, ("named_estimators_", "Bunch", "The members by their names.")];

const NAMED_CLASSES: &[(&str, &str, &str)] =
    &[CLASSES, ESTIMATORS_, ("named_estimators_", "Bunch", "The members by their names.")];

const STACK_PARAMS: &[&str] = &["estimators", "final_estimator", "cv", "passthrough", "prepare"];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "C45Classifier",
        learner: "c45",
        base: "_c45.C45Classifier",
        summary: "",
        notes: TABLES,
        params: &[
            same("criterion"),
            same("max_depth"),
            like("min_samples_leaf", "2", "[Interval(Real, 0, None, closed=\"neither\")]", "float"),
            same("pruning"),
            same("confidence"),
            same("subtree_raising"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            IMPORTANCES,
            ("n_leaves_", "int", "Number of leaves."),
            ("depth_", "int", "Tests on the longest way to a leaf."),
        ],
        example: "",
    },
    PythonClass {
        class: "AdaBoostClassifier",
        learner: "adaboost",
        base: "_adaboost.AdaBoostClassifier",
        summary: "AdaBoost for classes: stumps or any estimator, combined by weighted votes",
        notes: TABLES,
        params: &[
            ESTIMATOR,
            same("n_estimators"),
            LEARNING_RATE,
            RANDOM_STATE,
            same("algorithm"),
            same("variant"),
            same("stump_criterion"),
        ],
        positional: 1,
        handled: &["base", "loss", "prepare"],
        attributes: &[
            CLASSES,
            ("n_classes_", "int", "Number of classes."),
            ("estimator_", "estimator", "The estimator that was boosted."),
            ESTIMATORS_,
            WEIGHTS_,
            ERRORS_,
            IMPORTANCES,
            ("trace_", "dict", "Columns and rows of the course: error, vote, training error and its bound in each round."),
        ],
        example: "",
    },
    PythonClass {
        class: "AdaBoostRegressor",
        learner: "adaboost",
        base: "_adaboost.AdaBoostRegressor",
        summary: "AdaBoost.R2 for numbers: trees of depth 3 or any estimator, combined by the weighted median",
        notes: TABLES,
        params: &[ESTIMATOR, same("n_estimators"), LEARNING_RATE, same("loss"), RANDOM_STATE],
        positional: 1,
        handled: &["base", "algorithm", "variant", "stump_criterion", "prepare"],
        attributes: &[
            ("estimator_", "estimator", "The estimator that was boosted."),
            ESTIMATORS_,
            WEIGHTS_,
            ERRORS_,
            IMPORTANCES,
        ],
        example: "",
    },
    PythonClass {
        class: "BaggingClassifier",
        learner: "bagging",
        base: "_ensemble.BaggingClassifier",
        summary: "",
        notes: LOOP,
        params: BAGS,
        positional: 2,
        handled: BAG_PARAMS,
        attributes: BAG_ATTRIBUTES,
        example: "",
    },
    PythonClass {
        class: "BaggingRegressor",
        learner: "bagging",
        base: "_ensemble.BaggingRegressor",
        summary: "",
        notes: LOOP,
        params: BAGS,
        positional: 2,
        handled: BAG_PARAMS,
        attributes: BAG_ATTRIBUTES,
        example: "",
    },
    PythonClass {
        class: "VotingClassifier",
        learner: "voting",
        base: "_ensemble.VotingClassifier",
        summary: "",
        notes: LOOP,
        params: &[
            MEMBERS,
            own(
                "voting",
                "\"hard\"",
                "[StrOptions({\"hard\", \"soft\"})]",
                "{\"hard\", \"soft\"}",
                "hard counts the classes that members say; soft averages their probabilities.",
            ),
            WEIGHTS,
            N_JOBS,
            own(
                "flatten_transform",
                "True",
                BOOL,
                "bool",
                "Whether `transform` puts the probabilities of all members side by side.",
            ),
            VERBOSE_BOOL,
        ],
        positional: 1,
        handled: &["estimators", "voting", "weights", "prepare"],
        attributes: NAMED_CLASSES,
        example: "",
    },
    PythonClass {
        class: "VotingRegressor",
        learner: "voting",
        base: "_ensemble.VotingRegressor",
        summary: "",
        notes: LOOP,
        params: &[MEMBERS, WEIGHTS, N_JOBS, VERBOSE_BOOL],
        positional: 1,
        handled: &["estimators", "voting", "weights", "prepare"],
        attributes: NAMED_ATTRIBUTES,
        example: "",
    },
    PythonClass {
        class: "StackingClassifier",
        learner: "stacking",
        base: "_ensemble.StackingClassifier",
        summary: "",
        notes: LOOP,
        params: &[
            MEMBERS,
            FINAL,
            CV,
            own(
                "stack_method",
                "\"auto\"",
                "[StrOptions({\"auto\", \"predict_proba\", \"decision_function\", \"predict\"})]",
                "{\"auto\", \"predict_proba\", \"decision_function\", \"predict\"}",
                "What members say to the final estimator; auto takes the first that a member has.",
            ),
            N_JOBS,
            PASSTHROUGH,
            VERBOSE,
        ],
        positional: 2,
        handled: STACK_PARAMS,
        attributes: NAMED_CLASSES,
        example: "",
    },
    PythonClass {
        class: "StackingRegressor",
        learner: "stacking",
        base: "_ensemble.StackingRegressor",
        summary: "",
        notes: LOOP,
        params: &[MEMBERS, FINAL, CV, N_JOBS, PASSTHROUGH, VERBOSE],
        positional: 2,
        handled: STACK_PARAMS,
        attributes: NAMED_ATTRIBUTES,
        example: "",
    },
];
