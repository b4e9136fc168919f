"""A run as evidence: the numbers of an unfolding translated back to the terms of its input."""

from typing import TYPE_CHECKING

from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.folding import LONG_RUN
from seriatim.properties.statement import Time
from seriatim.systems.from_input import Origin
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import Run

if TYPE_CHECKING:
    from seriatim.certificate.folded_run import FoldedRunEvidence


def violation_evidence(
    run: Run, barriers: tuple[int, ...], problem: OutcomeProblem
) -> "RunEvidence | FoldedRunEvidence":
    """A run and its barriers; folded if it is long, unless it matters who began when."""
    if len(run.turns) > LONG_RUN and not isinstance(problem.statement.seen, Time):
        from seriatim.engines.shared.folded_evidence import folded_evidence  # Few runs are long.

        return folded_evidence(run, problem.origin)
    return run_evidence(run, problem.origin, barriers)


def run_evidence(run: Run, origin: Origin, barriers: tuple[int, ...] = ()) -> RunEvidence:
    turns: list[Turn] = []
    for turn in run.turns:
        response = origin.completions[~turn.target][1] if turn.target < 0 else None
        handler = origin.requests[origin.request_of(turn.local)]
        turns.append(Turn(turn.request + 1, handler, origin.global_state(turn.after), response))
    return RunEvidence(tuple(turns), barriers)
