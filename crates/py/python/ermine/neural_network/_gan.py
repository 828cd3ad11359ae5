"""GAN."""

import json

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._base import Estimator, seed_of
from ._base import widths


class GAN(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Play the game.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows are drawn in proportion to their weights.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True)
        params = self._learner_params()
        params["generator"] = widths(self.generator, "generator")
        params["discriminator"] = widths(self.discriminator, "discriminator")
        weight = self._check_weight(sample_weight, X)
        self._fit_native(X, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        return self

    def _set_fitted(self):
        about = json.loads(self._model.describe())
        certificate = about["certificate"] or {}
        self.value_ = certificate.get("objective")
        self.duality_gap_ = certificate.get("duality_gap")
        self.n_iter_ = int(certificate.get("iterations", 0))
        self.coverage_ = json.loads(self._model.field("coverage"))
        trace = about["trace"]
        columns = [] if trace is None else trace["columns"]
        self.trace_ = {name: [row[k] for row in trace["rows"]] for k, name in enumerate(columns)}

    @property
    def _n_features_out(self):
        check_is_fitted(self)
        return 1

    def transform(self, X):
        """The discriminator's probability that each row is real.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, 1)
        """
        check_is_fitted(self)
        return self._call_native("transform", self._check_X(X, reset=False))

    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the generator.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            The seed of the noise.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._model.sample(int(n_samples), seed_of(random_state) % 2**64)

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.generator = tuple(about["params"]["generator"])
        self.discriminator = tuple(about["params"]["discriminator"])
