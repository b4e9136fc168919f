"""A proof by formulas as a script: what the checker asks about them, question by question."""

from collections.abc import Iterator
from itertools import chain

from seriatim.arithmetic.smt_text import incremental_script
from seriatim.arithmetic.terms import FALSE, TRUE, Term, both, implies, negate
from seriatim.budget import Deadline
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking.simulation import simulation_formulas
from seriatim.checking.symbolic_reduction import reduction_formulas
from seriatim.program.recursion import deep_recursion
from seriatim.program.symbolic.exchange import Exchanges
from seriatim.program.symbolic.invariant import Condition
from seriatim.program.symbolic.model import from_program
from seriatim.program.syntax import Program

ABOUT = (
    "Formulas about any number of requests and any integers, and what has to follow from them.",
    "g.X is a global, s.X its copy in the serial state; l.x is a local of the request that moves,",
    "0.x and 1.x are locals of requests at rest, a.v is an argument.",
)
EXCHANGED = (
    "Formulas about any number of requests and any integers, and what has to follow from them; then,",
    "for two requests 0 and 1 that step one after the other, that the other order comes to the same.",
    "g.X is a global, g.A[] an array with a cell for each integer; l.x, 0.x and 1.x are locals.",
)


def simulation_script(
    program: Program, evidence: SimulationEvidence, is_serial: bool, deadline: Deadline
) -> str:
    """The script of a certificate that the checker accepts."""
    with deep_recursion():
        formulas = simulation_formulas(from_program(program), evidence, is_serial)
        return _script(formulas.conditions(), ABOUT, deadline)


def reduction_script(program: Program, evidence: SymbolicReductionEvidence, deadline: Deadline) -> str:
    """The script of a certificate that the checker accepts."""
    with deep_recursion():
        model = from_program(program, evidence.pauses)
        formulas, late = reduction_formulas(model, evidence)
        exchanges = Exchanges(model).conditions(formulas, late)
        return _script(chain(formulas.conditions(), exchanges), EXCHANGED, deadline)


def _script(conditions: Iterator[Condition], about: tuple[str, ...], deadline: Deadline) -> str:
    questions: list[tuple[str, Term]] = []
    for what, known, follows in conditions:
        deadline.check()
        if known != FALSE and implies(known, follows) != TRUE:
            said = "excluded" if follows == FALSE else "follows"
            questions.append((f"{said}: {what}", both(known, negate(follows))))
    return incremental_script(questions, about)
