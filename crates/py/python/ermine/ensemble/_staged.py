"""Staged predictions of boosted trees: the scores after each round, and results from them."""

import numpy as np


def ravel_single_output(scores):
    """Scores of one column as a vector."""
    return scores.ravel() if scores.shape[1] == 1 else scores


class StagedRegressorMixin:
    """`_staged_scores` yields the scores after each round, `_mean_of` turns scores into predictions."""

    def staged_predict(self, X):
        """Predict the target after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        for scores in self._staged_scores(X):
            yield self._mean_of(scores[:, 0])


class StagedClassifierMixin:
    """`_scores` gives the scores of rows, `_staged_scores` yields them after each round."""

    # By how much a score of two classes is multiplied to be log odds.
    def _log_odds_scale(self):
        return 1.0

    def _proba_of(self, scores):
        if scores.shape[1] == 1:
            odds = self._log_odds_scale() * scores[:, 0]
            return np.exp(-np.logaddexp(0.0, np.column_stack([odds, -odds])))
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def decision_function(self, X):
        """The scores of rows: the sums of trees, for two classes of the second."""
        return ravel_single_output(self._scores(X))

    def staged_decision_function(self, X):
        """The scores of rows after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for scores in self._staged_scores(X):
            yield ravel_single_output(scores)

    def staged_predict_proba(self, X):
        """Probabilities of the classes after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        proba : ndarray of shape (n_samples, n_classes)
        """
        for scores in self._staged_scores(X):
            yield self._proba_of(scores)

    def staged_predict(self, X):
        """The class of each row after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        for proba in self.staged_predict_proba(X):
            yield self.classes_[proba.argmax(axis=1)]
