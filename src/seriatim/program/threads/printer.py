"""Thread programs as text: expressions, actions, and the canonical listing of a whole program."""

from typing import assert_never

from seriatim.program.threads.syntax import (
    FINISHED,
    Action,
    Assert,
    Assign,
    Assume,
    Booleans,
    Fork,
    Havoc,
    Integers,
    Join,
    Range,
    Template,
    ThreadProgram,
    Type,
)
from seriatim.terms.expressions import Expression, Value
from seriatim.terms.operators import ATOM, IMPLICATION, SIGN
from seriatim.terms.text import OPEN, Writer


def print_value(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def print_type(type_: Type) -> str:
    match type_:
        case Integers():
            return "int"
        case Booleans():
            return "bool"
        case Range(low=low, high=high):
            return f"{low}..{high}"
        case _:
            assert_never(type_)


_WRITER: Writer[Expression] = Writer(
    other=lambda _: ("", ATOM),
    words={},
    negation=("!", SIGN),
    conditional="{} ? {} : {}",
    last=IMPLICATION,
)


def print_expression(expression: Expression, around: int = OPEN) -> str:
    """With as few parentheses as the operator around it allows."""
    return _WRITER.text(expression, around)


def print_action(action: Action) -> str:
    match action:
        case Assign(targets=targets, values=values):
            return f"{', '.join(targets)} := {', '.join(map(print_expression, values))}"
        case Havoc(target=target):
            return f"havoc {target}"
        case Assume(condition=condition, is_given=is_given):
            return f"{'given' if is_given else 'assume'} {print_expression(condition)}"
        case Assert(condition=condition):
            return f"assert {print_expression(condition)}"
        case Fork(id=identity, template=template, arguments=arguments):
            called = f"{template}({', '.join(map(print_expression, arguments))})"
            return f"fork {print_expression(identity, ATOM)} {called}"
        case Join(id=identity, targets=targets):
            taken = f" assign {', '.join(targets)}" if targets else ""
            return f"join {print_expression(identity)}{taken}"
        case _:
            assert_never(action)


def print_place(place: int) -> str:
    return "done" if place == FINISHED else str(place)


def print_threads(program: ThreadProgram) -> str:
    """The same for all texts that mean the same: globals, then every template as a list of steps."""
    lines = []
    for name, type_ in program.types.items():
        initial = f" = {print_value(program.initial[name])}" if name in program.initial else ""
        lines.append(f"global {name}: {print_type(type_)}{initial};")
    lines.append(f"main {program.main};")
    if program.unique_ids:
        lines.append("ids are unique;")
    if program.ordinary:
        lines.append(f"ordinary {', '.join(name for name in program.types if name in program.ordinary)};")
    if program.waiting:
        lines.append(f"waiting {', '.join(name for name in program.types if name in program.waiting)};")
    for template in program.templates:
        lines.extend(_template(template))
    return "".join(line + "\n" for line in lines)


def _template(template: Template) -> list[str]:
    parameters = ", ".join(f"{name}: {print_type(template.types[name])}" for name in template.parameters)
    results = ", ".join(f"{name}: {print_type(template.types[name])}" for name in template.results)
    others = [
        name for name in template.types if name not in template.parameters and name not in template.results
    ]
    return [
        f"thread {template.name}({parameters}) returns ({results}) from {print_place(template.entry)} {{",
        *(f"  local {name}: {print_type(template.types[name])};" for name in others),
        *(
            f"  {edge.source} -> {print_place(edge.target)}:{' atomic' if edge.atomic else ''}"
            f"{' by chance' if edge.by_chance else ''} "
            f"{'; '.join(map(print_action, edge.actions))};"
            for edge in template.edges
        ),
        "}",
    ]
