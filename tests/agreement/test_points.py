"""Linearization points: search, proof and checker agree with the points of all small runs."""

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.syntax import Program
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.result import Holds, Result, Undecided, Violated
from seriatim.source import SourceText
from testkit.generators.specifications import allowed_by
from testkit.oracles.points import fewest_misordered
from testkit.samples import deep

REFERENCE = "request inc { X := (X + 1) % 3; X } request read { X }"
SPECIFICATION = read_specification(SourceText("reference.ser", REFERENCE))

INCREMENTS = (
    "X := (X + 1) % 3; X",
    "@lp X := (X + 1) % 3; x := X; yield; D := 1; x",
    "x := X; yield; @lp X := (x + 1) % 3; x := X; yield; D := 1; x",
    "@lp x := X; yield; X := (x + 1) % 3; (x + 1) % 3",
    "while (L == 1) { yield }; L := 1; x := X; yield; @lp X := (x + 1) % 3; yield; L := 0; (x + 1) % 3",
    "while (L == 1) { yield }; @lp L := 1; x := X; yield; X := (x + 1) % 3; yield; L := 0; (x + 1) % 3",
    "while (L == 1) { yield }; L := 1; x := X; yield; X := (x + 1) % 3; yield; @lp L := 0; (x + 1) % 3",
)
READS = (
    "X",
    "@lp x := X; yield; D := 0; x",
    "x := X; yield; D := 0; x",
    "x := X; yield; @lp D := 0; x",
    "while (L == 1) { yield }; @lp X",
)
CASES = list(product(range(len(INCREMENTS)), range(len(READS))))


def program(increment: int, read: int) -> Program:
    return parse(f"request inc {{ {INCREMENTS[increment]} }} request read {{ {READS[read]} }}")


@cache
def decision(increment: int, read: int) -> Result:
    question = StaticLinearizability(SPECIFICATION)
    return decide(program(increment, read), Options(question=question, timeout=30))


def fewest(increment: int, read: int, requests: int) -> int | None:
    return fewest_misordered(program(increment, read), requests, *allowed_by(SPECIFICATION))


@pytest.mark.parametrize(("increment", "read"), CASES)
def test_marked_points_are_judged_as_by_brute_force(increment: int, read: int) -> None:
    if "@lp" not in INCREMENTS[increment] + READS[read]:
        return
    verdict = decision(increment, read).answer
    if isinstance(verdict, Violated):
        requests = verdict.run.requests
        assert fewest(increment, read, requests) == requests
    else:
        assert isinstance(verdict, Holds)
        assert fewest(increment, read, 2) is None


@deep
@pytest.mark.parametrize(("increment", "read"), CASES)
def test_static_linearizable_is_linearizable_for_any_number_of_barriers(increment: int, read: int) -> None:
    if isinstance(decision(increment, read).answer, Holds):
        for barriers in (0, 1):
            question = Linearizability(SPECIFICATION, barriers, pending=True)
            verdict = decide(program(increment, read), Options(question=question, timeout=20)).answer
            assert isinstance(verdict, Holds)


def test_there_are_cases_of_all_kinds() -> None:
    verdicts = [decision(*case).answer for case in CASES]
    assert sum(isinstance(verdict, Holds) for verdict in verdicts) > 8
    assert sum(isinstance(verdict, Violated) for verdict in verdicts) > 8


UNCLEAR = {
    "request inc { @lp x := X; yield; @lp X := 1 - x; 0 } request read { X }": "second mark",
    "request inc { @lp x := 1; yield; X } request read { X := 1 - X; X }": "may still answer",
    "request inc { if (?) { @lp 0 }; yield; X := 1; 0 } request read { X }": "with and without",
    "request inc { @lp X := 1; while (X == 1) { yield; D := 1 - D } } request read { X }": "never",
}


@pytest.mark.parametrize("text", UNCLEAR)
def test_marks_that_do_not_determine_points_are_told(text: str) -> None:
    specification = read_specification(SourceText("s", "request inc { 0 } request read { X }"))
    found = decide(parse(text), Options(question=StaticLinearizability(specification), timeout=20))
    assert isinstance(found.answer, Undecided)
    assert UNCLEAR[text] in found.answer.reason


def test_points_that_are_no_marks_are_refused() -> None:
    """Evidence that commits elsewhere, or whose points are elsewhere, is not about these marks."""
    for case in CASES:
        verdict = decision(*case).answer
        content = program(*case)
        if isinstance(verdict, Holds | Violated):
            evidence = verdict.certificate.evidence
            if isinstance(evidence, CommitEvidence) and evidence.committed:
                forged = replace(verdict.certificate, evidence=replace(evidence, committed=()))
                assert not verify(forged, content).accepted
            if isinstance(evidence, PointsEvidence):
                for points in (evidence.points[1:], evidence.points[::-1], (1, *evidence.points), ()):
                    forged = replace(verdict.certificate, evidence=replace(evidence, points=points))
                    assert not verify(forged, content).accepted or points == evidence.points
                shorter = replace(verdict.certificate, evidence=replace(evidence, turns=evidence.turns[:-1]))
                assert not verify(shorter, content).accepted
