"""Linear models."""

from ._coordinate_descent import enet_path, lasso_path
from ._generated import *  # noqa: F403
from ._generated import __all__ as _classes

__all__ = [*_classes, "enet_path", "lasso_path"]
