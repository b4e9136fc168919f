"""Looks for a proof by exchanging steps: facts about locks, and then steps that move to both sides.

Claim: what is found is a proof if the checker accepts it (docs/theory/symbolic-reduction.md). Requests commit
as early as possible: the largest set of points from which all steps can be made earlier leaves the fewest
steps that have to be made later. So if any choice of points is a proof with these facts, this one is.
"""

from dataclasses import replace

from seriatim.arithmetic.terms import FALSE, Term, both
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.simulation import Predicate, RestingPoint
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.engines.shared.houdini import Solver, keep_inductive
from seriatim.engines.shared.lock_facts import LEVEL, lock_facts
from seriatim.engines.shared.request_flows import evidence_of, find_flows, flow_facts
from seriatim.engines.stage import GaveUp
from seriatim.program.printer import print_expression
from seriatim.program.recursion import deep_recursion
from seriatim.program.state import is_array
from seriatim.program.symbolic.exchange import Exchanges, Source, StepEffect, is_early
from seriatim.program.symbolic.execution import Rests, TooManyPaths
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.invariant import Invariant
from seriatim.program.symbolic.model import Model, from_program
from seriatim.program.symbolic.moves import Policy
from seriatim.program.syntax import Program

MOST_HANDLERS = 40
MOST_POINTS = 24
MOST_EXCHANGES = 6_000
"""The most pairs of steps to compare."""
SECONDS = 12.0
"""Seconds of CPU time."""

MAY_FAIL = "facts about locks do not exclude that a step fails"
TOO_LARGE = "there are too many steps to exchange each with every other one"
TOO_LONG = "exchanging steps took too long"


def reduce(program: Program, deadline: Deadline) -> SymbolicReductionEvidence | GaveUp:
    """A proof that a program is serializable, for any number of requests and any integers."""
    if len(program.unbounded_handlers or program.handlers) > MOST_HANDLERS:
        return GaveUp(TOO_LARGE)
    try:
        with deep_recursion():
            return _reduce(program, deadline.of_cpu(SECONDS))
    except TooManyPaths as error:
        return GaveUp(str(error))
    except OutOfTime:
        deadline.check()
        return GaveUp(TOO_LONG)


def _reduce(program: Program, deadline: Deadline) -> SymbolicReductionEvidence | GaveUp:
    """Tries with more pauses first, if there are more: without them, waiting can rarely be exchanged."""
    plain, paused = from_program(program), from_program(program, pauses=True)
    if plain.routines != paused.routines:
        found = _reduce_model(paused, deadline)
        if isinstance(found, SymbolicReductionEvidence):
            return replace(found, pauses=True)
    return _reduce_model(plain, deadline)


def _reduce_model(model: Model, deadline: Deadline) -> SymbolicReductionEvidence | GaveUp:
    exchanges = Exchanges(model)
    steps = sum(len(exchanges.effects(source, 0)) for source in exchanges.sources)
    if len(model.points) > MOST_POINTS or steps * steps > MOST_EXCHANGES:
        return GaveUp(TOO_LARGE)
    policy = Policy(model, None)
    found = _reduce_with(exchanges, policy, (), deadline)
    flows = find_flows(policy)
    if isinstance(found, SymbolicReductionEvidence) or not flows:
        return found
    return _reduce_with(exchanges, policy, flows, deadline)


def _reduce_with(
    exchanges: Exchanges, policy: Policy, flows: tuple[Flow, ...], deadline: Deadline
) -> SymbolicReductionEvidence | GaveUp:
    """A proof by facts about locks, and by those sums that no step changes."""
    model = policy.model
    facts = lock_facts(model)
    flow_facts(policy, flows, facts)
    invariant = keep_inductive(policy, LEVEL, facts, deadline, flows)
    movers = Movers(exchanges, invariant, Solver(deadline))
    if movers.may_fail():
        return GaveUp(MAY_FAIL)
    late = movers.late_points()
    stuck = movers.not_right(late)
    if stuck is not None:
        said = f"it is not known that {exchanges.words(*stuck)}"
        has_cells = any(map(is_array, model.variables))
        return GaveUp(said, missing=said if has_cells else "")  # Simulation handles the others better.
    sums = evidence_of(model, invariant.flows)
    return SymbolicReductionEvidence(LEVEL, False, _points(model, late), _predicates(invariant), sums)


class Movers:
    """Which steps can be exchanged with which, wherever some formulas hold."""

    def __init__(self, exchanges: Exchanges, invariant: Invariant, solver: Solver) -> None:
        self.exchanges = exchanges
        self.model = exchanges.model
        self.invariant = invariant
        self.solver = solver
        self._known: dict[tuple[Source, Source], Term] = {}
        self._found: dict[tuple[Source, int, Source, int], bool] = {}

    def may_fail(self) -> bool:
        return not all(self.solver.follows(known, goal) for _, known, goal in self.invariant.mistakes())

    def late_points(self) -> frozenset[int]:
        """The largest set of points that requests leave by answering only, by steps that can be made
        earlier."""
        late = {point for point in range(len(self.model.points)) if self._is_left(point)}
        while True:
            relapsing = {
                point
                for point in late
                for step in self.model.steps(point)
                if isinstance(step.end, Rests) and step.target not in late
            }
            if not relapsing:
                return frozenset(late)
            late -= relapsing

    def _is_left(self, point: int) -> bool:
        here = Source(self.model.points[point].handler, point)
        return all(
            self.can_exchange(first, then)
            for then in self.exchanges.effects(here, 1)
            for source in self.exchanges.sources
            for first in self.exchanges.effects(source, 0)
        )

    def not_right(self, late: frozenset[int]) -> tuple[StepEffect, StepEffect] | None:
        """A step before its request takes effect, and a step of another one that it cannot be moved after."""
        for one in self.exchanges.sources:
            for first in self.exchanges.effects(one, 0):
                if one.point not in late and is_early(first, late):
                    for other in self.exchanges.sources:
                        for then in self.exchanges.effects(other, 1):
                            if not self.can_exchange(first, then):
                                return first, then
        return None

    def can_exchange(self, first: StepEffect, then: StepEffect) -> bool:
        key = (first.source, first.number, then.source, then.number)
        if key not in self._found:
            known = self._before(first.source, then.source)
            possible, follows = (
                (FALSE, FALSE) if known == FALSE else self.exchanges.exchange_steps(first, then)
            )
            self._found[key] = self.solver.follows(both(known, possible), follows)
        return self._found[key]

    def _before(self, one: Source, other: Source) -> Term:
        key = (one, other)
        if key not in self._known:
            requests = (*self.exchanges.resting(one, 0), *self.exchanges.resting(other, 1))
            self._known[key] = self.invariant.before(requests)
        return self._known[key]


def _points(model: Model, late: frozenset[int]) -> tuple[RestingPoint, ...]:
    return tuple(
        RestingPoint(model.routines[point.handler].name, print_expression(point.code), place in late)
        for place, point in enumerate(model.points)
    )


def _predicates(invariant: Invariant) -> tuple[Predicate, ...]:
    return tuple(
        Predicate(view, formula) for view, formula in sorted(invariant.known.items()) if formula != FALSE
    )
