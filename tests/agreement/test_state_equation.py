"""What counting proves, with or without situations, brute force does not refute; cuts hold for runs, and
covers are serial.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement, islice

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.engines.counting.evidence import cover_evidence
from seriatim.engines.counting.proof import ProvedByCover
from seriatim.engines.counting.root_product import root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.engines.shared.covering import CoverCandidate, Covered, cover
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.engines.shared.serial_walks import Walk
from seriatim.engines.shared.state_equation import StateEquation
from seriatim.engines.stage import GaveUp
from seriatim.petri.controlled_net import ControlledNet
from seriatim.petri.cuts import broken_cuts
from seriatim.petri.from_macro_system import macro_net
from seriatim.program.inputs import digest
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.multiset import Multisets
from seriatim.systems.slicing import MacroSystem, macro_system
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import LIMITS, Case, case
from testkit.oracles.brute_force import TooLarge, interleaved, serial
from testkit.samples import deep

SEEDS = {
    "system": (*range(40), 86, 152, 168, 224, 271, 326, 496, 498),
    "program": range(20),
    "counter": range(20),
}
"""Beyond the ranges: systems that only the product proves."""

CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]
cases = pytest.mark.parametrize(("kind", "seed"), CASES)
engines = pytest.mark.parametrize("engine", [state_equation, root_product])

Engine = Callable[[MacroSystem, SerialAutomaton, Deadline], ProvedByCover | CoverCandidate | GaveUp]

MOST_STATES = 4_000


@cache
def sliced(kind: str, seed: int) -> MacroSystem | None:
    """None if the closure does not end, as it may for programs whose counters run away."""
    try:
        return macro_system(case(kind, seed).unfolding, LIMITS, Deadline())
    except LimitReached:
        return None


@cache
def answer(engine: Engine, kind: str, seed: int) -> ProvedByCover | CoverCandidate | GaveUp | None:
    system = sliced(kind, seed)
    return None if system is None else engine(system, specification(case(kind, seed)), Deadline())


def specification(given: Case) -> SerialAutomaton:
    return SerialAutomaton(given.unfolding, 1_000)


@engines
@cases
def test_nothing_is_proved_that_brute_force_refutes(engine: Engine, kind: str, seed: int) -> None:
    """Up to 4 requests, where these do not have too many states."""
    if not isinstance(answer(engine, kind, seed), ProvedByCover):
        return
    given = case(kind, seed)
    assert given.fewest() is None
    try:
        assert interleaved(given.rules, 4, MOST_STATES) <= serial(given.rules, 4, MOST_STATES)
    except TooLarge:
        return


@engines
@pytest.mark.parametrize(("kind", "place"), [("system", 8), ("counter", 18)])
def test_a_candidate_is_not_serial(engine: Engine, kind: str, place: int) -> None:
    """Where one is found for sure, and elsewhere."""
    answers = {seed: answer(engine, kind, seed) for seed in (place, *range(4))}
    assert isinstance(answers[place], CoverCandidate)
    for seed, found in answers.items():
        if isinstance(found, CoverCandidate):
            assert not is_serial(case(kind, seed), Counter(found.outcome))


def is_serial(given: Case, outcome: Counter[int]) -> bool:
    multisets = Multisets()
    number = multisets.number(tuple(sorted(outcome.elements())))
    return SerialOutcomes(specification(given), multisets).allows(number)


@engines
@cases
def test_covers_contain_serial_outcomes_only(engine: Engine, kind: str, seed: int) -> None:
    """The path with up to two cycles, of each cover."""
    found = answer(engine, kind, seed)
    if isinstance(found, ProvedByCover):
        for known in found.covers:
            for walks in islice(choices(known.cycles), 20):
                outcome = Counter(completion for walk in (known.path, *walks) for _, completion, _ in walk)
                assert is_serial(case(kind, seed), outcome)


def choices(cycles: tuple[Walk, ...]) -> Iterator[tuple[Walk, ...]]:
    for size in range(3):
        yield from combinations_with_replacement(cycles, size)


@cases
def test_cuts_and_the_state_equation_hold_for_runs(kind: str, seed: int) -> None:
    """Of complete runs with up to three requests; nor does any of these seem to break a cut."""
    system = sliced(kind, seed)
    if system is None:
        return
    counted = macro_net(system).counted
    relaxation = StateEquation(counted)
    covered = cover(relaxation, specification(case(kind, seed)), Deadline())
    cuts = covered.cuts if isinstance(covered, Covered) else ()
    clauses = [*relaxation.clauses, *map(relaxation.clause, cuts)]
    for counts in islice(counts_of_runs(counted), 200):
        assert all(any(constraint.holds(counts) for constraint in clause) for clause in clauses)
        assert not list(broken_cuts(counted.net, counts))


def counts_of_runs(counted: ControlledNet, spawned: int = 3) -> Iterator[tuple[int, ...]]:
    """How often each transition fires in complete runs with few requests and few moves."""
    net = counted.net
    start = (net.initial, (0,) * len(net.transitions), 0)
    seen = {start}
    pending = [start]
    for marking, counts, requests in pending:
        if not any(marking[counted.control :]):
            yield counts
        if len(seen) > MOST_STATES // 4:
            continue
        for index, transition in enumerate(net.transitions):
            if all(marking[place] > 0 for place in transition.pre) and counts[index] < 3:
                after = list(marking)
                for place in transition.pre:
                    after[place] -= 1
                for place in transition.post:
                    after[place] += 1
                more = (*counts[:index], counts[index] + 1, *counts[index + 1 :])
                state = (tuple(after), more, requests + (len(transition.pre) == 1))
                if state[2] <= spawned and state not in seen:
                    seen.add(state)
                    pending.append(state)


@engines
@cases
def test_the_checker_accepts_what_is_proved(engine: Engine, kind: str, seed: int) -> None:
    found, given = answer(engine, kind, seed), case(kind, seed)
    if isinstance(found, ProvedByCover):
        origin = given.unfolding
        content = origin.program if isinstance(origin, ProgramUnfolding) else origin.system
        certificate = Certificate(digest(content), "serializable", cover_evidence(found, origin))
        report = verify(certificate, content, Context(Allowance(10_000)))
        assert report.accepted, report.complaint


@deep
def test_the_random_cases_are_not_vacuous() -> None:
    answers = [answer(state_equation, kind, seed) for kind, seed in CASES]
    proved = [found for found in answers if isinstance(found, ProvedByCover)]
    assert sum(isinstance(found, CoverCandidate) for found in answers) > 10
    assert sum(bool(found.cuts) for found in proved) > 5
    assert sum(any(known.cycles for known in found.covers) for found in proved) > 50
    more = [answer(root_product, kind, seed) for kind, seed in CASES]
    pairs = zip(answers, more, strict=True)
    assert sum(isinstance(b, ProvedByCover) and not isinstance(a, ProvedByCover) for a, b in pairs) > 5
