"""The program of a system for any integers, compared with fresh runs of the unmodified file."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from seriatim.frontends.python.canonical import Unseen
from seriatim.frontends.python.exploring import (
    Died,
    Explorer,
    Group,
    OutOfWork,
    Race,
    Refused,
    Seen,
    numbers_of,
)
from seriatim.frontends.python.proving import plain
from seriatim.frontends.python.recorded_program import Coder, parameters
from seriatim.frontends.python.recorded_system import RecordedSystem
from seriatim.frontends.python.running import Request
from seriatim.program.semantics import Configuration, big_steps, initial_store, response, store
from seriatim.program.syntax import Program

SIZES = (2, 2, 1, 2, 3, 2, 1, 2)
"""The groups of requests with random integers whose fresh runs are compared."""

MOST_RUNS = 300
"""Runs of such a group."""

MOST_TOGETHER = 40
"""Runs of it in which requests meet, in each order of arrival."""

SECONDS = 10.0
"""CPU seconds for all of them."""

MOST_STATES = 20_000
"""States of the program that are looked at for one group."""

Answers = tuple[str, ...]

Member = tuple[int, tuple[int, ...]]
"""A request by its place, and its integers."""


@dataclass(frozen=True)
class OpenRequest:
    """A request, some arguments of which are recorded, and the requests with numbers that it stands for."""

    request: Request
    parameters: tuple[str, ...]
    examples: tuple[int, ...]
    """The numbers of these requests."""


def values_of(request: OpenRequest, example: Request) -> tuple[int, ...]:
    given = dict(example.integers)
    return tuple(given[name] for name in request.parameters)


def compare(system: RecordedSystem, requests: list[OpenRequest], explorer: Explorer) -> str:
    """Where the program differs from fresh runs; empty if each of their outcomes is one of the program's, and
    one-at-a-time outcomes are the same. Then the explorer knows the answers of these runs, too."""
    model = Modelled(system)
    by_number = {number: each for each in requests for number in each.examples}
    positions = {each.request.label: place for place, each in enumerate(requests)}
    concrete = explorer.service.requests
    for group, seen in list(explorer.seen.items()):
        members = [
            (positions[by_number[each].request.label], values_of(by_number[each], concrete[each]))
            for each in group
        ]
        if difference := _difference(model, members, _by_position(seen, group, concrete, members)):
            return difference
    random = Random(len(system.moves))
    interesting = sorted({*numbers_in(system), *(number for _, number in system.initial), 0, 1})
    groups = list(itertools.islice(_pairs(requests, interesting), MOST_PAIRS))
    for size in SIZES if any(each.parameters for each in requests) else ():
        chosen = random.choices(range(len(requests)), k=size)
        members = []
        for place in chosen:
            values = tuple(_random_integer(random, interesting) for _ in requests[place].parameters)
            members.append((place, values))
        groups.append(members)
    groups[:0] = itertools.islice(_racing(model, requests, interesting, explorer), MOST_PAIRS)
    others = _Others(explorer, requests)
    for members in groups:
        if difference := _difference(model, members, others.answers(members)):
            return difference
    for name, answers in others.explorer.findings.answers.items():
        explorer.findings.answers.setdefault(name, set()).update(answers)
    return ""


MOST_PAIRS = 8
"""Pairs of one request with integers on which its tests depend."""


class OtherRace(Exception):
    """Fresh runs with other integers than those that were tried before show a race, or let one suspect."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__()
        self.findings = explorer.findings


