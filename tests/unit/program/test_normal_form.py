"""Code with the same normal form does the same, whatever else is different about it."""

from itertools import product
from random import Random

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.changing import transform
from seriatim.program.execution import big_steps, faults
from seriatim.program.indices import Renaming
from seriatim.program.liveness import live_locals
from seriatim.program.normal_form import normal_form
from seriatim.program.semantics import Configuration, Store, store
from seriatim.program.syntax import Binary, Expression, Logical, Sequence, global_names
from testkit.generators.programs import ProgramMaker
from testkit.samples import sample


def body(text: str) -> Expression:
    return parse(f"request a {{ {text} }}").handlers[0].body


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("X + Y + 1", "1 + (Y + X)"),
        ("X == 1 && Y == 2 && x == 3", "x == 3 && (1 == X && Y == 2)"),
        ("X := 1; Y := 2; 0", "Y := 2; X := 1; 0"),
        ("x := X; y := Y; yield; 0", "y := Y; x := X; yield; 0"),
        ("x := X; y := x; X := 0; 0", "x := X; X := 0; y := x; 0"),
        ("if (X == 1) { x := 1; Y := 0; 0 }; 0", "if (1 == X) { Y := 0; x := 1; 0 }; 0"),
    ],
)
def test_an_order_that_does_not_matter_is_left_out(one: str, other: str) -> None:
    assert normal_form(body(one)) == normal_form(body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("X - Y", "Y - X"),
        ("X < Y", "Y < X"),
        ("X % 2 + Y", "X + Y % 2"),
        ("X := 1; X := 2; 0", "X := 2; X := 1; 0"),
        ("x := X; X := 1; x", "X := 1; x := X; x"),
        ("X := 1; yield; Y := 1; 0", "Y := 1; yield; X := 1; 0"),
        ("X := 1; Y := 2", "Y := 2; X := 1"),  # The last one is the answer.
        ("(x := 1) + (x := 2)", "(x := 2) + (x := 1)"),
        ("X == 1 && (Y := 1)", "(Y := 1) && X == 1"),
        ("s := s + X; s := s * 2; s", "s := s * 2; s := s + X; s"),
        ("if (?) { X := 1 } else { X := 2 }; 0", "if (?) { X := 2 } else { X := 1 }; 0"),
    ],
)
def test_an_order_that_matters_is_kept(one: str, other: str) -> None:
    assert normal_form(body(one)) != normal_form(body(other))


SWAP = Renaming({"X": "Y", "Y": "X"})


def test_names_are_replaced_before_sorting() -> None:
    assert normal_form(body("X + Y"), SWAP) == normal_form(body("X + Y"))
    assert normal_form(body("X := 1; Y"), SWAP) == normal_form(body("Y := 1; X"))


def shuffled(expression: Expression, random: Random) -> Expression:
    """With operands and neighbours exchanged, whether that matters or not."""

    def change(part: Expression) -> Expression:
        match part:
            case Binary(operator=operator, left=left, right=right) if random.random() < 0.1:
                return Binary(operator, right, left)
            case Logical(connective=connective, left=left, right=right) if random.random() < 0.1:
                return Logical(connective, right, left)
            case Sequence(items=items) if random.random() < 0.3:
                at = random.randrange(len(items) - 1)
                return Sequence((*items[:at], items[at + 1], items[at], *items[at + 2 :]))
            case _:
                return part

    return transform(expression, change)


def steps(expression: Expression, rho: Store, g: Store) -> set[tuple[str, Store, Store]]:
    found = set()
    for end in big_steps(Configuration(expression, rho, g)):
        live = live_locals(end.expression)
        kept = tuple(pair for pair in end.locals if pair[0] in live)
        found.add((normal_form(end.expression), kept, end.globals))
    return found


def compare(seed: int) -> bool:
    """Whether a shuffled program had the same normal form, and was compared."""
    random = Random(seed)
    maker = ProgramMaker(random, modulus=2, odd=random.choice([0.0, 0.2]))
    program = maker.program(handlers=1, size=random.randint(2, 6))
    one = program.handlers[0].body
    other = shuffled(one, random)
    if one == other or normal_form(one) != normal_form(other):
        return False
    assert live_locals(one) == live_locals(other)
    names = global_names(program)
    for values in product(range(2), repeat=len(names) + 2):
        rho = store(dict(zip(("x", "y"), values, strict=False)))
        g = store(dict(zip(names, values[2:], strict=True)))
        assert steps(one, rho, g) == steps(other, rho, g)
        here, there = (bool(faults(Configuration(each, rho, g))) for each in (one, other))
        assert here == there
    return True


@pytest.mark.parametrize("part", sample(20, 10))
def test_the_same_normal_form_means_the_same_steps(part: int) -> None:
    assert sum(compare(seed) for seed in range(150 * part, 150 * (part + 1))) > 1
