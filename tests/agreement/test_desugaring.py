"""What is written and what it is translated to do the same."""

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.surface_printer import print_surface
from seriatim.program.execution import faults as fast_faults
from seriatim.program.expression_printer import Style
from seriatim.program.semantics import Configuration, faults
from seriatim.result import Faulty, Holds
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.surface import SurfaceMaker
from testkit.oracles.brute_force import Interpreted, interleaved, reachable, rules_of_unfolding
from testkit.oracles.naive_surface import outcomes

SEEDS = range(90)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_translation_answers_and_fails_as_what_was_written(seed: int) -> None:
    """With up to two requests; the interpreters of the core and its compiler agree, too."""
    text = SurfaceMaker(seed).program()
    expected, can_fail = outcomes(parse_surface(text), 2)
    program = parse(text)
    interpreted = Interpreted(program)
    states = reachable(interpreted.rules, 2)
    assert interleaved(interpreted.rules, 2) == expected
    failing = False
    for global_, flight, _ in states:
        for _, local in flight:
            here = Configuration(*interpreted.locals.items[local], interpreted.globals.items[global_])
            assert faults(here) == fast_faults(here)
            failing = failing or bool(faults(here))
    assert failing is can_fail
    unfolding = ProgramUnfolding(program, Limits())
    assert interleaved(rules_of_unfolding(unfolding), 2) == expected


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_no_verdict_hides_a_mistake(seed: int) -> None:
    """A program that can fail with two requests is never called serializable, and one that is called faulty
    fails."""
    text = SurfaceMaker(seed).program()
    _, can_fail = outcomes(parse_surface(text), 2)
    verdict = decide(parse(text), Options(timeout=5)).answer
    assert not (can_fail and isinstance(verdict, Holds))
    if isinstance(verdict, Faulty) and verdict.run.steps == 1:
        assert can_fail


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_printed_surface_parses_to_itself(seed: int, style: Style) -> None:
    surface = parse_surface(SurfaceMaker(seed).program())
    assert parse_surface(print_surface(surface, style)) == surface
