"""The implementations of the language do the same: two interpreters, the compiler, and the naive surface."""

from collections.abc import Iterator

from differential.contradiction import Contradiction
from differential.facts import Enumerated, Facts, TooLong, enumerated, no_longer_than
from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse_surface
from seriatim.program import execution, semantics
from seriatim.program.semantics import Configuration
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached
from testkit.oracles.brute_force import Interpreted, Outcome, TooLarge, rules_of_unfolding
from testkit.oracles.naive_surface import TooMany
from testkit.oracles.naive_surface import outcomes as surface_outcomes

NAIVE_SECONDS = 1.0
"""The naive interpreter follows a loop for ever; programs with such loops are not compared with it."""


def steps(facts: Facts) -> Iterator[Contradiction]:
    known = facts.enumerated
    if known is None:
        return
    yield from compiled(facts, known)
    if facts.interpreted is not None:
        yield from interpreted(facts.interpreted, known)
    if not (facts.subject.is_system or facts.subject.is_core):
        yield from as_written(facts, known)


def compiled(facts: Facts, known: Enumerated) -> Iterator[Contradiction]:
    """What engines see of an input has its outcomes, one request at a time and interleaved."""
    unfolding = unfold(facts.content, facts.effort.limits, Deadline())
    try:
        found = enumerated(rules_of_unfolding(unfolding), known.requests, facts.effort.states)
    except (TooLarge, LimitReached):
        return
    for way, ours, theirs in (
        ("interleaved", found.interleaved, known.interleaved),
        ("serial", found.serial, known.serial),
    ):
        if ours != theirs:
            yield Contradiction(f"other {way} outcomes once it is unfolded", difference(ours, theirs))


def difference(ours: frozenset[Outcome], theirs: frozenset[Outcome]) -> str:
    return f"only there: {sorted(ours - theirs)[:5]}; only by the rules: {sorted(theirs - ours)[:5]}"


def interpreted(program: Interpreted, known: Enumerated) -> Iterator[Contradiction]:
    """Wherever a few requests can be, both interpreters make the same steps and the same mistakes."""
    for local, global_ in {(local, global_) for global_, flight, _ in known.states for _, local in flight}:
        here = Configuration(*program.locals.items[local], program.globals.items[global_])
        if execution.big_steps(here) != semantics.big_steps(here):
            yield Contradiction("the interpreters make other steps", str(here))
        if execution.faults(here) != semantics.faults(here):
            yield Contradiction("the interpreters make other mistakes", str(here))


def as_written(facts: Facts, known: Enumerated) -> Iterator[Contradiction]:
    """The translation to the core answers as the surface does."""
    surface = parse_surface(facts.subject.text)
    requests = min(2, known.requests)
    try:
        with no_longer_than(NAIVE_SECONDS):
            answers, _ = surface_outcomes(surface, requests, limit=facts.effort.states)
    except (TooMany, TooLong):
        return
    expected = {outcome for outcome in known.interleaved if len(outcome) <= requests}
    if answers != expected:
        yield Contradiction(
            "other outcomes as it is written", difference(frozenset(answers), frozenset(expected))
        )
