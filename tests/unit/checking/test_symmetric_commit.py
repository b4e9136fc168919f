"""Evidence up to symmetry proves the program as it is: what does not, is refused."""

from dataclasses import replace
from functools import cache
from typing import Any, NoReturn

import pytest

from seriatim.arithmetic.columns import TooAlike
from seriatim.budget import Deadline, finish
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.checking import symmetric_flights
from seriatim.checking.flights import EMPTY_ORDER, STAYS
from seriatim.checking.no_fault import NO_FAULTS
from seriatim.checking.symmetric_commit import IS_SYMMETRY
from seriatim.checking.verify import GaveUp, verify
from seriatim.engines.commits.orbits import symmetric_commit_points
from seriatim.engines.commits.proof import ProvedBySymmetry, symmetric_commit_evidence
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.places import Places, Uneven
from seriatim.program.symmetry import Symmetry
from seriatim.program.syntax import Program
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.systems.limits import Limits
from seriatim.systems.symmetry import find_symmetry
from seriatim.systems.unfolding import ProgramUnfolding

TRANSFERS = """
const COUNT := 4
ACCOUNT[COUNT] in 0..2 := 1

request transfer(source in 0..COUNT - 1, target in 0..COUNT - 1):
    lock(LOCK)
    done := 0
    if source != target and ACCOUNT[source] > 0 and ACCOUNT[target] < 2:
        ACCOUNT[source] := ACCOUNT[source] - 1
        yield
        ACCOUNT[target] := ACCOUNT[target] + 1
        done := 1
    unlock(LOCK)
    yield
    return done
"""


@cache
def proved() -> tuple[Program, SymmetricCommitEvidence]:
    program = parse(TRANSFERS)
    unfolding = ProgramUnfolding(program, Limits())
    answer = finish(symmetric_commit_points(unfolding, Limits(), Deadline()))
    assert isinstance(answer, ProvedBySymmetry)
    return program, symmetric_commit_evidence(answer, unfolding)


def complaint(evidence: SymmetricCommitEvidence, question: Property = SERIALIZABILITY) -> str | None:
    program, _ = proved()
    report = verify(Certificate(digest(program), question.verdicts[0], evidence, question), program)
    return None if report.accepted else report.complaint


def test_it_is_accepted_and_reads_back_as_itself() -> None:
    program, evidence = proved()
    assert evidence.committed  # Requests are answered after they have taken effect.
    assert complaint(evidence) is None
    certificate = Certificate(digest(program), "serializable", evidence, SERIALIZABILITY)
    assert read_certificate(write(certificate)) == certificate


def test_it_shows_strict_serializability_as_well() -> None:
    assert complaint(proved()[1], StrictSerializability(1)) is None


def test_it_shows_nothing_about_final_values() -> None:
    assert "requests commit in a program itself" in str(complaint(proved()[1], Serializability(("LOCK",))))


def changed(**changes: Any) -> SymmetricCommitEvidence:
    return replace(proved()[1], **changes)


def symmetry(**changes: Any) -> SymmetricCommitEvidence:
    return changed(symmetry=replace(proved()[1].symmetry, **changes))


def test_a_symmetry_that_the_program_has_not_is_refused() -> None:
    family = proved()[1].symmetry.requests[0]
    turned = tuple((name, (at[1], at[0])) for name, at in family)
    assert complaint(symmetry(requests=(turned,))) is not None
    assert complaint(symmetry(requests=(family[1:],))) is not None
    assert complaint(symmetry(requests=())) is not None
    assert complaint(symmetry(variables=())) is not None
    accounts = proved()[1].symmetry.variables[0]
    assert IS_SYMMETRY in str(complaint(symmetry(variables=((*accounts[:3], "LOCK"),))))
    assert IS_SYMMETRY in str(complaint(symmetry(variables=(("LOCK", *accounts[1:]),))))


def test_every_class_of_positions_is_looked_at() -> None:
    flips = "".join(f"request {name.lower()} {{ {name} := 1 - {name}; {name} }}\n" for name in ("B", "C"))
    program = parse(f"request p {{ P := 1; P }}\nrequest q {{ Q := 1 - Q; Q }}\n{flips}")
    names = ("P", "Q", "B", "C")
    requests = tuple((name.lower(), (position,)) for position, name in enumerate(names))
    wrong = SymmetricCommitEvidence(Symmetry((0, 0, 1, 1), (names,), (requests,)), (), ())
    report = verify(Certificate(digest(program), "serializable", wrong), program)
    assert report.obligations[-1].claim == IS_SYMMETRY
    assert not report.accepted


def test_less_symmetry_is_enough() -> None:
    assert complaint(symmetry(classes=(0, 0, 0, 1))) is not None  # λ names other representatives.
    assert complaint(replace(symmetry(classes=(0, 1, 2, 3)), committed=())) is not None


