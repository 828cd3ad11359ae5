"""Quadratic programs and the course from Python."""

import numpy as np
import pytest

from ermine import course
from ermine.optimize import quadprog


@pytest.mark.parametrize("method", ["interior-point", "active-set"])
def test_the_documented_example(method):
    found = quadprog([[1, 0], [0, 1]], [0, 0], G=[[-1, -1]], h=[-2], method=method)
    assert found.status == "optimal"
    np.testing.assert_allclose(found.x, [1, 1], atol=1e-10)
    np.testing.assert_allclose(found.multipliers.ineq, [1], atol=1e-9)
    assert max(found.kkt.stationarity, found.kkt.primal, found.kkt.dual, found.kkt.slackness) < 1e-9
    assert abs(found.gap) < 1e-9 and found.kkt.places["primal"][0] == "ineq"


@pytest.mark.parametrize("method", ["interior-point", "active-set"])
def test_least_squares_on_the_simplex_satisfies_its_conditions(method):
    rng = np.random.default_rng(0)
    a, y = rng.normal(size=(40, 6)), rng.normal(size=40)
    found = quadprog(a.T @ a, -a.T @ y, G=-np.eye(6), h=np.zeros(6), A=np.ones((1, 6)), b=[1.0], method=method)
    gradient = a.T @ (a @ found.x - y)
    np.testing.assert_allclose(gradient - found.multipliers.ineq + found.multipliers.eq, 0, atol=1e-8)
    assert found.x.min() > -1e-10 and found.multipliers.ineq.min() >= 0
    assert abs(found.x.sum() - 1) < 1e-10 and np.abs(found.x * found.multipliers.ineq).max() < 1e-8


def test_programs_without_an_optimum_end_with_a_proof():
    g, h = np.array([[1.0], [-1.0]]), np.array([1.0, -2.0])
    found = quadprog([[1]], [0], g, h)
    assert found.status == "infeasible" and found.x is None
    np.testing.assert_allclose(g.T @ found.multipliers.ineq, 0, atol=1e-8)
    np.testing.assert_allclose(h @ found.multipliers.ineq, -1, atol=1e-8)
    found = quadprog(np.zeros((2, 2)), [-1, 0], [[0, 1]], [3])
    assert found.status == "unbounded" and found.ray[0] > 0


def test_bad_programs_are_refused():
    with pytest.raises(ValueError, match="not convex"):
        quadprog([[-1]], [0])
    with pytest.raises(ValueError, match="belong together"):
        quadprog([[1]], [0], G=[[1]])
    with pytest.raises(ValueError, match="active-set"):
        quadprog([[1]], [0], method="actve-set")


def test_theorems_run_on_numbers_and_show_themselves():
    found = course.run("T1.1", n=50, seed=1)
    assert found.verdict == "holds" and found.left <= found.tolerance
    assert "T1.1" in repr(found) and "<table>" in found._repr_html_()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    assert course.run("T1.3", data=(x, x @ [1, 2] + rng.normal(size=30))).verdict == "holds"
    assert {"T1.1", "T13.10"} <= set(course.theorems())
    with pytest.raises(ValueError, match="T1.1"):
        course.run("T1.111")
    with pytest.raises(ValueError, match="parameter"):
        course.run("T1.1", rows=3)
