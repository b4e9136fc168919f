"""A run as evidence: the numbers of an unfolding translated back to the terms of its input."""

from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence, Stop
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.engines.shared.in_flight import waiting
from seriatim.folding import LONG_RUN, folded
from seriatim.properties.statement import Time
from seriatim.systems.from_input import Origin
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import Run
from seriatim.systems.run import Turn as SystemTurn


def violation_evidence(
    run: Run, barriers: tuple[int, ...], problem: OutcomeProblem
) -> RunEvidence | FoldedRunEvidence:
    """A run and its barriers; folded if it is long, unless it matters who began when."""
    if len(run.turns) > LONG_RUN and not isinstance(problem.statement.seen, Time):
        return folded_evidence(run, problem.origin)
    return run_evidence(run, problem.origin, barriers)


def run_evidence(run: Run, origin: Origin, barriers: tuple[int, ...] = ()) -> RunEvidence:
    turns: list[Turn] = []
    for turn in run.turns:
        response = origin.completions[~turn.target][1] if turn.target < 0 else None
        handler = origin.requests[origin.request_of(turn.local)]
        turns.append(Turn(turn.request + 1, handler, origin.global_state(turn.after), response))
    return RunEvidence(tuple(turns), barriers)


def folded_evidence(run: Run, origin: Origin) -> FoldedRunEvidence:
    """Requests at the same local are not told apart, so that the same happens more often."""
    known: dict[tuple[int, int, int, bool], AnyTurn] = {}
    begun: set[int] = set()
    turns: list[AnyTurn] = []
    for turn in run.turns:
        is_first = turn.request not in begun
        begun.add(turn.request)
        key = (turn.local, turn.target, turn.after, is_first)
        if key not in known:
            known[key] = _any_turn(turn, origin, is_first)
        turns.append(known[key])
    return FoldedRunEvidence(folded(turns))


def _any_turn(turn: SystemTurn, origin: Origin, is_first: bool) -> AnyTurn:
    return AnyTurn(
        handler=origin.requests[origin.request_of(turn.local)],
        start=None if is_first else _stop(turn.local, origin),
        after=origin.global_state(turn.after),
        end=origin.completions[~turn.target][1] if turn.target < 0 else _stop(turn.target, origin),
    )


def _stop(local: int, origin: Origin) -> Stop:
    at = waiting(origin, local)
    return Stop(at.code, at.values)
