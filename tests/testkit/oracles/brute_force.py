"""Brute force: everything that a few requests can do, straight from the rules of section 2.3 of the paper.

Slow and obvious on purpose: nothing is fused, sliced or left out, and programs are executed by the reference
interpreter alone. What is clever elsewhere is tested against this.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from seriatim.program.network_system import NetworkSystem
from seriatim.program.semantics import (
    Configuration,
    Store,
    big_steps,
    initial_configuration,
    initial_store,
    response,
)
from seriatim.program.syntax import Expression, Program
from seriatim.systems.run import Run
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding

InFlight = tuple[str, int]
"""(request, local)."""

Completion = tuple[str, str]
"""(request, response)."""

Outcome = tuple[Completion, ...]
"""A multiset of completions, sorted."""

State = tuple[int, tuple[InFlight, ...], Outcome]
"""(g, R, Z): the global state, the requests in flight, the completed ones; multisets are sorted tuples."""


MAX_STATES = 20_000


class TooLarge(Exception):
    """There are more states than the caller wants to look at."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A network system as its rules need it; global and local states are numbers."""

    initial: int
    req: tuple[InFlight, ...]
    steps: Callable[[int, int], Iterable[tuple[int, int]]]
    """From (local, global) to all (local', global')."""
    responses: Callable[[int], Iterable[str]]


def successors(rules: Rules, state: State) -> Iterator[State]:
    """The rules New Request, Processing Step and Response."""
    g, flight, done = state
    for spawned in rules.req:
        yield g, tuple(sorted((*flight, spawned))), done
    for index, (request, local) in enumerate(flight):
        others = flight[:index] + flight[index + 1 :]
        for target, after in rules.steps(local, g):
            yield after, tuple(sorted((*others, (request, target)))), done
        for answer in rules.responses(local):
            yield g, others, tuple(sorted((*done, (request, answer))))


def reachable(
    rules: Rules, requests: int, in_flight: int | None = None, max_states: int = MAX_STATES
) -> frozenset[State]:
    """All states with at most so many requests, of which at most so many are ever in flight together."""
    start: State = (rules.initial, (), ())
    seen = {start}
    pending = [start]
    while pending:
        for state in successors(rules, pending.pop()):
            _, flight, done = state
            if len(flight) + len(done) > requests or (in_flight is not None and len(flight) > in_flight):
                continue
            if state not in seen:
                seen.add(state)
                pending.append(state)
        if len(seen) > max_states:
            raise TooLarge
    return frozenset(seen)


def outcomes(states: Iterable[State]) -> frozenset[Outcome]:
    """What is completed where nobody is in flight."""
    return frozenset(done for _, flight, done in states if not flight)


def interleaved(rules: Rules, requests: int, max_states: int = MAX_STATES) -> frozenset[Outcome]:
    """Int, up to so many requests."""
    return outcomes(reachable(rules, requests, None, max_states))


def serial(rules: Rules, requests: int, max_states: int = MAX_STATES) -> frozenset[Outcome]:
    """Ser, up to so many requests."""
    return outcomes(reachable(rules, requests, 1, max_states))


def fewest_in_violation(rules: Rules, requests: int, max_states: int = MAX_STATES) -> int | None:
    """How many requests the smallest outcome in Int but not in Ser has; None if there is none so small."""
    bad = interleaved(rules, requests, max_states) - serial(rules, requests, max_states)
    return min(map(len, bad), default=None)


def outcome_of(run: Run, unfolding: Unfolding) -> Outcome:
    """The outcome of a run, in the words of the rules."""
    completions = (unfolding.completions[number] for number in run.outcome().elements())
    return tuple(sorted((unfolding.requests[request], answer) for request, answer in completions))


# --- where rules come from ----------------------------------------------------------------------------------

Item = TypeVar("Item")


class Numbering(Generic[Item]):
    """Numbers for whatever comes along."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._numbers: dict[Item, int] = {}

    def number(self, item: Item) -> int:
        number = self._numbers.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number


class Interpreted:
    """A program, executed by the reference interpreter; what its numbers stand for."""

    def __init__(self, program: Program, max_configurations: int = 2_000) -> None:
        self.locals: Numbering[tuple[Expression, Store]] = Numbering()
        self.globals: Numbering[Store] = Numbering()
        self.max_configurations = max_configurations
        self._steps: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        starts = ((handler.name, initial_configuration(handler, ())) for handler in program.handlers)
        self.rules = Rules(
            self.globals.number(initial_store(program)),
            tuple((name, self.locals.number((start.expression, start.locals))) for name, start in starts),
            self.steps,
            self.responses,
        )

    def steps(self, local: int, global_: int) -> tuple[tuple[int, int], ...]:
        """The relation ⇒; may raise `Unbounded`."""
        key = (local, global_)
        if key not in self._steps:
            before = Configuration(*self.locals.items[local], self.globals.items[global_])
            self._steps[key] = tuple(
                (self.locals.number((end.expression, end.locals)), self.globals.number(end.globals))
                for end in big_steps(before, self.max_configurations)
            )
        return self._steps[key]

    def responses(self, local: int) -> tuple[str, ...]:
        answer = response(self.locals.items[local][0])
        return () if answer is None else (str(answer),)


def rules_of_system(system: NetworkSystem) -> Rules:
    def steps(local: int, global_: int) -> list[tuple[int, int]]:
        return [(target, after) for at, g, target, after in system.delta if (at, g) == (local, global_)]

    def responses(local: int) -> list[str]:
        return [system.responses[answer] for at, answer in system.resp if at == local]

    req = tuple((system.requests[request], local) for request, local in system.req)
    return Rules(system.initial, req, steps, responses)


def rules_of_unfolding(unfolding: Unfolding) -> Rules:
    """The macro steps as ordinary ones: ~completion is a local state that has only to respond."""

    def steps(local: int, global_: int) -> tuple[tuple[int, int], ...]:
        return () if local < 0 else unfolding.moves(local, global_)

    def responses(local: int) -> tuple[str, ...]:
        return (unfolding.completions[~local][1],) if local < 0 else ()

    req = tuple((unfolding.requests[unfolding.request_of(start)], start) for start in unfolding.starts)
    return Rules(INITIAL_GLOBAL, req, steps, responses)
