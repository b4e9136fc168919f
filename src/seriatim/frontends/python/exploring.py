"""Tries all runs of a few requests, each in a fresh process, and compares them with one-at-a-time runs.

Claim: if `compare` reports an outcome as a race, the real code has given it on the real asyncio, and no
one-at-a-time run of the same requests gives it. All one-at-a-time runs were tried: every order, and every
choice of the world in each. If it reports that all runs were tried without a race, then no run of these
requests, with these arguments and with such answers of the world, has an outcome that no order explains.

Why it holds: a run is determined by its choices, so a depth-first walk through their tree meets every run.
One kind of branch is left out. If a callback is ready, and nothing is ready after the round in which it runs,
then what the world adds to that round would run directly after it in any case.
"""

import heapq
import itertools
import os
import pickle
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from seriatim.frontends.python.looking import SharedTexts
from seriatim.frontends.python.requests import Service, keys_inside, learn_requests, other_requests
from seriatim.frontends.python.running import CALLS, Loop, Outcome, Request, Run
from seriatim.frontends.python.sandbox import end_with_parent
from seriatim.frontends.python.stand_ins import STORES, root_of
from seriatim.frontends.python.texts import canonical, is_instance
from seriatim.frontends.python.wishes import NO_WISHES, Wishes

MOST_FOR_START = 500
"""One-at-a-time runs of two requests, before requests meet. Counts decide, so that the same file gets the
same answer everywhere."""

MOST_OF_TWO = 900
"""Runs of a service with at most two requests, before others are tried."""

MOST_AFTER_ONE = 500
"""Runs in which two requests meet after another one."""

MOST_RUNS = 2_000
"""All runs of a service."""

MOST_SERIAL = 600
"""One-at-a-time runs of an order of requests."""

MOST_ENDLESS = 8
"""Runs without an end, after which a request is said to have none."""

ROUNDS = (20, 150, 2_000)
"""Runs of an order of requests, before all others have had as many. The last number is never exceeded."""

MISTAKES = ("raise NameError", "raise TypeError", "raise AttributeError", "raise ImportError")
"""How answers begin that tell of a mistake in the code, or in its arguments."""

ANSWER = re.compile(r"answer \w* of ")

CANCELLED = "cancelled"
"""What a client knows that has gone away."""

Key = tuple[tuple[str, ...], str]
"""What counts of an outcome: its requests with their answers, and the state if it is compared."""

SerialRun = tuple[tuple[Request, ...], Outcome]
"""A one-at-a-time run: its requests in their order."""


class OutOfWork(Exception):
    """There were as many runs as there may be, or the time has passed."""


class Died(Exception):
    """The process of a run has ended without an outcome."""


@dataclass
class Race:
    """Answers that no one-at-a-time order gives."""

    requests: tuple[Request, ...]
    """In the order of their arrival."""
    outcome: Outcome
    serial: list[SerialRun]
    """All one-at-a-time runs of the same requests, a run for each outcome."""
    sees_state: bool
    """Whether the final state tells the difference, and the answers do not."""
    alone: int = 0
    """How many of the requests have answered before the others arrive."""


@dataclass
class Findings:
    """What a search has found about a service."""

    explored: int = 0
    """All runs of at most this many requests were tried, except for what is left out."""
    left_out: list[str] = field(default_factory=list)
    """Requests that were tried together with others in a part of all runs only."""
    runs: int = 0
    race: Race | None = None
    doubt: Race | None = None
    """A race that leads through `async with` of something unknown, which may be a lock."""
    limit: str = ""
    """What was not tried; empty if everything was."""
    changes_state: bool = False
    elsewhere: Counter[str] = field(default_factory=Counter)
    """Calls of stand-ins that requests share, where what they change is not known."""
    unkept: set[str] = field(default_factory=set)
    """Stand-ins that requests share and write to: what is read there later is not what was written."""
    growing: set[str] = field(default_factory=set)
    """The parts of the state that grow with each request."""
    hangs: set[str] = field(default_factory=set)
    exits: set[str] = field(default_factory=set)
    """The requests of runs in which one of them ends the program."""
    answers: dict[str, set[str]] = field(default_factory=dict)
    """The answers of each handler."""


