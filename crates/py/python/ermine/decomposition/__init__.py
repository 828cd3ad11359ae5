"""Principal components: few columns in place of many."""

from ._generated import *  # noqa: F403
from ._generated import __all__
