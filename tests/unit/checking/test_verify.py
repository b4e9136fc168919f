"""The checker as a whole: the header, the order of the obligations, and the documentation's example."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.certificate.format import AtomicEvidence, Certificate, CommitEvidence, RunEvidence
from seriatim.certificate.json_text import read
from seriatim.checking.verify import verify
from seriatim.language.parser import parse
from seriatim.network.inputs import digest

ATOMIC = parse("request flip { X := 1 - X; X }")
PROOF = Certificate(digest(ATOMIC), "serializable", AtomicEvidence())


def test_the_obligations_of_a_proof() -> None:
    report = verify(PROOF, ATOMIC)
    assert report.accepted
    assert report.complaint == ""
    assert [obligation.claim for obligation in report.obligations] == [
        "the certificate is about this input",
        'the verdict is "serializable"',
        "no handler contains `yield`",
    ]


def test_a_certificate_for_another_input_is_refused_before_anything_else() -> None:
    other = parse("request flip { X := 1 - X; yield; X }")
    report = verify(PROOF, other)
    assert [obligation.holds for obligation in report.obligations] == [False]
    assert "not the program that the certificate was made for, or it has changed" in report.complaint
    assert f"{digest(other)[:12]}…, not {PROOF.digest[:12]}…" in report.complaint


def test_comments_and_layout_are_no_part_of_the_input() -> None:
    assert verify(PROOF, parse("request flip:\n  X := 1 - X // turn it\n  return X\n")).accepted is False
    assert verify(PROOF, parse("request flip:\n  X := 1 - X // turn it\n  X\n")).accepted


@pytest.mark.parametrize(
    "certificate",
    [
        replace(PROOF, verdict="not_serializable"),
        replace(PROOF, evidence=RunEvidence(())),
    ],
)
def test_evidence_for_the_other_verdict_is_refused(certificate: Certificate) -> None:
    report = verify(certificate, ATOMIC)
    assert [obligation.holds for obligation in report.obligations] == [True, False]
    assert 'serializable"' in report.complaint
    assert "_" not in report.complaint


def test_deep_programs_do_not_exhaust_the_stack() -> None:
    depth = 300
    program = parse("request a { X := " + "-(" * depth + "X" + ")" * depth + "; X }")
    certificate = Certificate(digest(program), "serializable", CommitEvidence(1, (), ()))
    assert verify(certificate, program).accepted


def test_the_example_of_the_documentation_is_accepted() -> None:
    page = (Path(__file__).parents[3] / "docs" / "certificates.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(ser|json)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    report = verify(read(blocks["json"]), parse(blocks["ser"]))
    assert report.accepted, report.complaint
