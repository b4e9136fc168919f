"""Tries all runs of a few requests, each in a fresh process, and compares them with one-at-a-time runs.

Claim: if `compare` reports an outcome as a race, the real code has given it on the real asyncio, and no
one-at-a-time run of the same requests gives it. All one-at-a-time runs were tried: every order, and every
choice of the world in each. If it reports that all runs were tried without a race, then no run of these
requests, with these arguments and with such answers of the world, has an outcome that no order explains.

Why it holds: a run is determined by its choices, so a depth-first walk through their tree meets every run.
One kind of branch is left out. If a callback is ready, and nothing is ready after the round in which it runs,
then what the world adds to that round would run directly after it in any case.
"""

import itertools
import os
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from seriatim.frontends.python.live.requests import ClassField, ModuleField, Service
from seriatim.frontends.python.live.running import Loop, Outcome, Request, Run
from seriatim.frontends.python.live.stand_ins import StandIn
from seriatim.frontends.python.live.texts import canonical, describe, describe_fields, is_instance

MOST_RUNS = 1_000
"""Runs of a service. It is a count, so that the same file gets the same answer everywhere."""

MOST_SERIAL = 600
"""One-at-a-time runs of a group of requests."""

MOST_TOGETHER = 3_000
"""Runs of a group of requests together."""

Key = tuple[tuple[str, ...], str]
"""What counts of an outcome: its requests with their answers, and the state if it is compared."""


class OutOfWork(Exception):
    """The time for this search has passed."""


class Died(Exception):
    """The process of a run has ended without an outcome."""


@dataclass
class Race:
    """Answers that no one-at-a-time order gives."""

    requests: tuple[Request, ...]
    """In the order of their arrival."""
    outcome: Outcome
    serial: list[tuple[tuple[Request, ...], Outcome]]
    """All one-at-a-time runs of the same requests, a run for each outcome."""
    sees_state: bool
    """Whether the final state tells the difference, and the answers do not."""


@dataclass
class Findings:
    """What a search has found about a service."""

    explored: int = 0
    """All runs of at most this many requests were tried."""
    runs: int = 0
    race: Race | None = None
    doubt: Race | None = None
    """A race that leads through `async with` of something unknown, which may be a lock."""
    growing: str = ""
    limit: str = ""
    """Why the search ended early; empty if it did not."""
    changes_state: bool = False
    calls: Counter[str] = field(default_factory=Counter)
    hangs: set[str] = field(default_factory=set)
    answers: dict[str, set[str]] = field(default_factory=dict)
    """The answers of each handler."""


@dataclass
class Seen:
    """What some requests have answered: in each outcome, pairs of a request and its answer."""

    serial: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    together: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    is_serial_whole: bool = False


