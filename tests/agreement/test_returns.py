"""A function stops at its first `return`, as a handler does: what both do is the same."""

from itertools import product
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import run_alone
from seriatim.checking.reference import ProgramReference
from seriatim.frontends.ser.parser import parse
from seriatim.program.execution import big_steps
from seriatim.program.state import GlobalState

BODIES = [
    "return 1; X := 1",
    "X := 1; return X; X := 2",
    "if (?) { return 1 }; X := 1; 2",
    "if (?) { return 1 } else { X := 1 }; X + 2",
    "if (?) { X := 1 } else { return 1 }; X + 2",
    "if (?) { return 1 } else { return 2 }; X := 1",
    "if (?) { X := 1; return X } else { X := 2; return X + 1 }; X := 0; 7",
    "if (?) { if (?) { return 1 }; X := 1 }; Y := 1; 2",
    "if (?) { if (?) { return 1 } else { return 2 } }; X := 1; 3",
    "while (Y < 2) { Y := Y + 1; if (?) { return Y } }; 7",
    "while (Y < 2) { Y := Y + 1; if (?) { return Y }; X := Y; if (?) { return 5 } }; X := 2; 7",
    "while (1) { return 3; X := 1 }",
    "yield; if (X == 0) { yield; return 1 }; yield; X := 0; 2",
]


def outcomes(text: str) -> set[tuple[int, int, int, GlobalState]]:
    """(X, Y, the answer of a request that runs alone from there, the values at the end)."""
    program = parse(f"{text} request b {{ X + Y }}")
    reference = ProgramReference(program, big_steps)
    return {
        (x, y, int(answer), end)
        for x, y in product((0, 1), repeat=2)
        for answer, end in run_alone(reference, "a", (("X", x), ("Y", y)), Allowance(10_000, Deadline()))
    }


def assert_alike(body: str) -> None:
    """The handler goes on after the function has returned, and adds 10 to what that says."""
    whole = {(x, y, answer + 10, end) for x, y, answer, end in outcomes(f"request a {{ {body} }}")}
    assert whole == outcomes(f"fun f() {{ {body} }} request a {{ f() + 10 }}"), body
    assert whole == outcomes(f"fun f() {{ {body} }} request a {{ x := f(); yield; x + 10 }}"), body


@pytest.mark.parametrize("body", BODIES)
def test_these_functions_do_what_handlers_do(body: str) -> None:
    assert_alike(body)


def random_body(random: Random, depth: int) -> str:
    return "; ".join(random_statement(random, depth) for _ in range(random.randint(1, 3)))


def random_statement(random: Random, depth: int) -> str:
    kinds = ["assign", "return", "yield"] + (["if", "else", "while"] * 2 if depth else [])
    match random.choice(kinds):
        case "assign":
            return f"X := {random.randrange(3)}"
        case "return":
            return random.choice(["return X", "return 7", "return Y"])
        case "yield":
            return "yield"
        case "if":
            return f"if ({random.choice(['?', 'X == 1'])}) {{ {random_body(random, depth - 1)} }}"
        case "else":
            first, second = random_body(random, depth - 1), random_body(random, depth - 1)
            return f"if ({random.choice(['?', 'X == 1'])}) {{ {first} }} else {{ {second} }}"
        case _:
            return f"while (Y < 2) {{ Y := Y + 1; {random_body(random, depth - 1)} }}"


def test_random_functions_do_what_handlers_do() -> None:
    for seed in range(40):
        assert_alike(random_body(Random(seed), 2))
