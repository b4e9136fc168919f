"""Steps of threads whose values are not all known, and descriptions that are not about the program."""

from dataclasses import replace

import pytest

from seriatim.certificate.thread_cover import CoveredState, Description, ThreadCoverEvidence
from seriatim.certificate.thread_run import Named
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation, report_on
from seriatim.checking.thread_cover import obligations as thread_cover_obligations
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import FINISHED
from seriatim.source import SourceText


def obligations(text: str, evidence: ThreadCoverEvidence, work: int = 10_000) -> list[Obligation]:
    program = read_threads(SourceText("t.conc", text))
    return list(report_on(thread_cover_obligations(program, evidence, Context(Allowance(work)))).obligations)


def is_accepted(text: str, evidence: ThreadCoverEvidence) -> bool:
    return all(each.holds for each in obligations(text, evidence))


ONE = "global x: 0..2 = 1; global b: bool = true; thread main() { local n: 0..2; local c: bool; x := x; }"
COVER = ThreadCoverEvidence(
    (Description("main", 0, None, ()),),
    (CoveredState((("b", True), ("x", 1)), (((0, 1),), ())),),
)


@pytest.mark.parametrize(
    "description",
    [
        Description("main", 0, None, (("n", 0), ("c", False))),
        Description("main", FINISHED, None, (("n", 2), ("c", True))),
    ],
)
def test_descriptions_that_are_not_used_do_no_harm(description: Description) -> None:
    assert is_accepted(ONE, replace(COVER, threads=(*COVER.threads, description)))


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (Description("v", 0, None, ()), "there is no template `v`"),
        (Description("main", 9, None, ()), "`main` has no place 9"),
        (Description("main", 0, None, (("x", 1),)), "there is no variable `x`"),
        (Description("main", 0, None, (("n", 3),)), "`n` cannot hold 3"),
        (Description("main", 0, None, (("n", -1),)), "`n` cannot hold -1"),
        (Description("main", 0, None, (("n", True),)), "`n` cannot hold True"),
        (Description("main", 0, None, (("c", 1),)), "`c` cannot hold 1"),
    ],
)
def test_a_description_is_about_the_program(description: Description, message: str) -> None:
    found = obligations(ONE, replace(COVER, threads=(*COVER.threads, description)))
    assert (found[0].holds, found[0].detail) == (False, message)


@pytest.mark.parametrize("named", [(("n", 1),), (("x", 3),), (("x", True),), (("b", 1),)])
def test_a_state_is_about_the_program(named: Named) -> None:
    assert not is_accepted(ONE, replace(COVER, states=(*COVER.states, CoveredState(named, ()))))


def anywhere(text: str, *others: Description) -> ThreadCoverEvidence:
    """Main and others are at any places, one thread each, and nothing is known."""
    main = read_threads(SourceText("t.conc", text)).main_template
    described = (*(Description("main", place, None, ()) for place in main.places), *others)
    beside = tuple((len(main.places) + number, 1) for number in range(len(others)))
    crowds = ((*beside,), *(((number, 1), *beside) for number in range(len(main.places))))
    return ThreadCoverEvidence(described, (CoveredState((), crowds), CoveredState((), crowds[0:0])))


@pytest.mark.parametrize(
    ("code", "accepted"),
    [
        ("assert x <= 2;", True),
        ("assert x <= 1;", False),
        ("assert x >= 1;", False),
        ("atomic { assume x == 1; x := x + 1; }", True),
        ("x := x + 1;", False),
        ("atomic { havoc x; assume x != 0; assert x >= 1; }", True),
        ("atomic { havoc x; assert x >= 1; }", False),
        ("atomic { havoc x; havoc b; assert x <= 1 || b; }", False),
        ("atomic { havoc x; havoc b; assert x <= 2 || b; }", True),
        ("atomic { assume b; havoc b; assert !b || x <= 1; }", False),
        ("atomic { assume x <= 1; havoc b; assert !b || x <= 1; }", True),
    ],
)
def test_all_values_of_what_is_not_known_are_tried(code: str, accepted: bool) -> None:
    text = f"global x: 0..2; global b: bool; thread main() {{ {code} }}"
    assert is_accepted(text, anywhere(text)) is accepted


RESULT = """
thread main() {{
  local d: 0..3; local t: 0..3;
  t := 0; d := 0; atomic {{ join 1 assign d; {code} }} while (*) {{ fork 1 w(); }}
}}
thread w() returns (r: 1..2) {{ assume r == 1; }}
"""


@pytest.mark.parametrize(
    ("code", "accepted"),
    [
        ("assert d >= 1;", True),
        ("assert d <= 2;", True),
        ("assert d == 1;", False),
        ("assert d == 2;", False),
        ("atomic { havoc t; assert d <= 2 || t == 0; }", True),
        ("atomic { havoc t; assume t != 2; assert d != t + 1; }", False),
    ],
)
def test_all_results_of_what_is_not_known_are_tried(code: str, accepted: bool) -> None:
    text = RESULT.format(code=code)
    assert read_threads(SourceText("t.conc", text)).has_joins
    any_number = anywhere(text, Description("w", 0, 1, ()), Description("w", FINISHED, 1, ()))
    crowds = tuple(
        tuple((number, None if number >= len(any_number.threads) - 2 else count) for number, count in crowd)
        for crowd in any_number.states[0].crowds
    )
    evidence = replace(any_number, states=(CoveredState((), crowds),))
    assert is_accepted(text, evidence) is accepted


def test_a_thread_fits_no_description_with_another_value() -> None:
    text = "thread main() {{ local n: 0..2; n := {}; assert n == 0; }}"
    first, second = read_threads(SourceText("t.conc", text.format(0))).main_template.places
    described = (Description("main", first, None, ()), Description("main", second, None, (("n", 0),)))
    evidence = ThreadCoverEvidence(described, (CoveredState((), (((0, 1),), ((1, 1),), ())),))
    assert is_accepted(text.format(0), evidence)
    assert not is_accepted(text.format(1), evidence)


def test_work_is_bounded() -> None:
    text = "global x: 0..2; thread main() { assert x <= 2; }"
    assert all(each.holds for each in obligations(text, anywhere(text), work=4))
    with pytest.raises(GaveUp):
        obligations(text, anywhere(text), work=3)
