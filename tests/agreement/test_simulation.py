"""Proofs for any integers agree with brute force over a few requests, and the examples are decided."""

from pathlib import Path
from random import Random

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.simulation.engine import simulate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.result import Faulty, Holds, Violated
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.unbounded import UnboundedMaker
from testkit.oracles.brute_force import TooLarge, fewest_in_violation, rules_of_unfolding
from testkit.samples import IS_DEEP, deep, deep_cases, sample, sampled, slow_seeds

EXAMPLES = Path(__file__).parents[2] / "examples" / "unbounded"
QUICK = {"retry_counter", "key_value", "spin_counter", "bank", "token_bucket", "withdrawals"}
"""Proved in less than a second."""
REDUCED = {"accounts", "bank", "idempotency", "spin_counter", "withdrawals"}
"""Proved by exchanging steps."""


@deep
@slow_seeds
@pytest.mark.parametrize("arguments", [0.0, 0.6])
@pytest.mark.parametrize("seed", sample(100, 25))
def test_what_is_proved_has_no_violation_with_a_few_requests(seed: int, arguments: float) -> None:
    program = parse(UnboundedMaker(Random(seed), arguments).program())
    try:
        evidence = simulate(program, True, Deadline(2))
    except OutOfTime:
        return
    if not isinstance(evidence, SimulationEvidence):
        return
    assert verify(Certificate(digest(program), "serializable", evidence), program).accepted
    rules = rules_of_unfolding(ProgramUnfolding(program, Limits(), Deadline()))
    try:
        assert fewest_in_violation(rules, 3, 5_000) is None
    except (TooLarge, LimitReached):
        assert fewest_in_violation(rules, 2, 50_000) is None


@deep_cases("token_bucket")
@pytest.mark.parametrize("path", sampled(sorted(EXAMPLES.glob("*.ser")), 5), ids=lambda path: path.stem)
def test_examples_are_decided(path: Path) -> None:
    program = parse(path.read_text("utf-8"))
    if path.stem.endswith("_broken"):
        assert isinstance(decide(program, Options()).answer, Violated | Faulty)
    elif IS_DEEP or path.stem in QUICK:
        found = decide(program, Options()).answer
        assert isinstance(found, Holds)
        kind = "symbolic-reduction" if path.stem in REDUCED else "simulation"
        assert found.certificate.evidence.kind == kind


def test_every_example_has_a_broken_variant() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.ser")}
    assert {f"{name}_broken" for name in names if not name.endswith("_broken")} <= names
