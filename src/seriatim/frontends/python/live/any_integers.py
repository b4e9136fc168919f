"""Reads off what a service does for any integers: its turns with recorded integers, as a program.

At first, the integers among the arguments are recorded. What they flow into has to be recorded from the
beginning, and so have integers of the shared state that take many values; integers that something needs as
numbers are numbers again. With each of these findings, the turns are taken anew, until nothing new comes up.

Before anything is said, the program is compared with fresh runs of the unmodified file: with the numbers that
were tried before, and with random ones.
"""

import ast
import builtins
import itertools
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from seriatim.frontends.python.live.canonical import Unseen
from seriatim.frontends.python.live.closing import PATIENCE, Closer, Move, TooMany, in_copy
from seriatim.frontends.python.live.exploring import Explorer, OutOfWork, Seen, answered, distinct_orders
from seriatim.frontends.python.live.loading import Loaded
from seriatim.frontends.python.live.places import Places, Recorded
from seriatim.frontends.python.live.proving import compares_identity, make_turns, plain, sorted_locals
from seriatim.frontends.python.live.recorded_program import Coder, TooLong, parameters
from seriatim.frontends.python.live.recorded_system import (
    Json,
    RecordedLocal,
    RecordedMove,
    RecordedRequest,
    RecordedSystem,
    write_system,
)
from seriatim.frontends.python.live.recording import CALLABLE_TYPES, RECORDER, Whole, is_carrier, symbol_term
from seriatim.frontends.python.live.requests import Service
from seriatim.frontends.python.live.running import Loop, Request
from seriatim.program.semantics import Configuration, big_steps, initial_store, response, store
from seriatim.program.syntax import Program

MOST_ATTEMPTS = 12
"""How often the turns are taken anew."""

RANDOM_GROUPS = 12
"""Groups of requests with random integers whose fresh runs are compared."""

MOST_RUNS = 60
"""Runs of such a group, in each order of arrival."""

MOST_STATES = 20_000
"""States of the program that are looked at for one group."""

Answers = tuple[str, ...]


def find_recorded(
    loop: Loop, service: Service, loaded: Loaded, explorer: Explorer, file: str, seconds: float
) -> Json:
    """The system of a service for any integers, or the reason why there is none."""
    try:
        refuse_types(loaded)
        recorded = Recorded()
        for _ in range(MOST_ATTEMPTS):
            requests = record_requests(service.requests, recorded)
            work = partial(_close, loop, service, loaded, explorer, file, seconds, requests, recorded)
            found: RecordedSystem | Again = in_copy(work, PATIENCE + 5)
            if isinstance(found, RecordedSystem):
                difference = compare(found, requests, explorer)
                return {"reason": difference} if difference else {"recorded": write_system(found)}
            following = Recorded(
                (recorded.lifted | found.wanted) - found.numbers, recorded.pinned | found.numbers
            )
            if following == recorded:
                return {"reason": found.reason}
            recorded = following
    except (Unseen, TooLong) as unseen:
        return {"reason": str(unseen)}
    return {"reason": "what is recorded never settles"}


@dataclass(frozen=True)
class Again:
    """Why turns have to be taken anew, or why nothing comes of it."""

    reason: str
    wanted: frozenset[str]
    numbers: frozenset[str]


@dataclass(frozen=True)
class OpenRequest:
    """A request, some arguments of which are recorded, and the requests with numbers that it stands for."""

    request: Request
    parameters: tuple[str, ...]
    examples: tuple[int, ...]
    """The numbers of these requests."""


def record_requests(requests: Sequence[Request], recorded: Recorded) -> list[OpenRequest]:
    """The requests, merged where they differ in recorded arguments only."""
    found: dict[str, OpenRequest] = {}
    for number, each in enumerate(requests):
        names = tuple(name for name, _ in each.integers if recorded.argument(each.function, name))
        if names and each.remake is not None:
            arguments = {
                name: partial(make_argument, f"{each.function}({name})", place) for place, name in enumerate(names)
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
    seconds: float,
    requests: list[OpenRequest],
    recorded: Recorded,
) -> RecordedSystem | Again:
    """Takes all turns, in this process and its copies."""
    open_service = replace(service, requests=[each.request for each in requests])
    turns, find_change = make_turns(loop, open_service, loaded)
    places = Places(turns.shared, loaded.modules(), recorded)
    RECORDER.is_on = True
    closer = Closer(turns, file, lambda: "", find_change, seconds, places)
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
    reached = {local for pair in known.moves for local in (pair[0],)}
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
    assert closer.places is not None
    return RecordedSystem(
        tuple(
            RecordedRequest(each.request.label, each.parameters, _examples(each, explorer.service.requests))
            for each in requests
        ),
        tuple(told),
        tuple(known.parts[state] for state in states),
        states[closer.first],
        tuple(sorted((name, closer.places.first[name]) for name in recorded.lifted & closer.places.first.keys())),
        tuple(sorted(found, key=lambda move: (move.local, move.state, move.option, move.choices))),
        tuple(sorted((locals_[local], states[state]) for (local, state), each in known.moves.items() if not each)),
        closer.count,
    )


