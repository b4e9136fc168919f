"""Evidence of the kind `thread-cover`: descriptions of all that any number of threads can reach.

A *crowd* says how many threads may fit each description (`seriatim.checking.thread_steps`), and a covered
state says the values of some globals and lists crowds. A configuration is covered if its globals agree with
a covered state and its threads can be distributed over the descriptions of one of its crowds.

Claim: no run fails if the initial configuration is covered, every step from a covered configuration leads
to one that is, and none fails. By induction over runs. It is enough to look at the crowds with as many
threads as they allow: a step needs one thread, or two for a join, and leaves the others as they are. With
any number of threads of a description, taking one away leaves any number.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from seriatim.certificate.thread_cover import CoveredState, Crowd, Named, ThreadCoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.thread_steps import After, Descriptions, Thread
from seriatim.checking.words import counted
from seriatim.program.threads.expressions import Value
from seriatim.program.threads.syntax import Edge, ThreadProgram

Counts = dict[int, float]
"""How many threads there may be of each description; infinity is any number."""

ANY_NUMBER = float("inf")


def thread_cover_obligations(
    program: ThreadProgram, evidence: ThreadCoverEvidence, allowance: Allowance
) -> Iterator[Obligation]:
    cover = Cover(program, evidence, allowance)
    unfit = next(cover.descriptions.unfit(tuple(state.globals for state in evidence.states)), None)
    sizes = f"{counted(len(evidence.states), 'state')}, {counted(len(evidence.threads), 'description')}"
    yield Obligation("descriptions are about this program", unfit is None, unfit or sizes)
    start = [cover.descriptions.start()]
    yield Obligation(
        "the start is covered", cover.covers(program.initial, {}, start), "main alone, with initial values"
    )
    try:
        steps = cover.check_steps()
    except DoesNotFollow as error:
        yield Obligation("every step leads to what is covered, and none fails", False, str(error))
    else:
        yield Obligation("every step leads to what is covered, and none fails", True, counted(steps, "step"))


class _Target:
    """The crowds of states with the same globals."""

    def __init__(self) -> None:
        self.crowds: list[Counts] = []
        self.exact: set[frozenset[tuple[int, float]]] = set()

    def add(self, crowd: Counts) -> None:
        self.crowds.append(crowd)
        self.exact.add(frozenset(crowd.items()))

    def has_room(self, needed: Counts) -> bool:
        return frozenset(needed.items()) in self.exact or any(fits(needed, crowd) for crowd in self.crowds)


class _Moves:
    """The steps of each description in one state, executed once for all crowds."""

    def __init__(self, descriptions: Descriptions, state: CoveredState) -> None:
        self.descriptions = descriptions
        self.globals = state.globals
        self.alone: dict[int, tuple[list[After], list[Edge]]] = {}
        self.joined: dict[tuple[int, int], list[After]] = {}

    def of(self, number: int) -> tuple[list[After], list[Edge]]:
        """What needs nobody else, and the edges that come to a join."""
        if number not in self.alone:
            found: list[After] = []
            joining: list[Edge] = []
            for edge in self.descriptions.edges(number):
                effects = list(self.descriptions.effects(self.globals, number, edge, None))
                found += [after for after in effects if after is not None]
                if None in effects:
                    joining.append(edge)
            self.alone[number] = found, joining
        return self.alone[number]

    def joins(self, number: int, other: int) -> list[After]:
        if (number, other) not in self.joined:
            self.joined[number, other] = [
                after
                for edge in self.of(number)[1]
                for after in self.descriptions.effects(self.globals, number, edge, other)
                if after is not None
            ]
        return self.joined[number, other]


class Cover:
    def __init__(self, program: ThreadProgram, evidence: ThreadCoverEvidence, allowance: Allowance) -> None:
        self.evidence = evidence
        self.descriptions = Descriptions(program, evidence.threads, allowance)
        self.targets: dict[Named, _Target] = {}
        """By the names of the globals that states mention and their values, for quick finding."""
        for state in evidence.states:
            target = self.targets.setdefault(tuple(sorted(state.globals)), _Target())
            for crowd in state.crowds:
                target.add(counts(crowd))
        self.mentioned = sorted({tuple(name for name, _ in key) for key in self.targets})

    # What is covered

    def covers(self, globals_: Mapping[str, Value], rest: Counts, threads: list[Thread]) -> bool:
        """Whether a configuration is covered: threads by description, and some after a step."""
        candidates = [self.descriptions.fitted(each) for each in threads]
        for mentioned in self.mentioned:
            if not all(name in globals_ for name in mentioned):
                continue
            target = self.targets.get(tuple((name, globals_[name]) for name in mentioned))
            if target is None:
                continue
            for chosen in product(*candidates):
                needed = dict(rest)
                for number in chosen:
                    needed[number] = needed.get(number, 0) + 1
                if target.has_room(needed):
                    return True
        return False

    # Steps

    def check_steps(self) -> int:
        """How many there are; raises `DoesNotFollow`."""
        steps = 0
        for state in self.evidence.states:
            moves = _Moves(self.descriptions, state)
            for crowd in state.crowds:
                for number, rest in takings(counts(crowd)):
                    steps += self.check_moves(moves, number, rest)
        return steps

    def check_moves(self, moves: "_Moves", number: int, rest: Counts) -> int:
        alone, joining = moves.of(number)
        found = [(after, rest) for after in alone]
        if joining:
            for other, left in takings(rest):
                if self.descriptions.can_be_joined(other):
                    found += [(after, left) for after in moves.joins(number, other)]
        for after, left in found:
            self.check(after, left)
        return len(found)

    def check(self, after: After, rest: Counts) -> None:
        """Raises `DoesNotFollow` if a step leads to something that is not covered."""
        if not self.covers(after.globals, rest, list(after.threads)):
            raise DoesNotFollow(f"a step of {after.where}, leads to something that is not covered")


def counts(crowd: Crowd) -> Counts:
    found: Counts = {}
    for number, count in crowd:
        found[number] = found.get(number, 0) + (ANY_NUMBER if count is None else count)
    return found


def takings(crowd: Counts) -> Iterator[tuple[int, Counts]]:
    """A thread of each description, and the others."""
    for number, count in crowd.items():
        rest = dict(crowd)
        rest[number] = count - 1
        if count == 1:
            del rest[number]
        yield number, rest


def fits(needed: Counts, crowd: Counts) -> bool:
    return all(count <= crowd.get(number, 0) for number, count in needed.items())
