"""Sums of globals and numbers of threads: what is wrong with them at the start, and what they come to."""

from dataclasses import replace

import pytest

from seriatim.certificate.thread_flows import Flow
from seriatim.checking.thread_flows import misfits
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import FINISHED
from seriatim.source import SourceText
from seriatim.terms.expressions import Constant, evaluate

PROGRAM = read_threads(
    SourceText(
        "t.conc",
        """
global n: int = 3; global open: bool = true; global any: int;
thread main() { while (*) { fork 0 w(); } }
thread w() { n := n + 1; n := n - 1; }
""",
    )
)
ENTRY = PROGRAM.main_template.entry
PLACE, *_, LAST = sorted(PROGRAM.by_name["w"].places)
FLOW = Flow(
    (("n", 5), ("open", 7)),
    ((ENTRY, 100),),
    (("w", PLACE, 0), ("w", LAST, 1), ("w", FINISHED, 2)),
    total=122,
)


def test_a_sum_with_its_total_is_right() -> None:
    assert list(misfits(PROGRAM, FLOW)) == []


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        (replace(FLOW, total=123), "the total is 122 at the start, not 123"),
        (replace(FLOW, total=121), "the total is 122 at the start, not 121"),
        (replace(FLOW, main=()), "the total is 22 at the start, not 122"),
        (replace(FLOW, globals=(("any", 0), *FLOW.globals)), "`any` has no initial value"),
        (replace(FLOW, globals=(("none", 0), *FLOW.globals)), "`none` has no initial value"),
        (replace(FLOW, globals=(("n", 0), *FLOW.globals)), "something is given twice"),
        (replace(FLOW, main=((ENTRY, 3), *FLOW.main)), "something is given twice"),
        (replace(FLOW, threads=(("w", PLACE, 3), *FLOW.threads)), "something is given twice"),
        (replace(FLOW, threads=(("v", PLACE, 0),)), f"`v` has no place {PLACE}"),
        (replace(FLOW, threads=(("w", 99, 0),)), "`w` has no place 99"),
        (replace(FLOW, threads=(("w", PLACE, -1),)), "a thread weighs less than nothing"),
    ],
)
def test_what_is_wrong_at_the_start_is_named(flow: Flow, message: str) -> None:
    assert list(misfits(PROGRAM, flow)) == [message]


@pytest.mark.parametrize(
    ("is_open", "place", "spots", "expected"),
    [
        (True, ENTRY, [], 50 + 7 + 100),
        (False, ENTRY, [], 50 + 100),
        (False, 98, [("w", FINISHED), ("w", FINISHED), ("w", LAST), ("w", PLACE), ("w", 98)], 50 + 5),
    ],
)
def test_a_sum_counts_globals_main_and_each_thread(
    is_open: bool, place: int, spots: list[tuple[str, int]], expected: int
) -> None:
    values = {"n": Constant(10), "open": Constant(is_open)}
    assert evaluate(FLOW.weigh(values, PROGRAM, place, spots), {}) == expected
