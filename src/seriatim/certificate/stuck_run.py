"""Evidence of the kind `stuck-run`: a run, and requests in flight that can never complete."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import WAITING, Waiting
from seriatim.certificate.turns import Turn, read_turn, turns_fields
from seriatim.strict_json import boolean, document, positive, record, string, values

KEYS = ("turns", "in_flight")
IN_FLIGHT = ("request", "stuck", *WAITING)


@dataclass(frozen=True, slots=True)
class InFlight:
    """A request in flight after the run."""

    request: int
    """The number of the request. Requests that arrived and took no step come after all others."""
    stuck: bool
    """Whether it can never complete."""
    waiting: Waiting
    """What it has left to do."""


@dataclass(frozen=True, slots=True)
class StuckRunEvidence:
    """Not free of deadlocks: after these turns, some requests in flight can never complete."""

    kind: ClassVar[Literal["stuck-run"]] = "stuck-run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    in_flight: tuple[InFlight, ...]
    """All requests in flight after the turns."""


def fields(evidence: StuckRunEvidence) -> dict[str, object]:
    in_flight = [
        {
            "request": each.request,
            "stuck": each.stuck,
            "handler": each.waiting.handler,
            "code": each.waiting.code,
            "values": dict(each.waiting.values),
        }
        for each in evidence.in_flight
    ]
    return {"turns": turns_fields(evidence.turns), "in_flight": in_flight}


def read(body: dict[str, object]) -> StuckRunEvidence:
    found = document(body, "the certificate", KEYS)
    return StuckRunEvidence(found.items("turns", read_turn), found.items("in_flight", read_in_flight))


def read_in_flight(value: object, where: str) -> InFlight:
    found = record(value, where, IN_FLIGHT)
    waiting = Waiting(
        handler=found.read("handler", string),
        code=found.read("code", string),
        values=found.read("values", values),
    )
    return InFlight(found.read("request", positive), found.read("stuck", boolean), waiting)
