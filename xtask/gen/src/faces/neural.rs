//! Networks.

use super::*;

const POSITIVE: &[Rule] = &[ints_from(1)];
const SHARE: &[Rule] = &[reals(0.0, 1.0, Low)];

const HIDDEN: Param =
    translated("hidden_layer_sizes", Wholes(&[100]), &[ArrayLike, ints_from(1)], "").kind("array-like of int, or int");

const ACTIVATION: Param =
    like("activation", Word("relu"), &[Words(&["identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"])]);

const SOLVER: Param = like("solver", Word("adam"), &[Words(&["lbfgs", "sgd", "adam", "rmsprop", "adagrad"])]);

const ALPHA: Param = like("alpha", Number(0.0001), &[at_least(0.0)]);

const BATCH_SIZE: Param = translated(
    "batch_size",
    Word("auto"),
    &[Words(&["auto"]), ints_from(1)],
    "Rows of a batch; \"auto\" is min(200, n_samples).",
)
.kind("int or \"auto\"");

const LEARNING_RATE: Param =
    like("learning_rate", Word("constant"), &[Words(&["constant", "invscaling", "adaptive", "step", "cosine", "inverse"])]);

const RATE: Param = like("learning_rate_init", Number(0.001), &[above(0.0)]);
const POWER: Param = like("power_t", Number(0.5), &[at_least(0.0)]);
const MAX_ITER: Param = like("max_iter", Whole(200), POSITIVE);
const TOL: Param = like("tol", Number(0.0001), &[at_least(0.0)]);
const WARM_START: Param = own("warm_start", Flag(false), BOOL, "Whether a fit starts from the weights of the one before it.");
const MOMENTUM: Param = like("momentum", Number(0.9), &[reals(0.0, 1.0, Both)]);
const FRACTION: Param = like("validation_fraction", Number(0.1), SHARE);
const BETA_1: Param = like("beta_1", Number(0.9), SHARE);
const BETA_2: Param = like("beta_2", Number(0.999), SHARE);
const EPSILON: Param = like("epsilon", Number(1e-08), &[above(0.0)]);
const PATIENCE: Param = like("n_iter_no_change", Whole(10), &[ints_from(1), Infinity]);
const MAX_FUN: Param = like("max_fun", Whole(15000), POSITIVE);

const COURSE: [Attribute; 11] = [
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

const OUTPUTS: Attribute = ("n_outputs_", "int", "Outputs of the last layer.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "MLPClassifier",
        learner: "mlp",
        module: "neural_network",
        base: "_multilayer_perceptron.MLPClassifier",
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
        refuses: &["targets"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "MLPRegressor",
        learner: "mlp",
        module: "neural_network",
        base: "_multilayer_perceptron.MLPRegressor",
        summary: "Multi-layer perceptron for numbers",
        notes: "Computes in single precision, lbfgs in double.",
        params: &[
            like("loss", Word("squared_error"), &[Words(&["squared_error", "poisson", "absolute_error", "huber"])]),
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
            like("scale_target", Flag(false), BOOL),
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
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ConvNetClassifier",
        learner: "convnet",
        module: "neural_network",
        base: "_convolution.ConvNetClassifier",
        summary: "Convolutional network for images, to classes",
        notes: "Rows are images by lines, the channels of a point side by side; arrays of shape (n_samples, height, width) and \
                (n_samples, height, width, channels) are taken as they are.",
        params: &[
            same("layers"),
            translated(
                "input",
                Nothing,
                &[Text, ArrayLike, Null],
                "The shape of an image: \"28x28\", \"32x32x3\" or a tuple. None takes that of X, or a square of one channel.",
            )
            .kind("str, tuple of int or None"),
            RATE,
            same("cosine"),
            same("weight_decay"),
            like("batch_size", Whole(64), POSITIVE),
            like("max_iter", Whole(12), POSITIVE),
            like("tol", Nothing, &[at_least(0.0), Null]),
            like("n_iter_no_change", Whole(5), POSITIVE),
            same("clip"),
            same("early_stopping"),
            FRACTION,
            CLASS_WEIGHT,
            same("standardise"),
            RANDOM_STATE,
        ],
        positional: 2,
        attributes: &[
            CLASSES,
            COURSE[0],
            COURSE[2],
            COURSE[3],
            COURSE[8],
            ("architecture_", "str", "All layers as a line of text."),
            ("input_shape_", "str", "The shape of an image."),
        ],
        refuses: &["targets"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "Autoencoder",
        learner: "autoencoder",
        module: "neural_network",
        base: "_autoencoder.Autoencoder",
        params: &[
            like("n_components", Whole(2), POSITIVE),
            translated("hidden_layer_sizes", Wholes(&[64]), &[ArrayLike, ints_from(1)], "").kind("array-like of int, or int"),
            ACTIVATION,
            same("solver"),
            like("alpha", Number(0.0), &[at_least(0.0)]),
            like("batch_size", Whole(64), POSITIVE),
            RATE,
            MAX_ITER,
            like("tol", Number(1e-05), &[at_least(0.0), Null]),
            like("n_iter_no_change", Whole(10), POSITIVE),
            RANDOM_STATE,
        ],
        positional: 1,
        attributes: &[COURSE[0], COURSE[2], COURSE[8]],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "GAN",
        learner: "gan",
        module: "neural_network",
        base: "_gan.GAN",
        notes: "`transform` gives D, the probability that a row is real; `sample` draws rows.",
        params: &[
            like("n_latent", Whole(4), POSITIVE),
            translated("generator", Wholes(&[64, 64]), &[ArrayLike], "").kind("array-like of int"),
            translated("discriminator", Wholes(&[64, 64]), &[ArrayLike], "").kind("array-like of int"),
            like("activation", Word("leaky_relu"), &[Words(&["identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"])])
                .kind("str"),
            same("non_saturating"),
            same("d_steps"),
            RATE,
            like("beta_1", Number(0.5), SHARE),
            like("batch_size", Whole(128), POSITIVE),
            like("max_iter", Whole(100), POSITIVE),
            same("gap_every"),
            same("gap_steps"),
            same("n_modes"),
            RANDOM_STATE,
        ],
        attributes: &[
            ("value_", "float", "The value of the game after the last epoch; -log 4 at the equilibrium."),
            ("duality_gap_", "float or None", "The last estimate of the duality gap."),
            ("coverage_", "float or None", "The share of the modes that the generator reaches."),
            ("trace_", "dict of str to list of float", "Value, gap and coverage after every epoch."),
        ],
        ..PythonClass::NEW
    },
];
