"""Reads off what a service does for any integers: its turns with recorded integers, as a program.

At first, the integers among the arguments are recorded. What they flow into has to be recorded from the
beginning, and so have integers of the shared state that take many values; integers that something needs as
numbers are numbers again. With each of these findings, all turns are taken again, until nothing new comes up.

Before anything is said, the program is compared with fresh runs of the unmodified file: with the numbers that
were tried before, and with random ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from seriatim.frontends.python.canonical import Unseen
from seriatim.frontends.python.closing import Closer, Limit, Move, TooMany, in_copy, latest
from seriatim.frontends.python.exploring import Explorer
from seriatim.frontends.python.loading import Loaded
from seriatim.frontends.python.places import Places, Recorded
from seriatim.frontends.python.proving import make_turns, sorted_locals
from seriatim.frontends.python.recordable import Tellers, refuse_types
from seriatim.frontends.python.recorded_comparison import OpenRequest, compare, values_of
from seriatim.frontends.python.recorded_program import TooLong
from seriatim.frontends.python.recorded_system import (
    Json,
    RecordedLocal,
    RecordedMove,
    RecordedRequest,
    RecordedSystem,
    write_system,
)
from seriatim.frontends.python.recording import RECORDER, Whole, symbol_term
from seriatim.frontends.python.requests import Service
from seriatim.frontends.python.running import Loop, Request

MOST_ATTEMPTS = 12
"""How often the turns are taken again."""


def find_recorded(
    loop: Loop, service: Service, loaded: Loaded, explorer: Explorer, file: str, seconds: float
) -> Json:
    """The system of a service for any integers, or the reason why there is none; raises `OtherRace`."""
    try:
        refuse_types(loaded)
        recorded, ends = Recorded(), latest(seconds)
        for _ in range(MOST_ATTEMPTS):
            requests = record_requests(service.requests, recorded)
            work = partial(_close, loop, service, loaded, explorer, file, ends, requests, recorded)
            found: RecordedSystem | Again | Unseen = in_copy(work, ends)
            if isinstance(found, Unseen):
                return {"reason": str(found)}
            if isinstance(found, RecordedSystem):
                difference = compare(found, requests, explorer)
                return {"reason": difference} if difference else {"recorded": write_system(found)}
            pinned = recorded.pinned | found.numbers
            following = Recorded((recorded.lifted | found.wanted) - pinned, pinned)
            if following == recorded:
                return {"reason": found.reason}
            recorded = following
    except (Unseen, TooLong) as unseen:
        return {"reason": str(unseen)}
    return {"reason": "what is recorded never settles"}


@dataclass(frozen=True)
class Again:
    """Why turns have to be taken again, or why that does not help."""

    reason: str
    wanted: frozenset[str]
    numbers: frozenset[str]


def record_requests(requests: Sequence[Request], recorded: Recorded) -> list[OpenRequest]:
    """The requests, merged where they differ in recorded arguments only."""
    found: dict[str, OpenRequest] = {}
    for number, each in enumerate(requests):
        names = tuple(name for name, _ in each.integers if recorded.argument(each.function, name))
        if names and each.remake is not None:
            arguments: dict[str, Callable[[], Any]] = {
                name: partial(make_argument, f"{each.function}({name})", place)
                for place, name in enumerate(names)
            }
            made = each.remake(arguments)
        else:
            made = each
        known = found.get(made.label)
        if known is None:
            found[made.label] = OpenRequest(made, names, (number,))
        else:
            found[made.label] = replace(known, examples=(*known.examples, number))
    return list(found.values())


def make_argument(source: str, number: int) -> Whole:
    """A recorded integer for an argument of a request."""
    return Whole(symbol_term("own", number), frozenset((source,)))


def _close(
    loop: Loop,
    service: Service,
    loaded: Loaded,
    explorer: Explorer,
    file: str,
    ends: Limit,
    requests: list[OpenRequest],
    recorded: Recorded,
) -> RecordedSystem | Again:
    """Takes all turns, in this process and its copies."""
    open_service = replace(service, requests=[each.request for each in requests])
    turns, find_change = make_turns(loop, open_service, loaded)
    places = Places(turns.shared, loaded.modules(), recorded)
    RECORDER.is_on = True
    RECORDER.may_tell = Tellers(loaded).may_tell
    closer = Closer(turns, file, lambda: "", find_change, ends, places)
    try:
        closer.close()
    except (Unseen, TooMany) as failed:
        known = closer.known
        return Again(str(failed), known.wanted | places.wanted, known.numbers | RECORDER.sources)
    return read_off(closer, requests, explorer, recorded)


def read_off(
    closer: Closer, requests: list[OpenRequest], explorer: Explorer, recorded: Recorded
) -> RecordedSystem:
    """What the turns have shown."""
    known = closer.known
    states = {state: number for number, state in enumerate(known.states)}
    reached = {local for local, _ in known.moves}
    reached |= {move.local for found in known.moves.values() for move in found}
    locals_ = {local: number for number, local in enumerate(sorted_locals(closer, reached))}
    told: list[RecordedLocal] = []
    for number, local in enumerate(locals_):
        if number < len(requests):
            told.append(RecordedLocal(number, None, None, ""))
        else:
            text = known.locals[local]
            told.append(RecordedLocal(text.request, text.answer, text.line, text.waits))

    def tell(pair: tuple[str, str], options: dict[Any, int], move: Move) -> RecordedMove:
        return RecordedMove(
            locals_[pair[0]],
            states[pair[1]],
            options.setdefault(move.option, len(options)),
            move.choices,
            move.tests,
            locals_[move.local],
            states[move.state],
            move.own,
            move.shared,
        )

    found: list[RecordedMove] = []
    for pair, all_moves in known.moves.items():
        options: dict[Any, int] = {}
        found += [tell(pair, options, move) for move in all_moves]
    return RecordedSystem(
        tuple(
            RecordedRequest(each.request.label, each.parameters, _examples(each, explorer.service.requests))
            for each in requests
        ),
        tuple(told),
        tuple(known.parts[state] for state in states),
        states[closer.first],
        tuple(
            sorted((name, closer.places.first[name]) for name in recorded.lifted & closer.places.first.keys())
        ),
        tuple(sorted(found, key=lambda move: (move.local, move.state, move.option, move.choices))),
        tuple(
            sorted(
                (locals_[local], states[state]) for (local, state), each in known.moves.items() if not each
            )
        ),
        closer.count,
    )


def _examples(request: OpenRequest, requests: Sequence[Request]) -> tuple[tuple[int, ...], ...]:
    found = [values_of(request, requests[number]) for number in request.examples]
    return tuple(dict.fromkeys(found))


def asks_for_it(service: Service) -> bool:
    """Whether there are arguments that may be any integers."""
    return any(each.integers for each in service.requests)
