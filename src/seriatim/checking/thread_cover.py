"""Evidence of the kind `thread-cover`: descriptions of all that any number of threads can reach.

A *crowd* says how many threads may fit each description (`seriatim.checking.thread_steps`), and a covered
state says the values of some globals and lists crowds. A configuration is covered if its globals agree with
a covered state and its threads can be distributed over the descriptions of one of its crowds.

Claim: no run fails if the initial configuration is covered, every step from a covered configuration leads
to one that is, and none fails. By induction over runs. It is enough to look at the crowds with as many
threads as they allow: a step needs one thread, or two for a join, and leaves the others as they are. With
any number of threads of a description, taking one away leaves any number.
"""

from collections.abc import Iterator
from itertools import product

from seriatim.certificate.thread_cover import Crowd, ThreadCoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.thread_steps import After, ByGlobals, Descriptions, Steps, covering_obligations
from seriatim.program.threads.syntax import ThreadProgram

Counts = dict[int, float]
"""How many threads there may be of each description; infinity is any number."""

ANY_NUMBER = float("inf")


def obligations(
    program: ThreadProgram, evidence: ThreadCoverEvidence, context: Context
) -> Iterator[Obligation]:
    cover = Cover(program, evidence, context.allowance)
    claim = "every step leads to what is covered, and none fails"
    states = [state.globals for state in evidence.states]
    yield from covering_obligations(
        cover.descriptions, states, lambda start: cover.covers(start, {}), claim, cover.check_steps
    )


class _Crowds:
    """The crowds of a state."""

    def __init__(self, crowds: tuple[Crowd, ...]) -> None:
        self.crowds = [counts(crowd) for crowd in crowds]
        self.exact = {frozenset(crowd.items()) for crowd in self.crowds}

    def has_room(self, needed: Counts) -> bool:
        return frozenset(needed.items()) in self.exact or any(fits(needed, crowd) for crowd in self.crowds)


Targets = list[tuple[_Crowds, tuple[int, ...]]]
"""Crowds, and descriptions for the threads of a step, of which one has to have room for the others, too."""


def has_room(targets: Targets, rest: Counts) -> bool:
    for crowds, chosen in targets:
        needed = dict(rest)
        for number in chosen:
            needed[number] = needed.get(number, 0) + 1
        if crowds.has_room(needed):
            return True
    return False


class Cover:
    def __init__(self, program: ThreadProgram, evidence: ThreadCoverEvidence, allowance: Allowance) -> None:
        self.evidence = evidence
        self.descriptions = Descriptions(program, evidence.threads, allowance)
        self.states = ByGlobals((state.globals, _Crowds(state.crowds)) for state in evidence.states)

    def covers(self, after: After, rest: Counts) -> bool:
        """Whether a configuration is covered: threads by description, and some after a step."""
        return has_room(self.targets(after), rest)

    def targets(self, after: After) -> Targets:
        """Returns what can cover a step, no matter which other threads are there."""
        candidates = [self.descriptions.fitted(each) for each in after.threads]
        choices = list(product(*candidates))
        return [(crowds, chosen) for crowds in self.states.agreeing(after.globals) for chosen in choices]

    def check_steps(self) -> int:
        """How many there are; raises `DoesNotFollow` if one leads to something that is not covered."""
        checked = 0
        for state in self.evidence.states:
            steps = Steps(self.descriptions, state.globals)
            known: dict[int, Targets] = {}  # By the identity of what `steps` holds.
            for crowd in map(counts, state.crowds):
                for number in crowd:
                    rest = without(crowd, number)
                    for after, joined in steps.of(number, rest):
                        checked += 1
                        if id(after) not in known:
                            known[id(after)] = self.targets(after)
                        if not has_room(known[id(after)], rest if joined is None else without(rest, joined)):
                            where = f"a step of {after.where}"
                            raise DoesNotFollow(f"{where}, leads to something that is not covered")
        return checked


def counts(crowd: Crowd) -> Counts:
    found: Counts = {}
    for number, count in crowd:
        found[number] = found.get(number, 0) + (ANY_NUMBER if count is None else count)
    return found


def without(crowd: Counts, number: int) -> Counts:
    """A thread of a description less."""
    rest = {**crowd, number: crowd[number] - 1}
    if rest[number] == 0:
        del rest[number]
    return rest


def fits(needed: Counts, crowd: Counts) -> bool:
    return all(count <= crowd.get(number, 0) for number, count in needed.items())
