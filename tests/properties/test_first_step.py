"""What a step can touch is all that it depends on, and all that it changes."""

from random import Random

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.liveness import touched_globals
from seriatim.program.semantics import (
    Configuration,
    Store,
    big_steps,
    initial_configuration,
    response,
    store,
)
from seriatim.program.syntax import Program, global_names
from testkit.generators.programs import ProgramMaker

TABLE = {
    "X": {"X"},
    "x": set(),
    "X := Y; yield; Z": {"X", "Y"},
    "yield; X": set(),
    "if (X) { yield; Y } else { yield }; Z": {"X"},
    "if (X) { yield; Y }; Z": {"X", "Z"},
    "while (X) { yield; Y }; Z": {"X", "Z"},
    "while (X) { Y }; Z": {"X", "Y", "Z"},
    "while (yield) { X }; Y": set(),
    "(yield) + X": set(),
    "X + (yield) + Y": {"X"},
    "X := (yield); Y": set(),
    "(yield) && X; Y": set(),
    "X && (yield); Y": {"X", "Y"},
    "return X; Y": {"X"},
    "if (?) { return X } else { return Y }; Z": {"X", "Y"},
}


@pytest.mark.parametrize(("code", "touched"), TABLE.items())
def test_names_on_all_paths_up_to_the_first_pause(code: str, touched: set[str]) -> None:
    (handler,) = parse(f"request main {{ {code} }}").handlers
    assert touched_globals(handler.body) == touched


def met(program: Program, most: int = 30) -> list[Configuration]:
    """Some configurations that handlers come to alone."""
    names = global_names(program)
    pending = [initial_configuration(handler, store(dict.fromkeys(names, 1))) for handler in program.handlers]
    found: list[Configuration] = []
    while pending and len(found) < most:
        here = pending.pop()
        if response(here.expression) is None and here not in found:
            found.append(here)
            pending.extend(big_steps(here, 200))
    return found


def split(globals_: Store, touched: frozenset[str]) -> tuple[Store, Store]:
    """What is touched, and the rest."""
    inner = tuple(pair for pair in globals_ if pair[0] in touched)
    return inner, tuple(pair for pair in globals_ if pair[0] not in touched)


@pytest.mark.parametrize("seed", range(150))
def test_other_globals_stay_as_they_are_and_do_not_matter(seed: int) -> None:
    random = Random(seed)
    program = ProgramMaker(random).program()
    names = global_names(program)
    for here in met(program):
        touched = touched_globals(here.expression)
        others = {name: random.randrange(3) for name in names if name not in touched}
        changed = Configuration(here.expression, here.locals, store({**dict(here.globals), **others}))
        ends = []
        for start in (here, changed):
            _, rest = split(start.globals, touched)
            steps = big_steps(start, 500)
            assert all(split(end.globals, touched)[1] == rest for end in steps)
            ends.append({(end.expression, end.locals, split(end.globals, touched)[0]) for end in steps})
        assert ends[0] == ends[1]
