"""The natural semantics and the small steps of Appendix C define the same steps."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.frontends.ser.parser import parse
from seriatim.program import execution, semantics
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.semantics import Configuration, Store, Unbounded, initial_configuration, store
from seriatim.program.syntax import Expression, Program, global_names
from testkit.generators.programs import ProgramMaker
from testkit.samples import at_least, sample


def assert_same_big_steps(program: Program, values: range, depth: int) -> int:
    """From all that is left to do after a few steps, whatever others write; how many were compared."""
    names = global_names(program)
    universe = [store(dict(zip(names, chosen, strict=True))) for chosen in product(values, repeat=len(names))]
    compared = 0
    interpreter = execution.Interpreter()
    for handler in program.handlers:
        start = initial_configuration(handler, ())
        level: set[tuple[Expression, Store]] = {(start.expression, start.locals)}
        seen = set(level)
        for _ in range(depth):
            following: set[tuple[Expression, Store]] = set()
            for expression, locals_ in level:
                for globals_ in universe:
                    configuration = Configuration(expression, locals_, globals_)
                    ends = execution.big_steps(configuration)
                    assert ends == semantics.big_steps(configuration), print_program(program, Style.BRACES)
                    assert ends == frozenset(interpreter.ends(configuration))
                    assert interpreter.faults(configuration) == execution.faults(configuration)
                    compared += len(ends)
                    following |= {(end.expression, end.locals) for end in ends} - seen
            seen |= following
            level = following
    return compared


def test_they_agree_on_random_programs() -> None:
    """Yields in conditions, operands, returns and nested loops included."""
    compared = 0
    for seed in sample(400, 2):
        random = Random(seed)
        maker = ProgramMaker(random, modulus=random.choice([2, 3]), odd=random.choice([0.0, 0.3, 0.7]))
        program = maker.program(handlers=1, size=random.randint(1, 5))
        compared += assert_same_big_steps(program, range(maker.modulus), depth=3)
    assert compared > at_least(8_000, 2)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.7]))
def test_they_agree_wherever_hypothesis_looks(seed: int, odd: float) -> None:
    assert_same_big_steps(
        ProgramMaker(Random(seed), modulus=2, odd=odd).program(handlers=1), range(2), depth=3
    )


@pytest.mark.parametrize(
    "body",
    [
        "return yield; X := 1",
        "x := (return yield) + 1; X := x",
        "if (X == 0) { yield } else { yield; return 2 }; X := 1",
        "while (yield == 0) { X := 1 - X; if (X == 1) { return X } }",
        "while (yield) { X := 1 }; X",
        "while (X == 0) { yield }; while (1 == 1) { yield; yield }",
        "if (X == 0) { yield; 2 }; X",
        "if (X == 1) { 2 }",
        "while (X == 0) { if (?) { yield; 0 } else { yield } }; X",
        "(yield == yield) && (yield || ?)",
        "!(yield) + -(yield) * (X := yield)",
        "while (1 == 1) { if (?) { return 3 } }",
        "while (1 == 1) { 0 }",
        "while (X < 3) { while (x < 2) { x := x + 1 }; x := 0; X := X + 1 }; yield",
    ],
)
def test_they_agree_on_odd_places(body: str) -> None:
    assert_same_big_steps(parse(f"request r {{ {body} }}"), range(3), depth=4)


@pytest.mark.parametrize(
    "body",
    [
        "while (1 == 1) { x := x + 1 }",
        "x := 2; while (1 == 1) { x := x * x }",
        "while (1 == 1) { x := 2 * x + ? }",
    ],
)
def test_a_step_without_bounds_is_given_up(body: str) -> None:
    start = initial_configuration(parse(f"request r {{ {body} }}").handlers[0], ())
    for big_steps in (execution.big_steps, semantics.big_steps):
        with pytest.raises(Unbounded):
            big_steps(start, limit=2_000)
