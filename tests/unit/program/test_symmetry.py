"""Whether positions can be exchanged is verified, whatever names propose."""

from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.engines.search.engine import FEWEST, count_numbered
from seriatim.frontends.ser.parser import parse
from seriatim.program.symmetry import Bodies, Symmetry, broken, find_defect
from seriatim.program.syntax import Program, global_names
from seriatim.systems.symmetry import find_symmetry, proposals

EXAMPLES = Path(__file__).parents[3] / "examples"


def classes(text: str) -> tuple[int, ...] | None:
    found = find_symmetry(parse(text), Deadline())
    return None if found is None else found.classes


CELLS = "const N := 4\nA[N] in 0..2 := 1\n"
TAKES = tuple((f"take({i})", (i,)) for i in range(4))
TAKE = "request take(i in 0..N - 1):\n    x := A[i]\n    yield\n    A[i] := x\n    return x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CELLS + TAKE, (0, 0, 0, 0)),
        # A literal index keeps its position.
        (CELLS + TAKE + "request look:\n    return A[2]\n", (0, 0, 1, 0)),
        # So does an initial value of its own.
        ("A0 := 1\nA1 := 1\nA2 := 0\nA3 := 1\n" + "".join(
            f"request take{i}:\n    A{i} := 1 - A{i}\n    yield\n    return 0\n" for i in range(4)
        ), (0, 0, 1, 0)),
        # A position that is compared with a constant,
        (CELLS + TAKE.replace("    yield\n", "    yield\n    if i == 1:\n        S := 1\n"), (0, 1, 0, 0)),
        # an order on positions,
        (CELLS + TAKE.replace("    yield\n", "    yield\n    if i < 2:\n        S := i\n"), None),
        # arithmetic on positions,
        (CELLS + TAKE.replace("A[i] := x", "A[(i + 1) % N] := x"), None),
        # and a scan leave only the identity,
        (CELLS + TAKE + "request scan:\n    s := 0\n" + "".join(
            f"    s := s * 2 + A[{i}]\n" for i in range(4)
        ) + "    return s\n", None),
        # but not a sum, a conjunction, or a snapshot of all.
        (CELLS + TAKE + "request sum:\n    return A[3] + A[0] + A[2] + A[1]\n", (0, 0, 0, 0)),
        (CELLS + TAKE + "request all:\n    return A[3] == 0 and A[0] == 0 and A[2] == 0 and A[1] == 0\n",
         (0, 0, 0, 0)),
        (CELLS + TAKE + "request reset:\n    A[3] := 0\n    A[0] := 0\n    A[2] := 0\n    A[1] := 0\n"
         "    yield\n    return 0\n", (0, 0, 0, 0)),
        # One cell after the other is a scan, too.
        (CELLS + TAKE + "request reset:\n    A[3] := 0\n    A[0] := 0\n    yield\n    A[2] := 0\n"
         "    A[1] := 0\n    return 0\n", None),
    ],
)  # fmt: skip
def test_positions_are_exchanged_only_where_that_changes_nothing(
    text: str, expected: tuple[int, ...] | None
) -> None:
    assert classes(text) == expected


