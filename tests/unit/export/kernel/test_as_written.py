"""What the kernel reads is what the text says: constructs stay, names become numbers."""

import pytest

from seriatim.export.kernel.as_written import as_written
from seriatim.export.kernel.lockstep import Differ, Running, atomic_steps
from seriatim.export.kernel.written import (
    AnyOf,
    Claimed,
    Fit,
    GetCell,
    SetCell,
    Take,
    TakeCell,
    Wait,
    Written,
)
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.surface import Policy
from seriatim.program.syntax import Assign, Binary, Number, Operator, Read, Sequence, Yield, sequence
from seriatim.source import SourceText

CELLS = ("A[0]", "A[1]")

ROWS: dict[str, tuple[str, tuple[Written, ...]]] = {
    "a lock": ("L := 0 request a { lock(L); unlock(L) }", (sequence(Take("L"), Assign("L", Number(0))),)),
    "a lock in an array": ("A[2] := 0 request a { lock(A[x]) }", (TakeCell(CELLS, Read("x")),)),
    "a lock by its number": (
        "A[2] := 0 request a(i in 0..1) { lock(A[1 - i]) }",
        (Take("A[1]"), Take("A[0]")),
    ),
    "an element": (
        "A[2] := 0 request a { A[x] + A[1] }",
        (Binary(Operator.ADD, GetCell(CELLS, Read("x")), Read("A[1]")),),
    ),
    "no such element": ("A[2] := 0 request a { A[2] }", (GetCell(CELLS, Number(2)),)),
    "an element with a range": (
        "A[2] in 0..3 saturate := 0 request a { A[x] := 7 }",
        (SetCell(CELLS, Read("x"), Fit(0, 3, Policy.SATURATE, Number(7))),),
    ),
    "a range": (
        "const N := 2\nX in 0..N := 0 request a { X := N }",
        (Assign("X", Fit(0, 2, Policy.REFUSE, Number(2))),),
    ),
    "a local with a range": (
        "request a { x in 1..2 wrap := 1; x := 3 }",
        (Sequence((Assign("x", Number(1)), Assign("x", Fit(1, 2, Policy.WRAP, Number(3))))),),
    ),
    "await, assert, choose": (
        "request a { await X; assert X; choose(1..3) }",
        (Sequence((Wait(Read("X")), Claimed(Read("X")), AnyOf(1, 3))),),
    ),
    "for": (
        "request a { for i in 1..2 { X := i } }",
        (Sequence((Assign("X", Number(1)), Assign("X", Number(2)), Number(0))),),
    ),
    "a call": (
        "fun f(v) { y := v; y } request a { f(X) }",
        (
            Sequence(
                (Assign("v@f", Read("X")), Assign("y@f", Number(0)), Assign("y@f", Read("v@f")), Read("y@f"))
            ),
        ),
    ),
    "a call with a call": (
        "fun f(v, w) { v - w } request a { f(X, f(Y, 2 * Z)) }",
        (
            sequence(
                Assign("#0#0@f", Read("X")),
                Assign(
                    "#0#1@f",
                    sequence(
                        Assign("#1#0@f", Read("Y")),
                        Assign("#1#1@f", Binary(Operator.MULTIPLY, Number(2), Read("Z"))),
                        Assign("v@f", Read("#1#0@f")),
                        Assign("w@f", Read("#1#1@f")),
                        Binary(Operator.SUBTRACT, Read("v@f"), Read("w@f")),
                    ),
                ),
                Assign("v@f", Read("#0#0@f")),
                Assign("w@f", Read("#0#1@f")),
                Binary(Operator.SUBTRACT, Read("v@f"), Read("w@f")),
            ),
        ),
    ),
}


@pytest.mark.parametrize(("text", "expected"), ROWS.values(), ids=ROWS)
def test_constructs_stay_what_they_are(text: str, expected: tuple[Written, ...]) -> None:
    source = SourceText("-", text)
    assert as_written(source, read_input(source)) == expected


@pytest.mark.parametrize(
    "source",
    [
        SourceText("x.ser", "request a(v: int) { X := v; 0 }"),
        SourceText("x.ser", "L in 0..0 := 0 request a { lock(L) }"),
    ],
    ids=["any integer", "a lock that cannot be taken"],
)
def test_other_programs_are_read_in_the_core(source: SourceText) -> None:
    assert as_written(source, read_input(source)) is None


@pytest.mark.parametrize(
    ("core", "other"),
    [
        (Assign("X", Number(1)), Assign("X", Number(2))),
        (Number(1), Number(2)),
        (Number(1), sequence(Yield(), Assign("X", Number(0)))),
        (Number(1), Claimed(Number(0))),
    ],
)
def test_forms_that_differ_are_noticed(core: Written, other: Written) -> None:
    with pytest.raises(Differ):
        list(atomic_steps((Running(core, (), ()), Running(other, (), ()))))
