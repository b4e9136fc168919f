"""The checker as a whole: the header, the order of the obligations, and the documentation's example."""

import re
import typing
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.all import KINDS, Kind
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.chain_proofs import NoRuns
from seriatim.certificate.chains import ChainEvidence
from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence, Told
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.points import AT_MARKS
from seriatim.checking.verify import ANSWERS, Report, verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.inputs import Input, digest
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.statement import CoveredByOrder, OfLogs, OfThreads, Statement
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.result import Violated
from seriatim.source import SourceText

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
    report = verify(read_certificate(blocks["json"]), parse(blocks["ser"]))
    assert report.accepted, report.complaint


def test_nothing_is_verified_after_the_deadline() -> None:
    certificate = replace(PROOF, evidence=CommitEvidence(1, (), ()))
    assert verify(certificate, ATOMIC, Context(Allowance(deadline=Deadline(60)))).accepted
    with pytest.raises(OutOfBudget):
        verify(certificate, ATOMIC, Context(Allowance(deadline=Deadline(0))))


COVER = CoverEvidence(1, (), None, (), ())
EVIDENCE: dict[str, tuple[Evidence, bool]] = {
    "run": (RunEvidence(()), False),
    "folded-run": (FoldedRunEvidence(()), False),
    "atomic": (AtomicEvidence(), True),
    "commit": (CommitEvidence(1, (), ()), True),
    "reduction": (ReductionEvidence((), ()), True),
    "linear-cover": (COVER, True),
    "tree": (TreeEvidence(COVER, (), (), (), ()), True),
    "chains": (ChainEvidence(1, (), (), (), (), (), (), NoRuns()), True),
    "cycle": (CycleEvidence((), ()), False),
    "no-cycle": (NoCycleEvidence(1, ()), True),
    "points": (PointsEvidence((), ()), False),
    "fault-run": (FaultRunEvidence((), 1, "a", Told("SER803", "the assertion fails")), False),
    "no-fault": (NoFaultEvidence(1, ()), True),
}
"""By kind, and whether it is for the property or against it; little or nothing is in it."""


def answer(content: Input, question: Property, evidence: Evidence, is_yes: bool) -> Report:
    """What comes of a certificate that answers a question by this evidence."""
    verdict = question.verdicts[0 if is_yes else 1]
    return verify(Certificate(digest(content), verdict, evidence, question), content)


@pytest.mark.parametrize("kind", EVIDENCE)
def test_evidence_of_each_kind_is_for_one_verdict(kind: str) -> None:
    evidence, is_proof = EVIDENCE[kind]
    for is_yes in (True, False):
        found = answer(ATOMIC, SERIALIZABILITY, evidence, is_yes)
        assert found.obligations[1].claim.startswith("the verdict is")
        assert found.obligations[1].holds == (is_yes == is_proof)
        assert f"`{kind}`" in found.obligations[1].detail


ALWAYS_OFF = read_specification(SourceText("-", "spec { init a; a -> a: get/0; }"))
STATIC = StaticLinearizability(ALWAYS_OFF)

ABOUT_SOMETHING_ELSE: list[tuple[Property, str]] = [
    *((SERIALIZABILITY, kind) for kind in ("cycle", "no-cycle", "points", "fault-run", "no-fault")),
    *((ConflictSerializability(), kind) for kind in EVIDENCE if kind not in ("atomic", "cycle", "no-cycle")),
    *((STATIC, kind) for kind in EVIDENCE if kind not in ("run", "commit", "points")),
]


SAFETY_KINDS = ("fault-run", "no-fault")
ABOUT_SOMETHING_ELSE += [(SAFETY, kind) for kind in EVIDENCE if kind not in SAFETY_KINDS]


@pytest.mark.parametrize(("question", "kind"), ABOUT_SOMETHING_ELSE)
def test_evidence_of_other_kinds_is_about_something_else(question: Property, kind: str) -> None:
    found = answer(parse("request get { 0 }"), question, *EVIDENCE[kind])
    assert f"`{kind}` is about another one" in found.complaint


def test_a_program_without_marks_has_no_points() -> None:
    found = answer(parse("request get { 0 }"), STATIC, *EVIDENCE["points"])
    assert found.complaint == "the program marks points: it marks none"


RACE = parse("request a { x := X; yield; X := 1 - x; x }")


@pytest.mark.parametrize("kind", EVIDENCE)
def test_next_to_nothing_proves_nothing(kind: str) -> None:
    """Neither that a race is harmless nor that it is not."""
    assert not answer(RACE, SERIALIZABILITY, *EVIDENCE[kind]).accepted


@pytest.mark.parametrize("kind", ["atomic", "cycle", "no-cycle"])
def test_evidence_about_conflicts_has_to_be_right(kind: str) -> None:
    assert not answer(RACE, ConflictSerializability(), *EVIDENCE[kind]).accepted
    if kind != "cycle":
        assert answer(ATOMIC, ConflictSerializability(), *EVIDENCE[kind]).accepted


