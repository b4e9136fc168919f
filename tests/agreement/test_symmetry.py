"""Closures and searches of orbits agree with those of all states, and proofs up to symmetry with searches."""

from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.engines.search.engine import BoundedSearch, place_program
from seriatim.engines.search.orbits import OrbitKeys
from seriatim.frontends.ser.parser import parse
from seriatim.properties.statement import Outcomes
from seriatim.systems.posing import pose
from seriatim.systems.symmetry import find_symmetry
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.holders import holding_program
from testkit.generators.indices import indexed_program
from testkit.oracles.symmetry_comparisons import (
    LIMITS,
    compare_closures,
    compare_images,
    compare_searches,
    compare_verdicts,
)
from testkit.samples import sample

SEEDS = 400


@pytest.mark.parametrize("seed", sample(SEEDS, 20))
@pytest.mark.parametrize("is_serial", [False, True])
def test_closures_of_orbits_are_closures_up_to_symmetry(seed: int, is_serial: bool) -> None:
    compare_closures(parse(indexed_program(Random(seed))), is_serial)


def test_many_programs_of_the_sample_have_a_symmetry() -> None:
    programs = (parse(indexed_program(Random(seed))) for seed in sample(SEEDS, 20))
    compared = sum(compare_closures(program, True) for program in programs)
    assert compared >= len(sample(SEEDS, 20)) // 5


@pytest.mark.parametrize("seed", sample(SEEDS, 20))
def test_no_search_finds_a_violation_of_what_is_proved_and_the_checker_accepts_it(seed: int) -> None:
    compare_verdicts(parse(indexed_program(Random(seed))))


@pytest.mark.parametrize("seed", sample(SEEDS, 20))
def test_searches_of_orbits_find_violations_as_small_as_searches_of_all_states(seed: int) -> None:
    compare_searches(parse(indexed_program(Random(seed))))


@pytest.mark.parametrize("seed", sample(SEEDS, 20))
def test_outcomes_are_invariant_where_variables_and_answers_hold_positions(seed: int) -> None:
    compare_images(parse(holding_program(Random(seed))))


@pytest.mark.parametrize("seed", sample(SEEDS, 20))
def test_closures_searches_and_proofs_agree_where_positions_are_held(seed: int) -> None:
    program = parse(holding_program(Random(seed)))
    for is_serial in (False, True):
        compare_closures(program, is_serial)
    compare_searches(program)
    compare_verdicts(program)


def test_many_programs_of_the_sample_hold_positions_of_a_symmetry() -> None:
    programs = [parse(holding_program(Random(seed))) for seed in sample(SEEDS, 20)]
    found = [find_symmetry(program, Deadline()) for program in programs]
    assert sum(symmetry is not None and bool(symmetry.holders) for symmetry in found) >= len(programs) // 4
    assert sum(symmetry is not None and bool(symmetry.answers) for symmetry in found) >= len(programs) // 8


def test_a_search_meets_fewer_states_up_to_symmetry() -> None:
    program = parse(BROKEN_TRANSFERS)
    problem = pose(Outcomes(None, None), ProgramUnfolding(program, LIMITS), LIMITS, Deadline())
    met = []
    for is_symmetric in (False, True):
        search = BoundedSearch(problem, None, 2)
        if is_symmetric:
            own = place_program(problem, Deadline())
            assert own is not None
            search.orbits = OrbitKeys(own, search.flights, search.outcomes)
        run = search.advance(20_000, Deadline())
        assert run is not None
        assert run.requests() == 2
        met.append(sum(step is not None for step in search.layers.came_from.values()))
    assert met[1] < met[0] / 4


BROKEN_TRANSFERS = """
const COUNT := 5
ACCOUNT[COUNT] in 0..2 := 1

request transfer(source in 0..COUNT - 1, target in 0..COUNT - 1):
    done := 0
    if source != target and ACCOUNT[source] > 0 and ACCOUNT[target] < 2:
        yield
        if ACCOUNT[source] > 0 and ACCOUNT[target] < 2:
            ACCOUNT[source] := ACCOUNT[source] - 1
            ACCOUNT[target] := ACCOUNT[target] + 1
        done := 1
    return done

request balance(account in 0..COUNT - 1):
    return ACCOUNT[account]
"""
