"""Proofs by sums of globals and numbers of requests: confirmed by both solvers, and forgeries refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.term_text import read_term
from seriatim.arithmetic.terms import ONE, TRUE, ZERO, Name, Sort, number, times
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.simulation import Predicate, RequestFlow, RestingPoint, SimulationEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.engines.exchanges.engine import reduce
from seriatim.engines.simulation.engine import simulate
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.printer import print_expression
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.invariant import Invariant
from seriatim.program.symbolic.model import from_program
from seriatim.program.symbolic.moves import Policy
from seriatim.properties.safe import SAFETY
from testkit.samples import deep

PAIRED = """
REFS := 2
request use { REFS := REFS + 1; yield; assert REFS >= 3; yield; REFS := REFS - 1; 0 }
"""


@cache
def proof() -> Certificate:
    program = parse(PAIRED)
    evidence = simulate(program, False, Deadline())
    assert isinstance(evidence, SimulationEvidence)
    assert evidence.flows == (RequestFlow((("g.REFS", -1),), (ONE, ONE), -2),)
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
    "a step changes it": lambda fields: fields["flows"][0].update(weights=["2", "2"]),
    "requests weigh less later": lambda fields: fields["flows"][0].update(weights=["1", "0"]),
    "requests weigh less than nothing": lambda fields: fields["flows"][0].update(weights=["(- 1)", "(- 1)"]),
    "a weight is that of a variable": lambda fields: fields["flows"][0].update(weights=["1", "g.REFS"]),
    "a weight is that of a local that there is not": lambda fields: fields["flows"][0].update(
        weights=["1", "|0.n|"]
    ),
    "a weight is that of another request": lambda fields: fields["flows"][0].update(weights=["1", "|1.n|"]),
    "a weight is missing": lambda fields: fields["flows"][0].update(weights=["1"]),
    "a weight too many": lambda fields: fields["flows"][0].update(weights=["1", "1", "1"]),
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


def claimed(text: str, flow: RequestFlow, known: str = "true") -> bool:
    """Whether a sum proves that no step fails; formulas say nothing but what is known at the last point."""
    program = parse(text)
    model = from_program(program)
    points = tuple(
        RestingPoint(model.routines[each.handler].name, print_expression(each.code), False)
        for each in model.points
    )
    last = len(points) - 1
    predicates = [
        Predicate((), TRUE),
        *(Predicate((place,), read_term(known) if place == last else TRUE) for place in range(len(points))),
    ]
    evidence = SimulationEvidence(1, points, tuple(predicates), (flow,))
    return verify(Certificate(digest(program), "safe", evidence, SAFETY), program).accepted


INSIDE = RequestFlow((("g.N", -1),), (ONE,), 0)


def test_some_requests_weigh_at_most_the_total() -> None:
    counted = "request use { N := N + 1; yield; assert N >= 1; N := N - 1; 0 }"
    assert claimed(counted, INSIDE)
    assert not claimed(counted.replace("N >= 1", "N == 1"), INSIDE)


def test_no_weight_is_negative() -> None:
    """With -1 for those inside, N would be at most 1 where one is."""
    wrong = "request use { N := N + 1; yield; assert N <= 1; N := N - 1; 0 }"
    assert not claimed(wrong, RequestFlow((("g.N", 1),), (number(-1),), 0))


PERMITS = """
FREE := 9
request use(n: int) {
    if (n < 0) { return 0 }; FREE := FREE - n; yield; assert FREE <= 9 - n; FREE := FREE + n; 0
}
"""
TAKEN = RequestFlow((("g.FREE", 1),), (Name("0.n", Sort.INT),), 9)


def test_requests_weigh_what_they_have_taken() -> None:
    assert claimed(PERMITS, TAKEN, "(<= 0 |0.n|)")


def test_that_weights_are_not_negative_follows_from_formulas() -> None:
    """If somebody takes -1, there is more than before; nobody may say the contrary."""
    assert not claimed(PERMITS, TAKEN)
    unchecked = PERMITS.replace("if (n < 0) { return 0 }; ", "")
    assert not claimed(unchecked, TAKEN)
    assert not claimed(unchecked, TAKEN, "(<= 0 |0.n|)")


def test_that_weights_are_not_negative_does_not_follow_from_sums() -> None:
    """The premise that others weigh at least 0 must not prove itself."""
    model = from_program(parse(PERMITS))
    flow = Flow((), (Name("0.n", Sort.INT),))
    upside_down = Flow((), (times(-1, Name("0.n", Sort.INT)),))
    alone, together = (
        list(Invariant(Policy(model, None), 1, {(): TRUE, (0,): TRUE}, flows).about(flow))
        for flows in ((), (upside_down,))
    )
    assert alone[0] == together[0] == ("no request weighs less than 0", TRUE, read_term("(<= 0 l.n)"))
    assert alone != together


def test_weights_do_not_mention_variables() -> None:
    """A request that weighs what N is would make up for every change of N."""
    wrong = "request use { N := N + 1; yield; assert N <= 1; 0 }"
    assert not claimed(wrong, RequestFlow((("g.N", 1),), (times(-1, Name("g.N", Sort.INT)),), 0))


KEYS = """
READERS[key: int] := 0
request read(k: key) {
    READERS[k] := READERS[k] + 1; yield; assert READERS[k] >= 1; READERS[k] := READERS[k] - 1; 0
}
"""
OF_KEY = RequestFlow((("g.READERS[]", -1),), (read_term("(ite (= |0.k| i) 1 0)"),), 0)


def test_a_sum_for_each_key() -> None:
    assert claimed(KEYS, OF_KEY)
    assert not claimed(KEYS.replace("READERS[k] >= 1", "READERS[k] == 1"), OF_KEY)
    assert not claimed(KEYS.replace("assert READERS[k] >=", "assert READERS[k + 1] >="), OF_KEY)
    assert not claimed(KEYS.replace("READERS[k] := READERS[k] -", "READERS[0] := READERS[k] -"), OF_KEY)


OF_KEY_FORGERIES = {
    "of every key": replace(OF_KEY, weights=(ONE,)),
    "of another key": replace(OF_KEY, weights=(read_term("(ite (= (+ |0.k| 1) i) 1 0)"),)),
    "of one key": replace(OF_KEY, weights=(read_term("(ite (= |0.k| 0) 1 0)"),)),
    "of no key": replace(OF_KEY, weights=(ZERO,)),
    "another total": replace(OF_KEY, total=1),
}


@pytest.mark.parametrize("flow", OF_KEY_FORGERIES.values(), ids=OF_KEY_FORGERIES)
def test_sums_for_each_key_that_are_wrong(flow: RequestFlow) -> None:
    assert not claimed(KEYS, flow)


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
    wrong = RequestFlow((("g.REFS", 1),), (ZERO, ZERO), 2)
    forged = replace(evidence, flows=(*evidence.flows, wrong))
    assert not verify(replace(proof(), evidence=forged), program).accepted


LOCKED = """
READERS := 0
request read {
    await WRITING == 0; READERS := READERS + 1; yield; v := X; yield; w := X; READERS := READERS - 1; v - w
}
request write {
    await READERS == 0 && WRITING == 0; WRITING := 1; yield; x := X; yield; X := x * 2 + 1; WRITING := 0; x
}
"""


@cache
def exchanged() -> Certificate:
    program = parse(LOCKED)
    evidence = reduce(program, Deadline())
    assert isinstance(evidence, SymbolicReductionEvidence)
    assert evidence.flows
    return Certificate(digest(program), "serializable", evidence)


@deep
@pytest.mark.parametrize("solver", SolverName)
def test_steps_are_exchanged_because_of_a_sum(solver: SolverName) -> None:
    assert read_certificate(write(exchanged())) == exchanged()
    assert verify(exchanged(), parse(LOCKED), Context(chosen=(solver,))).accepted


@pytest.mark.parametrize("place", range(5))
def test_exchanges_with_forged_sums_are_refused(place: int) -> None:
    fields = json.loads(write(exchanged()))
    flow = next(each for each in fields["flows"] if each["factors"] == {"g.READERS": -1})
    changes: list[Callable[[], object]] = [
        lambda: fields.update(flows=[]),
        lambda: flow.update(weights=["0"] * len(flow["weights"])),
        lambda: flow.update(total=-1),
        lambda: flow.update(factors={"g.READERS": 1}),
        lambda: flow.update(factors={"s.READERS": -1}),
    ]
    changes[place]()
    assert not verify(read_certificate(json.dumps(fields)), parse(LOCKED)).accepted


@deep
def test_exchanges_of_another_program_are_refused() -> None:
    for old, new in (("READERS := READERS - 1", "READERS := 0"), ("READERS == 0 && ", "")):
        broken = LOCKED.replace(old, new)
        forged = replace(exchanged(), digest=digest(parse(broken)))
        assert not verify(forged, parse(broken)).accepted
        assert not isinstance(reduce(parse(broken), Deadline()), SymbolicReductionEvidence)
