"""What the definitions of the properties say about a few requests, by brute force."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from differential.facts import Facts, TooLong, no_longer_than
from seriatim.program.semantics import Unbounded
from seriatim.program.syntax import Program
from seriatim.properties.property import Property
from seriatim.properties.statement import (
    CoveredByOrder,
    ExplainsLog,
    FinalValues,
    NeverFails,
    NeverRaces,
    NeverStuck,
    NoCycle,
    Observed,
    OrderOfPoints,
    Outcomes,
    ShowsLevel,
    Time,
    UsesMemoryWell,
)
from testkit.generators.failing_programs import fewest_to_fail
from testkit.generators.specifications import allowed_by
from testkit.generators.stuck_programs import fewest_to_hang
from testkit.oracles.brute_force import Outcome, TooLarge, reachable
from testkit.oracles.conflict_graphs import system_violated_with, violated_with
from testkit.oracles.histories import Following, alone, fewest_unexplained, histories
from testkit.oracles.points import fewest_misordered

HELPERS = 4
"""How many requests may arrive to help those that wait; more are hardly ever needed."""

SECONDS = 3.0
"""For each number of requests; brute force looks at many orders of few events."""


@dataclass(frozen=True, slots=True)
class Known:
    """By definition, about all runs of a few requests."""

    requests: int
    fewest: int | None
    """How many the smallest violation has; None if it has more than so many."""


Fewest = Callable[[int], int | None]
"""Of at most so many requests, how many the smallest violation has."""


def known(question: Property, facts: Facts) -> Known | None:
    """With as many requests as there are few runs of; None if a single one has too many."""
    fewest, most = by_definition(question, facts)
    for requests in range(most, 0, -1):
        try:
            with no_longer_than(SECONDS):
                found = Known(requests, fewest(requests))
        except (TooLarge, TooLong, Unbounded):
            continue
        facts.defined[question] = requests
        return found
    return None


def by_definition(question: Property, facts: Facts) -> tuple[Fewest, int]:
    """How to find the smallest violation, and with how many requests to begin."""
    statement = question.states()
    match statement:
        case Outcomes(seen=Time(barriers=barriers, pending=pending), allowed=specification):
            if specification is None:
                serial = facts.rules().initial, alone(facts.rules())
                return in_time(facts, barriers, pending, *serial), 3
            return in_time(facts, barriers, pending, *allowed_by(specification)), 2 if pending else 3
        case Outcomes(seen=seen):
            observed = seen.observed if isinstance(seen, FinalValues) else ()
            return lambda requests: fewest_observed(facts, observed, requests), 3
        case NeverFails():
            return lambda requests: fewest_failing(facts, requests), 3
        case NeverStuck():
            return lambda requests: fewest_to_hang(facts.rules(), requests, HELPERS, facts.effort.states), 2
        case NoCycle():
            return lambda requests: fewest_in_cycle(facts, requests), 3
        case OrderOfPoints(allowed=specification):
            allowed = allowed_by(specification)
            content = facts.content
            if isinstance(content, Program) and content.is_marked:
                states = facts.effort.states
                return lambda requests: fewest_misordered(content, requests, *allowed, states), 3
            return in_time(facts, 1, True, *allowed), 2
        case NeverRaces() | UsesMemoryWell() | ExplainsLog() | ShowsLevel() | CoveredByOrder():
            raise AssertionError("this is asked about threads, logs or actions alone")
        case _:
            assert_never(statement)


def in_time(facts: Facts, barriers: int, pending: bool, initial: object, following: Following) -> Fewest:
    def fewest(requests: int) -> int | None:
        found = histories(facts.rules(), requests, pending, facts.effort.states)
        return fewest_unexplained(found, barriers, initial, following)

    return fewest


def fewest_observed(facts: Facts, observed: Observed, requests: int) -> int | None:
    """Complete runs with final values that no serial run with the same answers has."""

    def ends(in_flight: int | None) -> set[tuple[Outcome, object]]:
        states = reachable(facts.rules(), requests, in_flight, facts.effort.states)
        return {(done, observation(facts, observed, g)) for g, flight, done in states if not flight}

    return min((len(done) for done, _ in ends(None) - ends(1)), default=None)


def observation(facts: Facts, observed: Observed, global_: int) -> object:
    if observed == "all" or facts.interpreted is None:
        return global_ if observed else ()
    return tuple(
        (name, value) for name, value in facts.interpreted.globals.items[global_] if name in observed
    )


def fewest_failing(facts: Facts, requests: int) -> int | None:
    content = facts.content
    return fewest_to_fail(content, requests, facts.effort.states) if isinstance(content, Program) else None


def fewest_in_cycle(facts: Facts, requests: int) -> int | None:
    content, states = facts.content, facts.effort.states
    for count in range(2, requests + 1):
        if isinstance(content, Program):
            is_violated = violated_with(content, count, max_states=states)
        else:
            is_violated = system_violated_with(content, count, states)
        if is_violated:
            return count
    return None