class Explorer:
    """Tries runs of a service's requests."""

    def __init__(self, loop: Loop, service: Service, file: str, seconds: float) -> None:
        self.loop, self.service, self.file = loop, service, file
        self.ends = time.process_time_ns() + int(seconds * 1e9)
        self.spent_outside = 0
        self.most_runs = MOST_RUNS
        self.findings = Findings()
        self.initial = self.look()
        self.sees_state = False
        """Whether final values are compared, too."""
        self.seen: dict[tuple[int, ...], Seen] = {}
        """The outcomes of each group of requests, by their numbers."""

    # Single runs

    def look(self) -> dict[str, str]:
        """The shared state, by name, as text."""
        found: dict[str, str] = {}
        for name, root in self.service.roots.items():
            value = root.read() if isinstance(root, ModuleField | ClassField) else root
            if name == "self":
                found |= {
                    f"self.{field}": text for field, text in describe_fields(value, is_state=True).items()
                }
            elif not callable(value) and not isinstance(value, StandIn):
                found[name] = describe(value, is_state=True)
        return found

    def perform(
        self, requests: Sequence[Request], prefix: Sequence[int], *, is_serial: bool, traces: bool = False
    ) -> Outcome:
        """A run in a process of its own; raises `Died` and `OutOfWork`."""
        if self.findings.runs >= self.most_runs or time.process_time_ns() + self.spent_outside > self.ends:
            raise OutOfWork
        self.findings.runs += 1
        run = Run(self.loop, requests, prefix, self.look, self.file, is_serial=is_serial, traces=traces)
        return in_process(run.perform, self._spend)

    def _spend(self, seconds: float) -> None:
        self.spent_outside += int(seconds * 1e9)

    def all_runs(
        self, requests: Sequence[Request], most: int, *, is_serial: bool
    ) -> Iterator[Outcome | None]:
        """All runs, depth first; at last None if there are more than that."""
        stack: list[tuple[int, ...]] = [()]
        count = 0
        while stack:
            if count == most:
                yield None
                return
            prefix = stack.pop()
            outcome = self.perform(requests, prefix, is_serial=is_serial)
            count += 1
            taken = [choice.taken for choice in outcome.choices]
            for number in range(len(prefix), len(taken)):
                choice = outcome.choices[number]
                if choice.is_arrangement and not choice.matters:
                    continue
                stack += [(*taken[:number], other) for other in range(1, choice.count)]
            yield outcome

    # Outcomes

    def key(self, requests: Sequence[Request], outcome: Outcome) -> Key | None:
        """What counts of an outcome; None if some request does not answer."""
        if None in outcome.answers or outcome.is_endless:
            return None
        pairs = [
            f"{request.label}/{answer}" for request, answer in zip(requests, outcome.answers, strict=True)
        ]
        state = ""
        if self.sees_state and outcome.state is not None:
            changed = {name: text for name, text in outcome.state.items() if self.initial.get(name) != text}
            state = "; ".join(f"{name} = {text}" for name, text in sorted(changed.items()))
        return canonical(pairs, state)

    def serial_runs(self, group: Sequence[Request]) -> dict[Key, tuple[tuple[Request, ...], Outcome]] | None:
        """The outcomes of all one-at-a-time runs, each with one of its runs; None if there are too many."""
        found: dict[Key, tuple[tuple[Request, ...], Outcome]] = {}
        seen = self._seen(group)
        for order in distinct_orders(group):
            for outcome in self.all_runs(order, MOST_SERIAL, is_serial=True):
                if outcome is None:
                    return None
                self._note(order, outcome)
                seen.serial |= answered(order, outcome)
                key = self.key(order, outcome)
                if key is not None:
                    found.setdefault(key, (order, outcome))
        seen.is_serial_whole = True
        return found

    def _seen(self, group: Sequence[Request]) -> Seen:
        numbers = sorted(self.service.requests.index(each) for each in group)
        return self.seen.setdefault(tuple(numbers), Seen())

    def _note(self, requests: Sequence[Request], outcome: Outcome) -> None:
        """Remembers what reports need to say about a run."""
        if outcome.complaint is not None:
            raise Refused(outcome.complaint)
        findings = self.findings
        findings.calls.update({call.partition("(")[0] for call in outcome.calls})
        if outcome.state is not None and outcome.state != self.initial:
            findings.changes_state = True
        for request, answer in zip(requests, outcome.answers, strict=True):
            if answer is None:
                findings.hangs.add(request.function)
            else:
                findings.answers.setdefault(request.function, set()).add(answer)

    def compare(self, group: Sequence[Request]) -> tuple[Race | None, bool]:
        """A race of these requests, if there is one; and whether all runs were tried."""
        serial = self.serial_runs(group)
        if serial is None:
            return None, False
        doubt: Race | None = None
        is_whole = True
        for order in distinct_orders(group):
            for outcome in self.all_runs(order, MOST_TOGETHER, is_serial=False):
                if outcome is None:
                    is_whole = False
                    break
                self._note(order, outcome)
                self._seen(group).together |= answered(order, outcome)
                key = self.key(order, outcome)
                if key is None or key in serial or any(is_instance(key, each) for each in serial):
                    continue
                answers_differ = key[0] not in {each[0] for each in serial}
                race = Race(order, outcome, list(serial.values()), sees_state=not answers_differ)
                if not outcome.entered and not outcome.has_drawn:
                    return race, is_whole
                doubt = doubt or race
        self.findings.doubt = self.findings.doubt or doubt
        return None, is_whole

    # The search

    def search(self, most_requests: int = 3) -> Findings:
        """Looks for a race with two requests, then with three; raises `Refused` and `Died`."""
        findings, requests = self.findings, self.service.requests
        try:
            for request in requests:
                self.serial_runs([request])
            for one, other in itertools.combinations_with_replacement(requests, 2):
                self.serial_runs([one, other])
            # Updates can be lost in silence where an answer does not depend on the state.
            self.sees_state = any(len(answers) == 1 for answers in findings.answers.values())
            for count in range(2, most_requests + 1):
                is_whole = True
                for group in sorted(itertools.combinations_with_replacement(requests, count), key=_variety):
                    race, is_complete = self.compare(group)
                    is_whole &= is_complete
                    if race is not None:
                        findings.race = self.traced(race)
                        return findings
                if not is_whole:
                    findings.limit = f"there are too many runs of {count} requests to try them all"
                    break
                findings.explored = count
        except OutOfWork:
            findings.limit = f"after {findings.runs:,} runs, it was enough"
        if findings.doubt is not None:
            findings.doubt = self.traced(findings.doubt)
        return findings

    def traced(self, race: Race) -> Race:
        """The same race, with the lines and states of its runs."""

        def again(requests: Sequence[Request], outcome: Outcome, *, is_serial: bool) -> Outcome:
            taken = [choice.taken for choice in outcome.choices]
            return self.perform(requests, taken, is_serial=is_serial, traces=True)

        self.ends += 5 * 10**9
        self.most_runs += MOST_SERIAL
        outcome = again(race.requests, race.outcome, is_serial=False)
        serial = [(order, again(order, each, is_serial=True)) for order, each in race.serial]
        return Race(race.requests, outcome, serial, race.sees_state)


class Refused(Exception):
    """The code does something that cannot be checked."""


def answered(requests: Sequence[Request], outcome: Outcome) -> set[tuple[tuple[str, str], ...]]:
    """The answers of a run in which all requests have answered, as a set of one; else none."""
    pairs = [(each.label, answer) for each, answer in zip(requests, outcome.answers, strict=True) if answer]
    return set() if len(pairs) < len(requests) or outcome.is_endless else {tuple(pairs)}


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
