"""Evidence of the kind `no-cycle`: accepted if brute force finds no cycle of conflicts, and else refused."""

from dataclasses import replace
from typing import Literal, cast

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.checking.actions import ProgramActs
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.cover import Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.no_cycle import NO_CYCLE, Explored, Plot, Plots, by_hidden, by_other, by_tip
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.frontends.ser.parser import parse
from seriatim.program.actions import NO_ACCESSES, Accesses
from seriatim.program.execution import big_steps
from seriatim.program.inputs import digest
from seriatim.properties.conflict_serializable import ConflictSerializability
from testkit.oracles.conflict_graphs import violated_with


def report(text: str, evidence: NoCycleEvidence, limit: int = 100_000) -> Report:
    content = parse(text)
    question = ConflictSerializability()
    return verify(
        Certificate(digest(content), "conflict_serializable", evidence, question),
        content,
        Context(Allowance(limit)),
    )


PAIRS = NoCycleEvidence(2, ())


def once(name: str, body: str) -> str:
    """A handler of which only the first request does anything."""
    flag = name.upper()
    return f"request {name} {{ if ({flag} == 0) {{ {flag} := 1; {body} }} else {{ 9 }} }} "


CYCLES: dict[str, tuple[int, str]] = {
    "one who reads and writes, and one between": (
        1,
        "request slow { x := X; yield; X := x; 0 } request fast { X := 1; 0 }",
    ),
    "one who writes twice, and one who reads between": (
        1,
        "request slow { X := 1; yield; X := 2; 0 } request fast { X }",
    ),
    "one who reads twice, and one who writes between": (
        1,
        "request slow { X; yield; X } request fast { X := 1; 0 }",
    ),
    "several of the same": (1, "request slow { x := X; yield; X := 1 - x; 0 }"),
    "a chain of two": (
        1,
        "request slow { X; yield; Z; 0 } request b { X := 1; Y := 1; 0 } request c { Y; Z := 1; 0 }",
    ),
    "a chain of two who act twice": (
        1,
        """request slow { X; yield; Z; 0 } request b { X := 1; yield; Y := 1; 0 }
        request c { Y; yield; Z := 1; 0 }""",
    ),
    "a chain whose first has begun before": (
        1,
        "request slow { X; yield; Z; 0 } request b { W := 1; yield; X := 1; yield; W; yield; Z := 1; 0 }",
    ),
    "who closes the cycle does something else before": (
        1,
        "request slow { X; yield; W; yield; X := 1; 0 } request fast { X := 2; W := 1; 0 }",
    ),
    "who comes between has begun before": (
        1,
        "request slow { X; yield; X + X } " + once("b", "yield; X := 1; 0"),
    ),
    "who closes the cycle looks at what nobody writes before": (
        1,
        "request slow { X; yield; R; yield; R + R; yield; X := 1; 0 } request fast { X := 2; 0 }",
    ),
    "one in the chain looks at what nobody writes before": (
        1,
        "request slow { X; yield; Y; 0 } request b { X := 1; yield; R; yield; Y := 1; 0 }",
    ),
    "who acts twice is where it began": (
        1,
        "request a { while (1) { while (Z % 2 == 1) { yield }; if (Z < 4) { Z := Z + 1 }; yield } } "
        + once("b", "yield; while (Z != 1) { yield }; Z := 2; 0"),
    ),
    "write skew": (2, once("a", "X; yield; Y := 1; 0") + once("b", "Y; yield; X := 1; 0")),
    "write skew with chains": (
        2,
        once("a", "X; yield; Y := 1; 0")
        + once("b", "V; yield; U := 1; 0")
        + once("c", "V := 1; Y; 0")
        + once("d", "X := 1; U; 0"),
    ),
    "three in a circle": (
        3,
        once("a", "X; yield; Y := 1; 0")
        + once("b", "Y; yield; Z := 1; 0")
        + once("c", "Z; yield; X := 1; 0"),
    ),
}


