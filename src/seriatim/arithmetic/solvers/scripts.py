"""SMT-LIB scripts by z3 and by cvc5: can the assertions of a script hold together?

Each script goes to a solver of its own, with a fixed seed and a bound on the solver's own count of its
work, so that answers are reproducible; the clock only ends what would take too long for the caller anyway.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from seriatim.arithmetic.solvers.door import answer, answer_of_cvc5, attend, limited
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.budget import Deadline

if TYPE_CHECKING:
    import z3

Z3_WORK = 6_000_000
CVC5_SECONDS = 10.0


class SolverAnswer(StrEnum):
    SATISFIABLE = "sat"
    UNSATISFIABLE = "unsat"
    UNKNOWN = "unknown"


def ask(
    script: str, solver: SolverName, deadline: Deadline, seed: int = 0, z3_work: int = Z3_WORK
) -> SolverAnswer:
    """Asks a solver about a script; raises `OutOfBudget` after the deadline."""
    deadline.check()
    deadline.questions += 1
    if solver is SolverName.Z3:
        _, found = _answer_of_z3(script, deadline, seed, z3_work)
    else:
        found = _ask_cvc5(script, deadline)
    deadline.check()
    return found


def refute(
    script: str, flags: Sequence[str], deadline: Deadline, questions: Questions | None = None
) -> tuple[bool, ...] | None:
    """Of each flag, whether it is false in a model of a script that wants one to be; none is if there is no
    model. None if z3 does not know. With `questions`, they are asked in one context."""
    deadline.check()
    deadline.questions += 1
    if questions is None:
        solver, told = _answer_of_z3(script, deadline, 0)
    else:
        solver, found_by_z3 = questions.ask(script, deadline, Z3_WORK)
        told = SolverAnswer(str(found_by_z3))
    deadline.check()
    if told is SolverAnswer.UNKNOWN:
        return None
    if told is SolverAnswer.UNSATISFIABLE:
        return (False,) * len(flags)
    model = solver.model()
    values = {each.name(): str(model[each]) for each in model.decls()}
    found = tuple(values.get(flag) == "False" for flag in flags)
    return found if any(found) else None


def needed_flags(script: str, flags: Sequence[str], deadline: Deadline) -> frozenset[str] | None:
    """Some flags of a script that cannot all be true together; None if z3 finds none."""
    import z3

    deadline.check()
    deadline.questions += 1
    context = z3.Context()
    solver = limited(z3.Solver(ctx=context), deadline, Z3_WORK)
    solver.set("core.minimize", True)
    assumed = [z3.Bool(flag, context) for flag in flags]

    def find_core() -> frozenset[str] | None:
        solver.from_string(script.replace("(check-sat)\n", ""))
        if solver.check(*assumed) != z3.unsat:
            return None
        return frozenset(str(each) for each in solver.unsat_core())

    return attend(find_core, deadline, context)


def _answer_of_z3(
    script: str, deadline: Deadline, seed: int, work: int = Z3_WORK
) -> "tuple[z3.Solver, SolverAnswer]":
    import z3

    context = z3.Context()
    solver = limited(z3.Solver(ctx=context), deadline, work, seed)
    try:
        return solver, SolverAnswer(str(answer(script, solver, context, deadline)))
    except z3.Z3Exception:  # It has failed, of whatever: it does not know.
        return solver, SolverAnswer.UNKNOWN


def _ask_cvc5(script: str, deadline: Deadline) -> SolverAnswer:
    import cvc5

    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", str(round(1000 * min(deadline.remaining() + 0.001, CVC5_SECONDS))))
    solver.setOption("enum-inst", "true")  # it gives up on quantifiers early without
    found = answer_of_cvc5(script.replace("(check-sat)\n", ""), solver, deadline)
    if found.isUnsat():
        return SolverAnswer.UNSATISFIABLE
    return SolverAnswer.SATISFIABLE if found.isSat() else SolverAnswer.UNKNOWN
