"""Which places and variables of thread programs can go: the conditions, one by one, each with a program that
would be "safe" without it."""

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.movers import Movers, Moves
from seriatim.program.threads.reduction import Stays, drop, fuse
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.reducing import reduce_threads
from seriatim.result import Holds, Violated
from seriatim.source import SourceText


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


def moves(text: str, template: str = "w") -> list[Moves]:
    """Of the steps of a template."""
    found = program(text)
    movers = Movers(found)
    return [movers.moves(found.by_name[template], edge) for edge in found.by_name[template].edges]


MAIN = "thread main() { while (*) { fork 0 w(); } }"
TAKE = "atomic { assume m == 0; m := 1; }"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("global m: 0..1 = 0; M thread w() { T m := 0; }", [Moves.RIGHT, Moves.LEFT]),
        (
            "global m: bool = false; M thread w() { atomic { assume !m; m := true; } m := false; }",
            [Moves.RIGHT, Moves.LEFT],
        ),
        # Released where it may not be held: no mutex.
        ("global m: 0..1 = 0; M thread w() { if (*) { T } m := 0; }", [Moves.BOTH] * 2 + [Moves.NEITHER] * 2),
        # Not free at first: whoever holds it is unknown.
        ("global m: 0..1 = 1; M thread w() { T m := 0; }", [Moves.NEITHER] * 2),
        ("global m: 0..1; M thread w() { T m := 0; }", [Moves.NEITHER] * 2),
        # Tested and set in two steps.
        ("global m: 0..1 = 0; M thread w() { assume m == 0; m := 1; m := 0; }", [Moves.NEITHER] * 3),
        # Something else looks at it.
        ("global m: 0..1 = 0; M thread w() { T m := 0; assert m <= 1; }", [Moves.NEITHER] * 3),
        # What is accessed under a mutex, and what is not.
        (
            "global m: 0..1 = 0; global x: int = 0; M thread w() { T x := x + 1; m := 0; }",
            [Moves.RIGHT, Moves.BOTH, Moves.LEFT],
        ),
        (
            "global m: 0..1 = 0; global x: int = 0; M thread w() { T x := x + 1; m := 0; x := 2; }",
            [Moves.RIGHT, Moves.NEITHER, Moves.LEFT, Moves.NEITHER],
        ),
        # A fork needs a local id and local arguments, a join a local id and local targets.
        (
            "global x: int = 0; M thread w() { local i: int; fork i v(i); fork x v(1); fork 1 v(x); x := 1; }"
            " thread v(n: int) { }",
            [Moves.LEFT, Moves.NEITHER, Moves.NEITHER, Moves.NEITHER],
        ),
        (
            "global x: int = 0; M thread w() { local i: int; join i; join x; join i assign i;"
            " join i assign x; } thread v() returns (r: int) { r := 0; }",
            [Moves.RIGHT, Moves.NEITHER, Moves.RIGHT, Moves.NEITHER],
        ),
        (
            "global x: int; M thread w() { fork x v(x); join x; } thread v(n: int) { }",
            [Moves.LEFT, Moves.RIGHT],
        ),
    ],
)
def test_movers(text: str, expected: list[Moves]) -> None:
    assert moves(text.replace("M ", f"{MAIN} ").replace("T ", f"{TAKE} ")) == expected


def test_before_the_first_thread_everything_moves() -> None:
    text = "global x: int = 0; thread main() { x := 1; fork 0 w(); x := 2; } thread w() { assert x > 0; }"
    assert moves(text, "main") == [Moves.BOTH, Moves.LEFT, Moves.NEITHER]


def test_what_is_written_before_the_first_thread_alone_moves() -> None:
    reading = (
        "global x: int = 0; thread main() {{ x := 1; fork 0 w(); {} }} thread w() {{ local t: int; t := x; }}"
    )
    assert moves(reading.format("")) == [Moves.BOTH]
    assert moves(reading.format("x := 2;")) == [Moves.NEITHER]
    again = "global x: int = 0; thread main() { x := 1; fork 0 main(); fork 1 w(); }"
    assert moves(again + " thread w() { local t: int; t := x; }") == [Moves.NEITHER]


def test_a_main_that_is_started_again_is_never_alone() -> None:
    text = "global x: int = 0; thread main() { x := 1; fork 0 main(); x := 2; }"
    assert moves(text, "main") == [Moves.NEITHER, Moves.LEFT, Moves.NEITHER]


