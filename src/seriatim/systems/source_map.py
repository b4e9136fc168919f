"""The way back from compiled states and moves to the program's text.

A local of a `ProgramUnfolding` stands for a configuration of the reference interpreter; what happens in a
move is read off a path of the interpreter's small steps that has the same result.
"""

from collections import deque
from collections.abc import Iterator

from seriatim.frozen import frozen
from seriatim.program.network_system import LocalState
from seriatim.program.printer import print_expression
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import (
    Configuration,
    focus,
    lookup,
    redex,
    response,
    resumed,
    small_steps,
    store,
)
from seriatim.program.syntax import (
    Assign,
    Expression,
    Fault,
    Number,
    Read,
    Return,
    Yield,
    is_global,
    transformed,
)
from seriatim.source import Span
from seriatim.systems.control_flow import is_temporary, remaining_code
from seriatim.systems.unfolding import ProgramUnfolding


@frozen
class Write:
    """A variable that got a value."""

    name: str
    old: int
    new: int


@frozen
class Event:
    """A small step of a request, at a place in the text; `NOWHERE` if no text was written for it."""

    span: Span
    write: Write | None = None
    read: str | None = None
    """The variable whose value it takes."""


def configuration(unfolding: ProgramUnfolding, local: int, global_: int) -> Configuration:
    """What a local stands for in a global state; dead locals are 0."""
    point_index, values = unfolding.local_states[local]
    point = unfolding.steps.points[point_index]
    known = dict(zip(point.live, values, strict=True))
    if point.pause is None:
        expression = unfolding.program.handlers[point.handler].body
    else:
        with deep_recursion():
            expression = with_temporaries(remaining_code(point.pause), known)
    locals_ = store({name: value for name, value in known.items() if not is_temporary(name)})
    return Configuration(expression, locals_, global_store(unfolding, global_))


def global_store(unfolding: ProgramUnfolding, global_: int) -> tuple[tuple[str, int], ...]:
    return store(dict(zip(unfolding.global_names, unfolding.global_values[global_], strict=True)))


def with_temporaries(expression: Expression, known: dict[str, int]) -> Expression:
    """The expression with the values of the operands that were evaluated before."""

    def replaced(part: Expression) -> Expression:
        match part:
            case Read(name=name, span=span) if is_temporary(name):
                return Number(known[name], span)
            case _:
                return part

    return transformed(expression, replaced)


def local_state(unfolding: ProgramUnfolding, local: int) -> LocalState:
    """A local as people see it; its name tells all locals of the program apart."""
    point_index, values = unfolding.local_states[local]
    point = unfolding.steps.points[point_index]
    handler = unfolding.program.handlers[point.handler]
    known = tuple(zip(point.live, values, strict=True))
    span = handler.span if point.pause is None else point.pause.span
    place = "start" if point.pause is None else f"{span.line}:{span.column}"
    inner = ", ".join(f"{name}={value}" for name, value in known)
    visible = tuple((name, value) for name, value in known if not is_temporary(name))
    code = print_expression(configuration(unfolding, local, 0).expression)
    return LocalState(f"{handler.name}@{place}[{inner}]", code, span.line, visible)


def global_name(unfolding: ProgramUnfolding, global_: int) -> str:
    program = unfolding.program
    pairs = zip(unfolding.global_names, unfolding.global_values[global_], strict=True)
    return "[" + ", ".join(f"{name}={program.shown(name, value)}" for name, value in pairs) + "]"


def events(
    unfolding: ProgramUnfolding, local: int, global_: int, target: int, after: int
) -> tuple[Event, ...]:
    """What a request does in the move (local, global) → (target, after), in order."""
    start = configuration(unfolding, local, global_)
    goal = global_store(unfolding, after)
    came_from: dict[Configuration, Configuration] = {}
    pending = deque([start])
    seen = {start}
    with deep_recursion():
        while pending:
            current = pending.popleft()
            if current.globals == goal and ends_at(unfolding, current, target, after):
                return tuple(along(came_from, start, current))
            for next_ in small_steps(current):
                if next_ not in seen:
                    seen.add(next_)
                    came_from[next_] = current
                    pending.append(next_)
    raise ValueError("the program has no such step")


def events_to_fault(unfolding: ProgramUnfolding, local: int, global_: int, fault: Fault) -> tuple[Event, ...]:
    """What a request does in a step that ends with a fault, in order."""
    start = configuration(unfolding, local, global_)
    came_from: dict[Configuration, Configuration] = {}
    pending = deque([start])
    seen = {start}
    with deep_recursion():
        while pending:
            current = pending.popleft()
            if resumed(current.expression) is not None or response(current.expression) is not None:
                continue
            if redex(current.expression) == fault:
                return tuple(along(came_from, start, current))
            for next_ in small_steps(current):
                if next_ not in seen:
                    seen.add(next_)
                    came_from[next_] = current
                    pending.append(next_)
    raise ValueError("the program has no such step")


def ends_at(unfolding: ProgramUnfolding, current: Configuration, target: int, after: int) -> bool:
    """Whether an atomic step that has come this far ends here, with this result."""
    rest = resumed(current.expression)
    if target < 0:
        answer = response(current.expression if rest is None else rest)
        return answer is not None and str(answer) == unfolding.completions[~target][1]
    wanted = configuration(unfolding, target, after)
    if rest is None or rest != wanted.expression:
        return False
    live = unfolding.steps.points[unfolding.local_states[target][0]].live
    return all(
        lookup(current.locals, name) == lookup(wanted.locals, name) for name in live if not is_temporary(name)
    )


def along(
    came_from: dict[Configuration, Configuration], start: Configuration, end: Configuration
) -> Iterator[Event]:
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    for current in reversed(path[1:]):
        step = redex(current.expression)
        match step:
            case Assign(name=name, value=Number(value=value)):
                old = lookup(current.globals if is_global(name) else current.locals, name)
                yield Event(step.span, Write(name, old, value))
            case Read(name=name):
                yield Event(step.span, read=name)
            case _:
                yield Event(step.span)
    last = end.expression
    while not isinstance(last, Yield | Number | Return | Fault):
        last = focus(last)
    yield Event(last.span)
