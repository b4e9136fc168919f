"""Evidence of the kind `linear-cover` as JSON: cuts, and serial paths with their cycles."""

from typing import Literal

from seriatim.certificate.format import (
    CoverEvidence,
    CutPlaces,
    Invariant,
    SerialCycle,
    SerialPath,
    SerialStep,
    Situation,
    Situations,
    Waiting,
)
from seriatim.strict_json import (
    global_state,
    items,
    natural_or_nothing,
    positive,
    record,
    state_fields,
    string,
    values,
)

COVER_FIELDS = ("situations", "cuts", "covers")
SITUATIONS = ("direction", "waiting", "cases")
SITUATION = ("global", "numbers")
CUT = ("kind", "globals", "situations", "waiting")
WAITING = ("handler", "code", "values")
PATH = ("path", "cycles")
CYCLE = ("at", "path")
STEP = ("handler", "response", "after")
DIRECTIONS: tuple[Literal["forward", "backward"], ...] = ("forward", "backward")
CUT_KINDS: tuple[Literal["siphon", "trap"], ...] = ("siphon", "trap")


def cover_fields(evidence: CoverEvidence) -> dict[str, object]:
    return {
        "situations": None if evidence.situations is None else _situations_fields(evidence.situations),
        "cuts": [_cut_fields(cut) for cut in evidence.cuts],
        "covers": [path_fields(cover) for cover in evidence.covers],
    }


def _situations_fields(situations: Situations) -> dict[str, object]:
    cases = [dict(zip(SITUATION, (state_fields(c.state), c.numbers), strict=True)) for c in situations.cases]
    return dict(
        zip(SITUATIONS, (situations.direction, waiting_fields(situations.waiting), cases), strict=True)
    )


def _cut_fields(cut: CutPlaces) -> dict[str, object]:
    globals_ = [state_fields(state) for state in cut.globals]
    fields = (cut.kind, globals_, cut.situations, waiting_fields(cut.waiting))
    return dict(zip(CUT, fields, strict=True))


def waiting_fields(waiting: tuple[Waiting, ...]) -> list[dict[str, object]]:
    return [dict(zip(WAITING, (w.handler, w.code, dict(w.values)), strict=True)) for w in waiting]


def path_fields(cover: SerialPath) -> dict[str, object]:
    cycles = [
        dict(zip(CYCLE, (state_fields(c.at), _steps_fields(c.steps)), strict=True)) for c in cover.cycles
    ]
    return dict(zip(PATH, (_steps_fields(cover.steps), cycles), strict=True))


def _steps_fields(steps: tuple[SerialStep, ...]) -> list[dict[str, object]]:
    return [dict(zip(STEP, (s.handler, s.response, state_fields(s.after)), strict=True)) for s in steps]


def read_cover(
    fields: dict[str, object], level: Literal[1, 2], invariants: tuple[Invariant, ...]
) -> CoverEvidence:
    return CoverEvidence(
        level=level,
        invariants=invariants,
        situations=None if fields["situations"] is None else _situations(fields["situations"], "situations"),
        cuts=items(fields["cuts"], "cuts", _cut),
        covers=items(fields["covers"], "covers", read_path),
    )


def _situations(value: object, where: str) -> Situations:
    fields = record(value, where, SITUATIONS)
    return Situations(
        direction=fields.one_of("direction", DIRECTIONS),
        waiting=fields.items("waiting", read_waiting),
        cases=fields.items("cases", _situation),
    )


def _situation(value: object, where: str) -> Situation:
    fields = record(value, where, SITUATION)
    return Situation(
        state=fields.read("global", global_state),
        numbers=fields.items("numbers", natural_or_nothing),
    )


def _cut(value: object, where: str) -> CutPlaces:
    fields = record(value, where, CUT)
    return CutPlaces(
        kind=fields.one_of("kind", CUT_KINDS),
        globals=fields.items("globals", global_state),
        situations=fields.items("situations", positive),
        waiting=fields.items("waiting", read_waiting),
    )


def read_waiting(value: object, where: str) -> Waiting:
    fields = record(value, where, WAITING)
    return Waiting(
        handler=fields.read("handler", string),
        code=fields.read("code", string),
        values=fields.read("values", values),
    )


def read_path(value: object, where: str) -> SerialPath:
    fields = record(value, where, PATH)
    return SerialPath(
        steps=fields.items("path", _step),
        cycles=fields.items("cycles", _cycle),
    )


def _cycle(value: object, where: str) -> SerialCycle:
    fields = record(value, where, CYCLE)
    return SerialCycle(
        at=fields.read("at", global_state),
        steps=fields.items("path", _step),
    )


def _step(value: object, where: str) -> SerialStep:
    fields = record(value, where, STEP)
    return SerialStep(
        handler=fields.read("handler", string),
        response=fields.read("response", string),
        after=fields.read("after", global_state),
    )
