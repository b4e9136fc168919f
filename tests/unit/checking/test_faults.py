"""No certificate of serializability hides a mistake of the program."""

import pytest

from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence, Told
from seriatim.certificate.in_flight import LEVELS, Waiting
from seriatim.certificate.no_fault import Excluded, NoFaultEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.fault_run import obligations
from seriatim.checking.no_fault import NO_FAULTS
from seriatim.checking.posing import Task, demand
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.semantics import big_steps
from seriatim.properties.safe import SAFETY
from seriatim.properties.statement import Outcomes
from seriatim.result import Faulty, Holds, Undecided, Violated
from seriatim.source import SourceText
from testkit.samples import IS_DEEP

ALONE = "X in 0..1 := 0\nrequest incr { X := X + 1; 0 }"
TOGETHER = "X in 0..1 := 0\nrequest take { if (X < 1) { yield; X := X + 1 }; 0 }"
LOCKED = "X in 0..1 := 0\nrequest take { lock(L); if (X < 1) { yield; X := X + 1 }; unlock(L); 0 }"
NEVER_ANSWERED = "A[2] := 0\nrequest stuck { yield; A[X + 2] := 1 }\nrequest get { A[0] }"


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        (ALONE, AtomicEvidence()),
        (TOGETHER, CommitEvidence(1, (), ())),
        (TOGETHER, CommitEvidence(2, (), ())),
        (NEVER_ANSWERED, CommitEvidence(2, (), ())),
    ],
)
def test_a_proof_about_a_program_that_makes_a_mistake_is_refused(text: str, evidence: Evidence) -> None:
    """A failing step counts even if its request is never answered, and so is in no complete run."""
    program = parse(text)
    report = verify(Certificate(digest(program), "serializable", evidence), program)
    assert not report.accepted
    assert report.obligations[-1].code == "no-faults"
    assert isinstance(decide(program, Options()).answer, Faulty)


def test_a_program_that_makes_none_is_proved_and_the_proof_says_so() -> None:
    program = parse(LOCKED)
    verdict = decide(program, Options()).answer
    assert isinstance(verdict, Holds)
    report = verify(verdict.certificate, program)
    assert "no-faults" in {obligation.code for obligation in report.obligations}


def test_a_program_without_declarations_has_no_such_obligation() -> None:
    program = parse("request incr { X := (X + 1) % 3 }")
    report = verify(Certificate(digest(program), "serializable", AtomicEvidence()), program)
    assert report.accepted
    assert "no-faults" not in {obligation.code for obligation in report.obligations}


def test_mistakes_are_excluded_wherever_requests_commit() -> None:
    """Whether there are any does not depend on the order of effects: here it is not that of the answers."""
    program = parse(
        """
        P in 0..1 := 0
        request packet { p := P; yield; p }
        request turn { if (P < 1) { P := P + 1 } else { P := P - 1 }; P }
        """
    )
    early = tuple(CommittedState("packet", "p", (("p", value),), str(value)) for value in (0, 1))
    for committed in (early, ()):
        evidence = CommitEvidence(1, (), committed)
        report = verify(Certificate(digest(program), "serializable", evidence), program)
        assert report.accepted == bool(committed)
        assert [found.holds for found in report.obligations if found.code == "no-faults"] == [True]


def test_what_is_neither_shown_nor_excluded_is_unknown() -> None:
    """The counter reaches its bound only after more steps than are looked at."""
    program = parse("X in 0..400000 := 0\nrequest incr { yield; X := X + 1; 0 }")
    verdict = decide(program, Options(timeout=2 if IS_DEEP else 0.5)).answer
    assert isinstance(verdict, Undecided)


def test_a_run_refutes_whatever_others_do() -> None:
    text = "X in 0..9 := 0\nrequest incr { x := X; yield; X := (x + 1) % 3; X }\nrequest far { X }"
    assert isinstance(decide(parse(text), Options()).answer, Violated)


def test_a_fault_is_one_of_the_handler_that_has_begun() -> None:
    """Another handler cannot go on in its place, even if its first step would fail."""
    program = parse("request a { yield; 0 } request b { assert X == 1; 0 }")
    reference = ProgramReference(program, big_steps)
    turn = Turn(1, "a", reference.initial, None)
    asked = demand(Outcomes(None, None), reference, big_steps, Allowance())
    (start,) = reference.fresh("b")
    (fault,) = reference.faults(start, reference.initial)
    for handler, turns, holds in (("b", (), True), ("b", (turn,), False), ("a", (turn,), False)):
        evidence = FaultRunEvidence(turns, 1, handler, Told(fault.code, fault.message))
        found = list(obligations(Task(evidence, program, reference, reference, asked, Context())))
        assert all(obligation.holds for obligation in found) is holds
        assert found[0].holds is (handler == "a" or not turns)


FAILS_LATER = "request r { yield; assert X == 1; 0 }"
AT_FIRST = (("X", 0),)
LATER = Waiting("r", "if (X == 1) { 0 } else { fault(SER803, the assertion fails) }; 0", ())


@pytest.mark.parametrize(
    ("excluded", "claim"),
    [
        ((), NO_FAULTS),
        ((Excluded(AT_FIRST, ()),), "the initial situation is not excluded"),
        ((Excluded(AT_FIRST, (LATER,)),), "no step leads to a situation that is excluded"),
        ((Excluded(AT_FIRST, (LATER, LATER)),), "no step leads to a situation that is excluded"),
    ],
    ids=["nothing", "everything", "where the step fails", "where two steps fail"],
)
def test_no_exclusion_hides_a_failing_step(excluded: tuple[Excluded, ...], claim: str) -> None:
    program = parse(FAILS_LATER)
    for level in LEVELS:
        evidence = NoFaultEvidence(level, (), excluded)
        report = verify(Certificate(digest(program), "safe", evidence, SAFETY), program)
        assert not report.accepted
        assert report.obligations[-1].claim == claim


def test_a_network_system_is_safe() -> None:
    system = read_input(SourceText("-", SYSTEM))
    report = verify(Certificate(digest(system), "safe", NoFaultEvidence(1, ()), SAFETY), system)
    assert report.accepted
    assert report.obligations[-1].claim == NO_FAULTS
    failing = FaultRunEvidence((), 1, "r", Told("SER803", "the assertion fails"))
    assert not verify(Certificate(digest(system), "unsafe", failing, SAFETY), system).accepted


def test_a_fault_comes_after_turns_that_are_steps() -> None:
    program = parse(FAILS_LATER)
    begins = Turn(1, "r", AT_FIRST, None)
    other = Turn(2, "r", (("X", 7),), None)
    for turns, holds in (((begins,), True), ((begins, other), False)):
        evidence = FaultRunEvidence(turns, 1, "r", Told("SER803", "the assertion fails"))
        assert verify(Certificate(digest(program), "unsafe", evidence, SAFETY), program).accepted is holds


SYSTEM = """{
  "initial_global": "g", "requests": [["r", "a"]], "responses": [["b", "done"]],
  "transitions": [["a", "g", "b", "h"]]
}"""
