"""LogisticRegressionCV: C, and the share of the L1 part, chosen by cross-validation."""

import inspect
import json
import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import check_cv
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import _check_method_params

from .._base import encode_classes
from .._classifier import class_factors
from ._logistic import LogisticRegression


class LogisticRegressionCV(LogisticRegression):
    # It is for the scorer, if that requests it.
    __metadata_request__score = {"sample_weight": UNUSED}

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, **params):
        """Choose C by cross-validation and fit with it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in the fits and in the scores of the folds.
        **params : dict
            Parameters for the splitter and the scorer, with metadata routing.

        Returns
        -------
        self : object
        """
        _raise_for_params(params, self, "fit")
        legacy = self._legacy_attributes()
        kind, ratios = self._penalty()
        X, y = self._check_X_y(X, y, accept_large_sparse=self.solver not in ("liblinear", "sag", "saga"))
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        self._check_problem(X, classes)
        self.classes_ = classes
        self.Cs_ = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, numbers.Integral) else np.asarray(self.Cs, dtype=float)
        if not (self.Cs_.ndim == 1 and len(self.Cs_) and (self.Cs_ > 0).all()):
            raise ValueError(f"Cs must be numbers above 0, at least one; got {self.Cs!r}")
        if self.solver == "liblinear" and np.isinf(self.Cs_).any():
            self._check_solver(None)
        if not np.isfinite(X.data if sparse.issparse(X) else X).all():
            # Rust names the cell, which the scorer of a fold would not.
            self._fit_native(X, codes=codes, classes=classes, params=self._params("l2", 1.0, None, None))
        problem = _FoldedProblem(self, X, codes, weight, self._factors(y, sample_weight))
        splitter, scorer = self._routed(sample_weight, params)
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y, **splitter))
        shape = (len(folds), len(ratios), len(self.Cs_))
        scores, n_iter = np.empty(shape), np.empty(shape, dtype=np.int32)
        vectors = 1 if len(classes) == 2 else len(classes)
        coefs = np.empty((*shape, vectors, X.shape[1] + bool(self.fit_intercept)))
        for f, (train, test) in enumerate(folds):
            part, judge = problem.take(train), self._judge(X, y, weight, test, scorer)
            for r, ratio in enumerate(ratios):
                start = None
                # From the strongest penalty on, each fit from the one before.
                for c in np.argsort(self.Cs_, kind="stable"):
                    coefs[f, r, c], n_iter[f, r, c], start = part.fit(kind, self.Cs_[c], ratio, start)
                # In the order of Cs, which a scorer that keeps count may rely on.
                for c in range(len(self.Cs_)):
                    scores[f, r, c] = judge(coefs[f, r, c])
        self._choose(problem, kind, ratios, coefs, scores)
        self._set_course(legacy, ratios, coefs, scores, n_iter)
        return self

    def _legacy_attributes(self):
        """Whether attributes have the older shapes, after scikit-learn's warnings about defaults that will change."""
        if isinstance(self.scoring, str) and self.scoring == "warn":
            warnings.warn(
                "The default value of the parameter 'scoring' will change from None, i.e. accuracy, to 'neg_log_loss' in "
                "scikit-learn 1.11. Set it to keep what you have: scoring=None.",
                FutureWarning,
                stacklevel=3,
            )
        if self.use_legacy_attributes != "warn":
            return bool(self.use_legacy_attributes)
        warnings.warn(
            f"The fitted attributes of {type(self).__name__} become simpler in scikit-learn 1.10. The default value of "
            "use_legacy_attributes will change from True to False; set it to have either now.",
            FutureWarning,
            stacklevel=3,
        )
        return True

    def _penalty(self):
        """The penalty and the shares of its L1 part to choose from ([None] for none given), after scikit-learn's checks."""
        ratios = self.l1_ratios
        if isinstance(ratios, str):
            warnings.warn(
                "The default value for l1_ratios will change from None to (0.0,) in scikit-learn 1.10, which will not take None. Set "
                "it to avoid this warning: l1_ratios=(0,).",
                FutureWarning,
                stacklevel=3,
            )
            ratios = None
        if self.penalty != "deprecated":
            kind = self.penalty
            warnings.warn(
                "'penalty' was deprecated in scikit-learn 1.8 and will be removed in 1.10. Use l1_ratios=(0,) instead of "
                "penalty='l2', l1_ratios=(1,) instead of penalty='l1', and other l1_ratios instead of penalty='elasticnet'.",
                FutureWarning,
                stacklevel=3,
            )
            if kind != "elasticnet" and ratios is not None:
                warnings.warn(
                    f"l1_ratios parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})", stacklevel=3
                )
        else:
            if self.l1_ratios is None:
                warnings.warn(
                    "'l1_ratios=None' was deprecated in scikit-learn 1.8 and will be an error in 1.10. Use l1_ratios=(0,).",
                    FutureWarning,
                    stacklevel=3,
                )
            shares = np.zeros(1) if ratios is None else np.asarray(ratios)
            kind = "l2" if np.all(shares == 0) else "l1" if np.all(shares == 1) else "elasticnet"
        self._check_solver(kind)
        numeric = ratios is not None and all(isinstance(r, numbers.Real) and 0 <= r <= 1 for r in ratios)
        if (kind == "elasticnet" and not numeric) or (ratios is not None and len(ratios) == 0):
            raise ValueError(f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={ratios!r})")
        return kind, [None] if ratios is None else list(ratios)

    def _factors(self, y, sample_weight):
        """Factors of the classes; balanced ones are those of all rows, in every fold."""
        if isinstance(self.class_weight, dict) and not set(self.class_weight) <= set(self.classes_.tolist()):
            raise ValueError(
                f"The given class_weight dict must have the class labels as keys; classes={self.classes_} but "
                f"key={self.class_weight.keys()}"
            )
        if self.class_weight != "balanced":
            return self.class_weight or {}
        factors = compute_class_weight("balanced", classes=self.classes_, y=y, sample_weight=sample_weight)
        return dict(zip(self.classes_.tolist(), factors))

    def _routed(self, sample_weight, params):
        """The arguments of the splitter, and those of the scorer."""
        if _routing_enabled():
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return routed.splitter.split, routed.scorer.score
        return {}, params if sample_weight is None else {**params, "sample_weight": sample_weight}

    def _judge(self, X, y, weight, test, params):
        """The score of coefficients on the rows of a fold."""
        from . import LogisticRegression as Estimator

        X_test, y_test = X[test], y[test]
        judged = Estimator(solver=self.solver)
        judged.classes_ = self.classes_
        if self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn"):
            score, params = judged.score, {"sample_weight": None if weight is None else weight[test]}
        else:
            scorer = _with_labels(get_scorer(self.scoring), self.classes_)
            params = _check_method_params(X, params=params, indices=test)

            def score(*rows, **params):
                return scorer(judged, *rows, **params)

        def judge(coef):
            judged.coef_, judged.intercept_ = (coef[:, :-1], coef[:, -1]) if self.fit_intercept else (coef, np.zeros(len(coef)))
            return score(X_test, y_test, **params)

        return judge

    def _choose(self, problem, kind, ratios, coefs, scores):
        """Sets the best parameters and their coefficients."""
        # As scikit-learn, the first of equals, C before the share.
        table = np.swapaxes(scores, 1, 2)
        if self.refit:
            c, r = np.unravel_index(np.argmax(table.sum(axis=0)), table.shape[1:])
            self.C_, self.l1_ratio_ = float(self.Cs_[c]), ratios[r]
            chosen = coefs[:, r, c]
            problem.fit_all(kind, self.C_, self.l1_ratio_, chosen.mean(axis=0) if np.isfinite(chosen).all() else None)
            self._set_fitted()
            return
        best = [np.unravel_index(np.argmax(fold), fold.shape) for fold in table]
        chosen = np.array([coefs[f, r, c] for f, (c, r) in enumerate(best)])
        # Over the folds that have rows of the class.
        mean = np.mean(chosen, axis=0, where=np.isfinite(chosen[..., -1:]))
        self.coef_, self.intercept_ = _parted(mean, self.fit_intercept)
        self.C_ = float(np.mean([self.Cs_[c] for c, _ in best]))
        self.l1_ratio_ = float(np.mean([ratios[r] for _, r in best])) if kind == "elasticnet" else 0.0
        self.__dict__.pop("_model", None)

    def _set_course(self, legacy, ratios, coefs, scores, n_iter):
        """Sets the results of the folds."""
        self.l1_ratios_ = np.asarray(ratios)
        if not legacy:
            if ratios == [None]:
                self.l1_ratio_ = 1.0 if self.penalty == "l1" else 0.0
            self.l1_ratio_ = float(self.l1_ratio_)
            self.coefs_paths_, self.scores_, self.n_iter_ = coefs, scores, n_iter
            return
        vectors = coefs.shape[3]
        axes = (slice(None), slice(None), 0) if ratios == [None] else (slice(None),) * 3
        names = self.classes_[-vectors:].tolist() if self.classes_.dtype.kind in "OU" else self.classes_[-vectors:]
        by_class = [np.swapaxes(coefs[:, :, :, k], 1, 2)[axes] for k in range(vectors)]
        table = np.swapaxes(scores, 1, 2)[axes]
        self.coefs_paths_ = dict(zip(names, by_class))
        self.scores_ = {name: table.copy() for name in names}
        self.n_iter_ = np.swapaxes(n_iter, 1, 2)[axes][None]
        self.C_, self.l1_ratio_ = np.full(vectors, self.C_), np.array([self.l1_ratio_] * vectors)

    def score(self, X, y, sample_weight=None, **score_params):
        """Score with `scoring`, which is accuracy when None.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **score_params : dict
            Parameters for the scorer, with metadata routing.

        Returns
        -------
        score : float
        """
        _raise_for_params(score_params, self, "score")
        if sample_weight is not None:
            score_params["sample_weight"] = sample_weight
        if _routing_enabled():
            score_params = process_routing(self, "score", **score_params).scorer.score
        return self._get_scorer()(self, X, y, **score_params)

    def _get_scorer(self):
        given = isinstance(self.scoring, str) and self.scoring == "warn"
        return get_scorer("accuracy" if given or self.scoring is None else self.scoring)

    def get_metadata_routing(self):
        """Get the metadata routing of this object.

        Returns
        -------
        routing : MetadataRouter
        """
        scoring = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=self._get_scorer(), method_mapping=scoring)
        )

    @classmethod
    def _matches_model(cls, capabilities):
        # A file holds the fitted model; it is opened as LogisticRegression.
        return False