@pytest.mark.parametrize(("backward", "text"), CYCLES.values(), ids=CYCLES.keys())
def test_where_there_is_a_cycle_nothing_is_accepted(backward: int, text: str) -> None:
    assert any(violated_with(parse(text), requests) for requests in (2, 3, 4))
    assert report(text, NoCycleEvidence(1, ())).complaint.startswith(NO_CYCLE)
    noun = "request" if backward == 1 else "requests"
    assert report(text, PAIRS).complaint == f"{NO_CYCLE}: one with {backward} backward {noun} is not excluded"


NO_CYCLES: dict[str, str] = {
    "nobody writes": "request a { X; yield; Y; yield; X }",
    "nothing is shared": "request a { yield; 1 }",
    "each acts once": "request a { X := 1; yield; 0 } request b { X }",
    "only the first action conflicts": "request a { X; yield; Y; yield; Y } request b { X := 1; 0 }",
    "a chain that does not close": once("slow", "X; yield; Z; 0")
    + once("b", "X := 1; yield; Y := 1; 0")
    + "request c { Y; W := 1; 0 } request d { Z := 1; 0 }",
    "a circle with a gap": once("a", "X; yield; Y := 1; 0")
    + once("b", "Y; yield; Z := 1; 0")
    + once("c", "Z; yield; W := 1; 0"),
    "a spin lock": """
        request a { while (L == 1) { yield }; L := 1; yield; X := 1 - X; yield; X; yield; L := 0; 0 }
        request b { while (L == 1) { yield }; X }""",
    "write skew under a lock": """
        request a { while (L == 1) { yield }; L := 1; yield; X; yield; Y := 1; L := 0; 0 }
        request b { while (L == 1) { yield }; L := 1; yield; Y; yield; X := 1; L := 0; 0 }""",
    "only one of them ever acts twice": """
        request a { if (S == 0) { S := 1; yield; X := 1; yield; X := 2; 0 } else { 1 } }""",
}


@pytest.mark.parametrize("text", NO_CYCLES.values(), ids=NO_CYCLES.keys())
def test_where_there_is_no_cycle_pairs_are_a_proof(text: str) -> None:
    assert not any(violated_with(parse(text), requests) for requests in (2, 3))
    assert report(text, PAIRS).complaint == ""


def test_what_was_explored_is_told() -> None:
    found = report(NO_CYCLES["a spin lock"], PAIRS).obligations[-1]
    assert (found.claim, found.detail) == (NO_CYCLE, "32 situations explored, looked at in pairs (level 2)")
    found = report(NO_CYCLES["each acts once"], NoCycleEvidence(1, ())).obligations[-1]
    assert found.detail == "2 situations explored, looked at one by one (level 1)"
    found = report(NO_CYCLES["nobody writes"], PAIRS).obligations[-1]
    assert found.detail == "0 situations explored, looked at in pairs (level 2)"


def test_one_by_one_locks_are_of_no_help_without_their_invariants() -> None:
    """That two requests do not hold a lock together is a fact about pairs, or about a sum over requests."""
    complaint = report(NO_CYCLES["a spin lock"], NoCycleEvidence(1, ())).complaint
    assert complaint == f"{NO_CYCLE}: one with 1 backward request is not excluded"
    found = report(NO_CYCLES["a spin lock"], NoCycleEvidence(1, (Invariant("L", 1),)))
    assert found.accepted
    assert found.obligations[-1].data == (Invariant("L", 1),)


def test_there_are_two_levels() -> None:
    for level in (0, 3):
        evidence = NoCycleEvidence(cast(Literal[1, 2], level), ())
        assert "looked at in pairs (level 2)" in report("request a { 0 }", evidence).obligations[-1].detail


def test_situations_are_not_explored_for_nothing() -> None:
    with pytest.raises(GaveUp):
        report(NO_CYCLES["a circle with a gap"], PAIRS, limit=1_000)
    with pytest.raises(GaveUp):
        plots("request a { X }", limit=0)


# --- how long a shortest cycle is ---------------------------------------------------------------------------


