"""Evidence by commit points that nobody found: made up at random, or all that there is."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Generic, Literal

from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.checking.reference import ProgramReference, ProgramState, Reference, State, SystemReference
from seriatim.program.inputs import Input
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program
from testkit.oracles.watched_runs import Runs

LEVELS: tuple[Literal[1, 2], ...] = (1, 2)
SIGNS: tuple[Literal[1, -1], ...] = (1, -1)


class Forger(Generic[State]):
    """Makes up evidence about an input: some of it absurd, some of it nearly right."""

    def __init__(self, reference: Reference[State], random: Random) -> None:
        self.reference = reference
        self.random = random
        runs = Runs(reference)
        self.after: dict[int, set[int]] = {}
        self.answers: dict[int, set[str]] = {}
        for global_, _, flying, _ in runs.most():
            for flight in flying:
                for target, _ in list(runs.steps(flight, global_)):
                    if isinstance(target, str):
                        self.answers.setdefault(flight, set()).add(target)
                    else:
                        self.after.setdefault(flight, set()).add(target)
        self.fresh = set(runs.fresh)
        self.flights = runs.flights.items
        self.all_answers = sorted({answer for answers in self.answers.values() for answer in answers}) or [
            "0"
        ]

    def entry(self, flight: int, response: str) -> CommittedState:
        request, state = self.flights[flight]
        return CommittedState(request, *self.reference.description(state), response)

    def invariants(self) -> tuple[Invariant, ...]:
        initial = self.reference.initial
        names = [] if isinstance(initial, str) else [name for name, _ in initial]
        every = [Invariant(name, sign) for name in names for sign in SIGNS]
        return tuple(invariant for invariant in every if self.random.random() < 0.5)

    def evidence(self) -> CommitEvidence:
        labels = self.arbitrary() if self.random.random() < 0.3 else self.consistent()
        if self.random.random() < 0.9:
            labels = {flight: response for flight, response in labels.items() if flight not in self.fresh}
        entries = [self.entry(flight, response) for flight, response in labels.items()]
        if entries and self.random.random() < 0.1:  # An entry may leave values open.
            entries[0] = replace(entries[0], values=entries[0].values[1:])
        self.random.shuffle(entries)
        return CommitEvidence(self.random.choice(LEVELS), self.invariants(), tuple(entries))

    def arbitrary(self) -> dict[int, str]:
        share = self.random.random()
        numbers = range(len(self.flights))
        return {f: self.random.choice(self.all_answers) for f in numbers if self.random.random() < share}

    def consistent(self) -> dict[int, str]:
        """Some flights and all that follow, each time committed to an answer that may come."""
        labels: dict[int, str] = {}
        for _ in range(self.random.randint(0, 3)):
            following = self.from_here(self.random.randrange(len(self.flights)))
            answers = sorted({answer for flight in following for answer in self.answers.get(flight, ())})
            labels.update(dict.fromkeys(sorted(following), self.random.choice(answers or self.all_answers)))
        return labels

    def from_here(self, flight: int) -> set[int]:
        found, pending = {flight}, [flight]
        while pending:
            for target in self.after.get(pending.pop(), set()) - found:
                found.add(target)
                pending.append(target)
        return found

    def every_cut(self) -> Iterator[CommitEvidence]:
        """All of λ: each flight uncommitted, or committed to any answer that anybody gives."""
        for labels in product((None, *self.all_answers), repeat=len(self.flights)):
            entries = (self.entry(f, response) for f, response in enumerate(labels) if response is not None)
            yield CommitEvidence(self.random.choice(LEVELS), self.invariants(), tuple(entries))


def forger_of(content: Input, random: Random) -> Forger[ProgramState] | Forger[int]:
    if isinstance(content, Program):
        return Forger(ProgramReference(content, big_steps), random)
    return Forger(SystemReference(content), random)
