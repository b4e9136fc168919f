"""Evidence of the kind `folded-run`: turns of unnamed requests, and repeated stretches of them."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from seriatim.folding import Folded, Repeated
from seriatim.program.state import GlobalState
from seriatim.strict_json import (
    document,
    global_state,
    integer_from,
    items,
    record,
    state_fields,
    string,
    values,
    wrong,
)

KEYS = ("turns",)
ANY_TURN = ("handler", "start", "after", "end")
STOP = ("code", "values")
REPEATED = ("times", "turns")

MAX_DEPTH = 60
"""How deeply repeated stretches may be nested."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a request can pause."""

    code: str
    """The remaining code, or the name of the network system's local state."""
    values: tuple[tuple[str, int], ...]
    """Values of local variables."""


@dataclass(frozen=True, slots=True)
class AnyTurn:
    """A request, any one at this stop, runs to its next pause or to its answer."""

    handler: str
    start: Stop | None
    """Where the request is; None if it has not begun."""
    after: GlobalState
    """The global state that it leaves."""
    end: Stop | str
    """Where the request pauses, or its response."""


@dataclass(frozen=True, slots=True)
class FoldedRunEvidence:
    """A violation: a long run with repetitions."""

    kind: ClassVar[Literal["folded-run"]] = "folded-run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Folded[AnyTurn], ...]


def fields(evidence: FoldedRunEvidence) -> dict[str, object]:
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


def read(body: dict[str, object]) -> FoldedRunEvidence:
    found = document(body, "the certificate", KEYS)
    return FoldedRunEvidence(found.read("turns", partial(_turns, MAX_DEPTH)))


def _turns(depth: int, value: object, where: str) -> tuple[Folded[AnyTurn], ...]:
    if depth == 0:
        raise wrong(where, f"nested less than {MAX_DEPTH} deep")
    return items(value, where, partial(_item, depth))


def _item(depth: int, value: object, where: str) -> Folded[AnyTurn]:
    if not isinstance(value, dict) or "times" not in value:
        return _turn(value, where)
    fields = record(value, where, REPEATED)
    times = fields.read("times", partial(integer_from, 2))
    return Repeated(fields.read("turns", partial(_stretch, depth - 1)), times)


def _stretch(depth: int, value: object, where: str) -> tuple[Folded[AnyTurn], ...]:
    turns = _turns(depth, value, where)
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
