"""`deadlock-free` agrees with the enumeration of all runs of a few requests, and its evidence is accepted."""

import pytest

from brute_force import Interpreted, TooLarge, rules_of_system
from random import Random

from random_systems import Setting, random_system
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.checking.verify import verify
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
from stuck_programs import fewest_to_hang, stuck_program_text

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
