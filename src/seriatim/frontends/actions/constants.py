"""Checks that some parts stay constant while a program runs: keys of an order, ranges of sums and counts."""

from collections.abc import Iterator

from seriatim.actions.expressions import Aggregate, Cell, Expression
from seriatim.actions.syntax import ActionProgram
from seriatim.actions.walk import (
    assigned_globals,
    ends,
    expressions_of,
    globals_of,
    statements,
    subexpressions,
)
from seriatim.source import Diagnostic, quote


def check_constants(program: ActionProgram) -> list[Diagnostic]:
    """Keys and ranges that an action could change, and initial values that depend on globals."""
    changing = assigned_globals(program)
    return [*_keys(program, changing), *_ranges(program, changing), *_initial_values(program)]


def _keys(program: ActionProgram, changing: frozenset[str]) -> Iterator[Diagnostic]:
    for key in program.proof.keys if program.proof is not None else ():
        for part in key.parts:
            for name in sorted(globals_of(part) & changing):
                message = f"the key reads {quote(name)}, which an action assigns"
                hint = "a key may use arguments, sizes and globals that stay the same"
                yield Diagnostic("SER558", message, part.span, hint)
            if any(isinstance(each, Aggregate) for each in subexpressions(part)):
                hint = "store the value in a global that `initially` describes"
                yield Diagnostic("SER558", "a key cannot sum or count", part.span, hint)


def _ranges(program: ActionProgram, changing: frozenset[str]) -> Iterator[Diagnostic]:
    for expression in _all_expressions(program):
        for each in subexpressions(expression):
            if isinstance(each, Aggregate):
                found = {name for end in ends(each.binder.domain) for name in globals_of(end) & changing}
                for name in sorted(found):
                    message = f"the range reads {quote(name)}, which an action assigns"
                    yield Diagnostic("SER558", message, each.span, "use a size or a constant")


def _initial_values(program: ActionProgram) -> Iterator[Diagnostic]:
    for variable in program.variables:
        for each in () if variable.initial is None else subexpressions(variable.initial):
            if isinstance(each, Cell):
                hint = "leave the value out and describe it with `initially`"
                yield Diagnostic("SER558", "an initial value cannot read a global", each.span, hint)


def _all_expressions(program: ActionProgram) -> list[Expression]:
    found: list[Expression] = [fact.condition for fact in program.initially]
    bodies = [action.body for action in program.actions]
    proof = program.proof
    if proof is not None:
        bodies += [action.body for action in proof.abstractions]
        found += [fact.condition for fact in (*proof.always, *proof.ensures)]
        found += [when.condition for when in proof.when]
    for body in bodies:
        for statement in statements(body):
            found += expressions_of(statement)
    return found
