"""Sums of globals and numbers of requests: found, true in all runs of a few requests, never too strong."""

from random import Random

import pytest

from seriatim.arithmetic.evaluation import evaluate
from seriatim.arithmetic.terms import ONE, ZERO
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.simulation import RequestFlow, SimulationEvidence
from seriatim.engines.shared.houdini import Facts, keep_inductive
from seriatim.engines.shared.request_flows import find_flows, flow_facts
from seriatim.engines.simulation.engine import simulate
from seriatim.frontends.ser.parser import parse
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import Unbounded, lookup
from seriatim.program.symbolic.execution import TooManyPaths
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.model import Model, from_program, other_name
from seriatim.program.symbolic.moves import Policy
from seriatim.program.syntax import Program
from testkit.generators.permits import PermitMaker
from testkit.generators.unbounded import UnboundedMaker
from testkit.oracles.brute_force import Interpreted, State, TooLarge, reachable
from testkit.samples import deep, sample, sampled

REFERENCES = "request use { REFS := REFS + 1; yield; assert REFS > 0; REFS := REFS - 1; 0 }"
READERS_AND_WRITERS = """
request read { await WRITING == 0; READERS := READERS + 1; yield; v := X; yield; assert X == v;
    READERS := READERS - 1; v }
request write { await READERS == 0 && WRITING == 0; WRITING := 1; yield; X := X + 1; yield; X := X + 1;
    WRITING := 0; 0 }
"""
SHARED = """
REFS := 1
request use { if (FREED == 1) { return 0 }; REFS := REFS + 1; yield; assert FREED == 0; yield;
    REFS := REFS - 1; if (REFS == 0) { FREED := 1 }; 1 }
request drop { if (DROPPED == 0) { DROPPED := 1; REFS := REFS - 1; if (REFS == 0) { FREED := 1 } }; 0 }
"""
PERMITS = """
FREE := 10
request work(n: int) {
    if (n < 1) { return 0 }; await FREE >= n; FREE := FREE - n; yield;
    assert FREE <= 10 - n; FREE := FREE + n; 1
}
"""
DRAINED = """
request put(n: int) { QUEUE := QUEUE + n; TOTAL := TOTAL + n; 0 }
request drain {
    if (QUEUE < 0) { return 0 }; batch := QUEUE; QUEUE := 0; yield; assert QUEUE + batch <= TOTAL - DONE;
    DONE := DONE + batch; batch
}
"""
CELLS = """
READERS[key: int] := 0
FREE[key: int] := 3
request read(k: key) {
    READERS[k] := READERS[k] + 1; yield; assert READERS[k] > 0; READERS[k] := READERS[k] - 1; 0
}
request take(k: key, n: int) {
    if (n < 0) { return 0 }; FREE[k] := FREE[k] - n; yield; assert FREE[k] + n <= 3; FREE[k] := FREE[k] + n; 1
}
"""
MOVED = "request move(n: int) { A := A - n; B := B + n; yield; assert A + B == 0; 0 }"

SAFE = {
    "references": REFERENCES,
    "entries": "request work { IN := IN + 1; yield; OUT := OUT + 1; assert OUT <= IN; 0 }",
    "semaphore": "request work { await C < 2; C := C + 1; yield; assert C >= 1; T := T + 1; C := C - 1; 0 }",
    "readers and writers": READERS_AND_WRITERS,
    "shared, freed by the last": SHARED,
    "any amount is moved": MOVED,
    "permits of any amount": PERMITS,
    "a batch that is under way": DRAINED,
    "holders of each key": CELLS,
}


@deep
@pytest.mark.parametrize("text", SAFE.values(), ids=SAFE)
def test_no_step_fails_because_of_a_sum(text: str) -> None:
    found = simulate(parse(text), False, Deadline())
    assert isinstance(found, SimulationEvidence), found
    assert found.flows


@deep
def test_readers_and_writers_are_serializable() -> None:
    found = simulate(parse(READERS_AND_WRITERS), True, Deadline())
    assert isinstance(found, SimulationEvidence)
    points = [
        (point.handler, weight) for point, weight in zip(found.points, found.flows[0].weights, strict=True)
    ]
    assert found.flows[0].factors == (("g.READERS", -1),)
    assert set(points) == {("read", ONE), ("write", ZERO)}


@deep
def test_a_sum_starts_with_the_initial_values() -> None:
    found = simulate(parse(SHARED), False, Deadline())
    assert isinstance(found, SimulationEvidence)
    assert found.flows == (RequestFlow((("g.DROPPED", -1), ("g.REFS", -1)), (ONE, ONE), -1),)


