"""What functions, arrays, locks and ranges stand for, written out by hand: both have the same outcomes."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.semantics import Configuration, faults, store
from testkit.oracles.brute_force import Interpreted, interleaved, serial

TURN = "request turn { X := 1 - X; 0 }"

MEANINGS = {
    "a parameter keeps the value of a global while others run": (
        f"fun f(v) {{ yield; v }} request a {{ f(X) }} {TURN}",
        f"request a {{ v := X; yield; v }} {TURN}",
    ),
    "a parameter keeps the value of a global that the function changes": (
        "fun f(v) { X := 1 - X; v } request a { f(X) }",
        "request a { v := X; X := 1 - X; v }",
    ),
    "a parameter is no variable of the caller": (
        f"fun f(v) {{ v := v + 1; v }} request a {{ x := X; y := f(x); x + 10 * y }} {TURN}",
        f"request a {{ x := X; x + 10 * (x + 1) }} {TURN}",
    ),
    "arguments are evaluated from left to right": (
        "fun f(u, v) { u + 10 * v } request a { f(X, (X := 1 - X)) }",
        "request a { u := X; X := 1 - X; u + 10 * X }",
    ),
    "arguments may call the same function": (
        f"fun f(u, v) {{ n := u + 2 * v; n }} request a {{ f(f(X, 1), f(X, 2)) }} {TURN}",
        f"request a {{ (X + 2) + 2 * (X + 4) }} {TURN}",
    ),
    "arguments may change what calls of the same function have read": (
        "fun f(u, v) { n := u + 2 * v; n } request a { f(f(X, 1), f(X, (X := 1 - X))) }",
        "request a { x := X + 2; y := X; X := 1 - X; x + 2 * (y + 2 * X) }",
    ),
    "the last argument may call the same function": (
        "fun f(u, v, w) { u + 2 * v + 4 * w } request a { f(X, 1, f(X + 1, 1, (X := 1 - X))) }",
        "request a { x := X; X := 1 - X; x + 2 + 4 * (x + 3 + 4 * X) }",
    ),
    "an argument may change a local that was an argument": (
        "fun f(u, v) { u + 10 * v } request a { x := X; f(x, (x := x + 1)) }",
        "request a { X + 10 * (X + 1) }",
    ),
    "others may run between two arguments": (
        f"fun f(u, v) {{ u + 10 * v }} request a {{ f(X, {{ yield; X }}) }} {TURN}",
        f"request a {{ u := X; yield; u + 10 * X }} {TURN}",
    ),
    "locals of a function begin with 0": (
        "fun f() { n := n + 1; n } request a { f() + 10 * f() }",
        "request a { 11 }",
    ),
    "declared locals of a function begin with their value": (
        "fun f() { n in 0..9 := 3; n := n + 1; n } request a { f() + 10 * f() }",
        "request a { 44 }",
    ),
    "elements of an array of a function begin with their value": (
        "fun f(i) { b[2] := 3; b[i] := b[i] + 1; b[0] + b[1] } request a { f(0) + 10 * f(1) }",
        "request a { 77 }",
    ),
    "the index is evaluated before the value": (
        "A[2] := 0 request a { A[X] := (X := 1 - X); A[0] + 10 * A[1] }",
        """request a {
            if (X == 0) { X := 1; P := 1 } else { X := 0; Q := 0 }; P + 10 * Q
        }""",
    ),
    "others may change a variable after it was an index": (
        f"A[2] := 0 request a {{ A[X] := {{ yield; 1 }}; A[0] + 10 * A[1] }} {TURN}",
        f"request a {{ if (X == 0) {{ yield; P := 1 }} else {{ yield; Q := 1 }}; P + 10 * Q }} {TURN}",
    ),
    "a lock is taken in the step in which it is free": (
        "request a { lock(L); x := X; yield; X := (x + 1) % 3; unlock(L); x }",
        "request a { while (L) { yield }; L := 1; x := X; yield; X := (x + 1) % 3; L := 0; x }",
    ),
    "an element may be a lock, and stays the same one": (
        f"K[2] := 0 request a {{ i := X; lock(K[X]); y := K[i]; yield; K[i] := 0; y }} {TURN}",
        f"""request a {{
            if (X == 0) {{ while (P) {{ yield }}; P := 1; yield; P := 0 }}
            else {{ while (Q) {{ yield }}; Q := 1; yield; Q := 0 }}; 1
        }} {TURN}""",
    ),
    "values are wrapped": (
        "Y in 1..3 wrap := 1 request a { Y := Y + 4; Y }",
        "Y := 1 request a { Y := 1 + (Y + 3) % 3; Y }",
    ),
    "values are saturated": (
        "Y in 1..3 saturate := 1 request a { Y := Y + 2; Y } request b { Y := Y - 5; Y }",
        "Y := 1 request a { if (Y > 1) { Y := 3 } else { Y := Y + 2 }; Y } request b { Y := 1; Y }",
    ),
    "numbers are saturated": (
        "Y in 1..3 saturate := 1 request a { Y := 7; yield; Y } request b { Y := 0; Y }",
        "Y := 1 request a { Y := 3; yield; Y } request b { Y := 1; Y }",
    ),
    "constants decide what is executed": (
        "const N := 3 request a { if (N > 2) { X := 1 - X; X } else { 7 } } request b { (if (N) { 5 }) + 1 }",
        "request a { X := 1 - X; X } request b { 6 }",
    ),
    "constants decide that nothing is executed": (
        "const N := 0 request a { if (N) { X := 1 - X; X } else { 7 } } request b { (if (N) { 5 }) + 1 }",
        "request a { 7 } request b { 1 }",
    ),
}


@pytest.mark.parametrize("index", range(-2, 5))
@pytest.mark.parametrize("use", ["A[{}]", "A[{}] := 1; 0", "A[{}] := X; 0", "A[{}] := (X := 1); 0"])
def test_an_index_without_an_element_is_a_mistake_and_no_other(use: str, index: int) -> None:
    """Whether it is known beforehand or not."""
    for code in (use.format("I"), use.format(index)):
        (handler,) = parse(f"A[3] := 0 request a {{ {code} }}").handlers
        found = faults(Configuration(handler.body, (), store({"I": index})))
        assert bool(found) == (index not in range(3))


@pytest.mark.parametrize(("short", "long"), MEANINGS.values(), ids=MEANINGS)
def test_what_is_written_means_what_is_written_out(short: str, long: str) -> None:
    ours, theirs = Interpreted(parse(short)).rules, Interpreted(parse(long)).rules
    assert interleaved(ours, 3) == interleaved(theirs, 3)
    assert serial(ours, 3) == serial(theirs, 3)
