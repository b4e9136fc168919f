"""A certificate proves what it says was asked, and nothing more: with another question, it is refused."""

from dataclasses import replace
from functools import cache

import pytest

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.inputs import digest
from seriatim.program.specification import Specification
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

LOST = "request inc { y := X; yield; if (y < 3) { X := y + 1 }; 0 } request read { X }"
ATOMIC = "request inc { if (X < 3) { X := X + 1 }; 0 } request read { X }"
LOCKED = """
request inc { while (L == 1) { yield }; L := 1; yield; if (X < 3) { X := X + 1 }; L := 0; 0 }
request read { while (L == 1) { yield }; X }
"""
STUCK = "request start { X := 1; while (1) { yield } } request get { X }"


def specification(text: str) -> Specification:
    return read_specification(SourceText("test", text))


COUNTER = specification(
    """spec { init a; a -> b: inc/0; b -> c: inc/0; c -> d: inc/0; d -> d: inc/0;
    a -> a: read/0; b -> b: read/1; c -> c: read/2; d -> d: read/3; }"""
)
FORGETFUL = specification("spec { init a; a -> a: inc/0, read/0; }")
SILENT = specification("spec { init a; a -> a: get/0; }")


@cache
def certificate(program: str, question: Property) -> Certificate:
    verdict = decide(parse(program), Options(question=question)).answer
    assert isinstance(verdict, Holds | Violated)
    return verdict.certificate


def relabelled(certificate: Certificate, question: Property) -> Certificate:
    """The same evidence and the same answer, to another question."""
    holds = certificate.verdict in (certificate.question.verdicts[0],)
    return replace(certificate, question=question, verdict=question.verdicts[0 if holds else 1])


@pytest.mark.parametrize(
    ("program", "question", "kind"),
    [
        (LOST, SERIALIZABILITY, "TreeEvidence"),
        (LOST, Serializability("all"), "RunEvidence"),
        (LOST, Serializability(("X",)), "RunEvidence"),
        (LOST, StrictSerializability(0), "TreeEvidence"),
        (LOST, StrictSerializability(1), "RunEvidence"),
        (LOST, Linearizability(COUNTER, 0), "TreeEvidence"),
        (LOST, Linearizability(COUNTER, 1), "RunEvidence"),
        (LOST, Linearizability(specification(ATOMIC), 1), "RunEvidence"),
        (ATOMIC, StrictSerializability(2), "AtomicEvidence"),
        (ATOMIC, Serializability("all"), "AtomicEvidence"),
        (ATOMIC, Linearizability(COUNTER, 2), "CommitEvidence"),
        (ATOMIC, Linearizability(COUNTER, 1, pending=True), "CommitEvidence"),
        (LOCKED, StrictSerializability(1), "CommitEvidence"),
        (STUCK, Linearizability(SILENT, 0, pending=True), "RunEvidence"),
        (STUCK, Linearizability(SILENT, 0), "CommitEvidence"),
    ],
)
def test_certificates_of_each_kind_are_accepted(program: str, question: Property, kind: str) -> None:
    found = certificate(program, question)
    assert type(found.evidence).__name__ == kind
    assert verify(found, parse(program)).accepted


@pytest.mark.parametrize(
    ("program", "asked", "other"),
    [
        (LOST, SERIALIZABILITY, StrictSerializability(1)),
        (LOST, SERIALIZABILITY, Serializability("all")),
        (LOST, SERIALIZABILITY, Serializability(("X",))),
        (LOST, StrictSerializability(0), StrictSerializability(1)),
        (LOST, StrictSerializability(1), StrictSerializability(0)),
        (LOST, StrictSerializability(1), SERIALIZABILITY),
        (LOST, Serializability("all"), SERIALIZABILITY),
        (LOST, Serializability("all"), Serializability(("Z",))),
        (LOST, Linearizability(COUNTER, 0), Linearizability(COUNTER, 1)),
        (LOST, Linearizability(COUNTER, 0), Linearizability(FORGETFUL, 0)),
        (LOST, Linearizability(COUNTER, 1), Linearizability(COUNTER, 0)),
        (ATOMIC, StrictSerializability(1), Linearizability(FORGETFUL, 1)),
        (ATOMIC, StrictSerializability(1), Linearizability(COUNTER, 1)),
        (ATOMIC, Linearizability(COUNTER, 1), Linearizability(FORGETFUL, 1)),
        (STUCK, Linearizability(SILENT, 0), Linearizability(SILENT, 0, pending=True)),
        (STUCK, Linearizability(SILENT, 0, pending=True), Linearizability(SILENT, 0)),
    ],
)
def test_evidence_for_one_question_is_refused_for_another(
    program: str, asked: Property, other: Property
) -> None:
    assert not verify(relabelled(certificate(program, asked), other), parse(program)).accepted


def test_what_is_shown_without_barriers_is_no_less_with_them() -> None:
    """Commits and atomic handlers say something about any number of barriers, so these certificates stand."""
    for program in (ATOMIC, LOCKED):
        found = certificate(program, StrictSerializability(1))
        for barriers in (0, 3):
            assert verify(relabelled(found, StrictSerializability(barriers)), parse(program)).accepted


def test_a_run_may_not_have_more_barriers_than_were_asked_for() -> None:
    found = certificate(LOST, StrictSerializability(1))
    assert isinstance(found.evidence, RunEvidence)
    (barrier,) = found.evidence.barriers
    more = replace(found, evidence=replace(found.evidence, barriers=(1, barrier)))
    assert not verify(more, parse(LOST)).accepted
    assert verify(relabelled(more, StrictSerializability(2)), parse(LOST)).accepted
    without = replace(found, evidence=replace(found.evidence, barriers=()))
    assert not verify(without, parse(LOST)).accepted


def test_final_values_are_those_that_the_last_turn_leaves() -> None:
    """Two increments, one after the other: only if X were 1 in the end would that be a violation."""
    content = parse("request inc { X := X + 1; 0 }")
    turns = tuple(Turn(number, "inc", (("X", number),), "0") for number in (1, 2))
    question = Serializability("all")
    found = verify(Certificate(digest(content), "not_serializable", RunEvidence(turns), question), content)
    assert found.complaint.endswith("this one has: inc/0, inc/0, (final values)/X = 2")


def test_the_verdict_has_to_be_one_of_the_question() -> None:
    found = replace(certificate(ATOMIC, StrictSerializability(1)), verdict="serializable")
    assert not verify(found, parse(ATOMIC)).accepted


def test_a_certificate_is_about_one_specification() -> None:
    found = certificate(ATOMIC, Linearizability(COUNTER, 1))
    again = specification("// the same\n" + COUNTER.text)
    assert verify(found, parse(ATOMIC), specification=again).accepted
    assert not verify(found, parse(ATOMIC), specification=FORGETFUL).accepted
    strict = certificate(ATOMIC, StrictSerializability(1))
    assert not verify(strict, parse(ATOMIC), specification=COUNTER).accepted
