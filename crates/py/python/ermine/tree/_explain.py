"""Attributions: the contributions of columns to predictions."""

from sklearn.utils.validation import check_is_fitted


class ExplainedMixin:
    """For models of trees: Shapley values of the columns. `_rows` checks rows and makes them what the model takes."""

    def shap_values(self, X):
        """The contribution of each column to each prediction (path-dependent TreeSHAP).

        The values of a row and `expected_value_` sum to what the model says of the row: the prediction of a regressor
        (its logarithm where the loss is that of counts or gamma), the probabilities or, for boosting, the decision scores of
        a classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
            One number a column, or one for each class or target.
        """
        return _one(self._parts(X)[:, :, :-1].transpose(0, 2, 1))

    @property
    def expected_value_(self):
        """The expected prediction, without any features."""
        check_is_fitted(self)
        return _one(self._model.expected())

    def _parts(self, X):
        parts = self._model.attributions(self._rows(X), type(self).__name__)
        return parts.reshape(len(parts), -1, self.n_features_in_ + 1)


def _one(values):
    return values[..., 0] if values.shape[-1] == 1 else values
