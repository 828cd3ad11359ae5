//! Feature maps.

use super::{BOOL, Param, PythonClass, like, own, same, translated};

const ORDER: Param = own(
    "order",
    "\"C\"",
    "[StrOptions({\"C\", \"F\"})]",
    "{\"C\", \"F\"}",
    "The memory order of the new columns, where they are dense.",
);

pub const FACES: &[PythonClass] = &[
    PythonClass {
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
    PythonClass {
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
