"""Questions beside plain serializability are decided as brute force decides them, by their definitions."""

from functools import cache

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method, Minimality
from seriatim.program.inputs import Input
from seriatim.program.specification import Specification
from seriatim.program.syntax import Program
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Answer, Holds, Refused, Undecided, Violated
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import LIMITS, Case, case, case_of
from testkit.generators.specifications import allowed_by, random_specification
from testkit.oracles.brute_force import TooLarge, reachable
from testkit.oracles.histories import History, alone, completions, fewest_unexplained, histories

SEEDS = {"system": (0, 1, 2, 4, 5, 7, 401), "program": (*range(8), 56, 166), "counter": range(8)}
CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]

SECONDS = 1.5
FEW_STATES = 4_000


def content_of(given: Case) -> Input:
    origin = given.unfolding
    return origin.program if isinstance(origin, ProgramUnfolding) else origin.system


@cache
def verdict(kind: str, seed: int, question: Property) -> Answer:
    options = Options(LIMITS, SECONDS, question=question)
    return decide(content_of(case(kind, seed)), options).answer


def assert_agrees(found: Answer, fewest: int | None, requests: int) -> None:
    """With what the smallest violation with at most so many requests has; None if there is none."""
    assert not isinstance(found, Refused), found.complaint
    if isinstance(found, Holds):
        assert fewest is None
    if isinstance(found, Undecided):
        assert fewest is None or found.clean_up_to < fewest
    if isinstance(found, Violated):
        own = found.run.requests
        assert fewest is None or fewest <= own
        assert own > requests or fewest is not None
        if fewest is not None and found.minimality is Minimality.PROVED:
            assert own == fewest


def few_histories(given: Case, pending: bool, most: int) -> tuple[int, frozenset[History]]:
    """How many requests have few histories together, and these."""
    for requests in range(most, 1, -1):
        try:
            return requests, histories(given.rules, requests, pending, FEW_STATES)
        except TooLarge:
            continue
    return 1, histories(given.rules, 1, pending)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_strictness_is_what_the_clock_says(kind: str, seed: int) -> None:
    given = case(kind, seed)
    requests, found = few_histories(given, pending=False, most=3)
    for barriers in (0, 1, 2):
        fewest = fewest_unexplained(found, barriers, given.rules.initial, alone(given.rules))
        assert_agrees(verdict(kind, seed, StrictSerializability(barriers)), fewest, requests)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_final_values_are_compared_with_those_of_serial_runs(kind: str, seed: int) -> None:
    given = case(kind, seed)
    ends = {(done, g) for g, flight, done in reachable(given.rules, given.requests) if not flight}
    serial = {(done, g) for g, flight, done in reachable(given.rules, given.requests, 1) if not flight}
    fewest = min((len(done) for done, _ in ends - serial), default=None)
    assert_agrees(verdict(kind, seed, Serializability("all")), fewest, given.requests)


ANSWERS_AND_VALUES = """
request jump { if (L == 0) { L := 1; x := X; yield; if (X == x + 2) { 1 } else { 0 } } else { 0 } }
request add { if (L == 1) { X := X + 1 }; 0 }
request flip { q := Q; yield; Q := 1 - q; 0 }
"""


@pytest.mark.parametrize("method", [Method.AUTO, Method.SEARCH])
def test_two_requests_that_spoil_a_value_are_fewer_than_three_with_an_odd_answer(method: Method) -> None:
    """The observer of final values is not a request of the input."""
    options = Options(LIMITS, 20, method, question=Serializability("all"))
    found = decide(parse(ANSWERS_AND_VALUES), options).answer
    assert isinstance(found, Violated)
    assert (found.run.requests, found.minimality) == (2, Minimality.PROVED)


def test_what_has_no_violation_so_far_has_none_with_so_many_requests_and_their_final_values() -> None:
    """There is one with two requests, however early the search ends."""
    lossy = parse("request a { x := X; yield; X := x + 1; 0 } request b { x := X; yield; X := x + 1; 0 }")
    for states in range(70, 150, 10):
        options = Options(Limits(max_states=states), 20, Method.SEARCH, question=Serializability("all"))
        assert_agrees(decide(lossy, options).answer, 2, 2)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_specifications_are_compared_as_defined(kind: str, seed: int) -> None:
    given = case(kind, seed)
    requests, complete = few_histories(given, pending=False, most=3)
    specification = random_specification(completions(complete), seed)
    allowed = allowed_by(specification)
    for barriers in (0, 1):
        question = Linearizability(specification, barriers)
        fewest = fewest_unexplained(complete, barriers, *allowed)
        assert_agrees(verdict(kind, seed, question), fewest, requests)
    requests, all_runs = few_histories(given, pending=True, most=2)
    pending = Linearizability(specification, seed % 2, pending=True)
    fewest = fewest_unexplained(all_runs, pending.barriers, *allowed)
    assert_agrees(verdict(kind, seed, pending), fewest, requests)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_properties_imply_one_another(kind: str, seed: int) -> None:
    """Without barriers, strict is serializable; barriers and final values only ask for more."""

    def is_so(question: Property) -> bool | None:
        found = verdict(kind, seed, question)
        return isinstance(found, Holds) if isinstance(found, Holds | Violated) else None

    serializable = is_so(SERIALIZABILITY)
    strict = [is_so(StrictSerializability(barriers)) for barriers in (0, 1, 2)]
    assert None in (serializable, strict[0]) or serializable == strict[0]
    observed = is_so(Serializability("all"))
    for weaker, stronger in ((strict[0], strict[1]), (strict[1], strict[2]), (serializable, observed)):
        assert not (weaker is False and stronger)


@pytest.mark.parametrize("barriers", [0, 1])
def test_a_program_is_its_own_specification(barriers: int) -> None:
    """Linearizable with respect to one's own serial runs is strictly serializable."""
    for seed in SEEDS["program"]:
        program = content_of(case("program", seed))
        assert isinstance(program, Program)
        own = Specification("its own serial runs", program)
        options = Options(LIMITS, SECONDS, question=Linearizability(own, barriers))
        found = decide(program, options).answer
        strict = verdict("program", seed, StrictSerializability(barriers))
        assert not isinstance(found, Refused)
        if isinstance(found, Holds | Violated) and isinstance(strict, Holds | Violated):
            assert isinstance(found, Holds) == isinstance(strict, Holds)


def test_brute_force_knows_time() -> None:
    """The lost increment: two that answer 0, and a read that began afterwards and answers 1."""
    given = case_of(parse("request inc { y := X; yield; X := y + 1; 0 } request read { X }"))
    found = histories(given.rules, 3, pending=False)
    assert fewest_unexplained(found, 0, given.rules.initial, alone(given.rules)) is None
    assert fewest_unexplained(found, 1, given.rules.initial, alone(given.rules)) == 3
