"""Closures leave out nothing that a few requests can reach, by brute force."""

from itertools import permutations
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.program.semantics import Store, initial_configuration, lookup, response, store
from seriatim.program.syntax import Expression, Program
from seriatim.systems.closure import Coverage, bits, closure
from seriatim.systems.control_flow import is_temporary
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.potential import Potentials, candidates
from seriatim.systems.source_map import configuration, events
from seriatim.systems.unfolding import ProgramUnfolding, Unfolding
from testkit.generators.cases import LIMITS, Case, case
from testkit.generators.locked_steps import random_locked_steps
from testkit.oracles.brute_force import Interpreted, State, reachable, rules_of_unfolding

LOCK = parse("request main { while (L == 1) { yield }; L := 1; yield; x := X; yield; X := 1 - x; L := 0; x }")


TAKE = "x := X; while (L >= 2) { yield }; L := L + 1; yield;"
GIVE = "L := L - (L > 0)"

COUNTERS_THAT_FAIL_WHEN_INTERRUPTED = {
    "gives back too much": f"{TAKE} if (X == x) {{ {GIVE} }} else {{ L := 0 }}; 0",
    "gives back nothing": f"{TAKE} if (X == x) {{ {GIVE} }}; 0",
    "gives before it takes": f"""
        yield;
        if (X == 1 && L > 0 && N == 0) {{ N := 1; L := L - 1; yield; L := L + 1; N := 0 }}
        else {{ {TAKE} L := L - 1 }};
        0""",
    "weighs different amounts in one place": f"""
        {TAKE}
        if (X != x && L < 2) {{ x := 0; L := L + 1 }} else {{ x := 0 }};
        yield;
        {GIVE};
        0""",
}
"""One request at a time keeps to what the counter L means; with others between, it does not."""


def closed(unfolding: Unfolding, level: int) -> Coverage | None:
    """The closure of one level; None if it does not end, as it may for programs whose counters run away."""
    try:
        return closure(unfolding, LIMITS, Deadline(), (level,))
    except LimitReached:
        return None


def assert_covers(coverage: Coverage, state: State) -> None:
    """What is in flight is covered, any two together, and the potential equations hold."""
    global_, flight, _ = state
    assert global_ in coverage.globals()
    locals_ = [local for _, local in flight if local >= 0]
    for local in locals_:
        assert coverage.find_covered(global_) >> local & 1
    for local, other in permutations(locals_, 2):
        assert coverage.together(global_, local) >> other & 1
    potentials = coverage.potentials
    weights = [potentials.weights[local] for local in locals_] if potentials.candidates else []
    if weights:
        assert tuple(map(sum, zip(*weights, strict=True))) == potentials.room(global_)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("kind", ["system", "program", "counter"])
@pytest.mark.parametrize("seed", range(50))
def test_closures_cover_what_a_few_requests_reach(kind: str, seed: int, level: int) -> None:
    given = case(kind, seed)
    coverage = closed(given.unfolding, level)
    assert coverage is not None or kind == "counter"
    if coverage is not None:
        for state in reachable(rules_of_unfolding(given.unfolding), given.requests):
            assert_covers(coverage, state)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("what", COUNTERS_THAT_FAIL_WHEN_INTERRUPTED)
def test_no_potential_survives_that_fails_when_interrupted(what: str, level: int) -> None:
    body = COUNTERS_THAT_FAIL_WHEN_INTERRUPTED[what]
    unfolding = ProgramUnfolding(parse(f"request a {{ {body} }} request b {{ X := 1 - X; 0 }}"), LIMITS)
    assert candidates(unfolding)
    coverage = closed(unfolding, level)
    assert coverage is not None or what == "gives before it takes"  # without L, nothing bounds it
    if coverage is not None:
        assert set(coverage.potentials.candidates) < candidates(unfolding)
        for state in reachable(rules_of_unfolding(unfolding), 4):
            assert_covers(coverage, state)


