"""Atomicity as evidence: accepted for programs without `yield`, and for nothing else."""

import pytest

from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.checking.verify import Report, verify
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input, digest
from seriatim.source import SourceText


def report(text: str) -> Report:
    content: Input = read_input(SourceText("-", text))
    return verify(Certificate(digest(content), "serializable", AtomicEvidence()), content)


@pytest.mark.parametrize(
    "text",
    [
        "request a { X := 1 - X; X } request b { while (X == 0) { X := ? }; 3 }",
        "request a { while (1) { } }",
        "request infinitely_many_states { X := X + 1; X }",
    ],
)
def test_without_yield_every_program_is_atomic(text: str) -> None:
    assert report(text).accepted


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("request a { 1 } request b { if (0) { yield }; 1 }", "no handler contains `yield`: `b` does"),
        ("request a { x := X + yield; x }", "`a` does"),
        # No example of an argument comes to these yields, nor to the assertion.
        ("request a(n: int) { if (n == 1000) { x := X; yield; X := x + 1; return X }; 0 }", "`a(n)` does"),
        (
            "A[k: int] := 0 request a(n: k) { if (n == 9) { x := A[n]; yield; A[n] := x + 1 }; 0 }",
            "`a(n)` does",
        ),
        (
            "request a(n: int) { if (n == 1000) { assert 0 }; 0 }",
            "of a few arguments only that no step fails",
        ),
        (
            '{"initial_global": "g", "requests": [["p", "a"]], "responses": [["a", "r"]], "transitions": []}',
            "the input is a network system",
        ),
    ],
)
def test_a_yield_anywhere_refutes_that_there_is_none(text: str, complaint: str) -> None:
    assert complaint in report(text).complaint
