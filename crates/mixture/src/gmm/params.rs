//! The parameters of mixtures of Gaussians, as they are declared.

use ermine_core::{ParamSpec, Range};

const SHARE: Range = Range::Real { min: 0.0, max: 1.0, above: false, log: false };

pub(crate) const N_COMPONENTS: ParamSpec = ParamSpec {
    name: "n_components",
    doc: "How many components; with choose, the most that are tried.",
    range: Range::Int { min: 1, max: 1 << 20 },
};

pub(crate) const COVARIANCE_TYPE: ParamSpec = ParamSpec {
    name: "covariance_type",
    doc: "What the covariances may be: \"full\" (any, one per component), \"tied\" (any, one for all), \"diag\" (diagonal, one per \
          component), \"spherical\" (one variance per component), \"tied_spherical\" (one variance for all).",
    range: Range::Choice(&["full", "tied", "diag", "spherical", "tied_spherical"]),
};

pub(crate) const TOL: ParamSpec = ParamSpec {
    name: "tol",
    doc: "The end is reached when a step changes the mean log likelihood of a row by less than this.",
    range: Range::at_least(0.0),
};

pub(crate) const REG_COVAR: ParamSpec = ParamSpec {
    name: "reg_covar",
    doc: "Keeps covariances from collapsing, see regularise; a variance, in squared units of the columns.",
    range: Range::at_least(0.0),
};

pub(crate) const REGULARIZE: ParamSpec = ParamSpec {
    name: "regularise",
    doc: "What reg_covar does. \"floor\": no covariance is narrower than it in any direction, and one that is wide enough stays \
          as it is. \"add\": it is added to all variances; what is maximized is then the expected log likelihood of the rows with \
          noise of this variance on every cell. \"relative\": a floor in units of the columns, reg_covar times the variance of all rows.",
    range: Range::Choice(&["floor", "add", "relative"]),
};

pub(crate) const MAX_ITER: ParamSpec = ParamSpec { name: "max_iter", doc: "At most that many steps.", range: Range::int_from(0) };

pub(crate) const N_INIT: ParamSpec = ParamSpec {
    name: "n_init",
    doc: "How many starts are tried; the one with the greatest likelihood is kept, one with a collapsed component only where \
          there is no other.",
    range: Range::int_from(1),
};

pub(crate) const INIT_PARAMS: ParamSpec = ParamSpec {
    name: "init_params",
    doc: "Where to start: \"kmeans\" (the groups of k-means, in columns of equal spread unless covariances are spherical), \
          \"k-means++\" (rows spread out as means, the covariance of all rows for all components, equal weights), \
          \"random_from_data\" (the same with rows drawn at random), \"random\" (shares of components drawn at random for each row).",
    range: Range::Choice(&["kmeans", "k-means++", "random_from_data", "random"]),
};

pub(crate) const WEIGHTS_INIT: ParamSpec =
    ParamSpec { name: "weights_init", doc: "Weights to start from.", range: Range::Optional(&Range::List(&SHARE)) };

pub(crate) const MEANS_INIT: ParamSpec = ParamSpec {
    name: "means_init",
    doc: "Means to start from, one list of numbers per component. Unless they are given too, weights are then equal and covariances \
          that of all rows.",
    range: Range::Any,
};

pub(crate) const PRECISIONS_INIT: ParamSpec = ParamSpec {
    name: "precisions_init",
    doc: "Inverses of the covariances to start from: a list of matrices for \"full\", a matrix for \"tied\", a list of numbers per component \
          for \"diag\", a number per component for \"spherical\", a number for \"tied_spherical\".",
    range: Range::Any,
};

pub(crate) const ALGORITHM: ParamSpec = ParamSpec {
    name: "algorithm",
    doc: "\"soft\": a row belongs to all components by their probabilities. \"hard\": it belongs to the most probable one; with \
          covariance_type tied_spherical and equal_weights these are the steps of k-means.",
    range: Range::Choice(&["soft", "hard"]),
};

pub(crate) const EQUAL_WEIGHTS: ParamSpec =
    ParamSpec { name: "equal_weights", doc: "Whether all components have the same weight.", range: Range::Bool };

pub(crate) const DEGREES_OF_FREEDOM_PRIOR: ParamSpec = ParamSpec {
    name: "degrees_of_freedom_prior",
    doc: "Degrees of freedom of a Wishart prior on the precisions, above the number of columns minus 1: rows that count as seen before. \
          The most probable parameters are then found instead of the most likely ones. null is no prior.",
    range: Range::Optional(&Range::above(0.0)),
};

pub(crate) const COVARIANCE_PRIOR: ParamSpec = ParamSpec {
    name: "covariance_prior",
    doc: "The scatter matrix of the prior: a matrix, or a number that multiplies the identity. By default the covariance of all rows over \
          k^(2/p), for k components and p columns.",
    range: Range::Any,
};

pub(crate) const CHOOSE: ParamSpec = ParamSpec {
    name: "choose",
    doc: "Tries every number of components from 1 to n_components and keeps the best: by \"bic\" or \"aic\" (least information criterion) or by \
          \"cv\" (greatest likelihood of rows held out). null takes n_components as it is.",
    range: Range::Optional(&Range::Choice(&["bic", "aic", "cv"])),
};

pub(crate) const FOLDS: ParamSpec =
    ParamSpec { name: "folds", doc: "Folds of choose=\"cv\".", range: Range::Int { min: 2, max: 1000 } };
