"""Proofs by chains that nobody found: none is accepted if there is a run with an outcome in no cover."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from random import Random

import pytest

from random_structures import Forger, allowance, random_moves, runs, word
from seriatim.certificate.chains import ChainNode, ListedMove, NoRuns
from seriatim.certificate.format import ChainEvidence, SerialCycle, SerialPath, SerialStep, Waiting
from seriatim.checking.chains import Proof
from seriatim.checking.chains_structure import root
from seriatim.checking.cover_claim import linear_set
from seriatim.linear_sets import LinearSet, membership
from seriatim.solvers.named import SolverName

PLACES = 2
COMPLETIONS = (("a", "0"), ("a", "1"))
PERIODS = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1))
MOVES = 8
"""Runs up to this length are looked at."""

PROOFS = 12
"""For each system."""


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
        found += Proof(claim.evidence(proof), allowance(), (SolverName.Z3,)).obligation().holds
    return found


@pytest.mark.parametrize("seed", range(24))
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