OWNED = """const N := 4
OWNER in 0..N := N
A[N] in 0..1 := 0
request take(me in 0..N - 1):
    if OWNER == N:
        OWNER := me
    yield
    return OWNER
request give:
    h := OWNER
    yield
    if h < N:
        A[h] := 1
    if h == OWNER:
        OWNER := N
    return h
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Positions are permuted together with the variables, locals and answers that hold them.
        (OWNED, (0, 0, 0, 0)),
        (CELLS + TAKE.replace("return x", "return i"), (0, 0, 0, 0)),
        (OWNED.replace("    h := OWNER\n", "    h := choose(0..N - 1)\n"), (0, 0, 0, 0)),
        # A position that is held at first is fixed,
        (OWNED.replace("0..N := N", "0..N := 1"), (0, 1, 0, 0)),
        # so is one that is written or compared as a literal,
        (OWNED.replace("OWNER := N\n", "OWNER := 2\n"), (0, 0, 1, 0)),
        (OWNED.replace("    if h == OWNER:", "    if h == 2:"), (0, 0, 1, 0)),
        # and 0, where a local is read that may not be set.
        (OWNED.replace("    h := OWNER\n", "    if A[0] + A[1] + A[2] + A[3] == 0:\n        h := OWNER\n"),
         (1, 0, 0, 0)),
        # An order tells them apart, unless all of them are on the same side;
        (OWNED.replace("if h == OWNER:", "if h <= 1:"), None),
        (OWNED.replace("if h == OWNER:", "if h < OWNER:"), None),
        # so do arithmetic and truth,
        (OWNED.replace("        OWNER := me", "        OWNER := (me + 1) % N"), None),
        (OWNED.replace("    h := OWNER\n", "    h := (OWNER + 1) % N\n"), None),
        (OWNED.replace("    if h == OWNER:", "    if h:"), (1, 0, 0, 0)),
        # and scans.
        (OWNED + "request scan:\n    s := 0\n" + "".join(
            f"    s := s * 2 + A[{i}]\n" for i in range(4)) + "    return s\n", None),
    ],
)  # fmt: skip
def test_positions_that_are_held_are_exchanged_only_where_that_changes_nothing(
    text: str, expected: tuple[int, ...] | None
) -> None:
    assert classes(text) == expected


def test_what_holds_positions_is_found_without_arrays() -> None:
    text = OWNED.replace("A[N] in 0..1 := 0\n", "").replace("    if h < N:\n        A[h] := 1\n", "")
    found = find_symmetry(parse(text), Deadline())
    assert found is not None
    assert (found.classes, found.variables, found.holders) == ((0, 0, 0, 0), (), ("OWNER", "h"))
    assert found.answers == ("give", "take(0)", "take(1)", "take(2)", "take(3)")


def owned(
    holders: tuple[str, ...] = ("OWNER", "h"),
    answers: tuple[str, ...] = ("take(0)", "take(1)", "take(2)", "take(3)", "give"),
    numbers: tuple[int, ...] = (0, 1, 2, 3),
) -> Symmetry:
    return Symmetry((0,) * 4, (tuple(f"A[{i}]" for i in range(4)),), (TAKES,), numbers, holders, answers)


def test_a_symmetry_of_values_is_accepted() -> None:
    assert find_defect(owned(), parse(OWNED)) is None
    bodies = Bodies(parse(OWNED))
    assert [broken(owned(), bodies, each) for each in owned().generators()] == [None, None]


@pytest.mark.parametrize(
    "wrong",
    [
        owned(numbers=()),
        owned(numbers=(0, 1, 2)),
        owned(numbers=(0, 1, 2, 2)),
        owned(holders=("OWNER", "h", "A[0]")),
        owned(answers=("take(0)", "give")),
        owned(answers=("nobody",)),
    ],
)
def test_holders_that_cannot_be_are_refused(wrong: Symmetry) -> None:
    assert find_defect(wrong, parse(OWNED)) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        owned(holders=("OWNER",)),
        owned(holders=("h",)),
        owned(holders=()),
        owned(answers=()),
        owned(answers=("give",)),
        owned(numbers=(1, 0, 2, 3)),
        owned(numbers=(1, 2, 3, 4)),
    ],
)
def test_values_that_are_permuted_wrongly_are_found_out(wrong: Symmetry) -> None:
    assert find_defect(wrong, parse(OWNED)) is None
    bodies = Bodies(parse(OWNED))
    assert any(broken(wrong, bodies, each) is not None for each in wrong.generators())


def test_arguments_that_are_no_positions_stay() -> None:
    text = CELLS + "request put(i in 0..N - 1, v in 0..2):\n    A[i] := v\n    yield\n    return 0\n"
    found = find_symmetry(parse(text), Deadline())
    assert found is not None
    assert found.classes == (0, 0, 0, 0)
    assert [len(family) for family in found.requests] == [4, 4, 4]


def program() -> Program:
    return parse(CELLS + TAKE + "request look:\n    return A[2]\n")


def symmetry(
    classes: tuple[int, ...] = (0, 0, 1, 0),
    variables: tuple[tuple[str, ...], ...] = (("A[0]", "A[1]", "A[2]", "A[3]"),),
    requests: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...] = (TAKES,),
) -> Symmetry:
    return Symmetry(classes, variables, requests)


def test_a_symmetry_is_accepted() -> None:
    assert find_defect(symmetry(), program()) is None
    assert [broken(symmetry(), Bodies(program()), each) for each in symmetry().generators()] == [None, None]


@pytest.mark.parametrize(
    "wrong",
    [
        symmetry(variables=(("A[0]", "A[1]", "A[2]"),)),
        symmetry(variables=(("A[0]", "A[1]", "A[2]", "A[2]"),)),
        symmetry(variables=(("A[0]", "A[1]", "A[2]", "x"),)),
        symmetry(variables=(("A[0]", "A[1]", "A[2]", "A[7]"),)),
        symmetry(requests=((("take(0)", (0,)), ("take(0)", (1,))),)),
        symmetry(requests=((("give", (0,)),),)),
        symmetry(requests=((("take(0)", (0,)), ("take(1)", (0,))),)),
        symmetry(requests=((("take(0)", (0,)), ("take(1)", (1, 2))),)),
        symmetry(requests=((("take(0)", (9,)),),)),
    ],
)
def test_what_is_no_symmetry_at_all_is_refused(wrong: Symmetry) -> None:
    assert find_defect(wrong, program()) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        symmetry(classes=(0, 0, 0, 0)),
        symmetry(variables=()),
        symmetry(requests=()),
        symmetry(requests=(tuple((f"take({i})", (i,)) for i in range(3)),)),
        symmetry(requests=(tuple((f"take({i})", ((i + 1) % 4,)) for i in range(4)),)),
    ],
)
def test_a_permutation_that_changes_the_program_is_found_out(wrong: Symmetry) -> None:
    assert find_defect(wrong, program()) is None
    bodies = Bodies(program())
    assert any(broken(wrong, bodies, each) is not None for each in wrong.generators())


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ser")), ids=lambda path: path.stem)
def test_a_symmetry_has_at_least_three_numbered_names(path: Path) -> None:
    """So a search need not look for one where names have fewer numbers."""
    program = parse(path.read_text())
    numbered = max(count_numbered(global_names(program)), count_numbered(program.requests))
    assert numbered >= FEWEST or not list(proposals(program, Bodies(program)))
