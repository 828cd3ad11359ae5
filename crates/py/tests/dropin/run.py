"""Runs scikit-learn's test files with our classes and prints passed/total per file and class.

    python -m dropin.run [MODULE…] [--details]

Started by `cargo xtask dropin` and by test_dropin.py. A case of exceptions.toml counts as not passed.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from . import swap

TESTS = pathlib.Path(__file__).parent.parent


def run(module, extra=()):
    """Runs one test file; returns the outcome of each selected case."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        environment = {
            **os.environ,
            "DROPIN_REPORT": str(report),
            "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
            # One thread each: several of these run side by side.
            "ERMINE_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_TESTRUNUID", "PYTEST_XDIST_WORKER_COUNT"):
            environment.pop(name, None)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "dropin.plugin", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-c", os.devnull, "--rootdir", folder, "--tb=short", "-W", "ignore", "--pyargs", module, *extra]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        if not report.exists():
            raise RuntimeError(done.stdout[-3000:] + done.stderr[-3000:])
        return json.loads(report.read_text())


def tally(outcomes):
    """Counts of passed, excepted, failed and skipped for each class."""
    counts = collections.defaultdict(collections.Counter)
    for entry in outcomes.values():
        for name in entry["classes"]:
            counts[name][entry["outcome"]] += 1
    return counts


def rate(count):
    """The share of the selected cases that passed; skipped ones are not counted."""
    total = count["passed"] + count["excepted"] + count["failed"]
    return count["passed"] / total if total else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="test modules; default: all")
    parser.add_argument("--details", action="store_true", help="name every case that failed")
    parser.add_argument("-k", default=None, help="only cases whose name matches, as in pytest")
    options = parser.parse_args()
    print(f"{'file':46}{'class':26}{'passed':>8}{'total':>8}{'rate':>8}{'failed':>8}")
    everything = collections.Counter()
    broken = False
    for module in options.modules or swap.FILES:
        outcomes = run(module, ["-k", options.k] if options.k else [])
        for entry in outcomes.values():
            everything[entry["outcome"]] += 1
        for name, count in sorted(tally(outcomes).items()):
            total = count["passed"] + count["excepted"] + count["failed"]
            shown = module.removeprefix("sklearn.")
            print(f"{shown:46}{name:26}{count['passed']:8}{total:8}{rate(count):8.1%}{count['failed']:8}")
        if options.details:
            for case, entry in outcomes.items():
                if entry["outcome"] == "failed":
                    print("   ", case.split("::")[-1], "--", entry.get("message", "").strip().splitlines()[-1:])
        broken |= any(entry["outcome"] == "failed" for entry in outcomes.values())
        sys.stdout.flush()
    total = everything["passed"] + everything["excepted"] + everything["failed"]
    print(f"{'all':72}{everything['passed']:8}{total:8}{rate(everything):8.1%}{everything['failed']:8}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
