"""Evidence of the kind `folded-run`: turns of unnamed requests, and repeated stretches of them."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from seriatim.codec import Codec, State, Values, codec_of
from seriatim.folding import Folded, Repeated
from seriatim.strict_json import (
    integer_from,
    items,
    record,
    wrong,
)

REPEATED = ("times", "turns")

MAX_DEPTH = 60
"""How deeply repeated stretches may be nested."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a request can pause."""

    code: str
    """The remaining code, or the name of the network system's local state."""
    values: Values
    """Values of local variables."""


@dataclass(frozen=True, slots=True)
class AnyTurn:
    """A request, any one at this stop, runs to its next pause or to its answer."""

    handler: str
    start: Stop | None
    """Where the request is; None if it has not begun."""
    after: State
    """The global state that it leaves."""
    end: Stop | str
    """Where the request pauses, or its response."""


FOLDED = {
    "type": "array",
    "items": {
        "anyOf": [
            AnyTurn,
            {
                "type": "object",
                "properties": {
                    "times": {"type": "integer", "minimum": 2},
                    "turns": {"$ref": "#/$defs/folded-turns", "minItems": 1},
                },
                "required": list(REPEATED),
                "additionalProperties": False,
            },
        ]
    },
}
"""Turns, and stretches of them that come several times; these are nested less than 60 deep."""


def _turns_fields(turns: tuple[Folded[AnyTurn], ...]) -> list[dict[str, object]]:
    return [
        dict(zip(REPEATED, (turn.times, _turns_fields(turn.items)), strict=True))
        if isinstance(turn, Repeated)
        else codec_of(AnyTurn).write(turn)
        for turn in turns
    ]


def _turns(depth: int, value: object, where: str) -> tuple[Folded[AnyTurn], ...]:
    if depth == 0:
        raise wrong(where, f"nested less than {MAX_DEPTH} deep")
    return items(value, where, partial(_item, depth))


def _item(depth: int, value: object, where: str) -> Folded[AnyTurn]:
    if not isinstance(value, dict) or "times" not in value:
        turn: AnyTurn = codec_of(AnyTurn).read(value, where)
        return turn
    fields = record(value, where, REPEATED)
    times = fields.read("times", partial(integer_from, 2))
    return Repeated(fields.read("turns", partial(_stretch, depth - 1)), times)


def _stretch(depth: int, value: object, where: str) -> tuple[Folded[AnyTurn], ...]:
    turns = _turns(depth, value, where)
    if not turns:
        raise wrong(where, "a list with at least one turn")
    return turns


@dataclass(frozen=True, slots=True)
class FoldedRunEvidence:
    """A violation: a long run with repetitions."""

    kind: ClassVar[Literal["folded-run"]] = "folded-run"
    proves: ClassVar[Literal[False]] = False

    turns: Annotated[
        tuple[Folded[AnyTurn], ...], Codec(partial(_turns, MAX_DEPTH), _turns_fields, schema=FOLDED)
    ]
