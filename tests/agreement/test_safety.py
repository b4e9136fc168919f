"""`safe` agrees with the enumeration of all runs of a few requests, and its evidence is accepted."""

from dataclasses import replace

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.checking.verify import verify
from seriatim.engines.portfolio import conclude
from seriatim.engines.safety.stages import EXCLUDE_BACKWARDS, EXCLUDE_BY_CLOSURE, LOOK_FOR_FAULT
from seriatim.engines.schedules.safety import SAFETY as SCHEDULE
from seriatim.engines.stage import Found, GaveUp, Proof, Refutation, Schedule, Task, Turn
from seriatim.frontends.ser.parser import parse
from seriatim.method import Minimality
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program
from seriatim.properties.safe import SAFETY
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import SafetyProblem
from testkit.generators.failing_programs import failing_program, fewest_to_fail
from testkit.samples import deep

LIMITS = Limits(max_states=3_000, max_value=8)
REQUESTS = 3
WAYS: dict[str, Schedule[SafetyProblem]] = {
    "all": SCHEDULE,
    "search": (Turn(LOOK_FOR_FAULT, 3_000),),
    "closure": (Turn(EXCLUDE_BY_CLOSURE),),
    "backwards": (Turn(EXCLUDE_BACKWARDS),),
}


def answer_about(program: Program, way: str) -> Found | GaveUp:
    deadline = Deadline(20)
    problem = SafetyProblem(unfold(program, LIMITS, deadline))
    return conclude(WAYS[way], Task(problem, LIMITS, deadline)).answer


def accepted(program: Program, answer: Found) -> bool:
    verdict = SAFETY.verdicts[0 if isinstance(answer, Proof) else 1]
    return verify(Certificate(digest(program), verdict, answer.evidence, SAFETY), program).accepted


@pytest.mark.parametrize("seed", range(60))
def test_all_ways_agree_with_enumeration(seed: int) -> None:
    program = failing_program(seed)
    fewest = fewest_to_fail(program, REQUESTS)
    for way in WAYS:
        answer = answer_about(program, way)
        match answer:
            case Proof():
                assert fewest is None, way
                assert accepted(program, answer), way
            case Refutation(in_flight=requests, minimality=minimality):
                assert accepted(program, answer), way
                assert fewest is None or fewest <= requests, way
                if minimality is Minimality.PROVED:
                    assert requests == fewest or (fewest is None and requests > REQUESTS), way
            case GaveUp():
                assert way != "all"


NEEDS_THREE = """
X in 0..2 := 0
request up { if (X < 2) { yield; X := X + 1 }; 0 }
"""


def test_the_smallest_run_is_found() -> None:
    """Two requests pass the test while X is 0 or 1, and a third one has made it 1 before."""
    answer = answer_about(parse(NEEDS_THREE), "all")
    assert isinstance(answer, Refutation)
    assert (answer.in_flight, answer.minimality) == (3, Minimality.PROVED)


NO_THREE = """
X in 0..2 := 0
request use {
    if (S == 0) { S := 5 } else { await S == 5; S := 3 };
    yield; X := X + 1; yield; X := X - 1;
    if (S == 3) { S := 5 } else { S := 0 };
    0
}
"""
"""At most two are between the tests at once; looking at pairs does not show it, and S counts nobody."""


@deep
def test_situations_that_are_left_out_make_the_evidence_wrong() -> None:
    program = parse(NO_THREE)
    assert isinstance(answer_about(program, "closure"), GaveUp)
    answer = answer_about(program, "all")
    assert isinstance(answer, Proof)
    assert accepted(program, answer)
    evidence = answer.evidence
    assert isinstance(evidence, NoFaultEvidence)
    assert evidence.excluded
    for place in range(len(evidence.excluded)):
        fewer = evidence.excluded[:place] + evidence.excluded[place + 1 :]
        assert not accepted(program, replace(answer, evidence=replace(evidence, excluded=fewer)))


TWO_PERMITS = """
X in 0..2 := 0
N in 0..2 := 2
request use { await N > 0; N := N - 1; yield; X := X + 1; yield; X := X - 1; yield; N := N + 1; 0 }
"""


def test_evidence_need_not_exclude_what_the_cover_excludes() -> None:
    program = parse(TWO_PERMITS)
    answer = answer_about(program, "backwards")
    assert isinstance(answer, Proof)
    assert accepted(program, answer)
