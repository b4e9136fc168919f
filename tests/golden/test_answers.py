"""Answers are those that are recorded in `answers.tsv`; `golden_answers.py` says how to record them."""

from collections.abc import Sequence

import pytest

from testkit.running.golden_answers import Asked, everything, recorded
from testkit.samples import sample

RECORDED = recorded()
KNOWN = [each for each in everything() if each.label in RECORDED]
PARTS = 10
HINT = (
    "if that is right, record it: "
    "PYTHONPATH=tests:reliability .venv/bin/python -m testkit.running.golden_answers --accept"
)


def test_most_of_what_is_recorded_is_still_asked() -> None:
    """An example whose text changes is left out until its answer is recorded."""
    same = sum(each.digest == RECORDED[each.label].text for each in KNOWN)
    assert same > 0.9 * len(RECORDED) > 2_000


@pytest.mark.parametrize("part", range(PARTS))
def test_answers_are_the_recorded_ones(part: int) -> None:
    found = changed(KNOWN[part::PARTS])
    assert not found, "\n".join((*found, HINT))


def changed(asked: Sequence[Asked]) -> list[str]:
    """Compare a sample of answers with the recorded ones."""
    found: list[str] = []
    for each in (asked[number] for number in sample(len(asked), 40)):
        before = RECORDED[each.label]
        if each.digest == before.text and (now := each.answer()) != before.answer:
            found.append(f"{each.label}: {before.answer!r} is recorded, {now!r} found")
    return found