def test_who_has_taken_effect_cannot_be_changed() -> None:
    committed = proved()[1].committed
    assert complaint(changed(committed=())) is not None
    for number, state in enumerate(committed):
        other = replace(state, response="7")
        assert (
            complaint(changed(committed=(*committed[:number], other, *committed[number + 1 :]))) is not None
        )
    effective = [state for state in committed if dict(state.values) == {"done": 1}]
    assert complaint(changed(committed=tuple(state for state in committed if state not in effective)))


def test_an_invariant_of_something_that_moves_is_not_used() -> None:
    invariants = proved()[1].invariants
    assert complaint(changed(invariants=())) is not None
    assert complaint(changed(invariants=(*invariants, Invariant("ACCOUNT[0]", 1)))) is None
    assert complaint(changed(invariants=(*invariants, Invariant("NOBODY", 1)))) is None


def test_a_symmetry_of_nothing_is_the_plain_proof() -> None:
    """Positions that each are a class of their own: the cover is the one of level 1."""
    program = parse("request a { x := X; yield; x } request b { yield; 0 }")
    evidence = SymmetricCommitEvidence(Symmetry((), (), ()), (), ())
    certificate = Certificate(digest(program), "serializable", evidence, SERIALIZABILITY)
    assert verify(certificate, program).accepted


@pytest.mark.parametrize("name", ["snapshot", "counter"])
def test_a_program_that_is_not_serializable_is_never_proved(name: str) -> None:
    texts = {
        "snapshot": "".join(
            f"request leave{i} {{ a0 := OFF0; a1 := OFF1; a2 := OFF2; yield;"
            f" if (a0 + a1 + a2 < 2 && a{i} == 0) {{ OFF{i} := 1 }}; OFF0 + OFF1 + OFF2 }}\n"
            for i in range(3)
        ),
        "counter": "".join(f"request up{i} {{ x := A{i}; yield; A{i} := 1 - x; x }}\n" for i in range(3)),
    }
    program = parse(texts[name])
    variables = (
        (tuple(f"OFF{i}" for i in range(3)), tuple(f"a{i}" for i in range(3)))
        if name == "snapshot"
        else (tuple(f"A{i}" for i in range(3)),)
    )
    word = "leave" if name == "snapshot" else "up"
    whole = Symmetry((0, 0, 0), variables, (tuple((f"{word}{i}", (i,)) for i in range(3)),))
    evidence = SymmetricCommitEvidence(whole, (), ())
    report = verify(Certificate(digest(program), "serializable", evidence, SERIALIZABILITY), program)
    assert not report.accepted
    assert "order that is allowed" in str(report.complaint)


WRONG = {
    "a step fails": (
        "A[3] in 0..1 := 1\nrequest up(i in 0..2) { yield; A[i] := A[i] + 1; 0 }",
        (),
        NO_FAULTS,
    ),
    "two have a permit": (
        """
        N in 0..2 := 2
        A[3] in 0..1 := 0
        request flip(i in 0..2) {
            await N > 0; N := N - 1; yield; x := A[i]; yield; A[i] := 1 - x; N := N + 1; x
        }
        """,
        (Invariant("N", -1),),
        EMPTY_ORDER,
    ),
    "a race where nobody is in flight at first": (
        """
        A[3] in 0..1 := 0
        request open(i in 0..2) { OPEN := 1; 0 }
        request flip(i in 0..2) { if (OPEN == 1) { x := A[i]; yield; A[i] := 1 - x; return x }; 2 }
        """,
        (),
        EMPTY_ORDER,
    ),
    "a request changes a variable and stays where it is": (
        """
        A[3] in 0..1 := 0
        request grow(i in 0..2) { yield; while (S < 3) { S := S + 1; yield }; A[i] := 1 - A[i]; 0 }
        request look { S == 2 }
        """,
        (),
        EMPTY_ORDER,
    ),
}


@pytest.mark.parametrize(("text", "invariants", "claim"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_stays_wrong_up_to_symmetry(
    text: str, invariants: tuple[Invariant, ...], claim: str
) -> None:
    program = parse(text)
    found = find_symmetry(program, Deadline())
    assert found is not None
    evidence = SymmetricCommitEvidence(found, invariants, ())
    report = verify(Certificate(digest(program), "serializable", evidence), program)
    assert not report.accepted
    assert report.obligations[-1].claim == claim


def test_all_that_was_shown_is_listed() -> None:
    program, evidence = proved()
    report = verify(Certificate(digest(program), "serializable", evidence), program)
    assert {IS_SYMMETRY, STAYS, EMPTY_ORDER} <= {obligation.claim for obligation in report.obligations}


def test_states_that_cannot_be_told_apart_in_time_are_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object) -> NoReturn:
        raise TooAlike

    monkeypatch.setattr(symmetric_flights, "in_order", give_up)
    with pytest.raises(GaveUp):
        complaint(proved()[1])


def test_code_that_tells_positions_apart_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise Uneven("transfer")

    monkeypatch.setattr(Places, "place", refuse)
    assert "distinguishes positions" in str(complaint(proved()[1]))