def test_what_is_observed_has_to_exist() -> None:
    assert answer(ATOMIC, Serializability(("X",)), AtomicEvidence(), is_yes=True).accepted
    found = answer(ATOMIC, Serializability(("Y",)), AtomicEvidence(), is_yes=True)
    assert "unknown: Y" in found.complaint


def violation(text: str, question: Property) -> Certificate:
    verdict = decide(parse(text), Options(question=question)).answer
    assert isinstance(verdict, Violated)
    return verdict.certificate


def test_a_run_refutes_also_where_somebody_may_make_a_mistake() -> None:
    """That nobody does has to be shown by proofs only."""
    text = "X in 0..3 := 0\nrequest flip { x := X; yield; X := 1 - x; x }"
    unsafe = parse(text + "\nrequest far { X := X + 2; 0 }")
    run = violation(text, SERIALIZABILITY).evidence
    assert answer(unsafe, SERIALIZABILITY, run, is_yes=False).accepted


def test_the_right_specification_does_not_make_a_certificate_right() -> None:
    program = parse("request get { X := 1 - X; X }")
    certificate = Certificate(
        digest(program), "linearizable", CommitEvidence(1, (), ()), Linearizability(ALWAYS_OFF, 0)
    )
    found = verify(certificate, program, specification=ALWAYS_OFF)
    assert [obligation.holds for obligation in found.obligations] == [True, True, True, False]


STUCK = "request start { X := 1; while (1) { yield } } request get { X }"


def test_points_are_about_runs_that_need_not_be_complete() -> None:
    """`start` is never answered, but seen."""
    run = violation(STUCK, Linearizability(ALWAYS_OFF, 0, pending=True)).evidence
    assert answer(parse(STUCK), STATIC, run, is_yes=False).accepted
    assert not answer(parse(STUCK), STATIC, RunEvidence(()), is_yes=False).accepted
    assert not answer(parse(STUCK), STATIC, CommitEvidence(1, (), ()), is_yes=True).accepted


LIKE_A_REGISTER = read_specification(SourceText("-", "request get { X } request flip { X := 1 - X; X }"))


@pytest.mark.parametrize(
    ("get", "late", "is_right"),
    [
        ("x := X; yield; x", "x", True),
        ("@lp x := X; yield; x", "x", True),
        ("x := X; yield; @lp x", "#lp := 1; x", False),
    ],
)
def test_points_are_where_the_program_marks_them_if_it_does(get: str, late: str, is_right: bool) -> None:
    """`get` takes effect when it reads; where it answers is too late."""
    text = f"request get {{ {get} }} request flip {{ X := 1 - X; X }}"
    question = StaticLinearizability(LIKE_A_REGISTER)
    committed = tuple(CommittedState("get", late, (("x", x),), str(x)) for x in (0, 1))
    found = answer(parse(text), question, CommitEvidence(1, (), committed), is_yes=True)
    assert found.accepted == is_right
    if not is_right:
        assert found.obligations[-1].claim == AT_MARKS
        certificate = violation(text, question)
        assert isinstance(certificate.evidence, PointsEvidence)
        assert verify(certificate, parse(text)).accepted
        without = replace(certificate, evidence=replace(certificate.evidence, points=()))
        assert not verify(without, parse(text)).accepted


SYSTEM = read_input(
    SourceText(
        "-",
        """{"initial_global": "g", "requests": [["get", "a"]], "responses": [["b", "0"]],
        "transitions": [["a", "g", "b", "g"]]}""",
    )
)


def test_a_system_has_points_but_marks_none() -> None:
    assert answer(SYSTEM, STATIC, CommitEvidence(1, (), ()), is_yes=True).accepted
    assert not answer(SYSTEM, STATIC, PointsEvidence((), ()), is_yes=False).accepted


def test_a_reduction_is_about_a_program() -> None:
    found = answer(SYSTEM, SERIALIZABILITY, ReductionEvidence((), ()), is_yes=True)
    assert found.complaint == "the input is a program: the input is a network system, without variables"


FORMULAS = {"simulation", "symbolic-reduction"}
"""Kinds whose modules do not have `obligations`: they are told more."""


@pytest.mark.parametrize("kind", sorted(set().union(*ANSWERS.values())))
def test_the_module_of_a_kind_checks_evidence_of_this_kind(kind: Kind) -> None:
    module = import_module(f"seriatim.checking.{kind.replace('-', '_')}")
    if kind not in FORMULAS:
        (evidence,) = typing.get_args(typing.get_type_hints(module.obligations)["task"])
        assert evidence.kind == kind


def test_every_statement_has_kinds_of_evidence() -> None:
    elsewhere = {*typing.get_args(OfThreads), *typing.get_args(OfLogs), CoveredByOrder}
    assert set(ANSWERS) == set(typing.get_args(Statement)) - elsewhere
    threads = {
        "thread-run",
        "thread-cover",
        "thread-modular",
        "petrified",
        "thread-pairs",
        "thread-reduction",
    }
    actions = {"sequentialization", "action-run"}
    assert set().union(*ANSWERS.values()) | threads | actions == set(KINDS)
