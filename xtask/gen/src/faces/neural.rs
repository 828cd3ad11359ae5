//! Networks.

use super::{BOOL, CLASS_WEIGHT, CLASSES, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated};

const POSITIVE: &str = "[Interval(Integral, 1, None, closed=\"left\")]";
const SHARE: &str = "[Interval(Real, 0, 1, closed=\"left\")]";

const HIDDEN: Param = translated(
    "hidden_layer_sizes",
    "(100,)",
    "[\"array-like\", Interval(Integral, 1, None, closed=\"left\")]",
    "array-like of int, or int",
    "",
);

const ACTIVATION: Param = like(
    "activation",
    "\"relu\"",
    "[StrOptions({\"identity\", \"logistic\", \"tanh\", \"relu\", \"leaky_relu\", \"gelu\"})]",
    "{\"identity\", \"logistic\", \"tanh\", \"relu\", \"leaky_relu\", \"gelu\"}",
);

const SOLVER: Param = like(
    "solver",
    "\"adam\"",
    "[StrOptions({\"lbfgs\", \"sgd\", \"adam\", \"rmsprop\", \"adagrad\"})]",
    "{\"lbfgs\", \"sgd\", \"adam\", \"rmsprop\", \"adagrad\"}",
);

const ALPHA: Param = like("alpha", "0.0001", "[Interval(Real, 0, None, closed=\"left\")]", "float");

const BATCH_SIZE: Param = translated(
    "batch_size",
    "\"auto\"",
    "[StrOptions({\"auto\"}), Interval(Integral, 1, None, closed=\"left\")]",
    "int or \"auto\"",
    "Rows of a batch; \"auto\" is min(200, n_samples).",
);

const LEARNING_RATE: Param = like(
    "learning_rate",
    "\"constant\"",
    "[StrOptions({\"constant\", \"invscaling\", \"adaptive\", \"step\", \"cosine\", \"inverse\"})]",
    "{\"constant\", \"invscaling\", \"adaptive\", \"step\", \"cosine\", \"inverse\"}",
);

const RATE: Param = like("learning_rate_init", "0.001", "[Interval(Real, 0, None, closed=\"neither\")]", "float");
const POWER: Param = like("power_t", "0.5", "[Interval(Real, 0, None, closed=\"left\")]", "float");
const MAX_ITER: Param = like("max_iter", "200", POSITIVE, "int");
const TOL: Param = like("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float");
const WARM_START: Param = own("warm_start", "False", BOOL, "bool", "Whether a fit starts from the weights of the one before it.");
const MOMENTUM: Param = like("momentum", "0.9", "[Interval(Real, 0, 1, closed=\"both\")]", "float");
const FRACTION: Param = like("validation_fraction", "0.1", SHARE, "float");
const BETA_1: Param = like("beta_1", "0.9", SHARE, "float");
const BETA_2: Param = like("beta_2", "0.999", SHARE, "float");
const EPSILON: Param = like("epsilon", "1e-8", "[Interval(Real, 0, None, closed=\"neither\")]", "float");
const PATIENCE: Param =
    like("n_iter_no_change", "10", "[Interval(Integral, 1, None, closed=\"left\"), Options(Real, {np.inf})]", "int");
const MAX_FUN: Param = like("max_fun", "15000", POSITIVE, "int");

const COURSE: [(&str, &str, &str); 11] = [
    ("loss_", "float", "The loss of the last epoch."),
    ("best_loss_", "float or None", "The least loss of an epoch; None with early_stopping."),
    ("loss_curve_", "list of float", "The loss of every epoch."),
    ("validation_scores_", "list of float or None", "The score on the rows set aside after every epoch, with early_stopping."),
    ("best_validation_score_", "float or None", "The best of them."),
    ("t_", "int", "Rows seen in all epochs."),
    ("coefs_", "list of ndarray of shape (inputs, outputs)", "The weights of each layer."),
    ("intercepts_", "list of ndarray of shape (outputs,)", "The constants of each layer."),
    ("n_iter_", "int", "Epochs."),
    ("n_layers_", "int", "Layers, with the input."),
    ("out_activation_", "str", "What follows the last layer."),
];

