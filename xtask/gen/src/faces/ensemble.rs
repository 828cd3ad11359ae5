//! Multi-way trees, and learners made of learners.

use super::*;

const TABLES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value.";

const LOOP: &str = "The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its \
    contract may be one.";

const ESTIMATOR: Param = own(
    "estimator",
    Nothing,
    &[Methods(&["fit", "predict"]), Null],
    "The estimator of each round, with sample weights. None, and a tree of ours with max_depth=1, are boosted in Rust; \
     other estimators in scikit-learn's own loop.",
)
.kind("object");

const LEARNING_RATE: Param = like("learning_rate", Number(1.0), &[above(0.0)]);

const ESTIMATORS_: Attribute = ("estimators_", "list of estimators", "The members, in the order of their rounds.");
const WEIGHTS_: Attribute = ("estimator_weights_", "ndarray of floats", "The vote of each member.");
const ERRORS_: Attribute = ("estimator_errors_", "ndarray of floats", "The weighted error of each member in its round.");
const IMPORTANCES: Attribute =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decisions.");

const BASE: Param = own(
    "estimator",
    Nothing,
    &[Methods(&["fit", "predict"]), Null],
    "The estimator of each sample; None for a decision tree of ours.",
)
.kind("object");

const N_JOBS: Param = own(
    "n_jobs",
    Nothing,
    &[Null, Int],
    "Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use all cores.",
);

const VERBOSE: Param = own("verbose", Whole(0), &[Verbose], "Whether scikit-learn's loop reports its progress.");

const VERBOSE_BOOL: Param =
    own("verbose", Flag(false), &[Verbose], "Whether scikit-learn's loop reports its progress.").kind("bool");

const BAGS: &[Param] = &[
    BASE,
    own("n_estimators", Whole(10), &[ints_from(1)], "Members of the ensemble."),
    own(
        "max_samples",
        Nothing,
        &[ints_from(1), fractions(0.0, f64::INFINITY, Neither), Null],
        "Rows drawn for each member: a number, a share, or None for as many as there are.",
    ),
    own(
        "max_features",
        Number(1.0),
        &[ints_from(1), fractions(0.0, 1.0, High)],
        "Columns drawn for each member: a number, or a share.",
    ),
    own("bootstrap", Flag(true), BOOL, "Whether rows are drawn with replacement."),
    own("bootstrap_features", Flag(false), BOOL, "Whether columns are drawn with replacement."),
    own("oob_score", Flag(false), &[Bool, Callable], "Whether, or by which score, rows out of bag estimate new rows."),
    own("warm_start", Flag(false), BOOL, "Whether a further fit adds members to those there are."),
    N_JOBS,
    RANDOM_STATE,
    VERBOSE,
];

const BAG_PARAMS: &[&str] =
    &["base", "n_estimators", "max_samples", "max_features", "bootstrap", "bootstrap_features", "oob_score", "prepare"];

const MEMBERS: Param = own("estimators", Nothing, &[List, Null], "The members with their names; \"drop\" leaves one out. None for LogisticRegression, GaussianNB and DecisionTreeClassifier, or \
     Ridge and DecisionTreeRegressor.").kind("list of (str, estimator) or None");

const WEIGHTS: Param = own("weights", Nothing, &[ArrayLike, Null], "A weight for each member; None for equal weights.");

const FINAL: Param = own(
    "final_estimator",
    Nothing,
    &[Null, Methods(&["fit", "predict"])],
    "The estimator on top; None for LogisticRegression, or Ridge.",
)
.kind("object");

const CV: Param = own("cv", Nothing, &[Folds, Words(&["prefit"])], "Folds of the cross-validated predictions; None for 5.")
    .kind("int, splitter or None");

const PASSTHROUGH: Param = own("passthrough", Flag(false), BOOL, "Whether the final estimator sees the original columns too.");

const BAG_ATTRIBUTES: &[Attribute] = &[
    ("estimator_", "estimator", "The estimator that members are copies of."),
    ESTIMATORS_,
    ("estimators_samples_", "list of ndarray", "The rows of each member."),
    ("estimators_features_", "list of ndarray", "The columns of each member."),
    ("oob_score_", "float", "The score of the rows out of bag, if it was asked for."),
];

