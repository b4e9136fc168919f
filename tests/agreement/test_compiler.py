"""The compiler and the reference interpreter make the same steps."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.budget import Deadline
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.semantics import (
    Configuration,
    Store,
    big_steps,
    initial_configuration,
    lookup,
    response,
    store,
)
from seriatim.program.syntax import Expression, Program, global_names
from seriatim.systems.limits import Limits
from seriatim.systems.step_functions import ANSWERS, StepFunctions
from testkit.generators.programs import GLOBALS, ProgramMaker

CompiledState = tuple[int, tuple[int, ...]]
Observation = tuple[tuple[int, ...], int | None]
"""The globals after a step, and the answer if there is one."""


def compiled_steps(
    steps: StepFunctions, states: frozenset[CompiledState], globals_: tuple[int, ...]
) -> dict[Observation, frozenset[CompiledState]]:
    found: dict[Observation, set[CompiledState]] = {}
    for point, values in states:
        for kind, target, after, locals_, _ in steps.outcomes(point, values, globals_):
            if kind == ANSWERS:
                found.setdefault((after, target), set())
            else:
                found.setdefault((after, None), set()).add((target, locals_))
    return {observation: frozenset(targets) for observation, targets in found.items()}


def reference_steps(
    names: tuple[str, ...], states: frozenset[tuple[Expression, Store]], globals_: tuple[int, ...]
) -> dict[Observation, frozenset[tuple[Expression, Store]]]:
    found: dict[Observation, set[tuple[Expression, Store]]] = {}
    g = store(dict(zip(names, globals_, strict=True)))
    for expression, locals_ in states:
        for end in big_steps(Configuration(expression, locals_, g)):
            after = tuple(lookup(end.globals, name) for name in names)
            answer = response(end.expression)
            targets = found.setdefault((after, answer), set())
            if answer is None:
                targets.add((end.expression, end.locals))
    return {observation: frozenset(targets) for observation, targets in found.items()}


def assert_same_steps(program: Program, values: range, depth: int) -> None:
    """Whatever others write to the globals between, both make the same observable steps."""
    names = global_names(program)
    steps = StepFunctions(program, Limits(), Deadline())
    universe = list(product(values, repeat=len(names)))
    for index, handler in enumerate(program.handlers):
        point = steps.starts[index]
        start = initial_configuration(handler, ())
        level = {
            (
                frozenset([(point, (0,) * len(steps.points[point].live))]),
                frozenset([(start.expression, start.locals)]),
            )
        }
        seen = set(level)
        for _ in range(depth):
            next_level = set()
            for compiled, reference in level:
                for globals_ in universe:
                    fast = compiled_steps(steps, compiled, globals_)
                    slow = reference_steps(names, reference, globals_)
                    assert fast.keys() == slow.keys(), print_program(program, Style.BRACES)
                    for observation in fast:
                        pair = (fast[observation], slow[observation])
                        if observation[1] is None and pair not in seen:
                            seen.add(pair)
                            next_level.add(pair)
            level = next_level


@pytest.mark.parametrize("seed", range(150))
def test_compiled_steps_are_the_big_steps_of_the_reference_interpreter(seed: int) -> None:
    random = Random(seed)
    maker = ProgramMaker(random, modulus=random.choice([2, 3]), odd=random.choice([0.0, 0.2, 0.5]))
    assert_same_steps(maker.program(handlers=1, size=random.randint(1, 5)), range(maker.modulus), depth=3)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.7]))
def test_they_agree_wherever_hypothesis_looks(seed: int, odd: float) -> None:
    """Yields in conditions, operands and nested loops included."""
    assert_same_steps(ProgramMaker(Random(seed), modulus=2, odd=odd).program(handlers=1), range(2), depth=3)


def test_the_random_programs_use_all_globals() -> None:
    """The generator is not vacuous: over some seeds all globals occur."""
    used = {name for seed in range(20) for name in global_names(ProgramMaker(Random(seed)).program())}
    assert used == set(GLOBALS)
