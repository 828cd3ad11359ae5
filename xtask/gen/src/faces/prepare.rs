//! Preparation of columns.

use super::{BOOL, Param, PythonClass, own, same, translated};

const COPY_OR_IN_PLACE: Param =
    own("copy", "True", BOOL, "bool", "Whether X must stay as it is; if not, it is changed where it lies when its type allows.");

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

pub const FACES: &[PythonClass] = &[
    PythonClass {
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
    PythonClass {
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
    PythonClass {
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
    PythonClass {
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
    PythonClass {
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
];
