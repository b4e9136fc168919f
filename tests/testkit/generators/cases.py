"""Random inputs by number: network systems, programs, and programs whose globals count requests.

Each comes as an unfolding, together with what brute force says about it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from seriatim.program.syntax import Program
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.counters import CounterMaker
from testkit.generators.programs import ProgramMaker
from testkit.generators.systems import SETTINGS, random_system
from testkit.oracles.brute_force import (
    Interpreted,
    Outcome,
    Rules,
    State,
    TooLarge,
    outcomes,
    reachable,
    rules_of_system,
    serial,
)

LIMITS = Limits(max_states=3_000, max_value=8)
"""Far more than the finite ones among the random systems need."""

FEW_STATES = 1_500

Origin = ProgramUnfolding | SystemUnfolding


@dataclass(frozen=True, slots=True)
class Case:
    unfolding: Origin
    rules: Rules
    requests: int
    """How many requests brute force looked at: 3, or fewer if that would take long."""
    interleaved: frozenset[Outcome]
    serial: frozenset[Outcome]

    def fewest(self) -> int | None:
        """How many requests the smallest violation has; None if there is none with so few requests."""
        return min(map(len, self.interleaved - self.serial), default=None)


@cache
def case(kind: str, seed: int) -> Case:
    """The case of this kind and number, always the same one."""
    return KINDS[kind](Random(seed))


def system_case(random: Random) -> Case:
    system = random_system(random, random.choice(SETTINGS), mixed=random.choice([0.0, 0.2, 0.5]))
    return brute_forced(SystemUnfolding(system), rules_of_system(system))


def program_case(random: Random) -> Case:
    maker = ProgramMaker(random, modulus=random.choice([2, 3]), odd=random.choice([0.0, 0.2, 0.5]))
    return case_of(maker.program(handlers=random.randint(1, 2), size=random.randint(2, 5)))


def counter_case(random: Random) -> Case:
    maker = CounterMaker(random, faulty=random.choice([0.0, 0.1, 0.3, 0.6]))
    return case_of(maker.program(handlers=random.randint(1, 2), size=random.randint(1, 3)))


def case_of(program: Program, limits: Limits = LIMITS) -> Case:
    return brute_forced(ProgramUnfolding(program, limits), Interpreted(program).rules)


def brute_forced(unfolding: Origin, rules: Rules) -> Case:
    requests, states = most_requests(rules)
    return Case(unfolding, rules, requests, outcomes(states), serial(rules, requests))


def most_requests(rules: Rules) -> tuple[int, frozenset[State]]:
    """How many requests have few states together, and these states."""
    for requests in (3, 2):
        try:
            return requests, reachable(rules, requests, max_states=FEW_STATES)
        except TooLarge:
            continue
    return 1, reachable(rules, 1)


KINDS: dict[str, Callable[[Random], Case]] = {
    "system": system_case,
    "program": program_case,
    "counter": counter_case,
}