const OUTPUTS: (&str, &str, &str) = ("n_outputs_", "int", "Outputs of the last layer.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "MLPClassifier",
        learner: "mlp",
        base: "_neural.MLPClassifier",
        summary: "Multi-layer perceptron for classes",
        notes: "Computes in single precision, lbfgs in double.",
        params: &[
            HIDDEN,
            ACTIVATION,
            SOLVER,
            ALPHA,
            BATCH_SIZE,
            LEARNING_RATE,
            RATE,
            POWER,
            MAX_ITER,
            same("shuffle"),
            RANDOM_STATE,
            TOL,
            VERBOSE,
            WARM_START,
            MOMENTUM,
            same("nesterovs_momentum"),
            same("early_stopping"),
            FRACTION,
            BETA_1,
            BETA_2,
            EPSILON,
            PATIENCE,
            MAX_FUN,
            CLASS_WEIGHT,
            same("layers"),
            same("dropout"),
            same("weight_decay"),
            same("clip"),
            same("decay"),
            same("drop"),
            same("drop_every"),
            same("init"),
        ],
        positional: 2,
        handled: &["loss", "scale_target"],
        attributes: &[
            CLASSES, COURSE[0], COURSE[1], COURSE[2], COURSE[3], COURSE[4], COURSE[5], COURSE[6], COURSE[7], COURSE[8],
            COURSE[9], COURSE[10], OUTPUTS,
        ],
        example: "",
    },
    PythonClass {
        class: "MLPRegressor",
        learner: "mlp",
        base: "_neural.MLPRegressor",
        summary: "Multi-layer perceptron for numbers",
        notes: "Computes in single precision, lbfgs in double.",
        params: &[
            like(
                "loss",
                "\"squared_error\"",
                "[StrOptions({\"squared_error\", \"poisson\", \"absolute_error\", \"huber\"})]",
                "{\"squared_error\", \"poisson\", \"absolute_error\", \"huber\"}",
            ),
            HIDDEN,
            ACTIVATION,
            SOLVER,
            ALPHA,
            BATCH_SIZE,
            LEARNING_RATE,
            RATE,
            POWER,
            MAX_ITER,
            same("shuffle"),
            RANDOM_STATE,
            TOL,
            VERBOSE,
            WARM_START,
            MOMENTUM,
            same("nesterovs_momentum"),
            same("early_stopping"),
            FRACTION,
            BETA_1,
            BETA_2,
            EPSILON,
            PATIENCE,
            MAX_FUN,
            like("scale_target", "False", BOOL, "bool"),
            same("layers"),
            same("dropout"),
            same("weight_decay"),
            same("clip"),
            same("decay"),
            same("drop"),
            same("drop_every"),
            same("init"),
        ],
        positional: 3,
        handled: &["class_weight"],
        attributes: &[
            COURSE[0], COURSE[1], COURSE[2], COURSE[3], COURSE[4], COURSE[5], COURSE[6], COURSE[7], COURSE[8], COURSE[9],
            COURSE[10], OUTPUTS,
        ],
        example: "",
    },
    PythonClass {
        class: "ConvNetClassifier",
        learner: "convnet",
        base: "_neural.ConvNetClassifier",
        summary: "Convolutional network for images, to classes",
        notes: "Rows are images by lines, the channels of a point side by side; arrays of shape (n_samples, height, width) and \
                (n_samples, height, width, channels) are taken as they are.",
        params: &[
            same("layers"),
            translated(
                "input",
                "None",
                "[str, \"array-like\", None]",
                "str, tuple of int or None",
                "The shape of an image: \"28x28\", \"32x32x3\" or a tuple. None takes that of X, or a square of one channel.",
            ),
            RATE,
            same("cosine"),
            same("weight_decay"),
            like("batch_size", "64", POSITIVE, "int"),
            like("max_iter", "12", POSITIVE, "int"),
            like("tol", "None", "[Interval(Real, 0, None, closed=\"left\"), None]", "float or None"),
            like("n_iter_no_change", "5", POSITIVE, "int"),
            same("clip"),
            same("early_stopping"),
            FRACTION,
            CLASS_WEIGHT,
            same("standardise"),
            RANDOM_STATE,
        ],
        positional: 2,
        handled: &[],
        attributes: &[
            CLASSES,
            COURSE[0],
            COURSE[2],
            COURSE[3],
            COURSE[8],
            ("architecture_", "str", "All layers as a line of text."),
            ("input_shape_", "str", "The shape of an image."),
        ],
        example: "",
    },
    PythonClass {
        class: "Autoencoder",
        learner: "autoencoder",
        base: "_neural.Autoencoder",
        summary: "",
        notes: "",
        params: &[
            like("n_components", "2", POSITIVE, "int"),
            translated(
                "hidden_layer_sizes",
                "(64,)",
                "[\"array-like\", Interval(Integral, 1, None, closed=\"left\")]",
                "array-like of int, or int",
                "",
            ),
            ACTIVATION,
            same("solver"),
            like("alpha", "0.0", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            like("batch_size", "64", POSITIVE, "int"),
            RATE,
            MAX_ITER,
            like("tol", "1e-5", "[Interval(Real, 0, None, closed=\"left\"), None]", "float or None"),
            like("n_iter_no_change", "10", POSITIVE, "int"),
            RANDOM_STATE,
        ],
        positional: 1,
        handled: &[],
        attributes: &[COURSE[0], COURSE[2], COURSE[8]],
        example: "",
    },
    PythonClass {
        class: "GAN",
        learner: "gan",
        base: "_neural.GAN",
        summary: "",
        notes: "`transform` gives D, the probability that a row is real; `sample` draws rows.",
        params: &[
            like("n_latent", "4", POSITIVE, "int"),
            translated("generator", "(64, 64)", "[\"array-like\"]", "array-like of int", ""),
            translated("discriminator", "(64, 64)", "[\"array-like\"]", "array-like of int", ""),
            like(
                "activation",
                "\"leaky_relu\"",
                "[StrOptions({\"identity\", \"logistic\", \"tanh\", \"relu\", \"leaky_relu\", \"gelu\"})]",
                "str",
            ),
            same("non_saturating"),
            same("d_steps"),
            RATE,
            like("beta_1", "0.5", SHARE, "float"),
            like("batch_size", "128", POSITIVE, "int"),
            like("max_iter", "100", POSITIVE, "int"),
            same("gap_every"),
            same("gap_steps"),
            same("n_modes"),
            RANDOM_STATE,
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            ("value_", "float", "The value of the game after the last epoch; -log 4 at the equilibrium."),
            ("duality_gap_", "float or None", "The last estimate of the duality gap."),
            ("coverage_", "float or None", "The share of the modes that the generator reaches."),
            ("trace_", "dict of str to list of float", "Value, gap and coverage after every epoch."),
        ],
        example: "",
    },
];