def _examples(request: OpenRequest, requests: Sequence[Request]) -> tuple[tuple[int, ...], ...]:
    found = [values_of(request, requests[number]) for number in request.examples]
    return tuple(dict.fromkeys(found))


def values_of(request: OpenRequest, example: Request) -> tuple[int, ...]:
    given = dict(example.integers)
    return tuple(given[name] for name in request.parameters)


# What is refused before anything runs


def refuse_types(loaded: Loaded) -> None:
    """Raises `Unseen` for code that may see that a recorded integer is no integer."""
    for module in loaded.modules():
        tree = ast.parse(Path(module.__file__ or "").read_text())
        if compares_identity(tree):
            raise Unseen("it compares identities (`is`)")
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and _is_of_number(node):
                raise Unseen("it compares the identity of a number (`is`)")
            value = _meaning(node, vars(module))
            if value is type:
                raise Unseen("it looks at types (`type`)")
            if isinstance(value, type) and not _may_make(value):
                raise Unseen(f"it uses `{value.__qualname__}`, which may look into integers")


def _is_of_number(node: ast.Compare) -> bool:
    is_identity = any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops)
    sides = [each.value for each in (node.left, *node.comparators) if isinstance(each, ast.Constant)]
    return is_identity and any(each is not None and not isinstance(each, bool) for each in sides)


def _meaning(node: ast.AST, names: dict[str, Any]) -> Any:
    """What a name stands for in a module, as far as that is plain to see."""
    match node:
        case ast.Name(id=name):
            return names.get(name, vars(builtins).get(name))
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            owner = names.get(name)
            return vars(owner).get(attribute) if isinstance(owner, types.ModuleType) else None
    return None


def _may_make(kind: type) -> bool:
    return all(each in CALLABLE_TYPES or is_carrier(each) for each in kind.__mro__)


# Comparing with fresh runs


def compare(system: RecordedSystem, requests: list[OpenRequest], explorer: Explorer) -> str:
    """Where the program differs from fresh runs; empty if each of their outcomes is one of the program's, and
    one-at-a-time outcomes are the same."""
    model = Modelled(system)
    by_number = {number: each for each in requests for number in each.examples}
    positions = {each.request.label: place for place, each in enumerate(requests)}
    concrete = explorer.service.requests
    for group, seen in list(explorer.seen.items()):
        members = [(positions[by_number[each].request.label], values_of(by_number[each], concrete[each])) for each in group]
        if difference := _difference(model, members, _by_position(seen, group, concrete, members)):
            return difference
    random = Random(len(system.moves))
    interesting = sorted({*numbers_in(system), *(number for _, number in system.initial), 0, 1})
    explorer.most_runs += 4 * RANDOM_GROUPS * MOST_RUNS
    explorer.ends += 10 * 10**9
    for _ in range(RANDOM_GROUPS if any(each.parameters for each in requests) else 0):
        chosen = [random.choice(range(len(requests))) for _ in range(random.choice((1, 2, 2, 2, 3)))]
        members = []
        for place in chosen:
            values = tuple(_random_integer(random, interesting) for _ in requests[place].parameters)
            members.append((place, values))
        if difference := _difference(model, members, _fresh_runs(explorer, requests, members)):
            return difference
    return ""


Member = tuple[int, tuple[int, ...]]
"""A request by its place, and its integers."""


@dataclass(frozen=True)
class SeenAnswers:
    serial: set[Answers]
    together: set[Answers]
    is_serial_whole: bool


def _by_position(seen: Seen, group: Sequence[int], concrete: Sequence[Request], members: list[Member]) -> SeenAnswers:
    places = {concrete[number].label: place for number, (place, _) in zip(group, members, strict=True)}

    def told(outcome: tuple[tuple[str, str], ...]) -> Answers:
        return tuple(sorted(f"{places[label]}/{plain(answer)}" for label, answer in outcome))

    return SeenAnswers(set(map(told, seen.serial)), set(map(told, seen.together)), seen.is_serial_whole)


