"""The turns of a run, one request after the other, as runs of several kinds of evidence consist of them."""

from dataclasses import dataclass

from seriatim.program.state import GlobalState
from seriatim.strict_json import global_state, positive, record, state_fields, string, string_or_nothing

TURN = ("request", "handler", "after", "response")


@dataclass(frozen=True, slots=True)
class Turn:
    """One request runs from where it is to its next pause, or to its answer."""

    request: int
    """Which request of the run, counted from 1 in the order of their first turns."""
    handler: str
    after: GlobalState
    """The global state that it leaves."""
    response: str | None
    """Its answer, or None if it pauses."""


def turns_fields(turns: tuple[Turn, ...]) -> list[dict[str, object]]:
    return [
        dict(zip(TURN, (turn.request, turn.handler, state_fields(turn.after), turn.response), strict=True))
        for turn in turns
    ]


def read_turn(value: object, where: str) -> Turn:
    fields = record(value, where, TURN)
    return Turn(
        request=fields.read("request", positive),
        handler=fields.read("handler", string),
        after=fields.read("after", global_state),
        response=fields.read("response", string_or_nothing),
    )
