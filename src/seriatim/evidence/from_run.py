"""A run as evidence: the numbers of an unfolding translated back to the terms of its input."""

from seriatim.certificate.format import RunEvidence, Turn
from seriatim.network.from_input import Origin
from seriatim.network.run import Run


def run_evidence(run: Run, origin: Origin, barriers: tuple[int, ...] = ()) -> RunEvidence:
    turns: list[Turn] = []
    for turn in run.turns:
        response = origin.completions[~turn.target][1] if turn.target < 0 else None
        handler = origin.requests[origin.request_of(turn.local)]
        turns.append(Turn(turn.request + 1, handler, origin.global_state(turn.after), response))
    return RunEvidence(tuple(turns), barriers)