def plots(text: str, limit: int = 1_000) -> Plots[ProgramState]:
    reference = ProgramReference(parse(text), big_steps)
    flights = Flights(reference, Allowance(1_000, Deadline()))
    cover = close_cover(flights, Precision(1, ()), is_serial=False, hopeful=None)
    return Plots(ProgramActs(reference), cover, Allowance(limit, Deadline()))


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("request a { X; Y }", 0),
        ("request a { X := 1; 0 }", 3),
        ("request a { X := 1; Y := 1; Z := 1; 0 }", 3),
        ("request a { V := 1; X := 1; Y := 1; Z := 1; W; 0 }", 4),
        # Who writes a variable is not said to read it as well.
        ("request a { V := 1 - V; X := 1; Y := 1; Z := 1; 0 }", 4),
        ("request a { V := 1; X := 1; Y := 1; Z := 1; yield; X; yield; Y; 0 }", 6),
        ("request a { V := 1; W := 1; X := 1; yield; 0 } request b { V; 0 } request c { W; X; 0 }", 6),
    ],
)
def test_variables_bound_the_length_of_a_shortest_cycle(text: str, longest: int) -> None:
    """Each that is written counts once, and once more if some action reads it without writing it."""
    assert plots(text).longest_cycle() == longest


@pytest.mark.parametrize(("is_full", "explored"), [(True, [1, 2, 3, 4]), (False, [1])])
def test_all_numbers_of_backward_requests_are_explored_unless_not_all_of_them_can_begin(
    monkeypatch: pytest.MonkeyPatch, is_full: bool, explored: list[int]
) -> None:
    asked: list[int] = []

    def explore(_: Plots[ProgramState], count: int) -> Explored:
        asked.append(count)
        return Explored(is_full, 10)

    monkeypatch.setattr(Plots, "explored", explore)
    found = report("request a { V := 1; X := 1; Y := 1; Z := 1; 0 } request b { 0 }", PAIRS)
    assert asked == explored
    assert found.obligations[-1].detail.startswith(f"{10 * len(explored)} situations explored")


# --- one action after another -------------------------------------------------------------------------------

READ_X, READ_Y, READ_Z = (Accesses(frozenset({name})) for name in "XYZ")
WRITE_X, WRITE_Y, WRITE_BOTH = (Accesses(writes=frozenset(names)) for names in ("X", "Y", "XY"))

NOBODY = Plot(0, ("unborn", "unborn"), (None, None))
FIRST = Plot(0, (5, "unborn"), (READ_X, None), frozenset({0}))
"""The first of two backward requests has read X, and is at 5."""
BOTH = Plot(0, (5, 6), (READ_X, READ_Y), frozenset({0, 1}))
CARRIED = replace(BOTH, own=frozenset())
"""Somebody has carried on both chains."""
ALONE = Plot(0, (5,), (READ_X,), frozenset({0}))

HIDDEN: dict[str, tuple[Plot, int, int | None, Accesses, list[Plot]]] = {
    "goes on": (CARRIED, 0, 7, READ_Z, [replace(CARRIED, hidden=(7, 6))]),
    "goes on without touching anything": (CARRIED, 1, 7, NO_ACCESSES, [replace(CARRIED, hidden=(5, 7))]),
    "is never noticed again": (CARRIED, 0, None, READ_Z, []),
    "is caught by the last chain": (CARRIED, 0, 7, WRITE_Y, [Plot(0, ("caught", 6), (READ_X, None))]),
    "is caught by the first chain": (CARRIED, 1, 7, WRITE_X, [Plot(0, (5, "caught"), (None, READ_Y))]),
    "is caught in its last action": (CARRIED, 1, None, WRITE_X, [Plot(0, (5, "caught"), (None, READ_Y))]),
    "would close its own chain": (CARRIED, 0, 7, WRITE_X, []),
    "conflicts with two chains": (CARRIED, 0, 7, WRITE_BOTH, []),
    "conflicts with its own a": (BOTH, 0, 7, WRITE_X, [replace(BOTH, hidden=(7, 6))]),
    "conflicts with its own a and is caught": (
        BOTH,
        0,
        7,
        WRITE_BOTH,
        [Plot(0, ("caught", 6), (READ_X, None), frozenset({0}))],
    ),
    "is caught by the a of another": (
        BOTH,
        1,
        7,
        WRITE_X,
        [Plot(0, (5, "caught"), (None, READ_Y), frozenset({1}))],
    ),
    "alone, does not follow upon its own a": (ALONE, 0, 7, WRITE_X, [replace(ALONE, hidden=(7,))]),
    "alone, is caught by its chain": (
        replace(ALONE, own=frozenset()),
        0,
        7,
        WRITE_X,
        [Plot(0, ("caught",), (None,))],
    ),
}