class Places:
    """Which locals of an unfolding stand for a configuration of the reference interpreter."""

    def __init__(self, unfolding: ProgramUnfolding) -> None:
        self.found: dict[tuple[str, Expression], list[tuple[int, dict[str, int]]]] = {}
        for local, (point, values) in enumerate(unfolding.local_states):
            at = unfolding.steps.points[point]
            name = unfolding.program.handlers[at.handler].name
            live = {n: v for n, v in zip(at.live, values, strict=True) if not is_temporary(n)}
            expression = configuration(unfolding, local, 0).expression
            self.found.setdefault((name, expression), []).append((local, live))

    def of(self, request: str, expression: Expression, locals_: Store) -> list[int]:
        return [
            local
            for local, live in self.found.get((request, expression), ())
            if all(lookup(locals_, name) == value for name, value in live.items())
        ]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("kind", ["program", "counter"])
@pytest.mark.parametrize("seed", range(25))
def test_closures_cover_the_configurations_of_the_reference_interpreter(
    kind: str, seed: int, level: int
) -> None:
    unfolding = case(kind, seed).unfolding
    assert isinstance(unfolding, ProgramUnfolding)
    coverage = closed(unfolding, level)
    if coverage is not None:
        assert_covers_configurations(unfolding, coverage)


def assert_covers_configurations(unfolding: ProgramUnfolding, coverage: Coverage) -> None:
    """Two requests of the program, executed by the reference interpreter, are where the closure says."""
    program = unfolding.program
    interpreted = Interpreted(program)
    places = Places(unfolding)
    names = unfolding.global_names
    number = {store(dict(zip(names, unfolding.global_values[g], strict=True))): g for g in coverage.globals()}
    states = reachable(interpreted.rules, 2, max_states=3_000)
    for before, flight, _ in states:
        global_ = number[interpreted.globals.items[before]]
        in_flight = [
            places.of(request, *interpreted.locals.items[local])
            for request, local in flight
            if not is_answered(program, interpreted, local)
        ]
        for at in in_flight:
            assert any(coverage.find_covered(global_) >> local & 1 for local in at)
        for at, beside in permutations(in_flight, 2):
            assert any(coverage.together(global_, one) >> other & 1 for one in at for other in beside)


def is_answered(program: Program, interpreted: Interpreted, local: int) -> bool:
    """Whether a request has only to respond; an unfolding has no local for that unless it is fresh."""
    expression, _ = interpreted.locals.items[local]
    starts = [initial_configuration(handler, ()).expression for handler in program.handlers]
    return response(expression) is not None and expression not in starts


@pytest.mark.parametrize("kind", ["program", "counter"])
@pytest.mark.parametrize("seed", range(20))
def test_every_covered_move_has_its_events(kind: str, seed: int) -> None:
    """The interpreter can walk each step that the closure carried out."""
    unfolding = case(kind, seed).unfolding
    assert isinstance(unfolding, ProgramUnfolding)
    closed(unfolding, 1)
    for (local, global_), moves in list(unfolding.known_moves.items())[:10]:
        for target, after in moves:
            assert events(unfolding, local, global_, target, after)


def test_the_random_counters_have_potentials_that_break_and_some_that_hold() -> None:
    """The generator is not vacuous."""
    coverages = [coverage for seed in range(30) if (coverage := closed(case("counter", seed).unfolding, 2))]
    assert any(coverage.potentials.candidates for coverage in coverages)
    assert any(not coverage.potentials.candidates for coverage in coverages)


def test_both_levels_know_that_a_lock_excludes() -> None:
    unfolding = ProgramUnfolding(LOCK, LIMITS)
    for level in (1, 2):
        coverage = closed(unfolding, level)
        assert coverage is not None
        locked = [g for g in coverage.globals() if unfolding.global_values[g][0] == 1]
        holders = [
            local for g in locked for local in bits(coverage.find_covered(g) & ~coverage.find_covered(0))
        ]
        assert holders
        for g in locked:
            for one, other in permutations(holders, 2):
                assert not coverage.together(g, one) >> other & 1


NOBODY = -1