@dataclass
class Seen:
    """What some requests have answered: in each outcome, pairs of a request and its answer."""

    serial: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    together: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    is_serial_whole: bool = False


class Walk:
    """A walk through all runs of some requests, which can be left and taken up again.

    Runs that deviate from the first one in few choices come first: they show most races.
    """

    def __init__(self, requests: tuple[Request, ...], alone: int) -> None:
        self.requests, self.alone = requests, alone
        self.pending: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
        self.numbers = itertools.count(1)
        self.runs = 0

    def take(self, perform: Callable[["Walk", Sequence[int]], Outcome]) -> Outcome:
        """The next run; what branches off from it is to do."""
        depth, _, prefix = self.pending[0]
        outcome = perform(self, prefix)
        heapq.heappop(self.pending)
        self.runs += 1
        taken = [choice.taken for choice in outcome.choices]
        for number in range(len(prefix), len(taken)):
            choice = outcome.choices[number]
            if choice.is_arrangement and not choice.matters:
                continue
            for other in range(1, choice.count):
                heapq.heappush(self.pending, (depth + 1, next(self.numbers), (*taken[:number], other)))
        return outcome


class Group:
    """Requests that are tried together: the first ones, as many as `alone`, before the others arrive."""

    def __init__(self, requests: tuple[Request, ...], alone: int) -> None:
        self.requests, self.alone = requests, alone
        orders = [(*requests[:alone], *rest) for rest in distinct_orders(requests[alone:])]
        self.walks = [Walk(order, alone) for order in orders]
        self.serial: dict[Key, SerialRun] | None = None
        """What one-at-a-time runs come to; None before they were tried, or if there are too many."""
        self.is_hopeless = False
        """Whether there are too many one-at-a-time runs."""
        self.explained: set[Key] = set()

    @property
    def is_whole(self) -> bool:
        """Whether all of its runs were tried."""
        return self.serial is not None and not any(each.pending for each in self.walks)


