"""Quadratic programs."""

import json
from dataclasses import dataclass, field

import numpy as np

from .._native import quadprog as _solve


@dataclass(frozen=True)
class Multipliers:
    """Prices of the constraints: `ineq` (≥ 0) of ``G x ≤ h``, `eq` of ``A x = b``.

    For an infeasible program they prove it: ``Gᵀ ineq + Aᵀ eq = 0`` and ``h·ineq + b·eq = -1``.
    """

    ineq: np.ndarray
    eq: np.ndarray


@dataclass(frozen=True)
class KKT:
    """Largest absolute residuals of the conditions of Karush, Kuhn and Tucker; `places` says where each is: a kind and an index."""

    stationarity: float
    primal: float
    dual: float
    slackness: float
    places: dict = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class QuadraticProgramResult:
    """What a quadratic program has.

    `status` is ``"optimal"``, ``"infeasible"`` or ``"unbounded"``. Without an optimum `x`, `objective`, `kkt` and `gap` are None; `multipliers` are then
    the proof of infeasibility, and `ray` a direction in which the objective falls for ever. `residual` is the error of such a proof.
    """

    status: str
    x: np.ndarray | None = None
    objective: float | None = None
    multipliers: Multipliers | None = None
    kkt: KKT | None = None
    gap: float | None = None
    iterations: int | None = None
    ray: np.ndarray | None = None
    residual: float | None = None


def _matrix(m, name, columns):
    if hasattr(m, "toarray"):
        m = m.toarray()
    m = np.ascontiguousarray(m, dtype=float)
    if m.ndim == 1 and columns is not None:
        m = m.reshape(1, -1)
    if m.ndim != 2:
        raise ValueError(f"{name} has {m.ndim} dimensions; it must be a matrix")
    return m


def _constraints(matrix, bound, names, columns):
    if (matrix is None) != (bound is None):
        raise ValueError(f"{names[0]} and {names[1]} belong together; give both or none")
    if matrix is None:
        return None
    return _matrix(matrix, names[0], columns), np.ascontiguousarray(np.atleast_1d(bound), dtype=float)


def quadprog(P, q, G=None, h=None, A=None, b=None, method="interior-point"):
    """Minimizes ``½ xᵀP x + qᵀx`` subject to ``G x ≤ h`` and ``A x = b``.

    Parameters
    ----------
    P : array-like or sparse matrix of shape (n, n)
        Symmetric and positive semidefinite; zeros for a linear program.
    q : array-like of shape (n,)
    G, h : array-like of shape (m, n) and (m,), optional
    A, b : array-like of shape (k, n) and (k,), optional
    method : {"interior-point", "active-set"}, default="interior-point"

    Returns
    -------
    QuadraticProgramResult
    """
    q = np.ascontiguousarray(np.atleast_1d(q), dtype=float)
    below = _constraints(G, h, ("G", "h"), len(q))
    equal = _constraints(A, b, ("A", "b"), len(q))
    found = json.loads(_solve((_matrix(P, "P", len(q)), q), below, equal, method))
    status = found["status"]
    if status == "unbounded":
        return QuadraticProgramResult(status, ray=np.array(found["ray"]), residual=found["residual"])
    multipliers = Multipliers(np.array(found["ineq"]), np.array(found["eq"]))
    if status == "infeasible":
        return QuadraticProgramResult(status, multipliers=multipliers, residual=found["residual"])
    kkt = KKT(**{k: r["value"] for k, r in found["kkt"].items()}, places={k: r["place"] for k, r in found["kkt"].items()})
    return QuadraticProgramResult(
        status, np.array(found["x"]), found["objective"], multipliers, kkt, found["gap"], found["iterations"]
    )