UNSAFE = {
    "a join with an id that others change": """
        global i: int = 1; global done: bool = false;
        thread main() { fork 1 a(); fork 2 b(); join i; done := true; assert !done || i == 1; }
        thread a() { }
        thread b() { i := 5; }""",
    "a fork with an argument that others change": """
        global x: int = 0;
        thread main() { fork 1 a(); x := 1; fork 2 b(x); }
        thread a() { x := 2; }
        thread b(n: int) { assert n == 1; }""",
    "a write, and then nothing can follow": """
        global x: int = 0; global y: int = 0;
        thread main() { fork 1 a(); assert x == 0; }
        thread a() { x := 1; assume false; }""",
    "main is started again": """
        global x: int = 0;
        thread main() { x := x + 1; x := x - 1; if (*) { fork 0 main(); } assert x == 0; }""",
    "a lock that is tested and set in two steps": """
        global m: 0..1 = 0; global in: int = 0;
        thread main() { while (*) { fork 0 w(); } }
        thread w() { assume m == 0; m := 1; in := in + 1; assert in == 1; in := in - 1; m := 0; }""",
    "a lock that somebody else releases": """
        global m: 0..1 = 0; global in: 0..9 = 0;
        thread main() { fork 0 v(); fork 1 w(); fork 2 w(); }
        thread v() { m := 0; }
        thread w() { TAKE in := in + 1; assert in == 1; in := in - 1; m := 0; }""".replace("TAKE", TAKE),
    "a range that is left although nobody reads the variable": """
        global x: 0..3 = 0;
        thread main() { while (*) { fork 0 w(); } }
        thread w() { x := x + 1; }""",
    "a division whose result nobody reads": """
        global x: int = 0; global y: int = 2;
        thread main() { fork 0 w(); y := y - 1; }
        thread w() { x := 1 / (y - 1); }""",
    "a free choice whose condition divides by it": """
        global x: 0..1 = 0;
        thread main() { fork 0 w(); }
        thread w() { local t: 0..3; havoc t; assume 1 / t >= 0; x := 1; }""",
    "a free choice outside its range": """
        global x: 0..1 = 0;
        thread main() { fork 0 w(); }
        thread w() { local t: 0..3; local i: int; havoc i; t := i; x := 1; }""",
    "an argument outside its range that nobody reads": """
        global y: int = 0;
        thread main() { fork 0 v(); fork 1 w(y); }
        thread v() { y := 7; }
        thread w(n: 0..3) { }""",
}


@pytest.mark.parametrize("name", UNSAFE)
def test_what_a_wrong_reduction_would_miss(name: str) -> None:
    unsafe = program(UNSAFE[name])
    assert isinstance(decide_threads(unsafe, Options(timeout=20)).answer, Violated)
    smaller = reduce_threads(unsafe, Deadline()).program
    assert isinstance(decide_threads(smaller, Options(timeout=20)).answer, Violated)


def test_what_a_loop_waits_for_stays() -> None:
    """Without the loops, both threads could be inside; with an exchange in two steps, too."""
    found = program("""
        global wants: bool = false; global lock: 0..1 = 0; global inside: 0..2 = 0;
        thread main() { fork 0 w(); fork 1 v(); }
        thread w() { while (wants) { } inside := inside + 1; assert inside == 1; }
        thread v() {
          local old: 0..1;
          old := 1;
          while (old == 1) { atomic { old := lock; lock := 1; } }
          inside := inside + 1;
        }""")
    assert reduce_threads(found, Deadline()).dropped == ()


def test_irrelevant_work_goes() -> None:
    found = program("""
        global x: int = 0; global log: int = 0;
        thread main() { while (*) { fork 0 w(log); } }
        thread w(n: int) {
          local t: int;
          havoc t;
          if (t > 3) { log := log + n; }
          while (log < 100) { log := log + 1; }
          x := 1;
          assert x == 1;
        }""")
    reduced = reduce_threads(found, Deadline())
    assert set(reduced.dropped) == {("", "log"), ("w", "n"), ("w", "t")}
    assert len(reduced.program.by_name["w"].places) == 2
    assert isinstance(decide_threads(found, Options(timeout=20)).answer, Holds)


STAYS = {
    "an assertion needs it": [("", "x")],
    "an id needs it": [("", "i")],
    "there is no variable": [("", "nobody")],
    "`y` needs it": [("", "z")],
    "may fail": [("", "r")],
    "a join writes it": [("main", "t")],
    "is a result": [("w", "d")],
}


@pytest.mark.parametrize("why", STAYS)
def test_variables_that_matter_stay(why: str) -> None:
    found = program("""
        global x: int = 0; global i: int = 0; global y: int = 0; global z: int = 0; global r: 0..1 = 0;
        thread main() {
          local t: int;
          fork i w(); join i assign t; assert x == 0; y := z; r := y; assert y == 0;
        }
        thread w() returns (d: int) { d := 0; }""")
    with pytest.raises(Stays):
        drop(found, STAYS[why])


@pytest.mark.parametrize(
    "place", [("w", 0), ("w", 3), ("w", 4), ("main", 0), ("w", 9), ("nobody", 0), ("w", -1)]
)
def test_places_where_others_run_stay(place: tuple[str, int]) -> None:
    found = program("""
        global x: int = 0; global y: int = 0;
        thread main() { while (*) { fork 0 w(); } }
        thread w() { local t: int; t := x; t := t + 1; x := t; while (y == 0) { } y := t; x := 1; }""")
    with pytest.raises(Stays):
        fuse(found, [place])
