"""Candidates for a repair: a changed text, the program that it should be, and what the change means."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.surface import SurfaceProgram
from seriatim.program.syntax import Program
from seriatim.repair.edit import Edit, apply_edits
from seriatim.source import InputError


class Change(StrEnum):
    DROP = "drop"
    MOVE = "move"
    LOCK = "lock"
    RETRY = "retry"

    @property
    def keeps_yields(self) -> bool:
        return self in (Change.LOCK, Change.RETRY)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change of a program that leaves what a request does alone as it is."""

    change: Change
    title: str
    """What is done, in a phrase."""
    meaning: str
    """What that changes for those who run the program, in a sentence."""
    text: str
    program: Program
    yields: tuple[int, ...] = ()
    """The yields that are dropped or moved, by number in the order of the text."""
    may_spin: bool = False
    """Whether a loop has lost a yield: then a proof is needed that no request spins in it for ever."""
    held: int = 0
    """How many statements are under a lock, or retried: the fewer, the better."""
    never_hangs: bool = False
    """Whether it is proved that no request waits for ever."""
    family: str = ""
    """The family of similar changes in different places; the first one that is proved is enough."""


def candidate(
    change: Change,
    title: str,
    meaning: str,
    text: str,
    edits: Iterable[Edit],
    intended: SurfaceProgram,
    held: int,
) -> Candidate | None:
    """A candidate, if the changed text means what is intended."""
    changed = apply_edits(text, edits)
    try:
        if parse_surface(changed) != intended:
            return None
        return Candidate(change, title, meaning, changed, parse(changed), held=held, family=meaning)
    except InputError:
        return None


def write(text: str, edits: Iterable[Edit], intended: Program) -> str | None:
    """The changed text, if it says what is intended; layout that a change would upset is caught here."""
    result = apply_edits(text, edits)
    try:
        return result if parse(result) == intended else None
    except InputError:
        return None
