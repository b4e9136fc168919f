"""Proofs by exchanging steps agree with brute force over a few requests."""

from dataclasses import replace
from random import Random

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking.verify import verify
from seriatim.engines.exchanges.engine import reduce
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.permits import PermitMaker
from testkit.generators.unbounded import CellMaker, UnboundedMaker
from testkit.oracles.brute_force import TooLarge, fewest_in_violation, rules_of_unfolding
from testkit.samples import deep, sample, slow_seeds


def hold_against_brute_force(program: Program, random: Random) -> bool:
    """Whether it is proved."""
    try:
        evidence = reduce(program, Deadline(3))
    except OutOfTime:
        return False
    if not isinstance(evidence, SymbolicReductionEvidence):
        return False
    assert verify(Certificate(digest(program), "serializable", evidence), program).accepted
    few = tuple(random.sample(program.handlers, min(4, len(program.handlers))))
    rules = rules_of_unfolding(ProgramUnfolding(replace(program, handlers=few), Limits(), Deadline()))
    try:
        assert fewest_in_violation(rules, 3, 4_000) is None
    except (TooLarge, LimitReached):
        assert fewest_in_violation(rules, 2, 50_000) is None
    return True


@deep
@slow_seeds
@pytest.mark.parametrize("arguments", [0.0, 0.4])
@pytest.mark.parametrize("seed", sample(12, 4))
def test_what_is_proved_for_all_integers_has_no_violation(seed: int, arguments: float) -> None:
    random = Random(seed)
    hold_against_brute_force(parse(UnboundedMaker(random, arguments).program()), random)


@deep
@pytest.mark.parametrize("seed", sample(12, 4))
def test_what_is_proved_for_all_cells_has_no_violation(seed: int) -> None:
    random = Random(seed)
    hold_against_brute_force(parse(CellMaker(random).program()), random)


@pytest.mark.parametrize("has_cells", [False, True], ids=["one", "each"])
@pytest.mark.parametrize("seed", sample(40, 5))
def test_what_is_proved_by_counting_holders_has_no_violation(seed: int, has_cells: bool) -> None:
    random = Random(seed)
    hold_against_brute_force(parse(PermitMaker(random, has_cells).program()), random)


@deep
@pytest.mark.parametrize("maker", [CellMaker, PermitMaker])
def test_some_random_programs_are_proved(maker: type[CellMaker] | type[PermitMaker]) -> None:
    random = Random(7)
    assert any(hold_against_brute_force(parse(maker(random).program()), random) for _ in range(12))
