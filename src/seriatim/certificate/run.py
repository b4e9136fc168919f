"""Evidence of the kind `run`: a run that nothing allowed explains."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn, read_turn, turns_fields
from seriatim.strict_json import document, positive

KEYS = ("turns",)
BARRIERS = "barriers"
"""An optional key, omitted if there are no barriers."""


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """A violation: a run. The checker finds out by itself that nothing allowed explains it."""

    kind: ClassVar[Literal["run"]] = "run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    barriers: tuple[int, ...] = ()
    """Turns before each barrier: requests answered before it precede requests that began after it."""


def fields(evidence: RunEvidence) -> dict[str, object]:
    barriers: dict[str, object] = {BARRIERS: list(evidence.barriers)} if evidence.barriers else {}
    return {"turns": turns_fields(evidence.turns), **barriers}


def read(body: dict[str, object]) -> RunEvidence:
    keys = (*KEYS, BARRIERS) if BARRIERS in body else KEYS
    found = document(body, "the certificate", keys)
    barriers = found.items(BARRIERS, positive) if BARRIERS in body else ()
    return RunEvidence(found.items("turns", read_turn), barriers)
