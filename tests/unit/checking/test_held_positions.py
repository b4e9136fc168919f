"""Evidence up to a symmetry that permutes values: accepted as it is, refused where anything is changed."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from seriatim.budget import Deadline, finish
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.checking.verify import verify
from seriatim.engines.commits.orbits import symmetric_commit_points
from seriatim.engines.commits.proof import ProvedBySymmetry, symmetric_commit_evidence
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding

JOURNAL = """
const N := 4
A[N] in 0..1 := 0
LAST in 0..N := N

request put(i in 0..N - 1):
    lock(L)
    A[i] := 1 - A[i]
    yield
    LAST := i
    mine := i
    unlock(L)
    yield
    return mine

request clear:
    lock(L)
    x := LAST
    yield
    if x < N:
        A[x] := 0
    LAST := N
    unlock(L)
    yield
    return x
"""


@cache
def proved() -> tuple[Program, SymmetricCommitEvidence]:
    program = parse(JOURNAL)
    unfolding = ProgramUnfolding(program, Limits())
    answer = finish(symmetric_commit_points(unfolding, Limits(), Deadline()))
    assert isinstance(answer, ProvedBySymmetry)
    return program, symmetric_commit_evidence(answer, unfolding)


def certificate(evidence: SymmetricCommitEvidence) -> Certificate:
    return Certificate(digest(proved()[0]), "serializable", evidence, SERIALIZABILITY)


def is_accepted(evidence: SymmetricCommitEvidence) -> bool:
    return verify(certificate(evidence), proved()[0]).accepted


def test_it_is_accepted_and_reads_back_as_itself() -> None:
    _, evidence = proved()
    assert evidence.symmetry.classes == (0, 0, 0, 0)
    assert evidence.symmetry.holders == ("LAST", "mine", "x")
    assert {state.handler for state in evidence.committed} == {"clear", "put(3)"}
    assert is_accepted(evidence)
    assert read_certificate(write(certificate(evidence))) == certificate(evidence)


@pytest.mark.parametrize(
    "change",
    [
        {"holders": ()},
        {"holders": ("x",)},
        {"holders": ("LAST", "x")},
        {"holders": ("LAST", "mine", "x", "L")},
        {"answers": ()},
        {"answers": ("clear",)},
        {"numbers": (1, 0, 2, 3)},
        {"numbers": (1, 2, 3, 4)},
        {"numbers": (0, 1, 2)},
        {"numbers": ()},
    ],
)
def test_other_holders_are_refused(change: dict[str, Any]) -> None:
    _, evidence = proved()
    symmetry = replace(evidence.symmetry, **change)
    assert not is_accepted(replace(evidence, symmetry=symmetry))
    assert not is_accepted(replace(evidence, symmetry=symmetry, committed=()))


def test_who_has_taken_effect_cannot_be_changed() -> None:
    """Not to another position, either: the image of an answer is the image of the flight."""
    _, evidence = proved()
    assert not is_accepted(replace(evidence, committed=()))
    for number, state in enumerate(evidence.committed):
        for response in {"0", "1", "2", "3", "4"} - {state.response}:
            others = (*evidence.committed[:number], *evidence.committed[number + 1 :])
            forged = (*others, replace(state, response=response))
            assert not is_accepted(replace(evidence, committed=forged))


def test_an_invariant_of_what_holds_a_position_is_not_used() -> None:
    _, evidence = proved()
    assert is_accepted(replace(evidence, invariants=(*evidence.invariants, Invariant("LAST", -1))))


LOST = JOURNAL.replace("    lock(L)\n", "").replace("    unlock(L)\n", "")


def test_a_program_that_is_not_serializable_is_never_proved() -> None:
    program = parse(LOST)
    evidence = proved()[1]
    for committed in (evidence.committed, ()):
        own = replace(evidence, committed=committed, invariants=())
        report = verify(Certificate(digest(program), "serializable", own, SERIALIZABILITY), program)
        assert not report.accepted
