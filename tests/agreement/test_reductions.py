"""Reductions keep Int, Ser and what is covered, and runs of the smaller system expand: by brute force."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from random import Random

import pytest

from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.reductions.bisimulation import quotient
from seriatim.reductions.collapse import collapse
from seriatim.reductions.fusion import fuse
from seriatim.reductions.prepass import MAX_CHECKS, Reduction, prepass
from seriatim.reductions.pruning import prune
from seriatim.reductions.wait_states import drop_wait_states
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import LimitReached
from seriatim.systems.slicing import MacroSystem, macro_system
from testkit.generators.cases import LIMITS, Case, brute_forced, case
from testkit.inputs.reduction_cases import NEVER, assert_runs_expand
from testkit.oracles.brute_force import interleaved, reachable, rules_of_system, rules_of_unfolding, serial
from testkit.samples import deep

SEEDS = {"system": range(150), "program": range(100), "counter": range(100), "two variables": range(600)}

REDUCTIONS: tuple[Callable[[MacroSystem], Reduction], ...] = (
    prune,
    collapse,
    lambda system: quotient(system, NEVER),
    lambda system: drop_wait_states(system, NEVER),
    lambda system: fuse(system, MAX_CHECKS, NEVER),
)


def system_of_two_variables(random: Random) -> NetworkSystem:
    """Each edge of a request reads and writes one of two variables only, so that many of them are movers.

    Edges from a local state to itself and edges that write nothing are frequent.
    """
    requests, own = random.choice([1, 2, 2]), random.choice([2, 2, 3, 4])
    sizes = random.choice([(2, 2), (3, 2), (2, 1), (3, 1), (4, 1)])
    globals_ = list(product(range(sizes[0]), range(sizes[1])))
    answered = requests * own
    delta: set[tuple[int, int, int, int]] = set()
    for request in range(requests):
        for _ in range(random.randint(own, 2 * own)):
            source = request * own + random.randrange(own)
            target = random.choice([source, answered + request, request * own + random.randrange(own)])
            variable = random.randrange(2)
            writes = random.random() < 0.6
            density = random.choice([0.4, 0.7, 1.0])
            for value in range(sizes[variable]):
                if random.random() > density:
                    continue
                written = random.randrange(sizes[variable]) if writes else value
                for number, values in enumerate(globals_):
                    if values[variable] == value:
                        after = (written, values[1]) if variable == 0 else (values[0], written)
                        delta.add((source, number, target, globals_.index(after)))
    return NetworkSystem(
        globals=tuple(map(str, globals_)),
        locals=tuple(LocalState(f"l{number}") for number in range(answered + requests)),
        requests=tuple(f"r{number}" for number in range(requests)),
        responses=("0",),
        initial=0,
        req=tuple((request, request * own) for request in range(requests)),
        resp=tuple((answered + request, 0) for request in range(requests)),
        delta=tuple(sorted(delta)),
    )


def case_of(kind: str, seed: int) -> Case:
    if kind != "two variables":
        return case(kind, seed)
    system = system_of_two_variables(Random(seed))
    return brute_forced(SystemUnfolding(system), rules_of_system(system))


def sliced(given: Case, seed: int) -> MacroSystem | None:
    """None if the closure does not end, as it may for programs whose counters run away."""
    levels = ((1,), (2,), (1, 2))
    try:
        return macro_system(given.unfolding, LIMITS, NEVER, levels[seed % len(levels)])
    except LimitReached:
        return None


def assert_covered(system: MacroSystem, requests: int) -> None:
    """What so many requests can reach is covered, one by one and in pairs."""
    coverage = system.coverage
    for global_, flight, _ in reachable(rules_of_unfolding(system), requests):
        locals_ = [local for _, local in flight if local >= 0]
        assert all(coverage.find_covered(global_) >> local & 1 for local in locals_)
        for one, other in combinations(locals_, 2):
            assert coverage.together(global_, one) >> other & 1
            assert coverage.together(global_, other) >> one & 1


def agreement(kind: str, seed: int) -> Counter[str]:
    """Asserts that nothing changes for one random system; what was done to it."""
    case_ = case_of(kind, seed)
    given = sliced(case_, seed)
    if given is None:
        return Counter()
    steps = [step for reduce in REDUCTIONS if (step := reduce(given)).after is not given]
    reduced = prepass(given, NEVER)
    done = Counter(type(step).__name__ for step in (*steps, *reduced.steps))
    done["atomic"] += reduced.system.is_atomic() and not given.is_atomic()
    for smaller in [reduced.system, *(step.after for step in steps)]:
        if smaller is not given:
            rules = rules_of_unfolding(smaller)
            assert interleaved(rules, case_.requests) == case_.interleaved
            assert serial(rules, case_.requests) == case_.serial
            assert_covered(smaller, case_.requests)
    for step in (*steps, *reduced.steps):
        done["runs"] += assert_runs_expand(step.after, step.expand, step.before, seed)
    if reduced.steps:
        done["runs"] += assert_runs_expand(reduced.system, reduced.expand, given.origin, seed)
    return done


@deep
@pytest.mark.parametrize("kind", SEEDS)
def test_outcomes_stay_the_same_and_runs_expand(kind: str) -> None:
    """For each reduction alone and for all of them in turn; and they have something to do."""
    done: Counter[str] = Counter()
    for seed in SEEDS[kind]:
        done += agreement(kind, seed)
    for what in ("Collapse", "Quotient", "Fusion", "atomic", "runs"):
        assert done[what] > 0
    if kind in ("system", "two variables"):
        assert done["WaitStates"] > 0
