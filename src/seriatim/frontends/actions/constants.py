"""What has to stay the same while a program runs: keys of an order, and ranges of sums and counts."""

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
    found: list[Diagnostic] = []
    proof = program.proof
    for key in proof.keys if proof is not None else ():
        for part in key.parts:
            for name in sorted(globals_of(part) & changing):
                message = f"the key reads {quote(name)}, which an action assigns"
                hint = "a key may use arguments, sizes and globals that stay the same"
                found.append(Diagnostic("SER558", message, part.span, hint))
            if any(_is_collective(each) for each in subexpressions(part)):
                hint = "store the value in a global that `initially` describes"
                found.append(Diagnostic("SER558", "a key cannot sum or count", part.span, hint))
    for expression in _all_expressions(program):
        for each in subexpressions(expression):
            if isinstance(each, Aggregate):
                for end in ends(each.binder.domain):
                    for name in sorted(globals_of(end) & changing):
                        message = f"the range reads {quote(name)}, which an action assigns"
                        found.append(Diagnostic("SER558", message, each.span, "use a size or a constant"))
    for variable in program.variables:
        if variable.initial is not None:
            for each in subexpressions(variable.initial):
                if isinstance(each, Cell):
                    hint = "leave the value out and describe it with `initially`"
                    found.append(
                        Diagnostic("SER558", "an initial value cannot read a global", each.span, hint)
                    )
    return found


def _is_collective(expression: Expression) -> bool:
    return isinstance(expression, Aggregate)


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
