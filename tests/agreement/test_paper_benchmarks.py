"""The paper's own inputs: the verdicts are the paper's, and the counterexamples have the fewest requests."""

from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.method import Minimality
from seriatim.program.inputs import Input
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from testkit.oracles import brute_force

FOLDER = Path(__file__).parents[3] / "shared" / "benchmarks"
TABLE = FOLDER / "expected.tsv"
ROWS = TABLE.read_text("utf-8").splitlines()[1:] if TABLE.exists() else []
VERDICTS = {row.split("\t")[0]: row.split("\t")[1] for row in ROWS}

FEW = 2
"""Brute force over all interleavings of more requests takes too long."""


def content_of(name: str) -> Input:
    return read_input(SourceText(name, (FOLDER / name).read_text("utf-8")))


def test_there_are_47_inputs() -> None:
    if not VERDICTS:
        pytest.skip("the paper's inputs are not ours to ship: ../shared/benchmarks is absent")
    assert len(VERDICTS) == 47


@pytest.mark.parametrize("name", sorted(name for name, verdict in VERDICTS.items() if verdict == "yes"))
def test_serializable_inputs_are_proved_by_evidence_that_needs_no_solver(name: str) -> None:
    content = content_of(name)
    verdict = decide(content, Options()).answer
    assert isinstance(verdict, Holds)
    assert verify(verdict.certificate, content, Context(chosen=())).accepted


@pytest.mark.parametrize("name", sorted(name for name, verdict in VERDICTS.items() if verdict == "no"))
def test_other_inputs_are_refuted_with_the_fewest_requests(name: str) -> None:
    content = content_of(name)
    verdict = decide(content, Options()).answer
    assert isinstance(verdict, Violated)
    assert verdict.minimality is Minimality.PROVED
    rules = brute_force.rules_of_unfolding(unfold(content, Limits(), Deadline()))
    requests = verdict.run.requests
    for fewer in range(min(requests, FEW + 1)):
        assert brute_force.interleaved(rules, fewer) <= brute_force.serial(rules, fewer)
    if requests <= FEW:
        assert not brute_force.interleaved(rules, requests) <= brute_force.serial(rules, requests)
