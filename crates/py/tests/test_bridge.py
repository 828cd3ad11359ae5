"""The bridge itself: tables, signals, forks, threads, the catalogue."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ermine
from ermine import _native


def test_catalogue():
    names = [m["name"] for m in ermine.models()]
    assert "baseline" in names
    assert ermine.models("baseline")["params"][0]["name"] == "strategy"
    with pytest.raises(ValueError, match="baseline"):
        ermine.models("basline")


def frame():
    return pd.DataFrame(
        {
            "mass": [3.5, None, 4.25],
            "island": pd.Categorical(["Dream", None, "Biscoe"]),
            "name": ["b", "a", "c"],
            "alive": [True, False, True],
        }
    )


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f, preserve_index=False)])
def test_tables_go_through_arrow_and_back(make):
    table = ermine.Table(make(frame()))
    assert table.shape == (3, 4)
    assert table.columns == ["mass", "island", "name", "alive"]
    assert table.kinds == {"mass": "number", "island": "category", "name": "category", "alive": "number"}
    np.testing.assert_array_equal(table["mass"], [3.5, np.nan, 4.25])
    assert table["island"].tolist() == ["Dream", None, "Biscoe"]
    assert table["name"].tolist() == ["b", "a", "c"]
    back = pa.table(table)
    assert back.column("mass").to_pylist() == [3.5, None, 4.25]
    assert back.column("island").to_pylist() == ["Dream", None, "Biscoe"]
    assert pl.DataFrame(back)["alive"].to_list() == [1.0, 0.0, 1.0]
    assert table.drop(["name"]).columns == ["mass", "island", "alive"]
    assert table.select(["alive", "mass"]).to_numpy()[:, 0].tolist() == [1.0, 0.0, 1.0]


def test_a_lent_column_outlives_its_table():
    table = ermine.Table(pa.table({"x": np.arange(1000.0)}))
    lent = pa.table(table)
    del table
    assert lent.column("x").to_pylist()[-1] == 999.0


def test_read_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n3,x\n4,y\n")
    table = ermine.read_table(path)
    assert table.columns == ["a", "b"] and len(table) == 4
    assert ermine.read_table("example:penguins").shape[1] >= 7
    with pytest.raises(OSError):
        ermine.read_table(tmp_path / "nowhere.csv")


def test_unknown_learners_and_parameters_are_answered_with_names():
    X = np.zeros((2, 1))
    with pytest.raises(KeyError, match="baseline"):
        _native.fit("baselin", "{}", X)
    with pytest.raises((KeyError, ValueError), match="strategy"):
        _native.fit("baseline", '{"stratgy": 1}', X, y=np.zeros(2))


def test_whole_number_labels_are_counted():
    y = np.array([7, -2, 7, 60_000], dtype=np.int64)
    values, codes = _native.encode_integers(y)
    assert values == [-2, 7, 60_000]
    assert codes.tolist() == [1, 0, 1, 2]
    assert _native.encode_integers(np.array([0, 2**62])) is None
    values, codes = _native.encode_integers(np.array([True, False]))
    assert values == [0, 1] and codes.tolist() == [1, 0]


def run(code, **kwargs):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, **kwargs)


# Windows delivers Ctrl-C to a whole console, so one child alone cannot be sent it there.
@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process")
def test_ctrl_c_stops_a_fit():
    child = run(
        """
        import numpy as np, ermine
        X = np.random.default_rng(0).normal(size=(200_000, 20))
        est = ermine.KMeans(n_clusters=200, n_init=50, tol=0, max_iter=10_000)
        print("ready", flush=True)
        try:
            est.fit(X)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    assert child.stdout.readline().strip() == "ready"
    time.sleep(1.0)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out.strip() == "stopped"
    assert time.time() - sent < 5.0


# What is tested is the state of threads after fork(), which Windows does not have.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")
def test_a_forked_child_has_its_own_threads():
    child = run(
        """
        import multiprocessing, numpy as np, ermine
        X, y = np.zeros((4, 1)), np.arange(4.0)
        def work(_):
            return float(ermine.DummyRegressor().fit(X, y).predict(X)[0])
        work(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(work, range(2)))
        """
    )
    out, _ = child.communicate(timeout=60)
    assert out.strip() == "[1.5, 1.5]"


def test_threads_can_be_set():
    before = ermine.num_threads()
    try:
        ermine.set_num_threads(3)
        assert ermine.num_threads() == 3
        ermine.set_num_threads()
        assert ermine.num_threads() >= 1
        with pytest.raises(ValueError):
            ermine.set_num_threads(-1)
    finally:
        ermine.set_num_threads(before)


def test_a_tree_takes_categories_and_missing_values():
    penguins = ermine.read_table("example:penguins")
    y = np.array([str(v) for v in penguins["species"]])
    X = penguins.drop(["species"])
    tree = ermine.DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    assert tree.score(X, y) > 0.95
    as_pandas = pa.table(X).to_pandas()
    again = ermine.DecisionTreeClassifier(max_depth=4, random_state=0).fit(as_pandas, y)
    np.testing.assert_array_equal(again.predict(as_pandas), tree.predict(X))
    # Categories are known by name: the columns of one row alone have other codes.
    np.testing.assert_array_equal(tree.predict(ermine.Table(as_pandas.iloc[[300]])), tree.predict(X)[[300]])
