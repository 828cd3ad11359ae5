"""Constrained optimization: quadratic programs with their evidence.

::

    from ermine.optimize import quadprog

    found = quadprog([[1, 0], [0, 1]], [0, 0], G=[[-1, -1]], h=[-2])      # ½|x|² with x₁ + x₂ ≥ 2
    found.x                    # [1, 1]
    found.multipliers.ineq     # [1]: what a unit more of the bound would cost
    found.kkt                  # residuals of the conditions of Karush, Kuhn and Tucker

A program without a feasible point, or without a lower bound, ends with its proof.
"""

from ._quadprog import KKT, Multipliers, QuadraticProgramResult, quadprog

__all__ = ["KKT", "Multipliers", "QuadraticProgramResult", "quadprog"]