class Explorer:
    """Tries runs of a service's requests."""

    def __init__(
        self,
        loop: Loop,
        service: Service,
        file: str,
        seconds: float,
        wishes: Wishes = NO_WISHES,
    ) -> None:
        self.loop, self.service, self.file = loop, service, file
        self.wishes = wishes
        self.ends = time.process_time_ns() + int(seconds * 1e9)
        self.spent_outside = 0
        self.most_runs = MOST_RUNS
        self.findings = Findings()
        self.texts = SharedTexts(service.roots)
        self.initial = {**self.texts.initial, CALLS: "none"} if wishes.calls else self.texts.initial
        self.sees_state = False
        """Whether final values are compared, too."""
        self.seen: dict[tuple[int, ...], Seen] = {}
        """The outcomes of each group of requests, by their numbers."""
        self.serial: dict[tuple[int, ...], list[SerialRun] | None] = {}
        """One-at-a-time runs by the numbers of the requests; None if there are too many."""
        self.met: dict[int | str, None] = {}
        """Keys of the state that answers name."""
        self.failing: int | None = None
        """How many handlers only end with mistakes; None before they were tried."""

    # Single runs

    def look(self) -> dict[str, str]:
        """The shared state, by name, as text."""
        return self.texts.now()

    def perform(self, walk: Walk, prefix: Sequence[int], *, traces: bool = False) -> Outcome:
        """A run in a process of its own; raises `Died` and `OutOfWork`."""
        if self.findings.runs >= self.most_runs or time.process_time_ns() + self.spent_outside > self.ends:
            raise OutOfWork
        self.findings.runs += 1
        run = Run(
            self.loop, walk.requests, prefix, self.texts.changes, self.file,
            alone=walk.alone, traces=traces, wishes=self.wishes,
            keys=partial(keys_inside, self.service.roots) if len(walk.requests) == 1 else None,
        )  # fmt: skip
        return in_process(run.perform, self._spend)

    def _spend(self, seconds: float) -> None:
        self.spent_outside += int(seconds * 1e9)

    # Outcomes

    def key(self, requests: Sequence[Request], outcome: Outcome, cancelled: int | None = None) -> Key | None:
        """What counts of an outcome; None if some request does not answer."""
        if None in outcome.answers or outcome.is_endless or outcome.ended_by:
            return None
        cancelled = outcome.cancelled if cancelled is None else cancelled
        pairs = [
            f"{request.label}/{CANCELLED if number == cancelled else answer}"
            for number, (request, answer) in enumerate(zip(requests, outcome.answers, strict=True))
        ]
        state = ""
        if (self.sees_state or self.wishes.calls) and outcome.state is not None:
            counts = [name for name in sorted(outcome.state) if self.sees_state or name == CALLS]
            state = "; ".join(f"{name} = {outcome.state[name]}" for name in counts)
        return canonical(pairs, state)

    def serial_keys(self, runs: Sequence[SerialRun]) -> dict[Key, SerialRun]:
        """What one-at-a-time runs come to. A client may also go away just before it gets its answer."""
        found: dict[Key, SerialRun] = {}
        for requests, outcome in runs:
            keys = [self.key(requests, outcome)]
            if self.wishes.cancels and outcome.cancelled is None:
                keys += [self.key(requests, outcome, number) for number in range(len(requests))]
            for key in keys:
                if key is not None:
                    found.setdefault(key, (requests, outcome))
        return found

    def serial_runs(self, group: Sequence[Request]) -> list[SerialRun] | None:
        """All one-at-a-time runs, a run for each outcome; None if there are too many."""
        numbers = numbers_of(group)
        if numbers in self.serial:
            return self.serial[numbers]
        found: dict[str, SerialRun] = {}
        seen = self.seen.setdefault(numbers, Seen())
        for order in distinct_orders(group):
            walk = Walk(order, len(order))
            while walk.pending and walk.runs < MOST_SERIAL:
                outcome = walk.take(self.perform)
                self._note(order, outcome)
                seen.serial |= answered(order, outcome)
                told = ([each.number for each in order], outcome.answers, outcome.state, outcome.cancelled)
                found.setdefault(repr(told), (order, outcome))
            if walk.pending:
                self.serial[numbers] = None
                return None
        seen.is_serial_whole = True
        self.serial[numbers] = list(found.values())
        return self.serial[numbers]

    def _note(self, requests: Sequence[Request], outcome: Outcome) -> None:
        """Remembers what reports need to say about a run."""
        if outcome.complaint is not None:
            raise Refused(outcome.complaint)
        findings = self.findings
        findings.elsewhere.update(self._elsewhere(outcome))
        findings.unkept.update(outcome.unkept)
        findings.changes_state |= bool(set(outcome.state or ()) - {CALLS})
        self.met |= dict.fromkeys(outcome.met)
        if outcome.ended_by:
            findings.exits |= {requests[number].function for number in outcome.ended_by if number >= 0}
            return
        for number, (request, answer) in enumerate(zip(requests, outcome.answers, strict=True)):
            if answer is None:
                findings.hangs.add(request.function)
            elif number != outcome.cancelled:
                findings.answers.setdefault(request.function, set()).add(answer)

    def _elsewhere(self, outcome: Outcome) -> set[str]:
        """The calls of a run that may change something outside: what is awaited, and what a store does."""
        calls = [*outcome.awaited, *(each for each in outcome.calls if root_of(each) in STORES)]
        own = self.service.own_stand_ins
        names = {ANSWER.sub("", call).partition("(")[0] for call in calls if root_of(call) not in own}
        return {each for each in names if not each.startswith(("the body", "transport"))}

    def _growing(self) -> set[str]:
        """What grows from one request to the next."""
        found: set[str] = set()
        for each in self.service.requests:
            runs = [self.serial.get((each.number,) * count) or [] for count in (1, 2)]
            states = [(outcomes[0][1].state or {}) if outcomes else {} for outcomes in runs]
            for name in states[0].keys() & states[1].keys():
                texts = [self.initial.get(name, ""), *(state[name] for state in states)]
                if is_growing(texts):
                    found.add(name)
        return found

    # Groups

    def compare(self, group: Group, most: int) -> Race | None:
        """A race in the next runs of a group, up to so many of each order."""
        if group.serial is None:
            runs = self.serial_runs(group.requests)
            if runs is None:
                group.is_hopeless = True
                return None
            group.serial = self.serial_keys(runs)
        serial, seen = group.serial, self.seen[numbers_of(group.requests)]
        for walk in group.walks:
            while walk.pending and walk.runs < most:
                outcome = walk.take(self.perform)
                self._note(walk.requests, outcome)
                seen.together |= answered(walk.requests, outcome)
                key = self.key(walk.requests, outcome)
                if key is None or key in group.explained:
                    continue
                if key in serial or any(is_instance(key, each) for each in serial):
                    group.explained.add(key)
                    continue
                differ = key[0] not in {each[0] for each in serial}
                race = Race(walk.requests, outcome, list(serial.values()), not differ, walk.alone)
                if not outcome.entered and not outcome.has_drawn:
                    return race
                self.findings.doubt = self.findings.doubt or race
        return None

    def compare_all(self, groups: Sequence[Group], most: int) -> Race | None:
        """A race of one of these groups, which take turns until there were so many runs in all."""
        for quota in ROUNDS:
            for group in groups:
                if self.findings.runs >= most:
                    return None
                if group.is_hopeless or group.is_whole:
                    continue
                if (race := self.compare(group, quota)) is not None:
                    return race
        return None

    # The search

    def search(self, most_requests: int = 3, only: Sequence[str] = ()) -> Findings:
        """Looks for a race with two requests, then with three; or of some requests only, named by their
        labels. Raises `Refused` and `Died`."""
        findings = self.findings
        with suppress(OutOfWork):
            self._prepare()
            if most_requests == 0:
                return findings
            findings.race = self._race_of(only) if only else self._find_race(most_requests)
        if findings.race is not None:
            findings.race, findings.doubt = self.traced(findings.race), None
            return findings
        findings.growing = self._growing()
        if findings.left_out or findings.explored < most_requests:
            count = "three requests" if findings.explored == 2 and not findings.left_out else "two requests"
            findings.limit = f"of {count}, only a part of all runs was tried"
            if findings.left_out and findings.explored:
                findings.limit += f" where {', '.join(f'`{each}`' for each in findings.left_out)} take part"
        if findings.doubt is not None:
            findings.doubt = self.traced(findings.doubt)
        return findings

    def _race_of(self, labels: Sequence[str]) -> Race | None:
        """A race of these requests, if the service has them."""
        known = {each.label: each for each in self.service.requests}
        if any(label not in known for label in labels):
            return None
        group = tuple(sorted((known[label] for label in labels), key=lambda each: each.number))
        firsts = {each.number: each for each in group} if len(group) > 2 else {}
        orders = [(first, *_without(group, first)) for first in firsts.values()]
        return self.compare_all([*(Group(each, 1) for each in orders), Group(group, 0)], MOST_RUNS)

    def _find_race(self, most_requests: int) -> Race | None:
        findings, requests = self.findings, self.service.requests
        pairs = self._pairs()
        race: Race | None = None
        with suppress(OutOfWork):
            race = self.compare_all(pairs, MOST_OF_TWO)
            if race is None and most_requests > 2:
                after_one = [Group(each, 1) for each in self._after_one()]
                race = self.compare_all(after_one, findings.runs + MOST_AFTER_ONE)
            race = race or self.compare_all(pairs, MOST_RUNS)
        if race is not None:
            return race
        self._leave_out(pairs)
        if findings.left_out or findings.explored < 2:
            return None
        for count in range(3, most_requests + 1):
            all_groups = itertools.combinations_with_replacement(requests, count)
            groups = [Group(each, 0) for each in sorted(all_groups, key=_variety)]
            if (race := self.compare_all(groups, MOST_RUNS)) is not None:
                return race
            if not all(each.is_whole for each in groups):
                return None
            findings.explored = count
        return None

    def _leave_out(self, pairs: Sequence[Group]) -> None:
        """Leaves out requests until all runs of two of the others were tried. If fewer than half of the
        handlers are left, nothing can be said about them, and nothing is left out."""
        kept = list(self.service.requests)
        while kept:
            open_pairs = [
                each for each in pairs if not each.is_whole and all(one in kept for one in each.requests)
            ]
            if not open_pairs:
                break
            counts = Counter(each.number for pair in open_pairs for each in set_of(pair.requests))
            kept.remove(max(kept, key=lambda each: (counts[each.number], each.number)))
        handlers, all_handlers = ({each.function for each in some} for some in (kept, self.service.requests))
        if 2 * len(handlers) >= len(all_handlers) > 0:
            self.findings.left_out = [each.label for each in self.service.requests if each not in kept]
            self.findings.explored = 2

    def _prepare(self) -> None:
        """Tells what requests do alone, and finds more of them by that."""
        service = self.service
        self.count_failing()
        for request in service.requests:
            self.serial_runs([request])
        for request in learn_requests(service, list(self.met)):
            self.serial_runs([request])

    def _pairs(self) -> list[Group]:
        """All groups of two requests, after one-at-a-time runs have told what they do."""
        service = self.service
        pairs = itertools.combinations_with_replacement(service.requests, 2)
        found = [Group(each, 0) for each in sorted(pairs, key=_variety)]
        for pair in found:
            if self.findings.runs < MOST_FOR_START:
                self.serial_runs(pair.requests)
        # Updates can be lost in silence where an answer does not depend on the state.
        self.sees_state = any(len(answers) == 1 for answers in self.findings.answers.values())
        return found

    def count_failing(self) -> int:
        """How many handlers only end with mistakes, whatever their arguments. Raises what `perform` does."""
        if self.failing is None:
            self._fit_arguments()
        return self.failing or 0

    def _fit_arguments(self) -> None:
        """Replaces requests that only end with mistakes, if other arguments do better, and leaves out those
        that go on for ever."""
        self.failing = 0
        requests = self.service.requests
        chosen: list[Request] = []
        for function in dict.fromkeys(each.function for each in requests):
            own = [each for each in requests if each.function == function]
            outcome = self._alone(own[0])
            if outcome is None:
                self.service.notes.append(f"`{function}` goes on for ever, so it is no request")
                continue
            if is_mistake(outcome):
                others = (each for each in other_requests(self.service, function) if each)
                better = next((each for each in others if not is_mistake(self._alone(each[0]), True)), None)
                own = better or own
                self.failing += better is None
            chosen += own
        for number, request in enumerate(chosen):
            request.number = number
        requests[:] = chosen

    def _alone(self, request: Request) -> Outcome | None:
        """A run of a request that is alone; None if it never ends."""
        walk = Walk((request,), 1)
        while walk.pending and walk.runs < MOST_ENDLESS:
            outcome = walk.take(self.perform)
            if not outcome.is_endless:
                return outcome
        return None

    def _after_one(self) -> list[tuple[Request, ...]]:
        """Two requests after a first one that has changed the state for at least one of them, the most
        promising first."""
        requests = self.service.requests
        found: list[tuple[int, int, tuple[Request, ...]]] = []
        met: set[str] = set()
        for first in requests:
            states = [outcome.state for _, outcome in self.serial.get((first.number,)) or ()]
            if repr(states) in met or not any(states):
                continue
            met.add(repr(states))
            depends = {each.number for each in requests if self._depends(first, each)}
            for pair in itertools.combinations_with_replacement(requests, 2):
                count = sum(each.number in depends for each in pair)
                if count:
                    found.append((-count, _variety(pair), (first, *pair)))
        return [group for _, _, group in sorted(found, key=lambda each: each[:2])]

    def _depends(self, first: Request, second: Request) -> bool:
        """Whether a request does something else after another one."""

        def seen(runs: Sequence[SerialRun], before: dict[str, str]) -> set[str]:
            found: set[str] = set()
            for _, outcome in runs:
                changed = {name for name, text in (outcome.state or {}).items() if before.get(name) != text}
                found.add(repr((outcome.answers[-1], sorted(changed))))
            return found

        alone = self.serial_runs([second]) or []
        both = [each for each in self.serial_runs([first, second]) or [] if each[0][0] is first]
        before = next((outcome.state for _, outcome in self.serial_runs([first]) or []), None) or {}
        return seen(alone, {}) != seen(both, before)

    def traced(self, race: Race) -> Race:
        """The same race, with the lines and states of its runs."""

        def again(walk: Walk, outcome: Outcome) -> Outcome:
            return self.perform(walk, [choice.taken for choice in outcome.choices], traces=True)

        self.ends += 5 * 10**9
        self.most_runs += MOST_SERIAL
        outcome = again(Walk(race.requests, race.alone), race.outcome)
        serial = [(order, again(Walk(order, len(order)), each)) for order, each in race.serial]
        return Race(race.requests, outcome, serial, race.sees_state, race.alone)


