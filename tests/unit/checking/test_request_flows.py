"""Proofs by sums of globals and numbers of requests: confirmed by both solvers, and forgeries refused."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.terms import TRUE
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.simulation import Predicate, RequestFlow, RestingPoint, SimulationEvidence
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.engines.simulation.engine import simulate
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.frozen import replace
from seriatim.program.inputs import digest
from seriatim.program.printer import print_expression
from seriatim.program.symbolic.model import from_program
from seriatim.properties.safe import SAFETY
from seriatim.source import InputError

PAIRED = """
REFS := 2
request use { REFS := REFS + 1; yield; assert REFS >= 3; yield; REFS := REFS - 1; 0 }
"""


@cache
def proof() -> Certificate:
    program = parse(PAIRED)
    evidence = simulate(program, False, Deadline())
    assert isinstance(evidence, SimulationEvidence)
    assert evidence.flows == (RequestFlow((("g.REFS", -1),), (1, 1), -2),)
    return Certificate(digest(program), "safe", evidence, SAFETY)


@pytest.mark.parametrize("solver", SolverName)
def test_both_solvers_confirm_it(solver: SolverName) -> None:
    assert read_certificate(write(proof())) == proof()
    assert verify(proof(), parse(PAIRED), Context(chosen=(solver,))).accepted


Change = Callable[[dict[str, Any]], object]


FORGERIES: dict[str, Change] = {
    "there is no sum": lambda fields: fields.update(flows=[]),
    "another total": lambda fields: fields["flows"][0].update(total=-3),
    "the total of other factors": lambda fields: fields["flows"][0].update(factors={"g.REFS": 1}),
    "a step changes it": lambda fields: fields["flows"][0].update(weights=[2, 2]),
    "requests weigh less later": lambda fields: fields["flows"][0].update(weights=[1, 0]),
    "a weight is missing": lambda fields: fields["flows"][0].update(weights=[1]),
    "a weight too many": lambda fields: fields["flows"][0].update(weights=[1, 1, 1]),
    "of a variable that does not exist": lambda fields: fields["flows"][0].update(
        factors={"g.REFS": -1, "g.NONE": 1}
    ),
    "of a local": lambda fields: fields["flows"][0].update(factors={"g.REFS": -1, "0.x": 1}),
    "of a serial state that there is not": lambda fields: fields["flows"][0].update(
        factors={"g.REFS": -2, "s.REFS": 1}
    ),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_forgeries_are_refused(change: Change) -> None:
    fields = json.loads(write(proof()))
    change(fields)
    assert not verify(read_certificate(json.dumps(fields)), parse(PAIRED)).accepted


def claimed(text: str, flow: RequestFlow) -> bool:
    """Whether a sum alone proves that no step fails; formulas say nothing."""
    program = parse(text)
    model = from_program(program)
    points = tuple(
        RestingPoint(model.routines[each.handler].name, print_expression(each.code), False)
        for each in model.points
    )
    views = [(), *((place,) for place in range(len(points)))]
    evidence = SimulationEvidence(1, points, tuple(Predicate(view, TRUE) for view in views), (flow,))
    return verify(Certificate(digest(program), "safe", evidence, SAFETY), program).accepted


INSIDE = RequestFlow((("g.N", -1),), (1,), 0)


def test_some_requests_weigh_at_most_the_total() -> None:
    counted = "request use { N := N + 1; yield; assert N >= 1; N := N - 1; 0 }"
    assert claimed(counted, INSIDE)
    assert not claimed(counted.replace("N >= 1", "N == 1"), INSIDE)


def test_no_weight_is_negative() -> None:
    """With -1 for those inside, N would be at most 1 where one is."""
    wrong = "request use { N := N + 1; yield; assert N <= 1; N := N - 1; 0 }"
    assert not claimed(wrong, RequestFlow((("g.N", 1),), (-1,), 0))
    fields = json.loads(write(proof()))
    fields["flows"][0]["weights"] = [-1, -1]
    with pytest.raises(InputError):
        read_certificate(json.dumps(fields))


def test_who_has_answered_weighs_nothing() -> None:
    """N counts all that ever came, so no weight of those inside makes up for it."""
    counted = "request use { N := N + 1; yield; assert N >= 1; 0 }"
    assert not claimed(counted, INSIDE)


def test_a_fresh_request_weighs_nothing() -> None:
    counted = "request use { yield; assert N >= 1; N := N - 1; 0 }"
    assert not claimed(counted, INSIDE)


def test_a_sum_does_not_prove_another_one() -> None:
    """Each sum has to be kept by all steps, also if the others make a wrong one look right."""
    program = parse(PAIRED)
    evidence = proof().evidence
    assert isinstance(evidence, SimulationEvidence)
    wrong = RequestFlow((("g.REFS", 1),), (0, 0), 2)
    forged = replace(evidence, flows=(*evidence.flows, wrong))
    assert not verify(replace(proof(), evidence=forged), program).accepted
