"""Grades: a result is solved only if nothing that is known beforehand contradicts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from seriatim.bench.reference import Reference
from seriatim.bench.result import VERDICTS, Outcome, Result


class Grade(StrEnum):
    """Grades, the most important one first."""

    WRONG = "wrong"
    BAD_INPUT = "bad input"
    UNDECIDED = "undecided"
    SOLVED = "solved"


@dataclass(frozen=True, slots=True)
class Graded:
    result: Result
    grade: Grade
    complaint: str | None = None
    """What contradicts it, or why there is no verdict."""


def grade(result: Result, references: Sequence[Reference]) -> Graded:
    match result.outcome:
        case Outcome.SERIALIZABLE | Outcome.NOT_SERIALIZABLE:
            complaint = contradiction(result, references)
            return Graded(result, Grade.SOLVED if complaint is None else Grade.WRONG, complaint)
        case Outcome.COMPILED:
            return Graded(result, Grade.SOLVED)
        case Outcome.UNKNOWN:
            return Graded(result, Grade.UNDECIDED, result.reason)
        case Outcome.REFUSED:
            complaint = f"a bug in Seriatim: the checker refused its evidence: {result.reason}"
            return Graded(result, Grade.UNDECIDED, complaint)
        case Outcome.ERROR:
            return Graded(result, Grade.BAD_INPUT, result.reason)
        case _:
            assert_never(result.outcome)


def contradiction(result: Result, references: Sequence[Reference]) -> str | None:
    """The known verdict that contradicts this one, in words."""
    is_serializable = VERDICTS[result.outcome]
    for reference in references:
        entry = reference.find(result.file)
        if entry is not None and entry.is_serializable is (not is_serializable):
            said, known = _words(is_serializable), _words(not is_serializable)
            return f"decided {said}, but {reference.name} says {known}"
    return None


def _words(is_serializable: bool) -> str:
    return "serializable" if is_serializable else "not serializable"
