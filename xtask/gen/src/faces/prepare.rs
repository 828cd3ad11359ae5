//! Preparation of columns.

use super::*;

const COPY_OR_IN_PLACE: Param =
    own("copy", Flag(true), BOOL, "Whether X must stay as it is; if not, it is changed where it lies when its type allows.");

const MIN_FREQUENCY: Param = translated("min_frequency", Nothing, &[ints_from(1), fractions(0.0, 1.0, Neither), Null], "");

const MAX_CATEGORIES: Param = translated("max_categories", Nothing, &[ints_from(1), Null], "");

const CATEGORIES: Attribute = ("categories_", "list of ndarray", "The values of each column, in order.");

const INFREQUENT: Attribute =
    ("infrequent_categories_", "list of ndarray or None", "The infrequent values of each column; None where there are none.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "StandardScaler",
        learner: "standardise",
        module: "preprocessing",
        base: "_scaler.StandardScaler",
        notes: "Sparse X is taken when `with_mean` is False.",
        params: &[COPY_OR_IN_PLACE, same("with_mean"), same("with_std")],
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
        ..PythonClass::NEW
    },
    PythonClass {
        class: "MinMaxScaler",
        learner: "min-max",
        module: "preprocessing",
        base: "_scaler.MinMaxScaler",
        params: &[
            translated("feature_range", Wholes(&[0, 1]), &[Tuple], "The range of the new columns.").kind("tuple (min, max)"),
            COPY_OR_IN_PLACE,
            same("clip"),
        ],
        positional: 1,
        attributes: &[
            ("min_", "ndarray of shape (n_features,)", "What is added to each column after it is multiplied by `scale_`."),
            ("scale_", "ndarray of shape (n_features,)", "What each column is multiplied by."),
            ("data_min_", "ndarray of shape (n_features,)", "Least cell of each column."),
            ("data_max_", "ndarray of shape (n_features,)", "Greatest cell of each column."),
            ("data_range_", "ndarray of shape (n_features,)", "Their difference."),
            ("n_samples_seen_", "int", "Rows seen."),
        ],
        refuses: &["sparse"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "OneHotEncoder",
        learner: "one-hot",
        module: "preprocessing",
        base: "_one_hot.OneHotEncoder",
        notes: "Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are encoded.",
        params: &[
            translated(
                "categories",
                Word("auto"),
                &[Words(&["auto"]), List],
                "\"auto\" takes the values found in training, in order. Otherwise a list of values for each column; numbers in \
                 order, NaN last.",
            )
            .kind("\"auto\" or list of array-like"),
            translated(
                "drop",
                Nothing,
                &[Words(&["first", "if_binary"]), ArrayLike, Null],
                "Which value of a column gets no column: None for none, \"first\", \"if_binary\" (the first, of columns with two \
                 values), or a value for each column.",
            )
            .kind("{\"first\", \"if_binary\"}, array-like of shape (n_features,) or None"),
            own("sparse_output", Flag(true), BOOL, "Whether the new columns are a sparse matrix in CSR format."),
            own("dtype", Float64, &[Anything], "The type of the new columns.").kind("type"),
            translated(
                "handle_unknown",
                Word("error"),
                &[Words(&["error", "ignore", "infrequent_if_exist", "warn"])],
                "A value that training has not seen is refused (\"error\"), becomes all zeros (\"ignore\"), or goes to the column \
                 of the infrequent values (\"infrequent_if_exist\"; all zeros without one); \"warn\" is the latter with a warning.",
            ),
            MIN_FREQUENCY,
            MAX_CATEGORIES,
            own(
                "feature_name_combiner",
                Word("concat"),
                &[Words(&["concat"]), Callable],
                "How the name of a new column is made of a column's name and a value: \"concat\" puts an underscore between them.",
            ),
        ],
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
        ..PythonClass::NEW
    },
    PythonClass {
        class: "OrdinalEncoder",
        learner: "ordinal",
        module: "preprocessing",
        base: "_ordinal.OrdinalEncoder",
        notes: "Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are encoded.",
        params: &[
            translated(
                "categories",
                Word("auto"),
                &[Words(&["auto"]), List],
                "\"auto\" takes the values found in training, in order. Otherwise a list of values for each column; numbers in \
                 order, NaN last.",
            )
            .kind("\"auto\" or list of array-like"),
            own("dtype", Float64, &[Anything], "The type of the codes.").kind("type"),
            translated("handle_unknown", Word("error"), &[Words(&["error", "use_encoded_value"])], ""),
            translated(
                "unknown_value",
                Nothing,
                &[Int, NotANumber, Null],
                "The code of values that training has not seen, for \"use_encoded_value\".",
            ),
            translated("encoded_missing_value", Nan, &[Int, NotANumber], "The code of missing cells."),
            MIN_FREQUENCY,
            MAX_CATEGORIES,
        ],
        handled: &["numbers"],
        attributes: &[CATEGORIES, INFREQUENT],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "SimpleImputer",
        learner: "impute",
        module: "impute",
        base: "_simple.SimpleImputer",
        notes: "Columns may hold numbers, text or objects; text comes out as text.",
        params: &[
            own("missing_values", Nan, &[MissingValue], "What stands for a missing cell."),
            translated(
                "strategy",
                Word("mean"),
                &[Words(&["mean", "median", "most_frequent", "constant"]), Callable],
                "What a missing cell is filled with: the mean, the median or the most frequent value of the column (the least of \
                 several), or `fill_value`. A callable is given the cells of a column that are there.",
            ),
            translated(
                "fill_value",
                Nothing,
                &[Anything],
                "The value of the strategy \"constant\"; None is 0 for numbers and \"missing_value\" for text.",
            )
            .kind("str, number or None"),
            COPY_OR_IN_PLACE,
            translated("add_indicator", Flag(false), BOOL, ""),
            translated("keep_empty_features", Flag(false), BOOL, ""),
        ],
        attributes: &[
            ("statistics_", "ndarray of shape (n_features,)", "What the missing cells of each column are filled with."),
            ("indicator_", "MissingIndicator or None", "Which columns get an indicator; None without `add_indicator`."),
        ],
        ..PythonClass::NEW
    },
];
