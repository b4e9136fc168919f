"""Macro systems have the complete runs of the systems that they come from, by brute force."""

import pytest

from seriatim.budget import Deadline
from seriatim.systems.from_program import network_system
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import LimitReached
from seriatim.systems.slicing import MacroSystem, macro_system
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import LIMITS, Case, case
from testkit.oracles.brute_force import interleaved, rules_of_system, rules_of_unfolding, serial

SEEDS = {"system": range(120), "program": range(60), "counter": range(60)}
CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]


def sliced(given: Case, level: int) -> MacroSystem | None:
    """None if the closure does not end, as it may for programs whose counters run away."""
    try:
        return macro_system(given.unfolding, LIMITS, Deadline(), (level,))
    except LimitReached:
        return None


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_macro_steps_lose_no_outcome(kind: str, seed: int) -> None:
    """Before any slicing. Programs that never yield have serial outcomes only."""
    given = case(kind, seed)
    rules = rules_of_unfolding(given.unfolding)
    assert interleaved(rules, given.requests) == given.interleaved
    assert serial(rules, given.requests) == given.serial
    if isinstance(given.unfolding, ProgramUnfolding):
        assert given.fewest() is None or not given.unfolding.program.never_yields


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_slicing_loses_no_outcome_and_atomic_systems_have_serial_ones_only(
    kind: str, seed: int, level: int
) -> None:
    given = case(kind, seed)
    system = sliced(given, level)
    assert system is not None or kind == "counter"
    if system is not None:
        rules = rules_of_unfolding(system)
        assert interleaved(rules, given.requests) == given.interleaved
        assert serial(rules, given.requests) == given.serial
        assert given.fewest() is None or not system.is_atomic()


@pytest.mark.parametrize("kind", ["program", "counter"])
@pytest.mark.parametrize("seed", range(30))
def test_the_network_system_of_a_program_has_its_outcomes(kind: str, seed: int) -> None:
    given = case(kind, seed)
    assert isinstance(given.unfolding, ProgramUnfolding)
    try:
        system = network_system(given.unfolding.program, LIMITS, Deadline())
    except LimitReached:
        assert kind == "counter"
        return
    expected = interleaved(given.rules, 2)
    assert interleaved(rules_of_system(system), 2) == expected
    assert interleaved(rules_of_unfolding(SystemUnfolding(system)), 2) == expected


def test_the_random_cases_are_not_vacuous() -> None:
    """Slicing takes something away, some systems are atomic, and some are not."""
    systems = [system for seed in range(40) if (system := sliced(case("system", seed), 1))]
    atomic = [system for system in systems if system.is_atomic()]
    smaller = [
        system
        for system in systems
        if any(len(moves) < len(system.origin.moves(*at)) for at, moves in system.table.items())
    ]
    assert 0 < len(atomic) < len(systems)
    assert smaller
