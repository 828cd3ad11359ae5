"""pytest plugin: `pytest -p dropin.plugin --pyargs sklearn.linear_model.tests.test_base`.

It swaps our classes in, keeps the cases that `select` chooses, expects those of exceptions.toml to fail, each for the
reason given there, and writes what happened to the file named by the environment variable DROPIN_REPORT.
"""

import fnmatch
import json
import os
import pathlib
import tomllib

import pytest

from . import select, swap

CLASSES = {name for classes in swap.FILES.values() for name in classes}
ORIGINALS = swap.swapped(sorted(CLASSES))
swap.swap(ORIGINALS)

EXCEPTIONS = tomllib.loads((pathlib.Path(__file__).parent / "exceptions.toml").read_text())


def _reason(item):
    """Why a case is expected to fail, or None."""
    for entry in EXCEPTIONS.get(item.module.__name__.removeprefix("sklearn."), []):
        if any(fnmatch.fnmatchcase(item.name, pattern) for pattern in entry["cases"]):
            return entry["reason"]
    return None


def pytest_collection_modifyitems(config, items):
    kept, dropped = [], []
    for item in items:
        ours = [name for name in swap.FILES.get(item.module.__name__, []) if name in ORIGINALS]
        classes = select.about(item, ours) if ours else []
        (kept if classes else dropped).append(item)
        if classes:
            item.user_properties.append(("classes", classes))
            reason = _reason(item)
            if reason is not None:
                item.user_properties.append(("reason", reason))
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)


OUTCOMES = {}


def pytest_runtest_logreport(report):
    properties = dict(report.user_properties)
    entry = OUTCOMES.setdefault(report.nodeid, {"outcome": "passed", **properties})
    if report.outcome == "skipped":
        # A case that scikit-learn itself expects to fail says nothing about us.
        entry["outcome"] = "excepted" if "reason" in properties else "skipped"
    elif report.outcome == "failed":
        entry["outcome"] = "failed"
        entry["message"] = str(report.longrepr)[-1500:]


def pytest_sessionfinish(session):
    path = os.environ.get("DROPIN_REPORT")
    if path and not hasattr(session.config, "workerinput"):
        pathlib.Path(path).write_text(json.dumps(OUTCOMES))