def _fresh_runs(explorer: Explorer, requests: list[OpenRequest], members: list[Member]) -> SeenAnswers:
    """What fresh runs with these integers answer."""
    made: list[Request] = []
    for place, values in members:
        example = explorer.service.requests[requests[place].examples[0]]
        given = dict(zip(requests[place].parameters, values, strict=True))
        remake = example.remake
        if remake is not None and given:
            example = remake({name: partial(_same, value) for name, value in given.items()})
        made.append(replace(example, label=str(place)))
    found: tuple[set[Answers], set[Answers]] = (set(), set())
    is_whole = True
    try:
        for order, is_serial in itertools.product(distinct_orders(made), (True, False)):
            for outcome in explorer.all_runs(order, MOST_RUNS, is_serial=is_serial):
                if outcome is None:
                    is_whole &= not is_serial
                    break
                if outcome.complaint is not None:
                    raise Unseen(outcome.complaint)
                for answers in answered(order, outcome):
                    told = tuple(sorted(f"{label}/{plain(answer)}" for label, answer in answers))
                    found[0 if is_serial else 1].add(told)
    except OutOfWork:
        is_whole = False
    return SeenAnswers(*found, is_whole)


def _same(value: int) -> int:
    return value


def _difference(model: "Modelled", members: list[Member], seen: SeenAnswers) -> str:
    serial = model.outcomes(members, one_at_a_time=True)
    if seen.is_serial_whole and serial != seen.serial:
        odd = min(serial ^ seen.serial)
        where = "only in runs" if odd in seen.serial else "in no run"
        return f"for some integers, {', '.join(odd)} one at a time occurs {where}"
    if missing := seen.together - model.outcomes(members, one_at_a_time=False):
        return f"for some integers, {', '.join(min(missing))} occurs only in runs"
    return ""


def _random_integer(random: Random, interesting: Sequence[int]) -> int:
    if random.random() < 0.7:
        return random.choice(interesting) + random.randint(-2, 2)
    return random.choice((random.randint(-50, 200), random.randint(-(1 << 70), 1 << 70)))


def numbers_in(system: RecordedSystem) -> Iterator[int]:
    """The numbers that tests compare integers with, as far as they show."""
    for move in system.moves:
        for test in move.tests:
            if test is not None:
                yield from (test.term.number, -test.term.number)


class Modelled:
    """The program of a system, executed with numbers."""

    def __init__(self, system: RecordedSystem) -> None:
        self.system, self.coder = system, Coder(system)
        self.program: Program = self.coder.program()
        self.bodies = [self.coder.body(number) for number in range(len(system.requests))]

    def outcomes(self, members: list[Member], *, one_at_a_time: bool) -> set[Answers]:
        """The answers that requests with these integers can give."""
        start = initial_store(self.program)
        waiting = tuple(sorted(members))
        none: tuple[Any, ...] = ()
        root = (start, none, waiting, none)
        seen, todo = {root}, [root]
        found: set[Answers] = set()
        while todo:
            globals_, flight, rest, answers = todo.pop()
            if not flight and not rest:
                found.add(answers)
            steps: list[tuple[int, Configuration, tuple[Any, ...], tuple[Any, ...]]] = []
            for number, (place, code, own) in enumerate(flight):
                others = flight[:number] + flight[number + 1 :]
                steps.append((place, Configuration(code, own, globals_), others, rest))
            for number, (place, values) in enumerate(rest if not (one_at_a_time and flight) else ()):
                names = parameters(self.system.requests[place])
                own = store(dict(zip(names, values, strict=True)))
                left = rest[:number] + rest[number + 1 :]
                steps.append((place, Configuration(self.bodies[place], own, globals_), flight, left))
            for place, configuration, others, left in steps:
                for after in big_steps(configuration, 10_000):
                    code = response(after.expression)
                    if code is None:
                        more = (*others, (place, after.expression, after.locals))
                        following = (after.globals, tuple(sorted(more, key=repr)), left, answers)
                    else:
                        text = f"{place}/{plain(self.coder.answers.text(place, code))}"
                        following = (after.globals, others, left, tuple(sorted((*answers, text))))
                    if following not in seen:
                        seen.add(following)
                        todo.append(following)
            if len(seen) > MOST_STATES:
                raise Unseen("there are too many ways in which requests meet to compare them with runs")
        return found


def asks_for_it(service: Service) -> bool:
    """Whether there are arguments that may be any integers."""
    return any(each.integers for each in service.requests)

