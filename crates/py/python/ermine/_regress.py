"""What regressors share."""

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator


class NativeRegressor(RegressorMixin, Estimator):
    """Numbers from the model."""

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def predict(self, X):
        """Predict the target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; a DataFrame or Table where the fit takes one.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        y = self._call("predict", self._rows(X))
        return y.ravel() if y.shape[1] == 1 else y