const NAMED_ATTRIBUTES: &[Attribute] = &[ESTIMATORS_, ("named_estimators_", "Bunch", "The members by their names.")];

const NAMED_CLASSES: &[Attribute] = &[CLASSES, ESTIMATORS_, ("named_estimators_", "Bunch", "The members by their names.")];

const STACK_PARAMS: &[&str] = &["estimators", "final_estimator", "cv", "passthrough", "prepare"];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "C45Classifier",
        learner: "c45",
        module: "tree",
        base: "_c45.C45Classifier",
        notes: TABLES,
        params: &[
            same("criterion"),
            same("max_depth"),
            like("min_samples_leaf", Whole(2), &[above(0.0)]),
            same("pruning"),
            same("confidence"),
            same("subtree_raising"),
        ],
        attributes: &[
            CLASSES,
            IMPORTANCES,
            ("n_leaves_", "int", "Number of leaves."),
            ("depth_", "int", "Tests on the longest path to a leaf."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "AdaBoostClassifier",
        learner: "adaboost",
        module: "ensemble",
        base: "_weight_boosting.AdaBoostClassifier",
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
            ("trace_", "dict", "Columns and rows of the trace: error, vote, training error and its bound in each round."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "AdaBoostRegressor",
        learner: "adaboost",
        module: "ensemble",
        base: "_weight_boosting.AdaBoostRegressor",
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
        ..PythonClass::NEW
    },
    PythonClass {
        class: "BaggingClassifier",
        learner: "bagging",
        module: "ensemble",
        base: "_meta.BaggingClassifier",
        notes: LOOP,
        params: BAGS,
        positional: 2,
        handled: BAG_PARAMS,
        attributes: BAG_ATTRIBUTES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "BaggingRegressor",
        learner: "bagging",
        module: "ensemble",
        base: "_meta.BaggingRegressor",
        notes: LOOP,
        params: BAGS,
        positional: 2,
        handled: BAG_PARAMS,
        attributes: BAG_ATTRIBUTES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "VotingClassifier",
        learner: "voting",
        module: "ensemble",
        base: "_meta.VotingClassifier",
        notes: LOOP,
        params: &[
            MEMBERS,
            own(
                "voting",
                Word("hard"),
                &[Words(&["hard", "soft"])],
                "hard counts the classes that members predict; soft averages their probabilities.",
            ),
            WEIGHTS,
            N_JOBS,
            own("flatten_transform", Flag(true), BOOL, "Whether `transform` puts the probabilities of all members side by side."),
            VERBOSE_BOOL,
        ],
        positional: 1,
        handled: &["estimators", "voting", "weights", "prepare"],
        attributes: NAMED_CLASSES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "VotingRegressor",
        learner: "voting",
        module: "ensemble",
        base: "_meta.VotingRegressor",
        notes: LOOP,
        params: &[MEMBERS, WEIGHTS, N_JOBS, VERBOSE_BOOL],
        positional: 1,
        handled: &["estimators", "voting", "weights", "prepare"],
        attributes: NAMED_ATTRIBUTES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "StackingClassifier",
        learner: "stacking",
        module: "ensemble",
        base: "_meta.StackingClassifier",
        notes: LOOP,
        params: &[
            MEMBERS,
            FINAL,
            CV,
            own(
                "stack_method",
                Word("auto"),
                &[Words(&["auto", "predict_proba", "decision_function", "predict"])],
                "What the final estimator gets from the members; auto takes the first that a member has.",
            ),
            N_JOBS,
            PASSTHROUGH,
            VERBOSE,
        ],
        positional: 2,
        handled: STACK_PARAMS,
        attributes: NAMED_CLASSES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "StackingRegressor",
        learner: "stacking",
        module: "ensemble",
        base: "_meta.StackingRegressor",
        notes: LOOP,
        params: &[MEMBERS, FINAL, CV, N_JOBS, PASSTHROUGH, VERBOSE],
        positional: 2,
        handled: STACK_PARAMS,
        attributes: NAMED_ATTRIBUTES,
        ..PythonClass::NEW
    },
];
