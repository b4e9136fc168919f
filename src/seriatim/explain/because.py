"""Why a proof holds, item by item: where requests take effect, or what counting says about global states."""

from collections.abc import Iterator
from itertools import islice
from typing import assert_never

from seriatim.arithmetic.terms import TRUE
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.action_run import ActionRunEvidence
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.chains import ChainEvidence
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.never_stuck import NeverStuckEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.certificate.stuck_run import StuckRunEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.certificate.timeless import TimelessEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.counting import counting
from seriatim.checking.cover import Precision
from seriatim.checking.cover_claim import cut_places
from seriatim.checking.moves import Moves
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.engines.shared.in_flight import waiting
from seriatim.explain.commit_steps import commit_steps
from seriatim.explain.explanation import (
    Flight,
    Formula,
    MoreFormulas,
    MoreStates,
    OutOfReach,
    Reason,
    Reduced,
    StateFacts,
    Uninterrupted,
)
from seriatim.explain.projection import Projection, projections
from seriatim.explain.request_sums import sum_in_words
from seriatim.program.execution import big_steps
from seriatim.program.recursion import deep_recursion
from seriatim.program.symbolic.words import facts_in_words
from seriatim.systems.closure import closure
from seriatim.systems.from_input import Origin
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import ProgramUnfolding

MAX_STATES = 12
"""How many global states are explained; readers do not follow more."""


def reasons(  # noqa: C901 - an arm a case
    evidence: Evidence, origin: Origin, limits: Limits, deadline: Deadline
) -> Iterator[Reason]:
    """Why evidence proves something about an input, as far as it is found in time."""
    try:
        match evidence:
            case AtomicEvidence():
                yield from _find_uninterrupted(origin)
            case CommitEvidence():
                yield from commit_steps(evidence, origin, limits, deadline)
            case ReductionEvidence():
                yield from _explain_reduction(evidence, origin)
            case CoverEvidence():
                yield from _explain_counting(evidence, origin, limits, deadline)
            case TreeEvidence(claim=claim):
                yield from _explain_counting(claim, origin, limits, deadline)
            case ChainEvidence(level=level, invariants=invariants, covers=covers):
                # Counting facts are true here as well, although they are not enough.
                plain = CoverEvidence(level, invariants, None, (), covers)
                yield from _explain_counting(plain, origin, limits, deadline)
            case SimulationEvidence():
                yield from _formulas(evidence)
            case SymbolicReductionEvidence():
                yield from _explain_exchanges(evidence)
                yield from _formulas(evidence)
            case (
                SymmetricCommitEvidence()
                | TimelessEvidence()
                | NoCycleEvidence()
                | NoFaultEvidence()
                | NeverStuckEvidence()
            ):
                return  # The reason says it all.
            case (
                RunEvidence()
                | FoldedRunEvidence()
                | CycleEvidence()
                | PointsEvidence()
                | FaultRunEvidence()
                | StuckRunEvidence()
            ):
                raise AssertionError("a run is not a proof")
            case (
                ThreadRunEvidence()
                | ThreadCoverEvidence()
                | ThreadPairsEvidence()
                | ThreadModularEvidence()
                | PetrifiedEvidence()
                | ThreadReductionEvidence()
                | OrderEvidence()
                | ActionRunEvidence()
            ):
                raise AssertionError("requests are neither threads nor actions")
            case _:
                assert_never(evidence)
    except (OutOfBudget, LimitReached, GaveUp):
        yield OutOfReach()


def _find_uninterrupted(origin: Origin) -> Iterator[Uninterrupted]:
    for handler in origin.content.handlers:
        # The last line is not known: the code may belong to a function elsewhere.
        yield Uninterrupted(handler.name, handler.span.line)


def _explain_reduction(evidence: ReductionEvidence, origin: Origin) -> Iterator[Reduced]:
    late: dict[str, list[str]] = {}
    for waiting_late in evidence.late:
        late.setdefault(waiting_late.handler, []).append(waiting_late.code)
    for handler in origin.requests:
        left = late.get(handler)
        yield Reduced(handler, None if left is None else max(left, key=len))  # It gets there first.


def _explain_exchanges(evidence: SymbolicReductionEvidence) -> Iterator[Reduced]:
    """Where requests with resting points take effect."""
    left: dict[str, str | None] = {}
    for point in evidence.points:
        longest = left.setdefault(point.handler, None)
        if point.committed and len(point.code) > len(longest or ""):
            left[point.handler] = point.code  # It gets there first.
    yield from (Reduced(handler, code) for handler, code in left.items())


def _formulas(evidence: SimulationEvidence | SymbolicReductionEvidence) -> Iterator[Reason]:
    """Facts about the globals, and about one or two resting requests."""
    if evidence.flows:
        said = (sum_in_words(evidence.points, flow) for flow in evidence.flows)
        yield Formula((), tuple(dict.fromkeys(said)))
    told = [predicate for predicate in evidence.predicates if predicate.formula != TRUE]
    for predicate in told[:MAX_STATES]:
        points = [evidence.points[place] for place in predicate.at]
        labels = ("",) if len(points) < 2 else tuple(f"{which} request's " for which in ORDINALS)
        resting = tuple((point.handler, point.code, point.committed) for point in points)
        yield Formula(resting, facts_in_words(predicate.formula, labels))
    if len(told) > MAX_STATES:
        yield MoreFormulas(len(told) - MAX_STATES)


ORDINALS = ("the first", "the second")


def _explain_counting(
    evidence: CoverEvidence, origin: Origin, limits: Limits, deadline: Deadline
) -> Iterator[Reason]:
    """Facts from counting by global states; cuts about situations are not used."""
    allowance = Allowance(1_000_000, deadline)
    precision = Precision(evidence.level, evidence.invariants)
    with deep_recursion():
        match origin:
            case ProgramUnfolding(program=program):
                reference = ProgramReference(program, big_steps, check_stop=allowance.deadline.check)
                moves = Moves(reference, precision, allowance)
            case SystemUnfolding(system=system):
                moves = Moves(SystemReference(system), precision, allowance)
            case _:
                assert_never(origin)
    known = () if evidence.situations is not None else evidence.cuts
    cuts = tuple((cut, cut_places(moves, cut, allowance)) for cut in known)
    lines = _lines(origin, limits, deadline)
    found = projections(moves, counting(moves), cuts, deadline)
    yield from (_facts(each, lines) for each in islice(found, MAX_STATES))
    states = len(moves.globals())
    if states > MAX_STATES:
        yield MoreStates(states - MAX_STATES)


def _lines(origin: Origin, limits: Limits, deadline: Deadline) -> dict[Waiting, int]:
    """The lines where requests in flight wait."""
    lines: dict[Waiting, int] = {}
    if origin.content.handlers:
        closure(origin, limits, deadline)  # Now all places have been visited.
        for local in range(len(origin.local_states)):
            line = local_state(origin, local).line
            if line is not None:
                lines.setdefault(waiting(origin, local), line)
    return lines


def _facts(found: Projection, lines: dict[Waiting, int]) -> StateFacts:
    flights = tuple(
        Flight(each.handler, each.code, lines.get(each), tuple(each.values)) for each in found.in_flight
    )
    return StateFacts(found.state, flights, found.can_rest, found.never, found.at_most_one, found.equations)
