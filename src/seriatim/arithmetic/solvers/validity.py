"""Is a set of SMT-LIB assertions contradictory? Asked of z3 or cvc5, as text, so that both read the same."""

from typing import assert_never

from seriatim.arithmetic.solvers.interrupting import interrupting
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.arithmetic.solvers.smt import LARGEST_TIMEOUT
from seriatim.budget import Deadline, run_attended

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
    solver = z3.Solver(ctx=context)
    solver.set("random_seed", 0)
    solver.set("ctrl_c", False)
    solver.set("rlimit", Z3_WORK)
    solver.set("timeout", round(min(1 + 1000 * deadline.remaining(), LARGEST_TIMEOUT)))
    solver.from_string(script)
    answer = run_attended(solver.check, deadline, interrupting(context))
    if answer == z3.unknown:
        deadline.check()
        return None
    return bool(answer == z3.unsat)


def _cvc5(script: str, deadline: Deadline) -> bool | None:
    import cvc5

    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    limit = min(CVC5_SECONDS, deadline.remaining())
    solver.setOption("tlimit-per", str(round(1 + 1000 * limit)))
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "clause")
    symbols = parser.getSymbolManager()
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        command.invoke(solver, symbols)
    answer = solver.checkSat()
    if answer.isUnsat():
        return True
    if answer.isSat():
        return False
    deadline.check()
    return None
