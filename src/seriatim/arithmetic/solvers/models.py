"""Values that satisfy SMT-LIB assertions, by z3; callers check that the values do what they are for."""

from seriatim.arithmetic.solvers.questions import Questions
from seriatim.budget import Deadline

WORK = 5_000_000


def find_model(
    script: str, names: list[str], deadline: Deadline, questions: Questions
) -> dict[str, int | bool] | bool | None:
    """Values of constants that a script declares; False if no model exists, None if z3 does not know."""
    import z3

    deadline.check()
    deadline.questions += 1
    solver, answer = questions.ask(script, deadline, WORK)
    if answer == z3.unsat:
        return False
    if answer != z3.sat:
        deadline.check()
        return None
    model = solver.model()
    found: dict[str, int | bool] = {}
    for each in model.decls():
        if each.name() in names:
            value = model[each]
            found[each.name()] = bool(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())
    return found
