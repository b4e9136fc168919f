"""A proof of serializability as a script of SMT-LIB: which invariant each kind of evidence gives."""

from collections import deque
from collections.abc import Iterator
from typing import assert_never

from seriatim.budget import Deadline
from seriatim.certificate.action_run import ActionRunEvidence
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.chains import ChainEvidence
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.folded_run import FoldedRunEvidence
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
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import SerialRuns
from seriatim.checking.commit import serial_cover
from seriatim.checking.cover import Precision
from seriatim.checking.cover_claim import CoverClaim, cover_claim
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import ProgramReference, Reference, State, SystemReference
from seriatim.export.smt_lib.from_commits import commit_system
from seriatim.export.smt_lib.from_counting import counting_system
from seriatim.export.smt_lib.from_formulas import reduction_script, simulation_script
from seriatim.export.smt_lib.script import System, script
from seriatim.program.inputs import Input
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY

MAX_STATES = 10_000
"""The most states to explore; a larger script would not be useful."""


class NoInvariant(Exception):
    """The evidence is of a kind that has none; says why."""


def smt_lib(certificate: Certificate, content: Input, deadline: Deadline) -> str:
    """The questions that confirm a certificate which the checker accepts.

    Raises `NoInvariant`; `GaveUp` or `OutOfBudget` if there is too much to explore.
    """
    if certificate.evidence.kind == "simulation" and isinstance(content, Program):
        return simulation_script(content, certificate.evidence, certificate.question != SAFETY, deadline)
    if certificate.evidence.kind == "symbolic-reduction" and isinstance(content, Program):
        return reduction_script(content, certificate.evidence, deadline)
    if certificate.question != SERIALIZABILITY:
        raise NoInvariant("it is not about serializability of responses alone")
    allowance = Allowance(MAX_STATES, deadline)
    with deep_recursion():
        if isinstance(content, Program):
            system = invariant_of(
                certificate.evidence,
                ProgramReference(content, big_steps, check_stop=allowance.deadline.check),
                allowance,
            )
        else:
            system = invariant_of(certificate.evidence, SystemReference(content), allowance)
    return script(system)


def invariant_of(  # noqa: C901 - an arm a case
    evidence: Evidence, reference: Reference[State], allowance: Allowance
) -> System:
    match evidence:
        case RunEvidence() | FoldedRunEvidence():
            raise NoInvariant("it shows that the input is not serializable, by a run; there is no invariant")
        case AtomicEvidence():
            return commit_system(serial_cover(Flights(reference, allowance), Precision(1, ())))
        case CommitEvidence():
            flights = Flights(reference, allowance, evidence.committed)
            precision = Precision(evidence.level, evidence.invariants)
            return commit_system(serial_cover(flights, precision))
        case TimelessEvidence():
            raise NoInvariant("it sorts a serial order by time; that gives no invariant of states")
        case SymmetricCommitEvidence():
            raise NoInvariant(
                "it looks at states up to symmetry; only an invariant of all states is exported"
            )
        case ReductionEvidence():
            raise NoInvariant(
                "it exchanges steps of runs, handler by handler; that gives no invariant of states"
            )
        case CoverEvidence():
            return of_cover(evidence, reference, allowance)
        case TreeEvidence(claim=claim):
            return of_cover(claim, reference, allowance)
        case ChainEvidence():
            raise NoInvariant("it tells apart the ways that runs can go; that gives no invariant of states")
        case CycleEvidence() | PointsEvidence() | FaultRunEvidence() | StuckRunEvidence():
            raise NoInvariant("it shows that a property does not hold, by a run; there is no invariant")
        case NoFaultEvidence():
            raise NoInvariant("it is about steps that fail; only proofs about outcomes are exported")
        case NeverStuckEvidence():
            raise NoInvariant("it is about requests that wait; only proofs about outcomes are exported")
        case SimulationEvidence() | SymbolicReductionEvidence():
            raise AssertionError("it has its own script")
        case NoCycleEvidence():
            raise NoInvariant("it is about the conflicts of steps; that gives no invariant of states")
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
            raise NoInvariant("it is about threads or actions; only proofs about requests are exported")
        case _:
            assert_never(evidence)


def of_cover(evidence: CoverEvidence, reference: Reference[State], allowance: Allowance) -> System:
    claims: list[CoverClaim] = []

    def keep_the_claim() -> Iterator[Obligation]:
        claims.append(
            (yield from cover_claim(reference, evidence, SerialRuns(reference, allowance), allowance))
        )

    deque(keep_the_claim(), maxlen=0)
    (claim,) = claims
    return counting_system(claim, evidence.covers)