@pytest.mark.parametrize(("plot", "index", "target", "accesses", "then"), HIDDEN.values(), ids=HIDDEN.keys())
def test_a_backward_request_acts(
    plot: Plot, index: int, target: int | None, accesses: Accesses, then: list[Plot]
) -> None:
    assert list(by_hidden(plot, index, target, accesses)) == then


TIPPED = Plot(0, (5, 6), (8, READ_Y), frozenset({1}))
"""The first chain is carried on by somebody at 8."""

TIPS: dict[str, tuple[int | None, Accesses, list[Plot]]] = {
    "by this action, or by a later one": (
        9,
        WRITE_X,
        [replace(TIPPED, tips=(WRITE_X, READ_Y)), replace(TIPPED, tips=(9, READ_Y))],
    ),
    "by this action, as it is the last": (None, WRITE_X, [replace(TIPPED, tips=(WRITE_X, READ_Y))]),
    "by a later one, as this touches nothing": (9, NO_ACCESSES, [replace(TIPPED, tips=(9, READ_Y))]),
    "by none": (None, NO_ACCESSES, []),
    "not by one in conflict with another chain": (9, WRITE_Y, []),
}


@pytest.mark.parametrize(("target", "accesses", "then"), TIPS.values(), ids=TIPS.keys())
def test_a_chain_is_carried_on(target: int | None, accesses: Accesses, then: list[Plot]) -> None:
    assert list(by_tip(TIPPED, 0, target, accesses)) == then


OTHERS: dict[str, tuple[Plot, int | None, Accesses, list[Plot]]] = {
    "begins as the first": (NOBODY, 5, READ_X, [FIRST]),
    "begins as the second": (FIRST, 6, READ_Y, [BOTH]),
    "does not begin with what touches nothing": (NOBODY, 5, NO_ACCESSES, []),
    "does not begin with its last action": (NOBODY, None, READ_X, []),
    "does not begin in conflict with a chain": (
        FIRST,
        None,
        WRITE_X,
        [Plot(0, (5, "unborn"), (WRITE_X, None))],
    ),
    "carries on a chain, by this action or by a later one": (
        FIRST,
        6,
        WRITE_X,
        [Plot(0, (5, "unborn"), (WRITE_X, None)), Plot(0, (5, "unborn"), (6, None))],
    ),
    "carries on one of two": (
        BOTH,
        None,
        WRITE_Y,
        [Plot(0, (5, 6), (READ_X, WRITE_Y), frozenset({0}))],
    ),
    "does not carry on two": (BOTH, 7, WRITE_BOTH, []),
    "has no effect": (BOTH, 7, READ_Z, []),
    "begins in any place but the first": (
        Plot(0, (5, "unborn", "unborn"), (READ_X, None, None)),
        6,
        READ_Y,
        [
            Plot(0, (5, 6, "unborn"), (READ_X, READ_Y, None), frozenset({1})),
            Plot(0, (5, "unborn", 6), (READ_X, None, READ_Y), frozenset({2})),
        ],
    ),
}


@pytest.mark.parametrize(("plot", "target", "accesses", "then"), OTHERS.values(), ids=OTHERS.keys())
def test_somebody_else_acts_perhaps_for_nothing(
    plot: Plot, target: int | None, accesses: Accesses, then: list[Plot]
) -> None:
    assert list(by_other(plot, target, accesses)) == [plot, *then]
