"""Dead locals play no part in what is left to do, and the compiler calls the same locals dead."""

from contextlib import suppress
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.liveness import live_locals
from seriatim.program.printer import print_expression, print_program
from seriatim.program.semantics import (
    Configuration,
    Store,
    big_steps,
    initial_configuration,
    response,
    store,
)
from seriatim.program.syntax import Expression, Program, global_names
from seriatim.systems.closure import closure
from seriatim.systems.control_flow import is_temporary
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.source_map import configuration
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.counters import CounterMaker
from testkit.generators.programs import LOCALS, ProgramMaker

LIMITS = Limits(max_states=2_000, max_value=8)

TABLE = {
    "x": {"x"},
    "X": set(),
    "x := 1; x": set(),
    "x := x + 1; x": {"x"},
    "y := (x := 1) + x; y": set(),
    "y := x + (x := 1); y": {"x"},
    "if (?) { x := 1 } else { 0 }; x": {"x"},
    "if (?) { x := 1 } else { x := 2 }; x": set(),
    "if (?) { x := 1 }; x": {"x"},
    "if (x := 1) { x } else { x }": set(),
    "if (?) { return 0 } else { x := 1 }; x": set(),
    "if (?) { return x } else { x := 1 }; x": {"x"},
    "if (?) { return 0 } else { return 1 }; x": set(),
    "return 0; x": set(),
    "return (x := 1); x": set(),
    "y := (return x); y": {"x"},
    "(return 0) + x": set(),
    "x := (return 0); y": set(),
    "? && (x := 1); x": {"x"},
    "(x := 1) && ?; x": set(),
    "? && x": {"x"},
    "? || (return 0); x": {"x"},
    "(return 0) || x": set(),
    "while (?) { x := 1 }; x": {"x"},
    "while (x := ?) { y := x }; y": {"y"},
    "while (?) { y := x; x := 1 }; 0": {"x"},
    "while (?) { x := 1; y := x }; 0": set(),
    "while (x < 3) { x := x + 1 }; 0": {"x"},
    "while (? && (x := 1)) { y := x }; 0": {"x"},
    "while (? || (x := 1)) { y := x }; 0": {"x"},
    "while (?) { return x }; y": {"x", "y"},
    "while (return 0) { x }; y": set(),
    "x := yield; x": set(),
    "y := x + yield; y": {"x"},
    "yield; x": {"x"},
    "!x": {"x"},
}

MOST_LOCALS = 300
"""Of each program; some have endlessly many."""


@pytest.mark.parametrize(("code", "live"), TABLE.items(), ids=TABLE)
def test_live_is_what_some_path_reads_before_it_writes(code: str, live: set[str]) -> None:
    assert live_locals(parse(f"request a {{ {code} }}").handlers[0].body) == live


def seeded_program(seed: int) -> Program:
    random = Random(seed)
    if seed % 3 == 0:
        return CounterMaker(random, faulty=0.3).program(handlers=2, size=4)
    maker = ProgramMaker(random, modulus=random.choice([2, 3]), odd=random.choice([0.0, 0.2, 0.5]))
    return maker.program(handlers=2, size=5)


def live_part(expression: Expression, locals_: Store) -> Store:
    live = live_locals(expression)
    return tuple(pair for pair in locals_ if pair[0] in live)


def observed(ends: frozenset[Configuration]) -> frozenset[tuple[Expression, Store, Store]]:
    return frozenset((end.expression, live_part(end.expression, end.locals), end.globals) for end in ends)


def reached(program: Program, random: Random, most: int) -> list[Configuration]:
    """Some configurations after a pause, whatever the other requests have written meanwhile."""
    names = global_names(program)

    def globals_() -> Store:
        return store({name: random.randrange(3) for name in names})

    found: dict[Configuration, None] = {}
    pending = [initial_configuration(handler, globals_()) for handler in program.handlers for _ in range(3)]
    while pending and len(found) < most:
        current = pending.pop()
        for end in big_steps(current):
            if response(end.expression) is None:
                here = Configuration(end.expression, end.locals, globals_())
                if here not in found:
                    found[here] = None
                    pending.append(here)
    return list(found)


@pytest.mark.parametrize("seed", range(120))
def test_configurations_that_differ_in_dead_locals_have_the_same_steps(seed: int) -> None:
    """One step is enough: the ends are compared up to dead locals again."""
    program, random = seeded_program(seed), Random(seed)
    for before in reached(program, random, most=30):
        live = live_locals(before.expression)
        noise = {name: random.randint(1, 5) for name in LOCALS if name not in live}
        other = Configuration(
            before.expression,
            store({**dict(live_part(before.expression, before.locals)), **noise}),
            before.globals,
        )
        assert observed(big_steps(before)) == observed(big_steps(other)), print_program(program, Style.BRACES)


@pytest.mark.parametrize("seed", range(120))
def test_the_compiler_keeps_the_live_locals_and_no_others(seed: int) -> None:
    """At the first locals that a closure comes to, whether or not it ends."""
    unfolding = ProgramUnfolding(seeded_program(seed), LIMITS)
    with suppress(LimitReached):
        closure(unfolding, LIMITS, Deadline())
    for local in range(min(len(unfolding.local_states), MOST_LOCALS)):
        kept = unfolding.steps.points[unfolding.local_states[local][0]].live
        left = configuration(unfolding, local, 0).expression
        assert {name for name in kept if not is_temporary(name)} == live_locals(left), print_expression(left)
