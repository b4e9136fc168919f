"""Evidence of the kind `linear-cover` as JSON: cuts, and serial paths with their cycles."""

from typing import Literal

from seriatim.certificate.format import (
    CoverEvidence,
    CutPlaces,
    Invariant,
    SerialCycle,
    SerialPath,
    SerialStep,
    Waiting,
)
from seriatim.certificate.strict_json import (
    global_state,
    items,
    members,
    one_of,
    state_fields,
    string,
    values,
)

COVER_FIELDS = ("cuts", "covers")
CUT = ("kind", "globals", "waiting")
WAITING = ("handler", "code", "values")
PATH = ("path", "cycles")
CYCLE = ("at", "path")
STEP = ("handler", "response", "after")
CUT_KINDS: tuple[Literal["siphon", "trap"], ...] = ("siphon", "trap")


def cover_fields(evidence: CoverEvidence) -> dict[str, object]:
    return {
        "cuts": [_cut_fields(cut) for cut in evidence.cuts],
        "covers": [_path_fields(cover) for cover in evidence.covers],
    }


def _cut_fields(cut: CutPlaces) -> dict[str, object]:
    waiting = [dict(zip(WAITING, (w.handler, w.code, dict(w.values)), strict=True)) for w in cut.waiting]
    return dict(zip(CUT, (cut.kind, [state_fields(state) for state in cut.globals], waiting), strict=True))


def _path_fields(cover: SerialPath) -> dict[str, object]:
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
        cuts=items(fields["cuts"], "cuts", _cut),
        covers=items(fields["covers"], "covers", _path),
    )


def _cut(value: object, where: str) -> CutPlaces:
    fields = members(value, f"`{where}`", CUT)
    return CutPlaces(
        kind=one_of(fields["kind"], f"{where}.kind", CUT_KINDS),
        globals=items(fields["globals"], f"{where}.globals", global_state),
        waiting=items(fields["waiting"], f"{where}.waiting", _waiting),
    )


def _waiting(value: object, where: str) -> Waiting:
    fields = members(value, f"`{where}`", WAITING)
    return Waiting(
        handler=string(fields["handler"], f"{where}.handler"),
        code=string(fields["code"], f"{where}.code"),
        values=values(fields["values"], f"{where}.values"),
    )


def _path(value: object, where: str) -> SerialPath:
    fields = members(value, f"`{where}`", PATH)
    return SerialPath(
        steps=items(fields["path"], f"{where}.path", _step),
        cycles=items(fields["cycles"], f"{where}.cycles", _cycle),
    )


def _cycle(value: object, where: str) -> SerialCycle:
    fields = members(value, f"`{where}`", CYCLE)
    return SerialCycle(
        at=global_state(fields["at"], f"{where}.at"),
        steps=items(fields["path"], f"{where}.path", _step),
    )


def _step(value: object, where: str) -> SerialStep:
    fields = members(value, f"`{where}`", STEP)
    return SerialStep(
        handler=string(fields["handler"], f"{where}.handler"),
        response=string(fields["response"], f"{where}.response"),
        after=global_state(fields["after"], f"{where}.after"),
    )
