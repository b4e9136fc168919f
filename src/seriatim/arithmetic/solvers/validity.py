"""Is a set of SMT-LIB assertions contradictory? Asked of z3 or cvc5, as text, so that both read the same."""

from typing import assert_never

from seriatim.arithmetic.solvers.door import answer, answer_of_cvc5, limited
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.budget import Deadline

QUICK_WORK = 1_000_000
"""For z3's simple solver, which answers almost every question at once."""
Z3_WORK = 50_000_000
"""For a solver that has a context of its own and all tactics; it is asked if the simple one does not know."""
CVC5_SECONDS = 20.0


def is_contradictory(
    script: str, solver: SolverName, deadline: Deadline, questions: Questions
) -> bool | None:
    """Whether declarations and assertions have no model; None if the solver does not know."""
    deadline.check()
    deadline.questions += 1
    match solver:
        case SolverName.Z3:
            return _z3(script, deadline, questions)
        case SolverName.CVC5:
            return _cvc5(script, deadline)
        case _:
            assert_never(solver)


def _z3(script: str, deadline: Deadline, questions: Questions) -> bool | None:
    import z3

    _, quick = questions.ask(script, deadline, QUICK_WORK)
    if quick != z3.unknown:
        return bool(quick == z3.unsat)
    context = z3.Context()
    found = answer(script, limited(z3.Solver(ctx=context), deadline, Z3_WORK), context, deadline)
    if found == z3.unknown:
        deadline.check()
        return None
    return bool(found == z3.unsat)


def _cvc5(script: str, deadline: Deadline) -> bool | None:
    import cvc5

    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    limit = min(CVC5_SECONDS, deadline.remaining())
    solver.setOption("tlimit-per", str(round(1 + 1000 * limit)))
    solver.setLogic("ALL")
    found = answer_of_cvc5(script, solver, deadline)
    if found.isUnsat():
        return True
    if found.isSat():
        return False
    deadline.check()
    return None
