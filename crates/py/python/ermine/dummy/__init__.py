"""Baselines that do not look at the columns."""

from ._generated import *  # noqa: F403
from ._generated import __all__
