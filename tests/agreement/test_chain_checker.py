"""Proofs by chains that nobody found: none is accepted if there is a run with an outcome in no cover."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from seriatim.arithmetic.linear_sets import LinearSet, membership
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.chain_counts import Counts
from seriatim.certificate.chain_proofs import ChainNode, Counted, NoRuns
from seriatim.certificate.chains import ChainEvidence, ListedMove
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import SerialCycle, SerialPath, SerialStep
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import SerialRuns, run_alone
from seriatim.checking.chains import Proof
from seriatim.checking.chains_structure import root
from seriatim.checking.context import Context
from seriatim.checking.covers import linear_set, misplaced
from seriatim.checking.obligation import report_on
from seriatim.checking.reference import SystemReference
from seriatim.checking.verify import verify
from seriatim.engines.chains.engine import Chains, Work
from seriatim.engines.chains.evidence import chain_evidence as evidence_of
from seriatim.engines.chains.proof import ProvedByChains
from seriatim.engines.shared.covering import Region as EngineRegion
from seriatim.frontends.certificates import read_certificate
from seriatim.petri.structures import Structure as EngineStructure
from seriatim.petri.structures import component_levels
from seriatim.program.inputs import digest
from seriatim.program.network_system import NetworkSystem
from seriatim.program.state import GlobalState
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.slicing import macro_system
from testkit.forgeries.inputs import changed_inputs
from testkit.generators.structures import Forger, allowance, random_moves, runs, word
from testkit.generators.systems import Setting, random_system
from testkit.inputs.chain_inputs import chain_evidence
from testkit.oracles.brute_force import interleaved, rules_of_system, serial

PLACES = 2
COMPLETIONS = (("a", "0"), ("a", "1"))
PERIODS = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1))
MOVES = 8
"""Runs up to this length are looked at."""

PROOFS = 12
"""For each system."""

LIED_ABOUT = (
    (Setting(2, 2, 3, 5, 2), 7),
    (Setting(3, 2, 4, 6, 2), 8),
    (Setting(4, 2, 5, 10, 2), 13),
    (Setting(3, 3, 5, 9, 2), 2),
    (Setting(3, 3, 5, 9, 2), 6),
)
"""Systems that brute force refutes."""

PROVED = ((Setting(3, 2, 4, 6, 2), 13), (Setting(4, 2, 5, 10, 2), 22), (Setting(4, 2, 5, 10, 2), 124))
"""Systems that the engine proves, the latter two with cases and with fixed numbers."""


@dataclass(frozen=True, slots=True)
class Claim:
    """That all outcomes of runs are in covers, which need not be outcomes of serial runs."""

    globals: int
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialPath, ...]

    def evidence(self, proof: ChainNode) -> ChainEvidence:
        states = tuple(f"g{number}" for number in range(self.globals))
        places = tuple(Waiting("a", f"l{number}", ()) for number in range(PLACES))
        return ChainEvidence(1, (), states, places, COMPLETIONS, self.moves, self.covers, proof)

    def is_refuted(self) -> bool:
        """By a short run."""
        structure = root(self.globals, self.moves)
        sets = [membership(linear_set(cover, COMPLETIONS)) for cover in self.covers]
        for run in islice(runs(structure, PLACES, MOVES), 2_000):
            answers = Counter(move.answer for move in word(structure, run))
            if not any(each.holds((answers[0], answers[1])) for each in sets):
                return True
        return False


def steps(vector: tuple[int, ...]) -> tuple[SerialStep, ...]:
    return tuple(
        SerialStep(*what, "g0") for what, n in zip(COMPLETIONS, vector, strict=True) for _ in range(n)
    )


def random_cover(random: Random) -> SerialPath:
    while True:
        base = (random.choice((0, 0, 1)), random.choice((0, 0, 1)))
        periods = tuple(random.sample(PERIODS, random.randint(1, 2)))
        try:
            membership(LinearSet(base, periods))
        except ValueError:
            continue
        return SerialPath(steps(base), tuple(SerialCycle("g0", steps(period)) for period in periods))


def random_claim(random: Random) -> Claim:
    globals_ = random.randint(1, 3)
    moves = tuple(random_moves(random, globals_, PLACES, len(COMPLETIONS), random.randint(0, 3)))
    return Claim(globals_, moves, tuple(random_cover(random) for _ in range(random.randint(1, 3))))


def accepted(claim: Claim, random: Random) -> int:
    """How many of some forged proofs the checker accepts."""
    nothing = Proof(claim.evidence(NoRuns()), allowance(), ())
    parts = [nothing.parts_outside(number) for number in range(len(claim.covers))]
    forger = Forger(random, PLACES, parts)
    found = 0
    for _ in range(PROOFS):
        proof = forger.proof(root(claim.globals, claim.moves), random.randint(0, 3))
        checked = Proof(claim.evidence(proof), allowance(), (SolverName.Z3,))
        found += report_on(each.obligation() for each in (checked,)).accepted
    return found


@pytest.mark.parametrize("seed", range(30))
def test_no_forged_proof_of_what_a_run_refutes_is_accepted(seed: int) -> None:
    random = Random(seed)
    claim = random_claim(random)
    if claim.is_refuted():
        assert accepted(claim, random) == 0


@pytest.mark.parametrize("seed", [0, 6, 19])
def test_some_forged_proofs_of_what_no_run_refutes_are_accepted(seed: int) -> None:
    """So that the others are not refused for their form."""
    random = Random(seed)
    claim = random_claim(random)
    assert not claim.is_refuted()
    assert accepted(claim, random) > 0


# --- certificates of systems --------------------------------------------------------------------------------


def random_covers(system: NetworkSystem, random: Random) -> tuple[SerialPath, ...]:
    """Serial runs with cycles on their way, whose outcomes are independent."""
    reference = SystemReference(system)

    def walk(start: GlobalState, length: int) -> tuple[SerialStep, ...]:
        found: list[SerialStep] = []
        for _ in range(length):
            here = found[-1].after if found else start
            ways = [
                SerialStep(request, response, then)
                for request in reference.requests
                for response, then in run_alone(reference, request, here, allowance())
            ]
            if ways:
                found.append(random.choice(ways))
        return tuple(found)

    covers: list[SerialPath] = []
    for _ in range(4):
        path = walk(reference.initial, random.randint(0, 4))
        visited = [reference.initial, *(step.after for step in path)]
        cover = SerialPath(path, ())
        for _ in range(6):
            at = random.choice(visited)
            steps = walk(at, random.randint(1, 2))
            longer = replace(cover, cycles=(*cover.cycles, SerialCycle(at, steps)))
            serial = SerialRuns(reference, allowance())
            if steps and steps[-1].after == at and not [*misplaced(serial, (longer,), allowance())]:
                cover = longer
        covers.append(cover)
    return tuple(covers)


def forged(system: NetworkSystem, random: Random) -> Iterator[ChainEvidence]:
    """The moves are right, and so are the covers; the proofs are made up."""
    claim = CoverEvidence(random.choice((1, 2)), (), None, (), random_covers(system, random))
    evidence = chain_evidence(system, claim, NoRuns())
    nothing = Proof(evidence, allowance(), ())
    parts = [nothing.parts_outside(number) for number in range(len(claim.covers))]
    forger = Forger(random, len(evidence.waiting), parts)
    whole = root(len(evidence.globals), evidence.moves)
    for _ in range(PROOFS):
        yield replace(evidence, proof=forger.proof(whole, random.randint(0, 2)))


@pytest.mark.parametrize("seed", range(30))
def test_no_certificate_of_a_system_that_brute_force_refutes_is_accepted(seed: int) -> None:
    random = Random(seed)
    system = next(
        system
        for system in (random_system(random, Setting(2, 2, 3, 5, 2), mixed=0.1) for _ in range(1_000))
        if not interleaved(rules_of_system(system), 3) <= serial(rules_of_system(system), 3)
    )
    for evidence in forged(system, random):
        certificate = read_certificate(write(Certificate(digest(system), "serializable", evidence)))
        assert not verify(certificate, system, Context(Allowance(20_000))).accepted


# --- certificates of other systems --------------------------------------------------------------------------


@cache
def proved(setting: Setting, seed: int) -> tuple[NetworkSystem, ChainEvidence]:
    """A system, and what the engine says about it."""
    system = random_system(Random(seed), setting)
    origin = unfold(system, Limits(), Deadline())
    chains = Chains(macro_system(origin, Limits(), Deadline()), SerialAutomaton(origin, 1_000), Deadline())
    chains.under_way = chains.under_way[1:]
    found = chains.advance(100)
    assert isinstance(found, ProvedByChains)
    return system, evidence_of(found, origin)


def adapted(evidence: ChainEvidence, system: NetworkSystem) -> ChainEvidence:
    """The same proof about another system: what is listed stays in its place, and what it lacks is added."""
    runs_alone = SerialRuns(SystemReference(system), allowance())
    covers = tuple(c for c in evidence.covers if not [*misplaced(runs_alone, (c,), allowance())])
    claim = CoverEvidence(evidence.level, evidence.invariants, None, (), covers)
    other = chain_evidence(system, claim, evidence.proof)
    globals_ = tuple(dict.fromkeys((*evidence.globals, *other.globals)))
    waiting = tuple(dict.fromkeys((*evidence.waiting, *other.waiting)))
    completions = tuple(dict.fromkeys((*evidence.completions, *other.completions)))
    moves = (
        ListedMove(
            before=globals_.index(other.globals[move.before]),
            takes=None if move.takes is None else waiting.index(other.waiting[move.takes]),
            after=globals_.index(other.globals[move.after]),
            gives=None if move.gives is None else waiting.index(other.waiting[move.gives]),
            answer=None if move.answer is None else completions.index(other.completions[move.answer]),
        )
        for move in other.moves
    )
    return replace(
        other,
        globals=globals_,
        waiting=waiting,
        completions=completions,
        moves=tuple(dict.fromkeys((*evidence.moves, *moves))),
        covers=covers,
    )


@pytest.mark.parametrize(("setting", "seed"), PROVED)
def test_what_is_proved_about_a_system_is_not_accepted_of_one_that_brute_force_refutes(
    setting: Setting, seed: int
) -> None:
    system, evidence = proved(setting, seed)
    assert verify(Certificate(digest(system), "serializable", evidence), system).accepted
    refuted = 0
    for other in islice(changed_inputs(system, ""), 0, None, 2):
        assert isinstance(other, NetworkSystem)
        rules = rules_of_system(other)
        if interleaved(rules, 3) <= serial(rules, 3):
            continue
        refuted += 1
        for attempt in (evidence, adapted(evidence, other)):
            certificate = Certificate(digest(other), "serializable", attempt)
            assert not verify(certificate, other, Context(Allowance(20_000))).accepted
    assert refuted > 0


# --- an engine that lies ------------------------------------------------------------------------------------


class Liar(Chains):
    """Covers outcomes as the engine does; of whatever is outside of covers, it says that it is inside."""

    def realize(self, given: EngineStructure, counts: tuple[int, ...]) -> None:
        """No outlier is worth a look."""

    def take_apart(self, given: EngineStructure, region: EngineRegion, depth: int) -> Work:
        assert (region, depth) == ((), 0)
        yield
        return Counted(Counts(component_levels(given), (), ()), ())


@pytest.mark.parametrize(("setting", "seed"), LIED_ABOUT)
def test_no_lie_of_an_engine_is_accepted(setting: Setting, seed: int) -> None:
    system = random_system(Random(seed), setting)
    rules = rules_of_system(system)
    assert not interleaved(rules, 3) <= serial(rules, 3)
    origin = unfold(system, Limits(), Deadline())
    liar = Liar(macro_system(origin, Limits(), Deadline()), SerialAutomaton(origin, 1_000), Deadline())
    liar.under_way = liar.under_way[1:]
    found = liar.advance(60)
    assert isinstance(found, ProvedByChains)
    certificate = Certificate(digest(system), "serializable", evidence_of(found, origin))
    assert "in no chain and in no cover" in verify(certificate, system).complaint
