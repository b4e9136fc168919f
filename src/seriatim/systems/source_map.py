"""The way back from compiled states and moves to the program's text.

A local of a `ProgramUnfolding` stands for a configuration of the reference interpreter; what happens in a
move is read off a path of the interpreter's small steps that has the same result.
"""

from collections import deque
from collections.abc import Callable, Iterator

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
    NOWHERE,
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
    return LocalState(
        f"{handler.name}@{place}[{inner}]", remaining_text(unfolding, local), span.line, visible
    )


def remaining_text(unfolding: ProgramUnfolding, local: int) -> str:
    """The code that is left to do, printed once for all locals that have the same."""
    point_index, values = unfolding.local_states[local]
    live = unfolding.steps.points[point_index].live
    held = tuple([value for name, value in zip(live, values, strict=True) if is_temporary(name)])
    key = (point_index, held)
    text = unfolding.printed_code.get(key)
    if text is None:
        text = print_expression(configuration(unfolding, local, 0).expression)
        unfolding.printed_code[key] = text
    return text


def global_name(unfolding: ProgramUnfolding, global_: int) -> str:
    program = unfolding.program
    pairs = zip(unfolding.global_names, unfolding.global_values[global_], strict=True)
    return "[" + ", ".join(f"{name}={program.shown(name, value)}" for name, value in pairs) + "]"


MAX_CONFIGURATIONS = 20_000
"""How many configurations to look at in search of the path that a step took; choices multiply them."""


def events(
    unfolding: ProgramUnfolding, local: int, global_: int, target: int, after: int
) -> tuple[Event, ...]:
    """What a request does in the move (local, global) → (target, after), in order.

    Where too many choices in one step hide the path, only what the step changes: without places.
    """
    goal = global_store(unfolding, after)
    start = configuration(unfolding, local, global_)
    path = _path(start, lambda at: at.globals == goal and ends_at(unfolding, at, target, after))
    return _changes(unfolding, global_, after) if path is None else tuple(along(path))


def events_to_fault(unfolding: ProgramUnfolding, local: int, global_: int, fault: Fault) -> tuple[Event, ...]:
    """What a request does in a step that ends with a fault, in order; the fault alone, if that is hidden."""
    path = _path(configuration(unfolding, local, global_), lambda at: redex_of_step(at) == fault)
    return (Event(fault.span),) if path is None else tuple(along(path))


def redex_of_step(current: Configuration) -> Expression | None:
    """What the next small step rewrites; None where the atomic step ends."""
    is_end = resumed(current.expression) is not None or response(current.expression) is not None
    return None if is_end else redex(current.expression)


def _path(start: Configuration, is_goal: Callable[[Configuration], bool]) -> list[Configuration] | None:
    """The configurations of a shortest way to a goal; None if too many are nearer."""
    came_from: dict[Configuration, Configuration] = {}
    pending = deque([start])
    seen = {start}
    with deep_recursion():
        while pending:
            current = pending.popleft()
            if is_goal(current):
                path = [current]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if len(seen) > MAX_CONFIGURATIONS:
                return None
            for next_ in small_steps(current):
                if next_ not in seen:
                    seen.add(next_)
                    came_from[next_] = current
                    pending.append(next_)
    raise ValueError("the program has no such step")


def _changes(unfolding: ProgramUnfolding, before: int, after: int) -> tuple[Event, ...]:
    """The globals that differ."""
    values = zip(
        unfolding.global_names, unfolding.global_values[before], unfolding.global_values[after], strict=True
    )
    return tuple(Event(NOWHERE, Write(name, old, new)) for name, old, new in values if old != new)


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


def along(path: list[Configuration]) -> Iterator[Event]:
    end = path[-1]
    for current in path[:-1]:
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
