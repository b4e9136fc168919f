"""`deadlock-free` agrees with the enumeration of all runs of a few requests, and its evidence is accepted."""

from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.portfolio import conclude
from seriatim.engines.schedules.stuck import DEADLOCKS
from seriatim.engines.stage import Found, GaveUp, Proof, Refutation, Task
from seriatim.frontends.ser.parser import parse
from seriatim.method import Minimality
from seriatim.program.inputs import Input, digest
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import StuckProblem
from testkit.generators.stuck_programs import fewest_to_hang, stuck_program_text
from testkit.generators.systems import SETTINGS, random_system
from testkit.oracles.brute_force import Interpreted, Rules, TooLarge, rules_of_system

LIMITS = Limits(max_states=2_000, max_value=8)
REQUESTS = 2
HELPERS = 2


def answer_about(content: Input) -> Found | GaveUp:
    deadline = Deadline(20)
    origin = unfold(content, LIMITS, deadline, dead_ends=True)
    return conclude(DEADLOCKS, Task(StuckProblem(origin), LIMITS, deadline)).answer


def accepted(content: Input, answer: Found) -> bool:
    verdict = DEADLOCK_FREEDOM.verdicts[0 if isinstance(answer, Proof) else 1]
    certificate = Certificate(digest(content), verdict, answer.evidence, DEADLOCK_FREEDOM)
    return verify(certificate, content).accepted


def agree(content: Input, rules: Rules, helpers: int = HELPERS) -> None:
    answer = answer_about(content)
    if isinstance(answer, GaveUp):
        return
    assert accepted(content, answer)
    try:
        fewest = fewest_to_hang(rules, REQUESTS, helpers)
    except TooLarge:
        return
    match answer:
        case Proof():
            assert fewest is None
        case Refutation(in_flight=requests, minimality=minimality):
            assert requests > REQUESTS or (fewest is not None and fewest <= requests)
            if minimality is Minimality.PROVED:
                assert fewest is None or fewest == requests


@pytest.mark.parametrize("seed", range(40))
def test_programs_with_locks_are_decided_as_by_enumeration(seed: int) -> None:
    program = parse(stuck_program_text(seed))
    agree(program, Interpreted(program).rules)


@pytest.mark.parametrize("seed", range(60))
def test_systems_are_decided_as_by_enumeration(seed: int) -> None:
    """With everything that the format allows: dead ends, and answers where a request could also go on."""
    random = Random(seed)
    system = random_system(random, SETTINGS[seed % 3], mixed=0.3 * (seed % 2))
    agree(system, rules_of_system(system), helpers=3)


@pytest.mark.parametrize("seed", range(12))
def test_the_warning_of_every_check_is_right(seed: int) -> None:
    program = parse(stuck_program_text(seed))
    warned = decide(program, Options(LIMITS)).stuck
    answer = answer_about(program)
    if warned is not None:
        assert verify(warned.certificate, program).accepted
        assert isinstance(answer, Refutation)
    if isinstance(answer, Proof):
        assert warned is None
