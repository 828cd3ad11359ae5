//! Feature maps.

use super::*;

const ORDER: Param = own("order", Word("C"), &[Words(&["C", "F"])], "The memory order of the new columns, where they are dense.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "PolynomialFeatures",
        learner: "polynomial",
        module: "preprocessing",
        base: "_feature_maps.PolynomialFeatures",
        notes: "Sparse X comes out sparse.",
        params: &[
            translated(
                "degree",
                Whole(2),
                &[ints_from(0), ArrayLike],
                "The greatest degree of a product, or the least and the greatest.",
            )
            .kind("int or tuple (min_degree, max_degree)"),
            translated("interaction_only", Flag(false), BOOL, ""),
            translated("include_bias", Flag(true), BOOL, ""),
            ORDER,
        ],
        positional: 1,
        attributes: &[
            ("powers_", "ndarray of shape (n_output_features_, n_features_in_)", "The exponent of each column in each new one."),
            ("n_output_features_", "int", "Number of new columns."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "SplineTransformer",
        learner: "spline",
        module: "preprocessing",
        base: "_feature_maps.SplineTransformer",
        params: &[
            like("n_knots", Whole(5), &[ints_from(2)]),
            like("degree", Whole(3), &[ints_from(0)]),
            translated(
                "knots",
                Word("uniform"),
                &[Words(&["uniform", "quantile"]), ArrayLike],
                "Where the knots are: at equal distances over the range of the column, at its quantiles, or given, ascending.",
            )
            .kind("{\"uniform\", \"quantile\"} or array-like of shape (n_knots, n_features)"),
            same("extrapolation"),
            same("include_bias"),
            ORDER,
            same("handle_missing"),
            own("sparse_output", Flag(false), BOOL, "Whether the new columns are a sparse matrix in CSR format."),
        ],
        positional: 2,
        attributes: &[
            ("bsplines_", "list of scipy.interpolate.BSpline", "The splines of each column."),
            ("n_features_out_", "int", "Number of new columns."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "FourierFeatures",
        learner: "fourier",
        module: "preprocessing",
        attributes: &[("period_", "ndarray of shape (n_features,)", "The period of each column.")],
        arrays: &["period"],
        ..PythonClass::NEW
    },
];