def pairs_by_definition(unfolding: Unfolding, potentials: Potentials) -> dict[int, set[tuple[int, int]]]:
    """Level 2 as its claim says it, round after round, without masks or queues: for each global state the
    pairs of locals that can be there together, and each of them with `NOBODY`."""
    found: dict[int, set[tuple[int, int]]] = {0: set()}
    fresh = set(unfolding.starts)
    grows = True
    while grows:
        before = sum(map(len, found.values())) + len(found)
        for global_, pairs in list(found.items()):
            everyone = {one for one, _ in pairs}
            for local in fresh | everyone:
                beside = {other for other in everyone - {NOBODY} if local in fresh or (local, other) in pairs}
                for target, after in unfolding.moves(local, global_):
                    there = found.setdefault(after, set())
                    arrived = {target} - fresh if target >= 0 else set()
                    there |= {(one, NOBODY) for one in beside | arrived}
                    there |= {pair for one in beside for new in arrived for pair in ((one, new), (new, one))}
                    there |= {
                        (one, other)
                        for one in beside
                        for other in beside
                        if (one, other) in pairs and potentials.companions(global_, local, one) >> other & 1
                    }
        grows = sum(map(len, found.values())) + len(found) > before
    return found


@pytest.mark.parametrize("kind", ["system", "program", "counter"])
@pytest.mark.parametrize("seed", range(40))
def test_level_2_finds_the_pairs_of_its_definition(kind: str, seed: int) -> None:
    unfolding = case(kind, seed).unfolding
    coverage = closed(unfolding, 2)
    if coverage is None:
        return
    expected = pairs_by_definition(unfolding, coverage.potentials)
    fresh = sum(1 << start for start in set(unfolding.starts))
    assert set(coverage.globals()) == set(expected)
    for global_, pairs in expected.items():
        assert coverage.find_covered(global_) == fresh | sum(
            1 << one for one, other in pairs if other == NOBODY
        )
        for local in bits(coverage.find_covered(global_) & ~fresh):
            beside = sum(1 << other for one, other in pairs if one == local and other != NOBODY)
            assert coverage.together(global_, local) == fresh | beside


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("kind", ["program", "counter", "lock"])
@pytest.mark.parametrize("seed", range(25))
def test_who_waits_is_known_from_elsewhere(
    kind: str, seed: int, level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closures that ask only those who may move find the same, in the same order, and nobody else moves."""
    program = random_locked_steps(Random(seed)) if kind == "lock" else program_of(case(kind, seed))
    asking_all, asking_few = ProgramUnfolding(program, LIMITS), ProgramUnfolding(program, LIMITS)
    expected = closed(asking_all, level)
    monkeypatch.setattr("seriatim.systems.unfolding.MANY_MOVES", 0)
    coverage = closed(asking_few, level)
    assert asking_few.global_values == asking_all.global_values
    assert asking_few.local_states == asking_all.local_states
    assert asking_few.faults == asking_all.faults
    if expected is None or coverage is None:
        assert expected is coverage
        return
    assert coverage.globals() == expected.globals()
    for global_ in coverage.globals():
        covered = coverage.find_covered(global_)
        assert covered == expected.find_covered(global_)
        for local in bits(covered & ~asking_few.awake(covered, global_)):
            assert asking_all.moves(local, global_) == ()
            assert (local, global_) not in asking_all.faults


def program_of(given: Case) -> Program:
    assert isinstance(given.unfolding, ProgramUnfolding)
    return given.unfolding.program


def test_many_who_wait_are_not_asked() -> None:
    """A ticket lock: in most global states, all but a few of those who hold a ticket wait for their turn."""
    program = parse(
        """
        request flip:
            while HOLDERS == 11:
                yield
            HOLDERS := HOLDERS + 1
            ticket := NEXT
            NEXT := (NEXT + 1) % 12
            yield
            while SERVING != ticket:
                yield
            yield
            SERVING := (SERVING + 1) % 12
            HOLDERS := HOLDERS - 1
            return 0
        """
    )
    limits = Limits(max_states=100_000, max_value=20)
    unfolding = ProgramUnfolding(program, limits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("seriatim.systems.unfolding.MANY_MOVES", 100)
        coverage = closure(unfolding, limits, Deadline(), (1,))
    assert 3 * len(unfolding.known_moves) < coverage.pairs()
