"""The solvers of linear integer arithmetic by name, and how much work one question may take."""

from enum import StrEnum
from importlib.util import find_spec
from typing import assert_never

from seriatim.arithmetic.solvers.cvc5_smt import Cvc5Solver
from seriatim.arithmetic.solvers.smt import Solver

Z3_WORK = 100_000_000
CVC5_WORK = 400_000
"""The work of each solver, in its own units: some seconds."""


class SolverName(StrEnum):
    Z3 = "z3"
    CVC5 = "cvc5"

    def is_installed(self) -> bool:
        return find_spec(self.value) is not None


def new_solver(name: SolverName) -> "Solver | Cvc5Solver":
    """A new solver; raises `ModuleNotFoundError` if it is not installed."""
    match name:
        case SolverName.Z3:
            return Solver(Z3_WORK)
        case SolverName.CVC5:
            return Cvc5Solver(CVC5_WORK)
        case _:
            assert_never(name)
