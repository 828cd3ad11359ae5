"""LogisticRegression."""

import json
import warnings

import numpy as np
from scipy import sparse, special
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from .._base import encode_classes
from .._classifier import NativeClassifier, class_factors


class LogisticRegression(NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: weight 2 is the row twice, for the coefficients and, without penalty, for the standard errors of
            `report()`, too. Weights that are no counts (precisions, sampling weights) make these errors too small or too large.

        Returns
        -------
        self : object
        """
        penalty, share = self._penalty()
        X, y = self._check_X_y(X, y, accept_large_sparse=self.solver not in ("liblinear", "sag", "saga"))
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        self._check_problem(X, classes)
        params = self._params(penalty, self.C, share, class_factors(self.class_weight, classes))
        params["start"] = self._start(classes, X.shape[1])
        self._fit_native(X, codes=codes, classes=classes, sample_weight=weight, params=params)
        self.classes_ = classes
        self._set_fitted()
        if X.dtype == np.float32 and self.solver != "liblinear":
            self.coef_, self.intercept_ = self.coef_.astype(np.float32), self.intercept_.astype(np.float32)
        self._warn_in_its_words()
        return self

    def _check_problem(self, X, classes):
        """Refuses problems that scikit-learn's solver of that name does not take, and those of one class."""
        if self.solver == "liblinear":
            if len(classes) > 2:
                raise ValueError(
                    "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use another "
                    "solver or wrap the estimator in a OneVsRestClassifier to keep applying a one-versus-rest scheme."
                )
            if (X.max() if X.shape[0] else 0) > 1e30:
                raise ValueError(
                    "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. Please "
                    "choose another solver or rescale the input X."
                )
        if len(classes) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{classes[0]!r}"
            )

    def _params(self, penalty, C, share, class_weight):
        """The parameters of the learner, but for where it starts."""
        return {
            "penalty": {None: "none", "elasticnet": "elastic-net"}.get(penalty, penalty),
            "C": None if penalty is None else float(C),
            "l1_ratio": share,
            "fit_intercept": bool(self.fit_intercept),
            "class_weight": class_weight,
            "solver": "newton" if self.solver.startswith("newton") else "auto",
            "tol": float(self.tol),
            "max_iter": int(self.max_iter),
        }

    def _start(self, classes, n_features):
        """Where the fit starts, as the learner takes it: the last coefficients with `warm_start`, zeros when no step is allowed."""
        vectors = 1 if len(classes) == 2 else len(classes)
        if self.warm_start and self.solver != "liblinear" and getattr(self, "coef_", None) is not None:
            coef = self.coef_.toarray() if sparse.issparse(self.coef_) else np.asarray(self.coef_)
            if coef.shape != (vectors, n_features):
                raise ValueError(
                    f"Initialization coef is of shape {coef.shape}, expected shape {(vectors, n_features)} or {(vectors, n_features + 1)}"
                )
            intercept = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (vectors,))
            return {"coef": coef.astype(np.float64).tolist(), "intercept": intercept.tolist()}
        if self.max_iter == 0:
            return {"coef": np.zeros((vectors, n_features)).tolist(), "intercept": [0.0] * vectors}
        return None

    def _warn_in_its_words(self):
        """The warning of classes that no finite weights fit best, or else of a fit that ran out of steps, in the words of the solver that
        was asked for."""
        certificate = self._certificate()
        if certificate is None:
            return
        separable = next((note for note in certificate.get("notes", []) if note.startswith("separable")), None)
        if separable is not None:
            warnings.warn(f"{separable}; `separating_direction_` proves it.", ConvergenceWarning, stacklevel=3)
            return
        if certificate["converged"]:
            return
        after = f"after {certificate['iterations']} iterations"
        words = {
            "lbfgs": f"lbfgs failed to converge {after}",
            "newton-cg": f"newton-cg failed to converge {after}. Increase the number of iterations.",
            "newton-cholesky": f"Newton solver did not converge {after}.",
            "liblinear": "Liblinear failed to converge, increase the number of iterations.",
        }
        message = words.get(self.solver, "The max_iter was reached which means the coef_ did not converge")
        warnings.warn(f"{message} Or scale the data.", ConvergenceWarning, stacklevel=3)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")

    def _scores(self, X):
        """Scores from `coef_`, for an estimator whose attributes were set by hand."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else np.asarray(self.coef_)
        scores = X @ coef.T + self.intercept_
        return scores.ravel() if scores.ndim > 1 and scores.shape[1] == 1 else scores

    def predict(self, X):
        if hasattr(self, "_model"):
            return super().predict(X)
        scores = self._scores(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]

    def predict_proba(self, X):
        if hasattr(self, "_model"):
            return super().predict_proba(X)
        scores = self._scores(X)
        if scores.ndim == 1:
            return np.stack([special.expit(-scores), special.expit(scores)], axis=1)
        return special.softmax(scores, axis=1)

    def predict_log_proba(self, X):
        return super().predict_log_proba(X) if hasattr(self, "_model") else np.log(self.predict_proba(X))

    def _check_solver(self, kind):
        """Refuses penalties that scikit-learn's solver of that name does not take."""
        if self.solver not in ("liblinear", "saga") and kind not in ("l2", None):
            raise ValueError(f"Solver {self.solver} supports only 'l2' or None penalties, got {kind} penalty.")
        if self.solver != "liblinear" and self.dual:
            raise ValueError(f"Solver {self.solver} supports only dual=False, got dual={self.dual}")
        if kind == "elasticnet" and self.solver != "saga":
            raise ValueError(f"Only 'saga' solver supports elasticnet penalty, got solver={self.solver}.")
        if self.solver == "liblinear" and kind is None:
            raise ValueError("C=np.inf as well as penalty=None is not supported for the liblinear solver")

    def _penalty(self):
        """The penalty ("l1", "l2", "elasticnet" or None) and the share of its L1 part, after the checks that scikit-learn makes."""
        if self.penalty == "deprecated":
            if self.l1_ratio is None:
                warnings.warn(
                    "'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10. Use 0<=l1_ratio<=1 instead.",
                    FutureWarning,
                    stacklevel=3,
                )
            kind = "l2" if not self.l1_ratio else "l1" if self.l1_ratio == 1 else "elasticnet"
            kind = None if self.C == np.inf else kind
        else:
            kind = self.penalty
            warnings.warn(
                "'penalty' was deprecated in version 1.8 and will be removed in 1.10. To avoid this warning, leave 'penalty' "
                "set to its default value and use 'l1_ratio' or 'C' instead. Use l1_ratio=0 instead of penalty='l2', "
                "l1_ratio=1 instead of penalty='l1', l1_ratio set to a float between 0 and 1 instead of "
                "penalty='elasticnet', and C=np.inf instead of penalty=None.",
                FutureWarning,
                stacklevel=3,
            )
        self._check_solver(kind)
        if kind != "elasticnet" and self.l1_ratio is not None and 0 < self.l1_ratio < 1:
            warnings.warn(
                f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})", stacklevel=3
            )
        if (self.penalty == "l2" and self.l1_ratio != 0) or (self.penalty == "l1" and self.l1_ratio != 1):
            warnings.warn(
                f"Inconsistent values: penalty={self.penalty} with l1_ratio={self.l1_ratio}. penalty is deprecated. Please "
                "use l1_ratio only.",
                stacklevel=3,
            )
        if kind == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
        if self.penalty is None and self.C != 1.0:
            warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=3)
        if self.n_jobs is not None:
            warnings.warn(
                f"'n_jobs' has no effect since 1.8 and will be removed in 1.10. You provided 'n_jobs={self.n_jobs}', please "
                "leave it unspecified.",
                FutureWarning,
                stacklevel=3,
            )
        if kind is None or np.isinf(self.C):
            return None, None
        return kind, float(self.l1_ratio) if kind == "elasticnet" else None

    def _set_fitted(self):
        self.coef_ = self._model.array("coef")
        self.intercept_ = self._model.array("intercept")
        for name in ("separating_direction", "separating_intercept", "separating_margin"):
            # There only when the classes of an unpenalized fit can be told apart.
            self.__dict__.pop(f"{name}_", None)
            try:
                value = self._model.array(name)
            except AttributeError:
                continue
            setattr(self, f"{name}_", float(value[0]) if name == "separating_margin" else value)
        self.n_iter_ = np.atleast_1d(np.asarray(json.loads(self._model.field("n_iter")), dtype=np.int32))

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        free = params["C"] is None or params["penalty"] == "none"
        self.C = np.inf if free else params["C"]
        share = params.get("l1_ratio")
        self.l1_ratio = {"l1": 1.0, "elastic-net": 0.5}.get(params["penalty"], 0.0) if share is None else share
        # The one of scikit-learn's solvers that has every penalty.
        self.solver = "saga" if self.l1_ratio > 0 and not free else "lbfgs"
        self.tol, self.max_iter = params["tol"], params["max_iter"]

    def decision_function(self, X):
        """The scores behind the probabilities."""
        if not hasattr(self, "_model"):
            return self._scores(X)
        scores = self._call_native("decision", self._rows(X))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def densify(self):
        """Make `coef_` a dense array again.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self):
        """Make `coef_` a sparse matrix; predictions do not change.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self.coef_ = sparse.csr_array(self.coef_)
        return self
