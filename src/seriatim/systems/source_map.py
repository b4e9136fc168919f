"""Maps compiled states and moves back to the program's text.

A local of a `ProgramUnfolding` stands for a configuration of the reference interpreter; what happens in a
move is read off a path of the interpreter's small steps that has the same result.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import assert_never

from seriatim.program.changing import transform
from seriatim.program.network_system import LocalState
from seriatim.program.printer import print_expression
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import (
    Configuration,
    focus,
    lookup,
    redex,
    response,
    resume,
    small_steps,
    store,
)
from seriatim.program.state import name_value
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Expression,
    Fault,
    Number,
    Read,
    Return,
    While,
    Yield,
    is_global,
)
from seriatim.source import Span
from seriatim.systems.control_flow import is_temporary, remaining_code
from seriatim.systems.from_input import Origin
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding


@dataclass(frozen=True, slots=True)
class Write:
    """A variable that a step assigned to, and the value that it got."""

    name: str
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Event:
    """A small step of a request, at a place in the text; `NOWHERE` if no text was written for it."""

    span: Span
    write: Write | None = None
    read: str | None = None
    """The variable whose value it takes."""


def configuration(unfolding: ProgramUnfolding, local: int, global_: int) -> Configuration:
    """Returns what a local stands for in a global state; dead locals are 0."""
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

    def replace_read(part: Expression) -> Expression:
        match part:
            case Read(name=name, span=span) if is_temporary(name):
                return Number(known[name], span)
            case _:
                return part

    return transform(expression, replace_read)


def local_state(origin: Origin, local: int) -> LocalState:
    """A local for readers; its name is unique among the locals of the input."""
    match origin:
        case ProgramUnfolding():
            return _local_of_program(origin, local)
        case SystemUnfolding():
            return origin.system.locals[origin.local_states[local][1]]
        case _:
            assert_never(origin)


def _local_of_program(unfolding: ProgramUnfolding, local: int) -> LocalState:
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


def global_name(origin: Origin, global_: int) -> str:
    """A global state for readers."""
    state = origin.global_state(global_)
    if isinstance(state, str):
        return state
    names = origin.content.value_names
    return "[" + ", ".join(f"{name}={name_value(names, name, value)}" for name, value in state) + "]"


MAX_CONFIGURATIONS = 20_000
"""How many configurations to explore in search of the path that a step took; choices multiply them."""


def events(origin: Origin, local: int, global_: int, target: int, after: int) -> tuple[Event, ...]:
    """The events of the move (local, global) → (target, after), in order; empty for a network system.

    If too many choices in one step hide the path, only the changes, without places.
    """
    match origin:
        case ProgramUnfolding():
            return _events_of_program(origin, local, global_, target, after)
        case SystemUnfolding():
            return ()
        case _:
            assert_never(origin)


def _events_of_program(
    unfolding: ProgramUnfolding, local: int, global_: int, target: int, after: int
) -> tuple[Event, ...]:
    goal = global_store(unfolding, after)
    start = configuration(unfolding, local, global_)
    path = _path(start, lambda at: at.globals == goal and ends_at(unfolding, at, target, after))
    return _changes(unfolding, global_, after) if path is None else tuple(along(path))


def events_to_fault(unfolding: ProgramUnfolding, local: int, global_: int, fault: Fault) -> tuple[Event, ...]:
    """The events of a failing step, in order; only the fault if the path is hidden."""
    path = _path(configuration(unfolding, local, global_), lambda at: redex_of_step(at) == fault)
    return (Event(fault.span),) if path is None else tuple(along(path))


def redex_of_step(current: Configuration) -> Expression | None:
    """The redex of the next small step; None where the atomic step ends."""
    is_end = resume(current.expression) is not None or response(current.expression) is not None
    return None if is_end else redex(current.expression)


STRETCH = 64
"""How many small steps without a choice are taken at a time."""


@dataclass(frozen=True, slots=True)
class _Trail:
    """Consecutive configurations, and the path to the first of them."""

    before: "_Trail | None"
    steps: tuple[Configuration, ...]

    def whole(self) -> list[Configuration]:
        parts: list[tuple[Configuration, ...]] = []
        trail: _Trail | None = self
        while trail is not None:
            parts.append(trail.steps)
            trail = trail.before
        return [each for part in reversed(parts) for each in part]


_Entry = tuple[int, tuple[int, ...], int, Configuration, _Trail | None]
"""(length of the way, where 1 was chosen, a number of its own, a configuration, the way to it); the way to a
goal ends with the goal."""


def _path(start: Configuration, is_goal: Callable[[Configuration], bool]) -> list[Configuration] | None:
    """The configurations of a shortest way to a goal, where an atomic step ends; None if too many are nearer.

    Of ways of the same length, the one that chooses 0 longer. Configurations are compared only where there
    is something to choose: to compare them costs more than a step.
    """
    order = count()
    pending: list[_Entry] = [(0, (), next(order), start, None)]
    seen: set[Configuration] = set()
    looked_at = 0
    with deep_recursion():
        while pending:
            length, ones, _, current, before = heappop(pending)
            if before is not None and current is before.steps[-1]:
                return before.whole()
            is_chosen = before is None or len(small_steps(before.steps[-1])) > 1
            if is_chosen and current in seen:
                continue
            if is_chosen:
                seen.add(current)
            stretch = [current]
            following = small_steps(current)
            while len(following) == 1 and len(stretch) < STRETCH:
                stretch.append(following[0])
                following = small_steps(following[0])
            trail = _Trail(before, tuple(stretch))
            after = length + len(stretch)
            if not following and is_goal(
                stretch[-1]
            ):  # It is its turn when all that is nearer has been seen.
                heappush(pending, (after, ones, next(order), stretch[-1], trail))
            looked_at += len(stretch)
            if looked_at > MAX_CONFIGURATIONS:
                return None
            for choice, next_ in enumerate(following):
                chosen = (*ones, -after) if choice else ones
                heappush(pending, (after, chosen, next(order), next_, trail))
    raise ValueError("the program has no such step")


def _changes(unfolding: ProgramUnfolding, before: int, after: int) -> tuple[Event, ...]:
    """The globals that differ."""
    values = zip(
        unfolding.global_names, unfolding.global_values[before], unfolding.global_values[after], strict=True
    )
    return tuple(Event(NOWHERE, Write(name, old, new)) for name, old, new in values if old != new)


def ends_at(unfolding: ProgramUnfolding, current: Configuration, target: int, after: int) -> bool:
    """Whether an atomic step that has come this far ends here, with this result."""
    rest = resume(current.expression)
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


# Loops at which requests wait

MAX_CONDITION_STEPS = 500
"""Small steps to evaluate the condition of a loop."""


def stops_on_purpose(origin: Origin, local: int) -> bool:
    """Whether a request stands at `while (1) { yield }`."""
    with deep_recursion():
        match waiting_loop(origin, local, INITIAL_GLOBAL):
            case While(condition=Number(value=value), body=Yield()), _:
                return value != 0
            case _:
                return False


def waiting_loop(origin: Origin, local: int, global_: int) -> tuple[While[Expression], Configuration] | None:
    """The loop that a request is about to continue with, and where it is; None elsewhere, and in a network
    system, which has no text."""
    if isinstance(origin, SystemUnfolding):
        return None
    at = configuration(origin, local, global_)
    if response(at.expression) is not None or resume(at.expression) is not None:
        return None
    loop = redex(at.expression)
    return (loop, at) if isinstance(loop, While) else None


def condition(origin: Origin, local: int, global_: int) -> tuple[Span | None, list[str]]:
    """The loop that a request is about to continue with, and the globals that its condition reads."""
    with deep_recursion():
        waiting = waiting_loop(origin, local, global_)
        if waiting is None:
            return None, []
        loop, at = waiting
        found: dict[str, None] = {}
        current = Configuration(loop.condition, at.locals, at.globals)
        for _ in range(MAX_CONDITION_STEPS):
            steps = small_steps(current)
            if not steps:
                break
            next_ = redex(current.expression)
            if isinstance(next_, Read) and is_global(next_.name):
                found[next_.name] = None
            current = steps[0]
    return loop.span, list(found)