def is_mistake(outcome: Outcome | None, otherwise: bool = False) -> bool:
    """Whether a request that is alone ends with a mistake in the code, such as a TypeError."""
    if outcome is None:
        return otherwise
    answer = outcome.answers[0]
    return answer is not None and answer.startswith(MISTAKES)


def is_growing(texts: Sequence[str]) -> bool:
    """Whether texts get longer, or are numbers that rise or fall."""
    if all(re.fullmatch(r"-?\d+", each) for each in texts):
        numbers = [int(each) for each in texts]
        return numbers in (sorted(set(numbers)), sorted(set(numbers), reverse=True))
    lengths = [len(each) for each in texts]
    return lengths == sorted(set(lengths))


class Refused(Exception):
    """The code does something that cannot be checked."""


def answered(requests: Sequence[Request], outcome: Outcome) -> set[tuple[tuple[str, str], ...]]:
    """The answers of a run in which all requests have answered, as a set of one; else none."""
    pairs = [(each.label, answer) for each, answer in zip(requests, outcome.answers, strict=True) if answer]
    is_cut = outcome.is_endless or outcome.ended_by
    return set() if len(pairs) < len(requests) or is_cut else {tuple(pairs)}


def _without(group: Sequence[Request], request: Request) -> list[Request]:
    """The other requests of a group."""
    at = next(number for number, each in enumerate(group) if each is request)
    return [*group[:at], *group[at + 1 :]]


