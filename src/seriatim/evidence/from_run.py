"""A run as evidence: the numbers of an unfolding translated back to the terms of its input."""

from seriatim.certificate.format import GlobalState, RunEvidence, Turn
from seriatim.network.from_input import Origin
from seriatim.network.run import Run
from seriatim.network.unfolding import ProgramUnfolding


def run_evidence(run: Run, origin: Origin) -> RunEvidence:
    turns: list[Turn] = []
    for turn in run.turns:
        response = origin.completions[~turn.target][1] if turn.target < 0 else None
        handler = origin.requests[origin.request_of(turn.local)]
        turns.append(Turn(turn.request + 1, handler, global_state(origin, turn.after), response))
    return RunEvidence(tuple(turns))


def global_state(origin: Origin, global_: int) -> GlobalState:
    if isinstance(origin, ProgramUnfolding):
        return tuple(zip(origin.global_names, origin.global_values[global_], strict=True))
    return origin.system.globals[origin.global_order[global_]]
