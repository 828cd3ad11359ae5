"""The choice of parameters."""

from ._search import GridSearchCV

__all__ = ["GridSearchCV"]
