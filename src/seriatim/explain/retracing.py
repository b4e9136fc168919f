"""Finds the run of a certificate again, in an unfolding of its input."""

from seriatim.budget import Deadline
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.stuck_run import StuckRunEvidence
from seriatim.explain.telling import tell_fault, tell_run
from seriatim.explain.timeline import Timeline
from seriatim.program.inputs import Input
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.replay import name_turns, replay_turns
from seriatim.systems.run import LONG_RUN, FaultyRun, Run
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

RunningEvidence = (
    RunEvidence | FoldedRunEvidence | CycleEvidence | PointsEvidence | FaultRunEvidence | StuckRunEvidence
)
"""Evidence that is a run."""


def retrace(evidence: Evidence, content: Input, limits: Limits, deadline: Deadline) -> tuple[Run, Origin]:
    """The run, and the unfolding of its numbers. Raises `ImpossibleTurn`, `TooManyTurns`, `LimitReached`."""
    assert isinstance(evidence, RunningEvidence), "a proof has no run"
    unfolding = unfold(content, limits, deadline, dead_ends=True)
    turns = name_turns(evidence) if isinstance(evidence, FoldedRunEvidence) else evidence.turns
    return replay_turns(turns, unfolding), unfolding


def retell(
    evidence: Evidence, content: Input, source: SourceText, limits: Limits, long: int = LONG_RUN
) -> Timeline:
    """The run for readers, folded if it has more turns than `long`. Raises the same as `retrace`."""
    run, unfolding = retrace(evidence, content, limits, Deadline())
    if isinstance(evidence, FaultRunEvidence) and isinstance(unfolding, ProgramUnfolding):
        faulty = failing_step(run, evidence, unfolding)
        if faulty is not None:
            return tell_fault(faulty, unfolding, source).timeline
    barriers = evidence.barriers if isinstance(evidence, RunEvidence) else ()
    return tell_run(run, unfolding, source, barriers, long=long)


def failing_step(run: Run, evidence: FaultRunEvidence, unfolding: ProgramUnfolding) -> FaultyRun | None:
    """The step that fails after the run; None if the run was found with other choices, after which it does
    not."""
    request = evidence.request - 1
    before = run.turns[-1].after if run.turns else INITIAL_GLOBAL
    own = [turn.target for turn in run.turns if turn.request == request]
    fresh = unfolding.starts[unfolding.requests.index(evidence.handler)]
    local = own[-1] if own else fresh
    unfolding.moves(local, before)  # This finds the mistakes of the step.
    fault = unfolding.faults.get((local, before))
    return None if fault is None else FaultyRun(run, request, local, before, fault)
