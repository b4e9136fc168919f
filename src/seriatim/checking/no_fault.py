"""Failing steps: no run comes to one.

Proofs of other properties speak of complete runs, and a failing step is in none. That no step fails is
therefore a claim of its own. A cover under all steps holds for all runs, complete or not
(`seriatim.checking.cover`); if no flight in it can fail in its next step, then nobody ever fails.

A program whose text has no fault needs no cover: only a fault in the text makes a step fail. Where the cover
is too coarse, evidence of the kind `no-fault` names situations that never occur: a global
state, and flights that are not all there at once, whatever others do. Claim: no run comes to an *excluded*
situation, nor fails, if

1. the initial situation, in which nobody is in flight, is not excluded;
2. wherever a step of a flight leads to an excluded situation, the situation before it is excluded, or the
   cover rules it out;
3. wherever the next step of a flight in the cover can fail, the situation in which that flight is there is
   excluded.

Why: by induction over runs, using 1 and 2, no situation of a run contains an excluded one. If a step of a
flight could fail, that flight would be in the cover, and by 3 the situation would contain an excluded one. In
2 it is enough to look at the smallest situations before a step: the excluded flights without the one that
the step leads to, and with the one that takes the step. Fresh flights are there in any number, so they are
left out of situations.
"""

from collections.abc import Iterator
from itertools import combinations, product

from seriatim.certificate.in_flight import LEVELS, Invariant, Waiting
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Cover, Node, Precision, close_cover, looks
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.posing import Task
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.checking.words import counted
from seriatim.program.syntax import Fault

NO_FAULTS = "no step fails: assertions hold, values stay in their ranges, and indices have elements"

Situation = tuple[int, ...]
"""Flights that are there together, sorted, none of them fresh; others may be there, too."""


def no_faults(
    reference: ProgramReference, invariants: tuple[Invariant, ...], allowance: Allowance
) -> Obligation:
    """Looks at requests one by one; if that is too coarse, in pairs."""
    detail = ""
    for level in LEVELS:
        precision = Precision(level, invariants)
        cover = close_cover(Flights(reference, allowance), precision, is_serial=False, hopeful=None)
        _, _, fault = next(_faults(reference, cover), (0, 0, None))
        if fault is None:
            return Obligation(NO_FAULTS, True, f"requests looked at {looks(level)}", code="no-faults")
        detail = f"not excluded: {fault.message} (line {fault.span.line})"
    return Obligation(NO_FAULTS, False, detail, code="no-faults")


def _faults(reference: ProgramReference, cover: Cover[ProgramState]) -> Iterator[tuple[int, int, Fault]]:
    """(global state, flight, how its next step can fail), as far as the cover tells."""
    flights = cover.flights
    for node in cover.nodes:
        global_ = node[0]
        for flight in (*flights.fresh, *cover.at(node)):
            for fault in reference.faults(flights.known[flight][1], flights.globals[global_]):
                yield global_, flight, fault


def obligations(task: Task[NoFaultEvidence]) -> Iterator[Obligation]:
    """Lists what evidence of this kind has to show, in this order."""
    if task.program is None:
        yield Obligation(NO_FAULTS, True, "a network system has no assertions, ranges or indices")
        return
    if not task.content.can_fail:
        yield Obligation(
            NO_FAULTS, True, "the program has no assertions, ranges or indices", code="no-faults"
        )
        return
    reference, evidence = task.program, task.evidence
    flights = Flights(reference, task.context.allowance)
    precision = Precision(evidence.level, evidence.invariants)
    cover = close_cover(flights, precision, is_serial=False, hopeful=None)
    excluded = Exclusions(evidence, cover)
    yield Obligation(
        "the initial situation is not excluded", not excluded.has(flights.initial, ()), excluded.size()
    )
    entered = next(excluded.entered(), None)
    claim = "no step leads to a situation that is excluded"
    yield unless(entered, claim, f"requests looked at {looks(evidence.level)}")
    possible = (
        fault
        for global_, flight, fault in _faults(reference, cover)
        if not excluded.has(global_, without_fresh(flights, (flight,)))
    )
    fault = next(possible, None)
    detail = None if fault is None else f"not excluded: {fault.message} (line {fault.span.line})"
    yield Obligation(NO_FAULTS, fault is None, detail or "all that could is excluded", code="no-faults")


def without_fresh(flights: Flights[ProgramState], situation: Situation) -> Situation:
    return tuple(sorted(flight for flight in situation if flight not in flights.fresh))


class Exclusions:
    """The situations that evidence excludes, in the numbers of the checker.

    A description may fit several flights; then each of them is excluded. One that fits none in the cover
    says nothing, and is not used.
    """

    def __init__(self, evidence: NoFaultEvidence, cover: Cover[ProgramState]) -> None:
        flights = self.flights = cover.flights
        self.nodes: dict[int, Node] = {node[0]: node for node in cover.nodes}
        self.cover = cover
        described: dict[Waiting, list[int]] = {}
        for flight, (request, state) in enumerate(flights.known):
            code, values = flights.reference.description(state)
            described.setdefault(Waiting(request, code, values), []).append(flight)
        self.situations: dict[int, set[Situation]] = {}
        for each in evidence.excluded:
            if each.state in flights.globals:
                known = self.situations.setdefault(flights.globals.number(each.state), set())
                for situation in product(*(described.get(one, []) for one in each.waiting)):
                    flights.allowance.spend()
                    known.add(without_fresh(flights, situation))

    def size(self) -> str:
        return counted(sum(map(len, self.situations.values())), "situation")

    def has(self, global_: int, situation: Situation) -> bool:
        """Whether a situation contains one that is excluded."""
        return any(is_within(each, situation) for each in self.situations.get(global_, ()))

    def entered(self) -> Iterator[str]:
        """Steps to situations that are excluded, from some that are not."""
        for global_, node in self.nodes.items():
            for flight in (*self.flights.fresh, *self.cover.at(node)):
                for target, after in self.flights.steps(flight, global_):
                    for situation in self.situations.get(after, ()):
                        self.flights.allowance.spend()
                        before = self.before(situation, flight, target)
                        if self.is_possible(node, before) and not self.has(global_, before):
                            yield f"a step of `{self.flights.known[flight][0]}` does"

    def before(self, situation: Situation, flight: int, target: int | str) -> Situation:
        """The smallest situation before a step, if the situation after it contains this one."""
        others = list(situation)
        if target in others:
            others.remove(target)
        return without_fresh(self.flights, (*others, flight))

    def is_possible(self, node: Node, situation: Situation) -> bool:
        """Whether the cover has these flights there, and at level 2 each beside the others."""
        if not all(self.cover.has(node, flight) for flight in situation):
            return False
        return all(self.cover.has_beside(node, *pair) for pair in combinations(situation, 2))


def is_within(part: Situation, whole: Situation) -> bool:
    """Whether all flights of a situation are among those of another one, as often."""
    rest = list(whole)
    for flight in part:
        if flight not in rest:
            return False
        rest.remove(flight)
    return True
