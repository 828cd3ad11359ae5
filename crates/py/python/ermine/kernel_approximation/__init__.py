"""Feature maps whose inner products approximate a kernel."""

from ._generated import *  # noqa: F403
from ._generated import __all__