TOO_STRONG = {
    "nobody else is inside": REFERENCES.replace("REFS > 0", "REFS == 1"),
    "nobody is inside": "request use { N := N + 1; yield; N := N - 1; assert N == 0; 0 }",
    "some never leave": "request use { N := N + 1; yield; if (?) { N := N - 1 }; assert N == 0; 0 }",
    "leaves twice": "request use { N := N + 1; yield; N := N - 1; yield; assert N >= 0; N := N - 1; 0 }",
    "a lock that is not there": SHARED.replace("REFS := REFS + 1; yield", "yield; REFS := REFS + 1; yield"),
    "starts with another value": f"REFS := -1\n{REFERENCES}",
    "somebody has less than no permits": PERMITS.replace("if (n < 1) { return 0 }; ", ""),
    "others have permits": PERMITS.replace("FREE <= 10 - n", "FREE == 10 - n"),
    "fewer permits come back": PERMITS.replace("FREE := FREE + n", "FREE := FREE + 1"),
    "others hold the key": CELLS.replace("READERS[k] > 0", "READERS[k] == 1"),
    "another key": CELLS.replace("assert READERS[k] > 0", "assert READERS[k + 1] > 0"),
    "somebody takes less than nothing of a key": CELLS.replace("if (n < 0) { return 0 }; ", ""),
}


@pytest.mark.parametrize("text", sampled(list(TOO_STRONG.values()), 3), ids=sampled(list(TOO_STRONG), 3))
def test_what_may_fail_is_not_proved(text: str) -> None:
    """Of some requests it is known that they are at most as many as a sum says, not exactly."""
    assert not isinstance(simulate(parse(text), False, Deadline(), 5_000), SimulationEvidence)


class Sums:
    """Sums in the configurations of the reference interpreter."""

    def __init__(self, program: Program, model: Model) -> None:
        self.model = model
        self.interpreted = Interpreted(program)
        self.names = [handler.name for handler in program.handlers]
        self.bodies = [handler.body for handler in program.handlers]

    def weight(self, flow: Flow, request: str, local: int) -> int:
        """What the request weighs; KeyError if it rests with a number in its hand."""
        code, own = self.interpreted.locals.items[local]
        handler = self.names.index(request)
        points = {(each.handler, each.code): place for place, each in enumerate(self.model.points)}
        if self.interpreted.responses(local):
            return 0
        values = {other_name(0, name): value for name, value in own}
        if code == self.bodies[handler]:
            point = points.get((handler, code))
            live = () if point is None else self.model.points[point].live
            if not any(lookup(own, name) for name in live):
                return 0
        return evaluate(flow.weights[points[handler, code]], values)

    def of(self, flow: Flow, state: State) -> int:
        number, flight, _ = state
        values = self.interpreted.globals.items[number]
        total = sum(factor * lookup(values, name.name.removeprefix("g.")) for name, factor in flow.factors)
        return total + sum(self.weight(flow, request, local) for request, local in flight)


def kept_flows(policy: Policy) -> tuple[Flow, ...]:
    """Sums that no step changes, whatever is known besides numbers from 0 on."""
    facts: Facts = {(): [], **{(point,): [] for point in range(len(policy.model.points))}}
    flows = find_flows(policy)
    flow_facts(policy, flows, facts)
    return keep_inductive(policy, 1, facts, Deadline(), flows).flows


def compare(text: str) -> bool:
    """Whether a sum of a program was looked at in all configurations of three requests."""
    program = parse(text)
    with deep_recursion():
        try:
            policy = Policy(from_program(program), None)
            flows = kept_flows(policy)
            sums = Sums(program, policy.model)
            states = reachable(sums.interpreted.rules, 3, None, 1_500)
            found = [(flow, sums.of(flow, state)) for flow in flows for state in states]
        except (TooManyPaths, TooLarge, Unbounded, OutOfTime, KeyError):
            return False
    assert all(total == flow.total(policy.model) for flow, total in found)
    return bool(found)


@deep
@pytest.mark.parametrize("seed", sample(60, 10))
def test_sums_are_the_same_in_all_runs_of_a_few_requests(seed: int) -> None:
    compare(UnboundedMaker(Random(seed)).program())


@pytest.mark.parametrize("seed", sample(200, 20))
def test_sums_of_permits_are_the_same_in_all_runs_of_a_few_requests(seed: int) -> None:
    maker = PermitMaker(Random(seed))
    maker.is_open = False
    compare(maker.program())


CLOSED = "FREE := 5\nrequest work { n := FREE % 3; FREE := FREE - n; yield; FREE := FREE + n; 1 }"


@pytest.mark.parametrize(
    "text", [REFERENCES, READERS_AND_WRITERS, CLOSED], ids=["references", "readers", "permits"]
)
def test_there_is_something_to_compare(text: str) -> None:
    assert compare(text.replace("; assert REFS > 0", "").replace("; assert X == v", ""))
