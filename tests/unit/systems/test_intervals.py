"""Outcomes with intervals: which ones specifications allow, as the worked examples say."""

from collections import Counter

import pytest

from seriatim.budget import Deadline
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import SpecificationAutomaton
from seriatim.source import SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.intervals import IntervalAutomaton, IntervalSystem
from seriatim.systems.limits import Limits
from seriatim.systems.multiset import Multisets
from seriatim.systems.words import WrittenWords

STACK = """
spec {
    init empty;
    empty -> one: push/1;  empty -> empty: pop/0;
    one -> two: push/1;    one -> empty: pop/1;
    two -> two: push/0;    two -> one: pop/1;
}
"""

COUNTER = "spec { init a; a -> b: inc/0; b -> c: inc/0; a -> a: read/0; b -> b: read/1; c -> c: read/2; }"

Letter = tuple[str, str | None, int, int]
"""(request, response or None if it is pending, interval of its beginning, of its end)."""


def allows(text: str, barriers: int, outcome: list[Letter]) -> bool:
    automaton = read_specification(SourceText("test", text)).meaning
    assert isinstance(automaton, SpecificationAutomaton)
    names = sorted({step.request for step in automaton.steps})
    program = parse(" ".join(f"request {name} {{ 0 }}" for name in names))
    system = IntervalSystem(unfold(program, Limits(), Deadline()), barriers, pending=True)
    allowed = IntervalAutomaton(WrittenWords(automaton), system, 1_000, Deadline())
    letters = Counter(
        system.completion(names.index(request), response, began - 1, (ended if response else began) - 1)
        for request, response, began, ended in outcome
    )
    multisets = Multisets()
    return SerialOutcomes(allowed, multisets).allows(multisets.number(tuple(sorted(letters.elements()))))


@pytest.mark.parametrize(
    ("specification", "barriers", "outcome", "expected"),
    [
        (STACK, 0, [("push", "1", 1, 1), ("pop", "1", 1, 1), ("pop", "1", 1, 1)], False),
        (STACK, 0, [("push", "1", 1, 1), ("pop", "1", 1, 1)], True),
        (STACK, 1, [("pop", "1", 1, 1), ("push", "1", 2, 2)], False),
        (STACK, 1, [("pop", "1", 1, 2), ("push", "1", 2, 2)], True),
        (STACK, 1, [("pop", "1", 1, 1), ("push", None, 1, 0)], True),
        (STACK, 1, [("pop", "1", 1, 1), ("push", None, 2, 0)], False),
        (COUNTER, 1, [("inc", "0", 1, 1), ("inc", "0", 1, 1), ("read", "1", 2, 2)], False),
        (COUNTER, 0, [("inc", "0", 1, 1), ("inc", "0", 1, 1), ("read", "1", 1, 1)], True),
        (COUNTER, 1, [("inc", "0", 1, 2), ("inc", "0", 1, 1), ("read", "1", 2, 2)], True),
        (
            STACK,
            2,
            [
                ("push", "1", 1, 1),
                ("push", None, 1, 0),
                ("pop", "1", 1, 2),
                ("pop", "0", 2, 3),
                ("push", "1", 3, 3),
            ],
            True,
        ),
    ],
)
def test_an_outcome_is_allowed_if_some_order_respects_time(
    specification: str, barriers: int, outcome: list[Letter], expected: bool
) -> None:
    assert allows(specification, barriers, outcome) == expected
