"""Traces of packets, and trees that combine executions which differ only in the values they read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from seriatim.frontends.p4.code import Value
from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Pause:
    """The packet pauses before the operation at this place, so that others may run."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Look:
    """The packet reads a cell and finds this value."""

    cell: str
    register: str
    value: int
    variable: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Store:
    """The packet writes a value to a cell."""

    cell: str
    register: str
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pick:
    """The packet draws one of several random numbers."""

    count: int
    number: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enter:
    """A thread of egress takes the packet, as soon as the thread is free."""

    thread: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Quit:
    """The thread of egress is free again."""

    thread: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Outside:
    """The packet writes a value outside of the scope of a register; the execution ends here."""

    register: str
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Event = Pause | Look | Store | Pick | Enter | Quit | Outside


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a packet: its port and header fields, as far as they depend on registers."""

    parts: tuple[tuple[str, Value | None], ...]
    """Paths with their values; None for the port means that the packet is dropped."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One execution of one packet."""

    events: tuple[Event, ...]
    answer: Answer | None
    """The answer; None if a value has left its scope."""


# --- trees --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class End:
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Then:
    """An event without a choice, and the tree after it."""

    event: Pause | Store | Enter | Quit | Outside
    next: "Tree"


@dataclass(frozen=True, slots=True)
class Fork:
    """A read of a cell, with a tree for each value."""

    cell: str
    register: str
    variable: str
    cases: tuple[tuple[int, "Tree"], ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Lottery:
    """A random choice of one of several trees."""

    cases: tuple["Tree", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Tree = End | Then | Fork | Lottery


def build_tree(traces: Sequence[Trace], depth: int = 0) -> Tree:
    """Builds the tree whose paths are these executions.

    A read that decides nothing is left out: it changes nothing, and nothing depends on its value. Its pause
    is left out, too, if the read was a step of its own; in a step of several operations, the pause stays.
    """
    first = traces[0]
    if depth == len(first.events):
        return End(first.answer)
    event = first.events[depth]
    match event:
        case Look(cell=cell, register=register, variable=variable, span=span):
            groups: dict[int, list[Trace]] = {}
            for trace in traces:
                look = trace.events[depth]
                assert isinstance(look, Look)
                groups.setdefault(look.value, []).append(trace)
            cases = tuple((value, build_tree(group, depth + 1)) for value, group in sorted(groups.items()))
            if all(tree == cases[0][1] for _, tree in cases):
                return cases[0][1]
            return Fork(cell, register, variable, cases, span)
        case Pick(span=span):
            picks: dict[int, list[Trace]] = {}
            for trace in traces:
                pick = trace.events[depth]
                assert isinstance(pick, Pick)
                picks.setdefault(pick.number, []).append(trace)
            trees = [build_tree(group, depth + 1) for _, group in sorted(picks.items())]
            distinct = tuple(dict.fromkeys(trees))
            return distinct[0] if len(distinct) == 1 else Lottery(distinct, span)
        case Pause():
            rest = build_tree(traces, depth + 1)
            following = first.events[depth + 1]
            is_left_out = isinstance(following, Look) and not (
                isinstance(rest, Fork) and rest.cell == following.cell
            )
            pauses = isinstance(rest, End) or (isinstance(rest, Then) and isinstance(rest.event, Pause))
            return rest if is_left_out and pauses else Then(event, rest)
        case _:
            return Then(event, build_tree(traces, depth + 1))
