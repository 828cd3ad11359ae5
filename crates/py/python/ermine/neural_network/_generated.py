"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from .._docs import documented
from . import _autoencoder, _convolution, _gan, _multilayer_perceptron

__all__ = [
    "MLPClassifier",
    "MLPRegressor",
    "ConvNetClassifier",
    "Autoencoder",
    "GAN",
]


@documented
class MLPClassifier(_multilayer_perceptron.MLPClassifier):
    """Multi-layer perceptron for classes.

    min 1/n (sum_i w_i loss(y_i, f(x_i)) + alpha/2 sum w^2); f = layers of weighted sums behind activations;
    -log p of the class, or half the squared error

    Choose it for smooth relations among many columns of one kind; on tables of mixed columns boosted trees are
    usually better. Standardize the columns. It finds a local minimum that depends on the seed. Computes in f32;
    lbfgs in f64.

    Computes in single precision, lbfgs in double.

    Parameters
    ----------
    hidden_layer_sizes : array-like of int, or int, default=(100,)
        Units of each hidden layer, from input to output.

    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"}, default="relu"
        The activation of each hidden layer: identity, logistic, tanh, relu, leaky_relu (0.01 below 0) or gelu.

    solver : {"lbfgs", "sgd", "adam", "rmsprop", "adagrad"}, default="adam"
        How weights move: adam, sgd (with momentum), rmsprop, adagrad, or lbfgs, which takes all rows at once
        and is good for a few thousand.

    alpha : float, default=0.0001
        The strength of the penalty on squares of weights.

    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is min(200, n_samples).

    learning_rate : {"constant", "invscaling", "adaptive", "step", "cosine", "inverse"}, default="constant"
        The rate of step t and epoch e (from 0): constant; invscaling, init / (rows seen + 1)^power_t; adaptive,
        a fifth whenever nothing has improved for n_iter_no_change epochs; step, init drop^(e / drop_every);
        cosine, from init to 0 over max_iter epochs; inverse, init / (1 + decay t).

    learning_rate_init : float, default=0.001
        The first rate.

    power_t : float, default=0.5
        The exponent of invscaling.

    max_iter : int, default=200
        Epochs at most; steps at most with lbfgs.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    tol : float, default=0.0001
        Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null
        goes through all epochs. With lbfgs, the largest slope at which it ends.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit starts from the weights of the one before it.

    momentum : float, default=0.9
        The momentum of sgd.

    nesterovs_momentum : bool, default=True
        Whether it is Nesterov's momentum.

    early_stopping : bool, default=False
        Whether the score on a validation set (accuracy, or r2) decides when to stop; the weights of its best
        epoch are the result.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    beta_1 : float, default=0.9
        The share of the old mean gradient in adam.

    beta_2 : float, default=0.999
        The share of the old mean square in adam.

    epsilon : float, default=1e-8
        Added to the root in adam, rmsprop and adagrad.

    n_iter_no_change : int, default=10
        Epochs without improvement after which it ends.

    max_fun : int, default=15000
        Evaluations of the loss at most, with lbfgs.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    layers : str or None, default=None
        Hidden layers as a line of text, instead of hidden_layer_sizes, activation and dropout: "dense(64)
        batchnorm relu dropout(0.2) dense(32) tanh".

    dropout : float, default=0.0
        The share of the units of each hidden layer that is left out in a step.

    weight_decay : float, default=0.0
        Decoupled weight decay: a step also takes away this share of each weight, times the rate. With adam it
        is AdamW.

    clip : float or None, default=None
        The gradient of all weights together is scaled down to this length where it is longer; null leaves it.

    decay : float, default=0.001
        The decay of inverse.

    drop : float, default=0.5
        The factor of step.

    drop_every : int, default=10
        Epochs between two drops of step.

    init : {"auto", "he", "glorot", "glorot-with-bias"}, default="glorot-with-bias"
        What weights are drawn from: he, glorot, auto (he before relu and its relatives, glorot before others),
        or glorot-with-bias, which draws constants too.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    loss_ : float
        The loss of the last epoch.

    best_loss_ : float or None
        The least loss of an epoch; None with early_stopping.

    loss_curve_ : list of float
        The loss of every epoch.

    validation_scores_ : list of float or None
        The score on the rows set aside after every epoch, with early_stopping.

    best_validation_score_ : float or None
        The best of them.

    t_ : int
        Rows seen in all epochs.

    coefs_ : list of ndarray of shape (inputs, outputs)
        The weights of each layer.

    intercepts_ : list of ndarray of shape (outputs,)
        The constants of each layer.

    n_iter_ : int
        Epochs.

    n_layers_ : int
        Layers, with the input.

    out_activation_ : str
        What follows the last layer.

    n_outputs_ : int
        Outputs of the last layer.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986), Learning representations by back-propagating errors;
    D. P. Kingma, J. Ba (2015), Adam: a method for stochastic optimization
    """

    __module__ = "ermine.neural_network"
    _learner = "mlp"
    _accepts = ("sparse",)
    _forwarded = {"activation": "activation", "solver": "solver", "alpha": "alpha", "learning_rate": "learning_rate", "learning_rate_init": "learning_rate_init", "power_t": "power_t", "max_iter": "max_iter", "shuffle": "shuffle", "tol": "tol", "momentum": "momentum", "nesterovs_momentum": "nesterovs_momentum", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "beta_1": "beta_1", "beta_2": "beta_2", "epsilon": "epsilon", "n_iter_no_change": "n_iter_no_change", "max_fun": "max_fun", "layers": "layers", "dropout": "dropout", "weight_decay": "weight_decay", "clip": "clip", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "init": "init"}
    _parameter_constraints: dict = {
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam", "rmsprop", "adagrad"})],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive", "step", "cosine", "inverse"})],
        "learning_rate_init": [Interval(Real, 0.0, None, closed="neither")],
        "power_t": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "momentum": [Interval(Real, 0.0, 1.0, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="left")],
        "beta_1": [Interval(Real, 0.0, 1.0, closed="left")],
        "beta_2": [Interval(Real, 0.0, 1.0, closed="left")],
        "epsilon": [Interval(Real, 0.0, None, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), Options(Real, {np.inf})],
        "max_fun": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "layers": [str, None],
        "dropout": [Interval(Real, 0.0, 0.999999999, closed="both")],
        "weight_decay": [Interval(Real, 0.0, None, closed="left")],
        "clip": [Interval(Real, 0.0, None, closed="neither"), None],
        "decay": [Interval(Real, 0.0, None, closed="left")],
        "drop": [Interval(Real, 0.0, 1.0, closed="right")],
        "drop_every": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"auto", "he", "glorot", "glorot-with-bias"})],
    }

    def __init__(
        self,
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
        shuffle=True,
        random_state=None,
        tol=0.0001,
        verbose=0,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        class_weight=None,
        layers=None,
        dropout=0.0,
        weight_decay=0.0,
        clip=None,
        decay=0.001,
        drop=0.5,
        drop_every=10,
        init="glorot-with-bias",
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.class_weight = class_weight
        self.layers = layers
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.clip = clip
        self.decay = decay
        self.drop = drop
        self.drop_every = drop_every
        self.init = init


@documented
class MLPRegressor(_multilayer_perceptron.MLPRegressor):
    """Multi-layer perceptron for numbers.

    min 1/n (sum_i w_i loss(y_i, f(x_i)) + alpha/2 sum w^2); f = layers of weighted sums behind activations;
    -log p of the class, or half the squared error

    Choose it for smooth relations among many columns of one kind; on tables of mixed columns boosted trees are
    usually better. Standardize the columns. It finds a local minimum that depends on the seed. Computes in f32;
    lbfgs in f64.

    Computes in single precision, lbfgs in double.

    Parameters
    ----------
    loss : {"squared_error", "poisson", "absolute_error", "huber"}, default="squared_error"
        The loss of numbers: squared_error, absolute_error, huber (absolute beyond 1), or poisson for counts,
        whose logarithm the network then gives. Classes have the cross-entropy.

    hidden_layer_sizes : array-like of int, or int, default=(100,)
        Units of each hidden layer, from input to output.

    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"}, default="relu"
        The activation of each hidden layer: identity, logistic, tanh, relu, leaky_relu (0.01 below 0) or gelu.

    solver : {"lbfgs", "sgd", "adam", "rmsprop", "adagrad"}, default="adam"
        How weights move: adam, sgd (with momentum), rmsprop, adagrad, or lbfgs, which takes all rows at once
        and is good for a few thousand.

    alpha : float, default=0.0001
        The strength of the penalty on squares of weights.

    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is min(200, n_samples).

    learning_rate : {"constant", "invscaling", "adaptive", "step", "cosine", "inverse"}, default="constant"
        The rate of step t and epoch e (from 0): constant; invscaling, init / (rows seen + 1)^power_t; adaptive,
        a fifth whenever nothing has improved for n_iter_no_change epochs; step, init drop^(e / drop_every);
        cosine, from init to 0 over max_iter epochs; inverse, init / (1 + decay t).

    learning_rate_init : float, default=0.001
        The first rate.

    power_t : float, default=0.5
        The exponent of invscaling.

    max_iter : int, default=200
        Epochs at most; steps at most with lbfgs.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    tol : float, default=0.0001
        Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null
        goes through all epochs. With lbfgs, the largest slope at which it ends.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit starts from the weights of the one before it.

    momentum : float, default=0.9
        The momentum of sgd.

    nesterovs_momentum : bool, default=True
        Whether it is Nesterov's momentum.

    early_stopping : bool, default=False
        Whether the score on a validation set (accuracy, or r2) decides when to stop; the weights of its best
        epoch are the result.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    beta_1 : float, default=0.9
        The share of the old mean gradient in adam.

    beta_2 : float, default=0.999
        The share of the old mean square in adam.

    epsilon : float, default=1e-8
        Added to the root in adam, rmsprop and adagrad.

    n_iter_no_change : int, default=10
        Epochs without improvement after which it ends.

    max_fun : int, default=15000
        Evaluations of the loss at most, with lbfgs.

    scale_target : bool, default=False
        Whether numbers to predict are brought to mean 0 and deviation 1 while training; the model gives them in
        their own units.

    layers : str or None, default=None
        Hidden layers as a line of text, instead of hidden_layer_sizes, activation and dropout: "dense(64)
        batchnorm relu dropout(0.2) dense(32) tanh".

    dropout : float, default=0.0
        The share of the units of each hidden layer that is left out in a step.

    weight_decay : float, default=0.0
        Decoupled weight decay: a step also takes away this share of each weight, times the rate. With adam it
        is AdamW.

    clip : float or None, default=None
        The gradient of all weights together is scaled down to this length where it is longer; null leaves it.

    decay : float, default=0.001
        The decay of inverse.

    drop : float, default=0.5
        The factor of step.

    drop_every : int, default=10
        Epochs between two drops of step.

    init : {"auto", "he", "glorot", "glorot-with-bias"}, default="glorot-with-bias"
        What weights are drawn from: he, glorot, auto (he before relu and its relatives, glorot before others),
        or glorot-with-bias, which draws constants too.

    Attributes
    ----------
    loss_ : float
        The loss of the last epoch.

    best_loss_ : float or None
        The least loss of an epoch; None with early_stopping.

    loss_curve_ : list of float
        The loss of every epoch.

    validation_scores_ : list of float or None
        The score on the rows set aside after every epoch, with early_stopping.

    best_validation_score_ : float or None
        The best of them.

    t_ : int
        Rows seen in all epochs.

    coefs_ : list of ndarray of shape (inputs, outputs)
        The weights of each layer.

    intercepts_ : list of ndarray of shape (outputs,)
        The constants of each layer.

    n_iter_ : int
        Epochs.

    n_layers_ : int
        Layers, with the input.

    out_activation_ : str
        What follows the last layer.

    n_outputs_ : int
        Outputs of the last layer.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986), Learning representations by back-propagating errors;
    D. P. Kingma, J. Ba (2015), Adam: a method for stochastic optimization
    """

    __module__ = "ermine.neural_network"
    _learner = "mlp"
    _accepts = ("sparse", "targets")
    _forwarded = {"loss": "loss", "activation": "activation", "solver": "solver", "alpha": "alpha", "learning_rate": "learning_rate", "learning_rate_init": "learning_rate_init", "power_t": "power_t", "max_iter": "max_iter", "shuffle": "shuffle", "tol": "tol", "momentum": "momentum", "nesterovs_momentum": "nesterovs_momentum", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "beta_1": "beta_1", "beta_2": "beta_2", "epsilon": "epsilon", "n_iter_no_change": "n_iter_no_change", "max_fun": "max_fun", "scale_target": "scale_target", "layers": "layers", "dropout": "dropout", "weight_decay": "weight_decay", "clip": "clip", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "init": "init"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"squared_error", "poisson", "absolute_error", "huber"})],
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam", "rmsprop", "adagrad"})],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive", "step", "cosine", "inverse"})],
        "learning_rate_init": [Interval(Real, 0.0, None, closed="neither")],
        "power_t": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "momentum": [Interval(Real, 0.0, 1.0, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="left")],
        "beta_1": [Interval(Real, 0.0, 1.0, closed="left")],
        "beta_2": [Interval(Real, 0.0, 1.0, closed="left")],
        "epsilon": [Interval(Real, 0.0, None, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), Options(Real, {np.inf})],
        "max_fun": [Interval(Integral, 1, None, closed="left")],
        "scale_target": ["boolean"],
        "layers": [str, None],
        "dropout": [Interval(Real, 0.0, 0.999999999, closed="both")],
        "weight_decay": [Interval(Real, 0.0, None, closed="left")],
        "clip": [Interval(Real, 0.0, None, closed="neither"), None],
        "decay": [Interval(Real, 0.0, None, closed="left")],
        "drop": [Interval(Real, 0.0, 1.0, closed="right")],
        "drop_every": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"auto", "he", "glorot", "glorot-with-bias"})],
    }

    def __init__(
        self,
        loss="squared_error",
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
        shuffle=True,
        random_state=None,
        tol=0.0001,
        verbose=0,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        scale_target=False,
        layers=None,
        dropout=0.0,
        weight_decay=0.0,
        clip=None,
        decay=0.001,
        drop=0.5,
        drop_every=10,
        init="glorot-with-bias",
    ):
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.scale_target = scale_target
        self.layers = layers
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.clip = clip
        self.decay = decay
        self.drop = drop
        self.drop_every = drop_every
        self.init = init


