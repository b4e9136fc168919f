"""Evidence of the kind `folded-run` as JSON: turns of anybody, and stretches of them that are repeated."""

from functools import partial

from seriatim.certificate.format import AnyTurn, FoldedRunEvidence, Stop
from seriatim.folding import Folded, Repeated
from seriatim.strict_json import (
    global_state,
    integer_from,
    items,
    record,
    state_fields,
    string,
    values,
    wrong,
)

ANY_TURN = ("handler", "start", "after", "end")
STOP = ("code", "values")
REPEATED = ("times", "turns")

MAX_DEPTH = 60
"""Of stretches that are repeated, one in the other."""


def folded_run_fields(evidence: FoldedRunEvidence) -> dict[str, object]:
    return {"turns": _turns_fields(evidence.turns)}


def _turns_fields(turns: tuple[Folded[AnyTurn], ...]) -> list[dict[str, object]]:
    return [
        dict(zip(REPEATED, (turn.times, _turns_fields(turn.items)), strict=True))
        if isinstance(turn, Repeated)
        else _turn_fields(turn)
        for turn in turns
    ]


def _turn_fields(turn: AnyTurn) -> dict[str, object]:
    start = None if turn.start is None else _stop_fields(turn.start)
    end = turn.end if isinstance(turn.end, str) else _stop_fields(turn.end)
    return dict(zip(ANY_TURN, (turn.handler, start, state_fields(turn.after), end), strict=True))


def _stop_fields(stop: Stop) -> dict[str, object]:
    return dict(zip(STOP, (stop.code, dict(stop.values)), strict=True))


def read_folded_run(fields: dict[str, object]) -> FoldedRunEvidence:
    return FoldedRunEvidence(_turns(fields["turns"], "turns", MAX_DEPTH))


def _turns(value: object, where: str, depth: int) -> tuple[Folded[AnyTurn], ...]:
    if depth == 0:
        raise wrong(where, f"nested less than {MAX_DEPTH} deep")
    return items(value, where, lambda item, place: _item(item, place, depth))


def _item(value: object, where: str, depth: int) -> Folded[AnyTurn]:
    if not isinstance(value, dict) or "times" not in value:
        return _turn(value, where)
    fields = record(value, where, REPEATED)
    times = fields.read("times", partial(integer_from, 2))
    return Repeated(fields.read("turns", lambda turns, place: _stretch(turns, place, depth - 1)), times)


def _stretch(value: object, where: str, depth: int) -> tuple[Folded[AnyTurn], ...]:
    turns = _turns(value, where, depth)
    if not turns:
        raise wrong(where, "a list with at least one turn")
    return turns


def _turn(value: object, where: str) -> AnyTurn:
    fields = record(value, where, ANY_TURN)
    return AnyTurn(
        handler=fields.read("handler", string),
        start=fields.read("start", _start),
        after=fields.read("after", global_state),
        end=fields.read("end", _end),
    )


def _start(value: object, where: str) -> Stop | None:
    return None if value is None else _stop(value, where)


def _end(value: object, where: str) -> Stop | str:
    return value if isinstance(value, str) else _stop(value, where)


def _stop(value: object, where: str) -> Stop:
    fields = record(value, where, STOP)
    return Stop(code=fields.read("code", string), values=fields.read("values", values))
