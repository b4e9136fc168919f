"""Reductions keep Int and Ser, and runs of the smaller system expand: against brute force."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from brute_force import Outcome, TooLarge, interleaved, rules_of_unfolding, serial
from random_programs import ProgramMaker
from random_systems import SETTINGS, random_system
from seriatim.budget import Deadline
from seriatim.network.from_system import SystemUnfolding
from seriatim.network.limits import Limits
from seriatim.network.random_run import random_run
from seriatim.network.run import Run, replays
from seriatim.network.slicing import MacroSystem, macro_system
from seriatim.network.system import LocalState, NetworkSystem
from seriatim.network.unfolding import ProgramUnfolding, Unfolding
from seriatim.reductions.bisimulation import quotient
from seriatim.reductions.collapse import collapse
from seriatim.reductions.fusion import fuse
from seriatim.reductions.prepass import MAX_CHECKS, Reduction, prepass
from seriatim.reductions.pruning import prune
from seriatim.reductions.wait_states import drop_wait_states

SEEDS = range(240)
MAX_STATES = 4_000
LEVELS = ((1,), (2,), (1, 2))
NEVER = Deadline()

REDUCTIONS: tuple[Callable[[MacroSystem], Reduction], ...] = (
    prune,
    collapse,
    lambda system: quotient(system, NEVER),
    lambda system: drop_wait_states(system, NEVER),
    lambda system: fuse(system, MAX_CHECKS, NEVER),
)

Outcomes = tuple[frozenset[Outcome], frozenset[Outcome]]


def random_origin(seed: int) -> ProgramUnfolding | SystemUnfolding:
    random = Random(seed)
    match seed % 3:
        case 0:
            setting = random.choice(SETTINGS)
            return SystemUnfolding(random_system(random, setting, random.choice([0.0, 0.2, 0.5])))
        case 1:
            maker = ProgramMaker(random, modulus=random.choice([2, 2, 3]), odd=random.choice([0.0, 0.1, 0.3]))
            program = maker.program(handlers=random.choice([1, 2, 2, 3]), size=random.randint(2, 5))
            return ProgramUnfolding(program, Limits())
        case _:
            return SystemUnfolding(system_of_two_variables(random))


def system_of_two_variables(random: Random) -> NetworkSystem:
    """Requests each of whose edges reads and writes one of two variables only: many of them are movers.

    Edges from a local state to itself and edges that write nothing are frequent.
    """
    requests, own = random.choice([1, 2, 2]), random.choice([2, 2, 3, 4])
    sizes = random.choice([(2, 2), (3, 2), (2, 1), (3, 1), (4, 1)])
    globals_ = list(product(range(sizes[0]), range(sizes[1])))
    delta: set[tuple[int, int, int, int]] = set()
    last = requests * own
    for request in range(requests):
        for _ in range(random.randint(own, 2 * own)):
            source = request * own + random.randrange(own)
            targets = [source, last + request, request * own + random.randrange(own)]
            target = random.choice(targets)
            variable = random.randrange(2)
            writes = random.random() < 0.6
            density = random.choice([0.4, 0.7, 1.0])
            for value in range(sizes[variable]):
                if random.random() > density:
                    continue
                new_value = random.randrange(sizes[variable]) if writes else value
                for number, values in enumerate(globals_):
                    if values[variable] == value:
                        after = list(values)
                        after[variable] = new_value
                        delta.add((source, number, target, globals_.index((after[0], after[1]))))
    return NetworkSystem(
        globals=tuple(map(str, globals_)),
        locals=tuple(LocalState(f"l{number}") for number in range(last + requests)),
        requests=tuple(f"r{number}" for number in range(requests)),
        responses=("0",),
        initial=0,
        req=tuple((request, request * own) for request in range(requests)),
        resp=tuple((last + request, 0) for request in range(requests)),
        delta=tuple(sorted(delta)),
    )


def random_macro_system(seed: int) -> MacroSystem:
    return macro_system(random_origin(seed), Limits(), NEVER, LEVELS[seed // 3 % len(LEVELS)])


def outcomes(unfolding: Unfolding, requests: int) -> Outcomes:
    """Int and Ser, up to so many requests."""
    rules = rules_of_unfolding(unfolding)
    return interleaved(rules, requests, MAX_STATES), serial(rules, requests, MAX_STATES)


def feasible_outcomes(unfolding: Unfolding) -> tuple[int, Outcomes]:
    """Int and Ser up to three requests, or as many as are feasible."""
    try:
        return 3, outcomes(unfolding, 3)
    except TooLarge:
        return 2, outcomes(unfolding, 2)


def assert_runs_expand(system: MacroSystem, expand: Callable[[Run], Run], into: Unfolding, seed: int) -> int:
    """Random complete runs of the smaller system become runs of the larger one; how many there were."""
    random = Random(seed)
    count = 0
    for attempt in range(8):
        handlers = [random.randrange(len(system.requests)) for _ in range(random.randint(1, 4))]
        run = random_run(system, handlers, seed + attempt, max_steps=60)
        if isinstance(run, Run):
            expanded = expand(run)
            assert replays(expanded, into)
            assert expanded.outcome() == run.outcome()
            count += 1
    return count


def agreement(seed: int) -> Counter[str]:
    """Asserts that nothing changes for one random system; what was done to it."""
    given = random_macro_system(seed)
    steps = [step for reduce in REDUCTIONS if (step := reduce(given)).after is not given]
    reduced = prepass(given, NEVER)
    done = Counter(type(step).__name__ for step in (*steps, *reduced.steps))
    if not done:
        return done
    done["atomic"] += reduced.system.is_atomic() and not given.is_atomic()
    requests, expected = feasible_outcomes(given.origin)
    for smaller in (reduced.system, *(step.after for step in steps)):
        assert outcomes(smaller, requests) == expected
    for step in (*steps, *reduced.steps):
        done["runs"] += assert_runs_expand(step.after, step.expand, step.before, seed)
    done["runs"] += assert_runs_expand(reduced.system, reduced.expand, given.origin, seed)
    return done


@pytest.mark.parametrize("first", SEEDS[::20])
def test_outcomes_stay_the_same_and_runs_expand(first: int) -> None:
    """For each reduction alone and for all of them in turn; and none of them is idle on these systems."""
    done: Counter[str] = Counter()
    for seed in range(first, first + 20):
        done += agreement(seed)
    assert done["Quotient"] > 0
    assert done["Fusion"] > 0
    assert done["runs"] > 0


def test_every_reduction_has_something_to_do() -> None:
    """The random systems are not vacuous: each kind of step occurs among the first of them."""
    kinds = {
        type(step).__name__ for seed in SEEDS for step in prepass(random_macro_system(seed), NEVER).steps
    }
    assert kinds == {"Pruning", "Collapse", "Quotient", "WaitStates", "Fusion"}
