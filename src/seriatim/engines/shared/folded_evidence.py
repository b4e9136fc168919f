"""A long run as evidence: repeated parts are listed once."""

from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence, Stop
from seriatim.engines.shared.in_flight import waiting
from seriatim.folding import fold
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run, Turn


def fold_evidence(run: Run, origin: Origin) -> FoldedRunEvidence:
    """Evidence for a long run. It does not tell requests at the same local apart, so more parts repeat."""
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
    return FoldedRunEvidence(fold(turns))


def _any_turn(turn: Turn, origin: Origin, is_first: bool) -> AnyTurn:
    return AnyTurn(
        handler=origin.requests[origin.request_of(turn.local)],
        start=None if is_first else _stop(turn.local, origin),
        after=origin.global_state(turn.after),
        end=origin.completions[~turn.target][1] if turn.target < 0 else _stop(turn.target, origin),
    )


def _stop(local: int, origin: Origin) -> Stop:
    at = waiting(origin, local)
    return Stop(at.code, at.values)