def set_of(group: Sequence[Request]) -> list[Request]:
    """The requests of a group, each one once."""
    return list({each.number: each for each in group}.values())


def numbers_of(group: Sequence[Request]) -> tuple[int, ...]:
    """The numbers of requests, in whatever order these come."""
    return tuple(sorted(each.number for each in group))


def _variety(group: Sequence[Request]) -> int:
    """Requests of the same handler come first: they race most often."""
    return len({each.function for each in group})


def distinct_orders(group: Sequence[Request]) -> list[tuple[Request, ...]]:
    """All orders of some requests; those of equal requests once."""
    found: dict[tuple[int, ...], tuple[Request, ...]] = {}
    for order in itertools.permutations(group):
        found.setdefault(tuple(id(each) for each in order), order)
    return list(found.values())


def in_process(work: Callable[[], Outcome], spend: Callable[[float], None]) -> Outcome:
    """Does work in a copy of this process, so that whatever it changes is gone afterwards."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        end_with_parent()
        os.close(reading)
        try:
            data = pickle.dumps(work())
        except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
            data = pickle.dumps(f"{type(error).__name__}: {error}")
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(data)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status, usage = os.wait4(child, 0)
    spend(usage.ru_utime + usage.ru_stime)
    found = pickle.loads(data) if data else f"the process of a run ended with status {status}"
    if isinstance(found, str):
        raise Died(found)
    assert isinstance(found, Outcome)
    return found
