"""The benchmark can be started."""

import pathlib
import subprocess
import sys

BENCH = pathlib.Path(__file__).parents[3] / "bench"


def run(*args):
    return subprocess.run([sys.executable, *args], cwd=BENCH, capture_output=True, text=True, timeout=300)


def test_the_benchmark_lists_its_tasks():
    found = run("bench.py", "--list")
    assert found.returncode == 0, found.stderr
    assert {"gbdt_reg", "lasso_path", "kmeans_1e6x20_k10"} <= {line.split()[0] for line in found.stdout.splitlines() if line.strip()}


def test_boosted_trees_on_real_data_say_what_they_need():
    found = run("real_data.py", "--help")
    assert found.returncode == 0 and "ERMINE_DATA" in found.stdout, found.stderr