class _FoldedProblem:
    """Rows to learn from, and fits on them whose coefficients have the shape of all classes."""

    def __init__(self, owner, X, codes, weight, factors):
        self.owner, self.X, self.codes, self.weight, self.factors = owner, X, codes, weight, factors
        counts = np.bincount(codes, weights=weight, minlength=len(owner.classes_))
        weighs = [count > 0 and factors.get(label, 1.0) > 0 for count, label in zip(counts, owner.classes_.tolist())]
        self.present = np.flatnonzero(weighs)

    def take(self, rows):
        """The problem of some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return _FoldedProblem(self.owner, self.X[rows], self.codes[rows], weight, self.factors)

    def fit(self, kind, C, ratio, start):
        """Coefficients (the constant term last), iterations, and where the next fit may start."""
        owner, present, n_classes = self.owner, self.present, len(self.owner.classes_)
        vectors, width = 1 if n_classes == 2 else n_classes, self.X.shape[1] + bool(owner.fit_intercept)
        whole = len(present) == n_classes
        if not whole and not owner.fit_intercept:
            missing = next(label for k, label in enumerate(owner.classes_) if k not in present)
            raise ValueError(
                f"a fold has no rows of class {missing!r} to learn from, and without fit_intercept no fit gives it a probability of 0; use "
                "a `cv` that keeps all classes in every fold"
            )
        if len(present) == 1:
            # Nothing to tell apart: the penalty leaves no coefficients, and the likelihood rises with the constant term for ever.
            coef = np.zeros((vectors, width))
            coef[:, -1] = np.where(np.arange(n_classes)[-vectors:] == present[0], np.inf if vectors == 1 else 0.0, -np.inf)
            return coef, 0, None
        share = _share(kind, ratio)
        if len(present) == 2 and n_classes > 2:
            # Softmax of two classes has w/2 and -w/2 where the logistic function has w: half the squares, as many absolute values.
            C, share = 2.0 * C / (1.0 + share), 2.0 * share / (1.0 + share)
        model = self._fit(C, share, start)
        coef = model.array("coef")
        if owner.fit_intercept:
            coef = np.column_stack([coef, model.array("intercept")])
        n_iter, start = json.loads(model.field("n_iter")), coef
        if not whole:
            runs = np.concatenate([-0.5 * coef, 0.5 * coef]) if len(coef) == 1 else coef
            coef = np.zeros((vectors, width))
            coef[:, -1] = -np.inf
            coef[present] = runs
        return coef, n_iter, start

    def fit_all(self, kind, C, ratio, start):
        """A fit whose model the owner keeps, as LogisticRegression makes it; of one class it is refused."""
        self._fit(C, _share(kind, ratio), start)

    def _fit(self, C, share, start):
        owner = self.owner
        penalty = None if np.isinf(C) else "elasticnet"
        factors = class_factors(self.factors, owner.classes_)
        params = owner._params(penalty, C, None if penalty is None else float(share), factors)
        if start is None and owner.max_iter == 0:
            runs = 1 if len(self.present) == 2 else len(self.present)
            start = np.zeros((runs, self.X.shape[1] + bool(owner.fit_intercept)))
        if start is not None:
            coef, intercept = _parted(start, owner.fit_intercept)
            params["start"] = {"coef": coef.tolist(), "intercept": intercept.tolist()}
        model = owner._fit_native(self.X, codes=self.codes, classes=owner.classes_, sample_weight=self.weight, params=params)
        owner._warn_in_its_words()
        return model


def _share(kind, ratio):
    """The share of the L1 part."""
    return {"l2": 0.0, "l1": 1.0}.get(kind, ratio)


def _parted(coef, fit_intercept):
    """Coefficients and constant terms, which lie in one array."""
    return (coef[:, :-1].copy(), coef[:, -1].copy()) if fit_intercept else (coef, np.zeros(len(coef)))


def _with_labels(scorer, classes):
    """The scorer, with all classes where it takes them: rows of a fold may lack some."""
    function = getattr(scorer, "_score_func", None)
    accepted = {} if function is None else inspect.signature(function).parameters
    if "labels" not in accepted:
        return scorer
    told = dict(scorer._kwargs, labels=classes)
    if len(classes) == 2 and "pos_label" in accepted:
        told["pos_label"] = classes[-1]
    return make_scorer(function, greater_is_better=scorer._sign == 1, response_method=scorer._response_method, **told)
