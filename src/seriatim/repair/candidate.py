"""Candidates for a repair: a changed text, the program that it should be, and what the change means."""

from collections.abc import Iterable
from enum import StrEnum

from seriatim.frontends.ser.parser import parse
from seriatim.frozen import frozen
from seriatim.program.syntax import Program
from seriatim.repair.edit import Edit, edited
from seriatim.source import InputError


class Change(StrEnum):
    DROP = "drop"
    MOVE = "move"
    LOCK = "lock"


@frozen
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
    """Whether a loop has lost a yield: then it has to be shown that nobody spins in it for ever."""


def written(text: str, edits: Iterable[Edit], intended: Program) -> str | None:
    """The changed text, if it says what is intended; layout that a change would upset is caught here."""
    result = edited(text, edits)
    try:
        return result if parse(result) == intended else None
    except InputError:
        return None
