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
from seriatim.terms.expressions import Apply, Constant, Expression, Value, Variable

PRECEDENCE = {
    "==>": 1,
    "||": 2,
    "&&": 3,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
"""Of operators; those that bind more tightly have larger numbers. All but comparisons and ==> group to the
left, ==> to the right, and comparisons not at all.
"""

_SIGNS = 7
_ATOMS = 8


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


def print_expression(expression: Expression, around: int = 0) -> str:
    """With as few parentheses as the operator around it allows."""
    match expression:
        case Constant(value=value):
            text, binds = print_value(value), _ATOMS if value >= 0 else _SIGNS
        case Variable(name=name):
            text, binds = name, _ATOMS
        case Apply(op=("neg" | "!") as sign, arguments=(operand,)):
            text = ("!" if sign == "!" else "-") + print_expression(operand, _SIGNS + (sign == "neg"))
            binds = _SIGNS
        case Apply(op="?", arguments=operands):
            parts = (print_expression(each, 1) for each in operands)
            text, binds = "{} ? {} : {}".format(*parts), 0
        case Apply(op=operator, arguments=operands):
            left, right = operands
            binds = PRECEDENCE[operator]
            left_around = binds + 1 if binds in (1, 4) else binds
            right_around = binds if binds == 1 else binds + 1
            text = f"{print_expression(left, left_around)} {operator} {print_expression(right, right_around)}"
        case _:
            assert_never(expression)
    return text if binds >= around else f"({text})"


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
            return f"fork {print_expression(identity, _ATOMS)} {called}"
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