class _Others:
    """Fresh runs of requests with other integers, compared with each other as all runs are."""

    def __init__(self, explorer: Explorer, requests: list[OpenRequest]) -> None:
        self.concrete, self.requests = explorer.service.requests, requests
        service = replace(explorer.service, requests=[])
        self.explorer = Explorer(explorer.loop, service, explorer.file, SECONDS, explorer.wishes)
        self.explorer.sees_state = explorer.sees_state
        self.made: dict[Member, Request] = {}

    def answers(self, members: list[Member]) -> "SeenAnswers":
        """What some requests answer; raises `OtherRace`."""
        explorer, findings = self.explorer, self.explorer.findings
        group = [self._request(each) for each in members]
        explorer.most_runs = findings.runs + MOST_RUNS
        race: Race | None = None
        try:
            race = explorer.compare(Group(tuple(group), 0), MOST_TOGETHER)
            findings.race = race and explorer.traced(race)
        except OutOfWork:
            # A race whose steps cannot be told any more is not printed, but nothing is proved either.
            findings.doubt = race or findings.doubt
        except Refused as refused:
            raise Unseen(str(refused)) from None
        except Died as died:
            raise Unseen(f"a run with other integers ended early: {died}") from None
        if findings.race is not None or findings.doubt is not None:
            raise OtherRace(explorer)
        numbers = numbers_of(group)
        places = {each.number: member for each, member in zip(group, members, strict=True)}
        in_order = [places[number] for number in numbers]
        return _by_position(explorer.seen[numbers], numbers, explorer.service.requests, in_order)

    def _request(self, member: Member) -> Request:
        """The request for these integers, which is made once."""
        if member not in self.made:
            place, values = member
            example = self.concrete[self.requests[place].examples[0]]
            given = dict(zip(self.requests[place].parameters, values, strict=True))
            if example.remake is not None and given:
                example = example.remake({name: partial(_same, value) for name, value in given.items()})
            self.made[member] = replace(example, number=len(self.made))
            self.explorer.service.requests.append(self.made[member])
        return self.made[member]


MOST_ASKED = 80
"""Pairs of requests with numbers that the program is asked about."""


def _racing(
    model: "Modelled", requests: list[OpenRequest], interesting: Sequence[int], explorer: Explorer
) -> Iterator[list[Member]]:
    """Two requests that race in the program: with numbers on which its tests depend, or that were tried.

    Each is tried in fresh runs, as a race of the program alone is none.
    """
    concrete = explorer.service.requests
    tried = [(place, values_of(each, concrete[each.examples[0]])) for place, each in enumerate(requests)]
    asked = [members[0] for members in _pairs(requests, interesting)]
    pairs = itertools.combinations_with_replacement(dict.fromkeys((*asked, *tried)), 2)
    for pair in itertools.islice(sorted(pairs, key=lambda each: each[0] != each[1]), MOST_ASKED):
        find = partial(model.outcomes, list(pair), sees_state=explorer.sees_state)
        try:
            races = bool(find(one_at_a_time=False) - find(one_at_a_time=True))
        except Unseen:
            continue  # It has too many states; other pairs may have fewer.
        if races:
            yield list(pair)


def _pairs(requests: list[OpenRequest], interesting: Sequence[int]) -> Iterator[list[Member]]:
    """Two requests with the same integers, for each request and each number of interest."""
    for value in sorted(interesting, key=abs, reverse=True):
        for place, each in enumerate(requests):
            if each.parameters:
                member = (place, (value,) * len(each.parameters))
                yield [member, member]


@dataclass(frozen=True)
class SeenAnswers:
    serial: set[Answers]
    together: set[Answers]
    is_serial_whole: bool


def _by_position(
    seen: Seen, group: Sequence[int], concrete: Sequence[Request], members: list[Member]
) -> SeenAnswers:
    places = {concrete[number].label: place for number, (place, _) in zip(group, members, strict=True)}

    def told(outcome: tuple[tuple[str, str], ...]) -> Answers:
        return tuple(sorted(f"{places[label]}/{plain(answer)}" for label, answer in outcome))

    return SeenAnswers(set(map(told, seen.serial)), set(map(told, seen.together)), seen.is_serial_whole)


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
                yield from (-test.term.number // count for _, count in test.term.parts)


class Modelled:
    """The program of a system, executed with numbers."""

    def __init__(self, system: RecordedSystem) -> None:
        self.system, self.coder = system, Coder(system)
        self.program: Program = self.coder.program()
        self.bodies = [self.coder.body(number) for number in range(len(system.requests))]

    def outcomes(
        self, members: list[Member], *, one_at_a_time: bool, sees_state: bool = False
    ) -> set[Answers]:
        """The answers that requests with these integers can give, with the final state if it counts."""
        start = initial_store(self.program)
        waiting = tuple(sorted(members))
        none: tuple[Any, ...] = ()
        root = (start, none, waiting, none)
        seen, todo = {root}, [root]
        found: set[Answers] = set()
        while todo:
            globals_, flight, rest, answers = todo.pop()
            if not flight and not rest:
                found.add((*answers, repr(globals_)) if sees_state else answers)
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
