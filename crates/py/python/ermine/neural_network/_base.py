"""Shared by networks that are trained in epochs."""

import json
import numbers
import warnings

from sklearn.exceptions import ConvergenceWarning

from .._base import Estimator


def widths(sizes, what):
    """Widths of hidden layers as a list of int."""
    sizes = [sizes] if isinstance(sizes, numbers.Integral) else list(sizes)
    if any(not isinstance(size, numbers.Integral) or size <= 0 for size in sizes):
        raise ValueError(f"{what} must be > 0, got {sizes}.")
    return [int(size) for size in sizes]


class EpochTrained(Estimator):
    """Fitted attributes of the training of a network."""

    def _set_fitted(self):
        stand = json.loads(self._model.field("stand"))
        self.loss_curve_ = stand["losses"]
        self.loss_ = self.loss_curve_[-1] if self.loss_curve_ else float("nan")
        self.n_iter_ = int(stand["epochs"])
        self._stand = stand

    def _warn_of_the_end(self):
        certificate = self._certificate()
        if certificate is None or certificate["converged"]:
            return
        notes = "".join(f" ({note})" for note in certificate.get("notes", []))
        warnings.warn(
            f"Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the optimization hasn't converged yet.{notes}",
            ConvergenceWarning,
            stacklevel=4,
        )
