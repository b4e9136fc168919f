"""Retries on arrays with a cell for each integer: proved if they compare what they have read."""

from dataclasses import replace
from random import Random

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.terms import TRUE
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.simulation import Predicate, SimulationEvidence
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.engines.simulation.engine import simulate
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.unbounded import CellMaker
from testkit.oracles.brute_force import TooLarge, fewest_in_violation, rules_of_unfolding
from testkit.samples import deep, sample, slow_seeds

SWAP = """
X[cell: int] := 3
request incr(i: cell) { while (1) { x := X[i]; yield; if (X[i] == x) { X[i] := x + 1; return x } } }
request get(i: cell) { X[i] }
"""
VERSIONS = """
VERSION[key: int] := 0
VALUE[key: int] := 0
request add(k: key) {
    while (1) {
        v := VERSION[k]; x := VALUE[k]; yield;
        if (VERSION[k] == v) { VALUE[k] := x + 1; VERSION[k] := v + 1; return x }
    }
}
"""


def proof(text: str) -> Certificate:
    program = parse(text)
    evidence = simulate(program, True, Deadline(30))
    assert isinstance(evidence, SimulationEvidence), evidence
    return Certificate(digest(program), "serializable", evidence)


@deep
@pytest.mark.parametrize("text", [SWAP, VERSIONS], ids=["swap", "versions"])
def test_both_solvers_confirm_it(text: str) -> None:
    certificate = proof(text)
    assert read_certificate(write(certificate)) == certificate
    for solver in SolverName:
        assert verify(certificate, parse(text), Context(chosen=(solver,))).accepted


@deep
@pytest.mark.parametrize("place", [0, 1])
def test_a_formula_that_says_nothing_is_refused(place: int) -> None:
    certificate = proof(VERSIONS)
    assert isinstance(certificate.evidence, SimulationEvidence)
    predicates = list(certificate.evidence.predicates)
    predicates[place] = Predicate(predicates[place].at, TRUE)
    weak = replace(certificate.evidence, predicates=tuple(predicates))
    assert not verify(replace(certificate, evidence=weak), parse(VERSIONS)).accepted


WRONG = {
    "nothing is compared": SWAP.replace("X[i] == x", "1 == 1"),
    "another cell is compared": SWAP.replace("(X[i] == x)", "(X[i + 1] == x)"),
    "the comparison comes too early": SWAP.replace("{ X[i] := x + 1;", "{ yield; X[i] := x + 1;"),
    "the version does not grow": VERSIONS.replace("VERSION[k] := v + 1; ", ""),
    "the version is read too late": VERSIONS.replace(
        "v := VERSION[k]; x := VALUE[k];", "x := VALUE[k]; yield; v := VERSION[k];"
    ),
}


@deep
@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_not_serializable_is_not_proved(text: str) -> None:
    assert not isinstance(simulate(parse(text), True, Deadline(30)), SimulationEvidence)


@deep
@slow_seeds
@pytest.mark.parametrize("seed", sample(200, 40))
def test_what_is_proved_has_no_violation_with_a_few_requests(seed: int) -> None:
    random = Random(seed)
    program = parse(CellMaker(random).program())
    try:
        evidence = simulate(program, True, Deadline(3))
    except OutOfTime:
        return
    if not isinstance(evidence, SimulationEvidence):
        return
    few = tuple(random.sample(program.handlers, min(4, len(program.handlers))))
    rules = rules_of_unfolding(ProgramUnfolding(replace(program, handlers=few), Limits(), Deadline()))
    try:
        assert fewest_in_violation(rules, 3, 4_000) is None
    except (TooLarge, LimitReached):
        assert fewest_in_violation(rules, 2, 50_000) is None
