"""What chains decide: proofs that brute force does not refute and the checker accepts, runs that replay."""

from contextlib import suppress
from functools import cache

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.chains.engine import Chains
from seriatim.engines.chains.evidence import chain_evidence
from seriatim.engines.chains.proof import ProvedByChains
from seriatim.engines.shared.folded_evidence import fold_evidence
from seriatim.engines.shared.run_evidence import Refuted, run_evidence
from seriatim.engines.stage import GaveUp
from seriatim.method import Method
from seriatim.program.inputs import digest
from seriatim.result import Violated
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import replays
from seriatim.systems.slicing import macro_system
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import LIMITS, case
from testkit.inputs.long_runs import packing, packing_run
from testkit.oracles.brute_force import TooLarge, interleaved, serial
from testkit.samples import at_least, deep, sampled

SEEDS = {
    "system": (*range(12), 30, 34, 35, 37, 86, 152, 271, 326, 496, 498),
    "program": (*range(4), 56),
    "counter": (*range(4), 18, 20),
}
"""Beyond the ranges: violations, and systems that counting without situations does not prove."""

CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]
WAYS = {"product": 0, "root": 1}
SAMPLE = sampled(CASES, 3)
every = pytest.mark.parametrize(("way", "kind", "seed"), [(way, *each) for way in WAYS for each in CASES])

MOST_QUESTIONS = 150
MOST_STATES = 4_000


@cache
def answer(way: str, kind: str, seed: int) -> ProvedByChains | Refuted | GaveUp | None:
    """Of one of the two ways alone; None if it takes many questions, or if the closure does not end."""
    unfolding = case(kind, seed).unfolding
    try:
        system = macro_system(unfolding, LIMITS, Deadline())
        chains = Chains(system, SerialAutomaton(unfolding, 1_000), Deadline())
        chains.under_way = [chains.under_way[WAYS[way]]]
        return chains.advance(MOST_QUESTIONS)
    except LimitReached:
        return None


@every
def test_what_is_proved_is_accepted_and_not_refuted(way: str, kind: str, seed: int) -> None:
    """By brute force up to 4 requests, where these do not have too many states."""
    found, given = answer(way, kind, seed), case(kind, seed)
    if not isinstance(found, ProvedByChains):
        return
    assert given.fewest() is None
    with suppress(TooLarge):
        assert interleaved(given.rules, 4, MOST_STATES) <= serial(given.rules, 4, MOST_STATES)
    origin = given.unfolding
    content = origin.program if isinstance(origin, ProgramUnfolding) else origin.system
    certificate = Certificate(digest(content), "serializable", chain_evidence(found, origin))
    report = verify(certificate, content)
    assert report.accepted, report.complaint


@every
def test_what_is_refuted_is_a_run_that_the_checker_accepts(way: str, kind: str, seed: int) -> None:
    found, given = answer(way, kind, seed), case(kind, seed)
    if not isinstance(found, Refuted):
        return
    origin = given.unfolding
    assert replays(found.run, origin)
    content = origin.program if isinstance(origin, ProgramUnfolding) else origin.system
    for evidence in (run_evidence(found.run, origin), fold_evidence(found.run, origin)):
        report = verify(Certificate(digest(content), "not_serializable", evidence), content)
        assert report.accepted, report.complaint


@deep
def test_one_way_or_the_other_decides_all() -> None:
    """No search is involved: violations come from outliers and perfect chains."""
    for kind, seed in SAMPLE:
        assert {type(answer(way, kind, seed)) for way in WAYS} & {ProvedByChains, Refuted, type(None)}
    answers = [answer("root", kind, seed) for kind, seed in SAMPLE]
    assert sum(isinstance(found, ProvedByChains) for found in answers) >= at_least(16, 3)
    assert sum(isinstance(found, Refuted) for found in answers) >= at_least(4, 4)
    assert sum(found is None for found in answers) < 5


@deep
def test_the_shortest_of_long_violations_is_found_and_told_folded() -> None:
    """With three stages that take away three for two it takes 3³ parcels, and 3⁴ with four."""
    decision = decide(packing(4, 3), Options(method=Method.CHAINS))
    verdict = decision.answer
    assert isinstance(verdict, Violated)
    assert verdict.run.requests == packing_run(4, 3)[1].requests() == 216
    assert isinstance(verdict.certificate.evidence, FoldedRunEvidence)
    assert len(verdict.certificate.evidence.turns) == 11
