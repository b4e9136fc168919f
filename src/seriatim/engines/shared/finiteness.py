"""Whether the text alone shows that a program has finitely many states.

Claim: if `is_visibly_finite`, every variable has finitely many values in all runs. Why: look at the values
that steps assign. Each is a number, a remainder, a value between numbers by the condition of its step, or a
copy of a variable. A variable whose values are all of this kind takes no value that is not one of those
finitely many numbers; one that may get another value is not counted among these, nor are copies of it.
"""

from collections.abc import Iterator

from seriatim.arithmetic.terms import Compound, Constant, Name, Op, Term, conjuncts, subtract
from seriatim.program.symbolic.model import Model, Step, global_name, local_name

Assigned = tuple[str, Term, Term]
"""A variable, the value that it gets, and the condition of the step."""


def is_visibly_finite(model: Model) -> bool:
    assigned = list(_find_assigned(model))
    bounded = {name for name, _, _ in assigned}
    if any(routine.parameters for routine in model.routines):
        return False
    while True:
        unbounded = {name for name, value, guard in assigned if not _is_bounded(value, guard, bounded)}
        if not unbounded & bounded:
            return not unbounded
        bounded -= unbounded


def _find_assigned(model: Model) -> Iterator[Assigned]:
    for handler in range(len(model.routines)):
        for step in model.first_steps(handler):
            yield from _by(step)
    for point in range(len(model.points)):
        for step in model.steps(point):
            yield from _by(step)


def _by(step: Step) -> Iterator[Assigned]:
    for name, value in step.globals.items():
        yield global_name(name).name, value, step.guard
    if step.target is not None:
        for name, value in step.locals.items():
            yield local_name(name).name, value, step.guard  # Handlers may share names: one variable for all.


def _is_bounded(value: Term, guard: Term, bounded: set[str]) -> bool:
    match value:
        case Constant():
            return True
        case Name(name=name) if name in bounded:
            return True
        case Compound(op=Op.MODULO):
            return True
        case Compound(op=Op.IF, arguments=(_, one, other)):
            return _is_bounded(one, guard, bounded) and _is_bounded(other, guard, bounded)
        case _:
            return _is_between(value, guard)


def _is_between(value: Term, guard: Term) -> bool:
    """Whether the condition of a step says so."""
    is_low, is_high = False, False
    for part in conjuncts(guard):
        is_negated = isinstance(part, Compound) and part.op is Op.NOT
        inner = part.arguments[0] if isinstance(part, Compound) and is_negated else part
        if not isinstance(inner, Compound) or inner.op not in (Op.AT_MOST, Op.EQUAL):
            continue
        left, right = inner.arguments
        below = isinstance(subtract(value, left), Constant) and isinstance(right, Constant)
        above = isinstance(subtract(value, right), Constant) and isinstance(left, Constant)
        if inner.op is Op.EQUAL:
            if not is_negated and (below or above):
                return True
        else:
            is_high = is_high or (above if is_negated else below)
            is_low = is_low or (below if is_negated else above)
    return is_low and is_high
