"""What the tests share."""

import os
import sys

# The drop-in package beside this file is imported by its name.
sys.path.insert(0, os.path.dirname(__file__))
# Workers of pytest-xdist share the cores.
os.environ.setdefault("ERMINE_NUM_THREADS", "1" if "PYTEST_XDIST_WORKER" in os.environ else "2")

import ermine  # noqa: E402
from ermine._index import ESTIMATORS  # noqa: E402

CLASSES = {name: getattr(ermine, name) for name in ESTIMATORS}


def pytest_generate_tests(metafunc):
    if "cls" in metafunc.fixturenames:
        metafunc.parametrize("cls", CLASSES.values(), ids=CLASSES.keys())
