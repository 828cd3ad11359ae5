"""Columns scaled, encoded and expanded."""

from ._generated import *  # noqa: F403
from ._generated import __all__
