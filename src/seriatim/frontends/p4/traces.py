"""Traces of packets as trees: executions that differ only in what they read are combined."""

from collections.abc import Sequence

from seriatim.frontends.p4.code import Value
from seriatim.frozen import field, frozen
from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)


@frozen
class Pause:
    """Others may run here, before the operation in this place."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Look:
    """A cell is read, and has this value."""

    cell: str
    register: str
    value: int
    variable: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Store:
    """A cell gets a value."""

    cell: str
    register: str
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Pick:
    """Something random is one of several."""

    count: int
    number: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Enter:
    """A thread of egress takes the packet, as soon as it is free."""

    thread: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Quit:
    """The thread of egress is free again."""

    thread: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Outside:
    """A value leaves the scope of its register: nothing is known of what follows."""

    register: str
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Event = Pause | Look | Store | Pick | Enter | Quit | Outside


@frozen
class Answer:
    """What becomes of a packet, as far as it depends on registers."""

    parts: tuple[tuple[str, Value | None], ...]
    """Path and value; None if it is not there."""


@frozen
class Trace:
    """One execution of one packet."""

    events: tuple[Event, ...]
    answer: Answer | None
    """None if a value has left its scope."""


# --- trees --------------------------------------------------------------------------------------------------


@frozen
class End:
    answer: Answer | None


@frozen
class Then:
    """An event that leaves no choice, and what follows."""

    event: Pause | Store | Enter | Quit | Outside
    next: "Tree"


@frozen
class Fork:
    """A cell is read; what follows for each of its values."""

    cell: str
    register: str
    variable: str
    cases: tuple[tuple[int, "Tree"], ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Lottery:
    """One of several continuations, at random."""

    cases: tuple["Tree", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Tree = End | Then | Fork | Lottery


def tree_of(traces: Sequence[Trace], depth: int = 0) -> Tree:
    """The tree whose paths are these executions.

    A read that decides nothing is left out: it changes nothing, and nobody learns anything from it. Its pause
    goes with it if it was a step of its own; in a step of several operations, others still come first.
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
            cases = tuple((value, tree_of(group, depth + 1)) for value, group in sorted(groups.items()))
            if all(tree == cases[0][1] for _, tree in cases):
                return cases[0][1]
            return Fork(cell, register, variable, cases, span)
        case Pick(span=span):
            picks: dict[int, list[Trace]] = {}
            for trace in traces:
                pick = trace.events[depth]
                assert isinstance(pick, Pick)
                picks.setdefault(pick.number, []).append(trace)
            trees = [tree_of(group, depth + 1) for _, group in sorted(picks.items())]
            distinct = tuple(dict.fromkeys(trees))
            return distinct[0] if len(distinct) == 1 else Lottery(distinct, span)
        case Pause():
            rest = tree_of(traces, depth + 1)
            following = first.events[depth + 1]
            is_left_out = isinstance(following, Look) and not (
                isinstance(rest, Fork) and rest.cell == following.cell
            )
            pauses = isinstance(rest, End) or (isinstance(rest, Then) and isinstance(rest.event, Pause))
            return rest if is_left_out and pauses else Then(event, rest)
        case _:
            return Then(event, tree_of(traces, depth + 1))
