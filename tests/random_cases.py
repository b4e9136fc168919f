"""Random inputs by number: network systems, programs, and programs whose globals count requests.

Each comes as an unfolding, together with its rules for brute force.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from brute_force import Interpreted, Rules, TooLarge, reachable, rules_of_system
from random_counters import CounterMaker
from random_programs import ProgramMaker
from random_systems import SETTINGS, random_system

from seriatim.language.syntax import Program
from seriatim.network.from_system import SystemUnfolding
from seriatim.network.limits import Limits
from seriatim.network.unfolding import ProgramUnfolding

LIMITS = Limits(max_states=3_000, max_value=8)
"""Far more than the finite ones among the random systems need."""

FEW_STATES = 1_500


@dataclass(frozen=True, slots=True)
class Case:
    unfolding: ProgramUnfolding | SystemUnfolding
    rules: Rules
    requests: int
    """How many requests brute force can look at quickly, at most 3."""


def case(kind: str, seed: int) -> Case:
    """The case of this kind and number, always the same one."""
    return KINDS[kind](Random(seed))


def system_case(random: Random) -> Case:
    system = random_system(random, random.choice(SETTINGS), mixed=random.choice([0.0, 0.2, 0.5]))
    rules = rules_of_system(system)
    return Case(SystemUnfolding(system), rules, quick(rules))


def program_case(random: Random) -> Case:
    maker = ProgramMaker(random, modulus=random.choice([2, 3]), odd=random.choice([0.0, 0.2, 0.5]))
    return case_of(maker.program(handlers=random.randint(1, 3), size=random.randint(2, 4)))


def counter_case(random: Random) -> Case:
    maker = CounterMaker(random, faulty=random.choice([0.0, 0.1, 0.3, 0.6]))
    return case_of(maker.program(handlers=random.randint(1, 2), size=random.randint(1, 3)))


def case_of(program: Program) -> Case:
    rules = Interpreted(program).rules
    return Case(ProgramUnfolding(program, LIMITS), rules, quick(rules))


def quick(rules: Rules) -> int:
    """How many requests have few states together; at least 1."""
    for requests in (3, 2):
        try:
            reachable(rules, requests, max_states=FEW_STATES)
        except TooLarge:
            continue
        return requests
    return 1


KINDS: dict[str, Callable[[Random], Case]] = {
    "system": system_case,
    "program": program_case,
    "counter": counter_case,
}
