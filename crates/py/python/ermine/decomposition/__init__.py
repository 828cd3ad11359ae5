"""Principal components: few columns that say much of many."""

from ._generated import *  # noqa: F403
from ._generated import __all__
