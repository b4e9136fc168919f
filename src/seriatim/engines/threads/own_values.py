"""What threads would know about globals if no other thread interfered.

A thread that has set `state` to 2 expects to find 2 there until it sets it again. That may be wrong. It is a
guess: flows that rest on it are proved step by step, together with everything else.
"""

from seriatim.program.threads.symbolic import SymbolicStep, symbolic_step
from seriatim.program.threads.syntax import Template, ThreadProgram
from seriatim.terms.expressions import Apply, Constant, Expression, Variable

Values = dict[str, int]
"""What some globals hold; of the others nothing is known."""


def steps_of(program: ThreadProgram, template: Template) -> list[SymbolicStep]:
    """The steps of a template, in the order of its edges, over the values before them."""
    before = {name: Variable(name) for name in (*program.types, *template.types)}
    return [symbolic_step(program, template, edge, before, "fresh ") for edge in template.edges]


def own_values(program: ThreadProgram, template: Template, steps: list[SymbolicStep]) -> dict[int, Values]:
    """For each place that can be reached, the globals whose values are the same on all paths to it."""
    is_main = template.name == program.main
    start = {name: int(value) for name, value in program.initial.items()} if is_main else {}
    found = {template.entry: start}
    pending = [template.entry]
    while pending:
        place = pending.pop()
        for edge, step in zip(template.edges, steps, strict=True):
            if edge.source != place:
                continue
            after = values_after(found[place], step, program)
            known = found.get(edge.target)
            both = after if known is None else dict(known.items() & after.items())
            if both != known:
                found[edge.target] = both
                pending.append(edge.target)
    return found


def values_after(before: Values, step: SymbolicStep, program: ThreadProgram) -> Values:
    known = before | known_values(step.guard)
    found: Values = {}
    for name in program.initial:
        match step.values[name]:
            case Constant(value=value):
                found[name] = int(value)
            case Variable(name=other) if other == name and name in known:
                found[name] = known[name]
            case _:
                pass
    return found


def known_values(guard: tuple[Expression, ...]) -> Values:
    """The values that a guard requires."""
    return {name: value for name, value, is_equal in comparisons(guard) if is_equal}


def excluded_values(guard: tuple[Expression, ...], name: str) -> set[int]:
    """The values of a variable that a guard excludes."""
    return {value for other, value, is_equal in comparisons(guard) if other == name and not is_equal}


def comparisons(guard: tuple[Expression, ...]) -> list[tuple[str, int, bool]]:
    """Comparisons of variables with constants on which a guard insists: (variable, value, are they equal)."""
    found: list[tuple[str, int, bool]] = []
    pending = [(condition, True) for condition in guard]
    while pending:
        match pending.pop():
            case Apply(op="!", arguments=(operand,)), is_true:
                pending.append((operand, not is_true))
            case Apply(op="&&", arguments=(left, right)), True:
                pending += [(left, True), (right, True)]
            case Apply(op="||", arguments=(left, right)), False:
                pending += [(left, False), (right, False)]
            case (
                Apply(op="==" | "!=" as operator, arguments=(Variable(name=name), Constant(value=value)))
                | Apply(op="==" | "!=" as operator, arguments=(Constant(value=value), Variable(name=name))),
                is_true,
            ):
                found.append((name, int(value), (operator == "==") == is_true))
            case Variable(name=name), is_true:
                found.append((name, int(is_true), True))
            case _:
                pass
    return found