@documented
class ConvNetClassifier(_convolution.ConvNetClassifier):
    """Convolutional network for images, to classes.

    min 1/n sum_i w_i loss(y_i, f(x_i)); f = filters that slide over the image, pools, dense layers; -log p of
    the class, or half the squared error; decoupled weight decay beside it

    Choose it where columns are the points of an image or the times of a signal, in their order. The channels of
    a point lie side by side; input says the shape (28x28, 32x32x3). Trains by AdamW in f32. A local minimum
    that depends on the seed.

    Rows are images by lines, the channels of a point side by side; arrays of shape (n_samples, height, width)
    and (n_samples, height, width, channels) are taken as they are.

    Parameters
    ----------
    layers : str or None, default=None
        All layers but the last, as a line of text: "conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2)
        dense(120) relu". null takes two convolutions of 32 and 64 filters with pools and dropout, fewer for
        small images.

    input : str, tuple of int or None, default=None
        The shape of an image: "28x28", "32x32x3" or a tuple. None takes that of X, or a square of one channel.

    learning_rate_init : float, default=0.001
        The first rate of Adam.

    cosine : bool, default=True
        Whether the rate falls to 0 over the epochs, along a cosine.

    weight_decay : float, default=0.01
        A step also takes away this share of each weight, times the rate.

    batch_size : int, default=64
        Rows of a batch.

    max_iter : int, default=12
        Epochs at most.

    tol : float or None, default=None
        Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null
        goes through all epochs.

    n_iter_no_change : int, default=5
        Epochs without improvement after which it ends.

    clip : float or None, default=None
        The gradient of all weights together is scaled down to this length where it is longer; null leaves it.

    early_stopping : bool, default=False
        Whether the score on a validation set decides when to stop; the weights of its best epoch are the
        result.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    standardise : bool, default=True
        Whether the channels are standardized; the model stores the shift and the scale.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    loss_ : float
        The loss of the last epoch.

    loss_curve_ : list of float
        The loss of every epoch.

    validation_scores_ : list of float or None
        The score on the rows set aside after every epoch, with early_stopping.

    n_iter_ : int
        Epochs.

    architecture_ : str
        All layers as a line of text.

    input_shape_ : str
        The shape of an image.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Y. LeCun, L. Bottou, Y. Bengio, P. Haffner (1998), Gradient-based learning applied to document recognition
    """

    __module__ = "ermine.neural_network"
    _learner = "convnet"
    _accepts = ()
    _forwarded = {"layers": "layers", "learning_rate_init": "learning_rate_init", "cosine": "cosine", "weight_decay": "weight_decay", "batch_size": "batch_size", "max_iter": "max_iter", "tol": "tol", "n_iter_no_change": "n_iter_no_change", "clip": "clip", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "standardise": "standardise"}
    _parameter_constraints: dict = {
        "layers": [str, None],
        "input": [str, "array-like", None],
        "learning_rate_init": [Interval(Real, 0.0, None, closed="neither")],
        "cosine": ["boolean"],
        "weight_decay": [Interval(Real, 0.0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "clip": [Interval(Real, 0.0, None, closed="neither"), None],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "standardise": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        layers=None,
        input=None,
        *,
        learning_rate_init=0.001,
        cosine=True,
        weight_decay=0.01,
        batch_size=64,
        max_iter=12,
        tol=None,
        n_iter_no_change=5,
        clip=None,
        early_stopping=False,
        validation_fraction=0.1,
        class_weight=None,
        standardise=True,
        random_state=None,
    ):
        self.layers = layers
        self.input = input
        self.learning_rate_init = learning_rate_init
        self.cosine = cosine
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.clip = clip
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.standardise = standardise
        self.random_state = random_state


@documented
class Autoencoder(_autoencoder.Autoencoder):
    """Autoencoder: few numbers from which a network rebuilds all columns.

    min 1/(2n) sum_i w_i |x_i - g(f(x_i))|^2 + alpha/2 sum w^2; encoder f to n_components numbers, decoder g

    Choose it to reduce many columns with nonlinear relations to few. With activation identity the codes span
    the space of the first principal components, which pca finds at once. Columns are centered and share one
    scale.

    Parameters
    ----------
    n_components : int, default=2
        Numbers of a code.

    hidden_layer_sizes : array-like of int, or int, default=(64,)
        Units of the hidden layers of the encoder, from input to code; the decoder has them in reverse.

    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"}, default="relu"
        The activation of each hidden layer: identity, logistic, tanh, relu, leaky_relu or gelu. Codes and
        results have none.

    solver : {"adam", "lbfgs"}, default="adam"
        adam takes batches; lbfgs takes all rows at once, in f64, and is good for a few thousand.

    alpha : float, default=0.0
        The strength of the penalty on squares of weights.

    batch_size : int, default=64
        Rows of a batch.

    learning_rate_init : float, default=0.001
        The rate of Adam.

    max_iter : int, default=200
        Epochs at most.

    tol : float or None, default=1e-5
        Improvement of the loss below which an epoch counts as none; null goes through all epochs.

    n_iter_no_change : int, default=10
        Epochs without improvement after which it ends.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    loss_ : float
        The loss of the last epoch.

    loss_curve_ : list of float
        The loss of every epoch.

    n_iter_ : int
        Epochs.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. Baldi, K. Hornik (1989), Neural networks and principal component analysis; G. E. Hinton, R. R.
    Salakhutdinov (2006), Reducing the dimensionality of data with neural networks
    """

    __module__ = "ermine.neural_network"
    _learner = "autoencoder"
    _accepts = ()
    _forwarded = {"n_components": "n_components", "activation": "activation", "solver": "solver", "alpha": "alpha", "batch_size": "batch_size", "learning_rate_init": "learning_rate_init", "max_iter": "max_iter", "tol": "tol", "n_iter_no_change": "n_iter_no_change"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "solver": [StrOptions({"adam", "lbfgs"})],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate_init": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=2,
        *,
        hidden_layer_sizes=(64,),
        activation="relu",
        solver="adam",
        alpha=0.0,
        batch_size=64,
        learning_rate_init=0.001,
        max_iter=200,
        tol=1e-5,
        n_iter_no_change=10,
        random_state=None,
    ):
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state


@documented
class GAN(_gan.GAN):
    """Generative adversarial network: draws rows like those it has seen.

    min_G max_D E log D(x) + E log(1 - D(G(z))); z standard normal; the best D is p/(p + q)

    Choose it to draw rows like those that were seen; for densities of few columns a mixture is easier. The
    model gives D, the probability that a row is real, as its column, and draws rows. The trace has the value of
    the game, an estimate of its duality gap, and the share of the modes that the generator reaches. Columns are
    standardized inside.

    `transform` gives D, the probability that a row is real; `sample` draws rows.

    Parameters
    ----------
    n_latent : int, default=4
        Numbers of noise that a row is made of.

    generator : array-like of int, default=(64, 64)
        Units of the hidden layers of the generator.

    discriminator : array-like of int, default=(64, 64)
        Units of the hidden layers of the discriminator.

    activation : str, default="leaky_relu"
        The activation of each hidden layer of both: identity, logistic, tanh, relu, leaky_relu or gelu.

    non_saturating : bool, default=True
        Whether the generator raises log D(G(z)) instead of lowering log(1 - D(G(z))).

    d_steps : int, default=1
        Steps of the discriminator for each of the generator.

    learning_rate_init : float, default=0.001
        The rate of Adam, for both.

    beta_1 : float, default=0.5
        The share of the old mean gradient in Adam.

    batch_size : int, default=128
        Rows of a batch.

    max_iter : int, default=100
        Epochs.

    gap_every : int, default=10
        Epochs between two estimates of the duality gap; 0 estimates none.

    gap_steps : int, default=50
        Steps that the copies of either side take for an estimate.

    n_modes : int, default=8
        Modes that coverage is counted over: rows far apart, each standing for the rows nearest to it; 0 counts
        none.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    value_ : float
        The value of the game after the last epoch; -log 4 at the equilibrium.

    duality_gap_ : float or None
        The last estimate of the duality gap.

    coverage_ : float or None
        The share of the modes that the generator reaches.

    trace_ : dict of str to list of float
        Value, gap and coverage after every epoch.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    I. J. Goodfellow et al. (2014), Generative adversarial nets; P. Grnarova et al. (2019), A domain agnostic
    measure for monitoring and evaluating GANs
    """

    __module__ = "ermine.neural_network"
    _learner = "gan"
    _accepts = ()
    _forwarded = {"n_latent": "n_latent", "activation": "activation", "non_saturating": "non_saturating", "d_steps": "d_steps", "learning_rate_init": "learning_rate_init", "beta_1": "beta_1", "batch_size": "batch_size", "max_iter": "max_iter", "gap_every": "gap_every", "gap_steps": "gap_steps", "n_modes": "n_modes"}
    _parameter_constraints: dict = {
        "n_latent": [Interval(Integral, 1, None, closed="left")],
        "generator": ["array-like"],
        "discriminator": ["array-like"],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "non_saturating": ["boolean"],
        "d_steps": [Interval(Integral, 1, 1000, closed="both")],
        "learning_rate_init": [Interval(Real, 0.0, None, closed="neither")],
        "beta_1": [Interval(Real, 0.0, 1.0, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "gap_every": [Interval(Integral, 0, None, closed="left")],
        "gap_steps": [Interval(Integral, 1, None, closed="left")],
        "n_modes": [Interval(Integral, 0, 10000, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_latent=4,
        generator=(64, 64),
        discriminator=(64, 64),
        activation="leaky_relu",
        non_saturating=True,
        d_steps=1,
        learning_rate_init=0.001,
        beta_1=0.5,
        batch_size=128,
        max_iter=100,
        gap_every=10,
        gap_steps=50,
        n_modes=8,
        random_state=None,
    ):
        self.n_latent = n_latent
        self.generator = generator
        self.discriminator = discriminator
        self.activation = activation
        self.non_saturating = non_saturating
        self.d_steps = d_steps
        self.learning_rate_init = learning_rate_init
        self.beta_1 = beta_1
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.gap_every = gap_every
        self.gap_steps = gap_steps
        self.n_modes = n_modes
        self.random_state = random_state
