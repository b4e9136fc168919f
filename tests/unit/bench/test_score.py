"""Grades: a verdict that somebody contradicts is wrong, whatever else it is."""

import pytest

from seriatim.bench.result import Outcome
from seriatim.bench.score import Grade, grade
from testkit.inputs.bench_results import reference, result


@pytest.mark.parametrize(
    ("outcome", "known", "expected"),
    [
        (Outcome.SERIALIZABLE, None, Grade.SOLVED),
        (Outcome.SERIALIZABLE, True, Grade.SOLVED),
        (Outcome.SERIALIZABLE, False, Grade.WRONG),
        (Outcome.NOT_SERIALIZABLE, None, Grade.SOLVED),
        (Outcome.NOT_SERIALIZABLE, True, Grade.WRONG),
        (Outcome.NOT_SERIALIZABLE, False, Grade.SOLVED),
        (Outcome.COMPILED, False, Grade.SOLVED),
        (Outcome.UNKNOWN, False, Grade.UNDECIDED),
        (Outcome.REFUSED, True, Grade.UNDECIDED),
        (Outcome.ERROR, True, Grade.BAD_INPUT),
    ],
)
def test_the_grade_of_an_outcome(outcome: Outcome, known: bool | None, expected: Grade) -> None:
    assert grade(result("a.ser", outcome), [reference(("a.ser", known, None))]).grade is expected


def test_one_contradiction_among_several_references_suffices_and_is_named() -> None:
    agrees = reference(("a.ser", False, None), name="new.tsv")
    contradicts = reference(("a.ser", True, None), name="old.tsv")
    found = grade(result("a.ser", Outcome.NOT_SERIALIZABLE), [agrees, contradicts])
    assert found.grade is Grade.WRONG
    assert found.complaint == "decided not serializable, but old.tsv says serializable"


def test_a_file_that_no_reference_knows_is_solved() -> None:
    assert grade(result("b.ser"), [reference(("a.ser", False, None))]).grade is Grade.SOLVED
