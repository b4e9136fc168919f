"""The kernel agrees with the checker, and is not deceived.

A sample runs each time. `make proofs` has it confirm all examples; `python -m proved` measures it at length.
"""

import subprocess
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from proved.changes import attack
from proved.subjects import Subject
from seriatim.budget import Deadline, finish
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.engines.commits.orbits import symmetric_commit_points
from seriatim.engines.commits.proof import ProvedBySymmetry, symmetric_commit_evidence
from seriatim.export.kernel.claim import NotCovered, kernel_claim, kernel_claims
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.runner import Accepted, ask, native_program
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method
from seriatim.program.inputs import Input, digest
from seriatim.program.syntax import Program
from seriatim.properties.property import Property
from seriatim.properties.safe import Safety
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.source import SourceText
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.forgeries.reductions import forgeries
from testkit.generators.cases import case
from testkit.generators.failing_programs import FailingMaker
from testkit.generators.indices import indexed_program
from testkit.inputs.long_runs import packing
from testkit.oracles.kernel_verdicts import (
    EXAMPLES,
    KEPT,
    certificate_of,
    content_of,
    needs_native,
    needs_rocq,
    verdict,
)
from testkit.samples import at_least, deep, sampled


@needs_native
@pytest.mark.parametrize("path", EXAMPLES[::4], ids=lambda path: path.stem)
def test_the_kernel_confirms_examples(path: Path) -> None:
    content = content_of(path)
    certificate = certificate_of(content)
    assert certificate is not None
    assert verdict(certificate, content) == Accepted()


@needs_native
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("run", "lost_update.ser"),
        ("folded-run", "packing.json"),
        ("atomic", "atomic.ser"),
        ("commit", "spin_lock.ser"),
        ("tree", "counted.ser"),
        ("reduction", "exchanged.ser"),
        ("observed-run", "lost_increment.ser"),
        ("strict-run", "lost_update.ser"),
        ("observed-commit", "spin_lock.ser"),
    ],
)
def test_the_kernel_confirms_certificates_of_an_earlier_version(kind: str, name: str) -> None:
    certificate = read_certificate((KEPT / f"{kind}.cert.json").read_text("utf-8"))
    assert verdict(certificate, content_of(KEPT / name)) == Accepted()


@needs_native
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["system", "program", "counter"])
def test_whatever_the_checker_accepts_the_kernel_accepts(kind: str, seed: int) -> None:
    """Of the kinds that the kernel covers, by two methods that give different ones."""
    unfolding = case(kind, seed).unfolding
    content: Input = unfolding.program if isinstance(unfolding, ProgramUnfolding) else unfolding.system
    for method in (Method.AUTO, Method.STATE_EQUATION):
        certificate = certificate_of(content, method)
        if certificate is None or certificate.evidence.kind in ("chains", "linear-cover"):
            continue
        assert verdict(certificate, content) == Accepted()


@needs_native
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["system", "program"])
def test_final_values_are_covered(kind: str, seed: int) -> None:
    unfolding = case(kind, seed).unfolding
    content: Input = unfolding.program if isinstance(unfolding, ProgramUnfolding) else unfolding.system
    certificate = certificate_of(content, question=Serializability("all"))
    if certificate is not None and certificate.evidence.kind not in ("chains", "linear-cover"):
        assert verdict(certificate, content) == Accepted()


@needs_native
@pytest.mark.parametrize("seed", range(6))
def test_failing_steps_are_covered(seed: int) -> None:
    """That none fails, by covers alone, or a run to one that does; both statements where two are claimed."""
    content = read_input(SourceText("-", FailingMaker(Random(seed)).text()))
    for question in (Safety(), SERIALIZABILITY):
        certificate = certificate_of(content, question=question)
        if certificate is None or certificate.evidence.kind in ("chains", "linear-cover"):
            continue
        try:
            claims = kernel_claims(certificate, content, Deadline(20))
        except NotCovered as reason:
            assert "excludes situations" in str(reason)  # noqa: PT017 - some do, and some do not
            continue
        assert [ask(KernelKind.NATIVE, claim, Deadline(20)) for claim in claims] == [Accepted()] * len(claims)


def test_both_statements_of_a_program_that_could_fail_are_claimed() -> None:
    content = read_input(SourceText("-", "request a { X := (X + 1) % 3; yield; assert X <= 2; 0 }"))
    certificate = certificate_of(content)
    assert certificate is not None
    claims = kernel_claims(certificate, content, Deadline(20))
    assert [claim.statement for claim in claims] == ["serializable (program_ns p)", "never_fails p"]


STATED: list[tuple[Property, str]] = [
    (SERIALIZABILITY, "serializable (program_ns p)"),
    (Serializability("all"), "serializable_seen (program_ns p) (values_of [0; 1; 2])"),
    (Serializability(("L", "Y")), "serializable_seen (program_ns p) (values_of [0; 2])"),
    (StrictSerializability(3), "strictly_serializable 3 (program_ns p)"),
    (Safety(), "never_fails p"),
]


@needs_native
@pytest.mark.parametrize(("question", "statement"), STATED, ids=[statement for _, statement in STATED])
def test_the_native_kernel_states_what_it_has_proved(question: Property, statement: str) -> None:
    """About the input that it has read; other arguments and other texts are refused."""
    text = "L := 0, X in 0..1 := 0, Y := 0 request a { lock(L); x := X; yield; X := 1 - x; unlock(L); x }"
    content = read_input(SourceText("-", text))
    certificate = certificate_of(content, question=question)
    assert certificate is not None
    claim = kernel_claims(certificate, content, Deadline(20))[0]
    lines = f"{claim.text}2 x\n0{claim.text}"
    said = subprocess.run([native_program(), "statement"], input=lines, capture_output=True, text=True)
    assert (said.returncode, said.stdout.splitlines()) == (2, [statement, "no claim", statement])
    other = subprocess.run([native_program(), "steps", "statement"], capture_output=True, text=True)
    assert (other.returncode, other.stdout) == (2, "")


LOCK = "while (L == 1) { yield }; L := 1; yield;"
BANK = """
request a { while (L == 1) { yield }; L := 1; yield; while (M == 1) { yield }; M := 1; yield;
  x := A; yield; A := 1 - x; B := x; yield; M := 0; yield; L := 0; x }
request b { while (M == 1) { yield }; M := 1; yield; while (N == 1) { yield }; N := 1; yield;
  y := B; yield; B := 1 - y; C := y; yield; N := 0; yield; M := 0; y }
"""
REDUCED = {
    "two locks each, one in common": BANK,
    "dead locals differ": f"request a {{ {LOCK} d := X; yield; x := X; X := 1 - x; L := 0; yield; x }}",
    "a new request waits": "request a { while (X == 1) { yield }; X := 1; yield; X := 0; 0 }",
    "an optimist beside a writer": """
        request a { while (d == 0) { x := X; yield; if (X == x) { X := 1 - x; d := 1 } else { yield } }; x }
        request b { X := 2; X }
    """,
    "nothing in common, one answers at once": "request a { X := 1 - X; yield; 0 } request b { 7 }",
}


@needs_native
@pytest.mark.parametrize(
    "question",
    [SERIALIZABILITY, Serializability("all"), StrictSerializability(1)],
    ids=["answers", "values", "time"],
)
@pytest.mark.parametrize("text", REDUCED.values(), ids=REDUCED)
def test_requests_that_can_be_pulled_together_are_covered(text: str, question: Property) -> None:
    content = read_input(SourceText("-", text))
    certificate = certificate_of(content, Method.MODULAR, question)
    assert certificate is not None
    assert certificate.evidence.kind == "reduction"
    assert verdict(certificate, content) == Accepted()


@deep
@needs_native
def test_forged_reductions_do_not_deceive_the_kernel() -> None:
    """With any late states and any invariants, the kernel accepts what the checker accepts, and then there is
    no violation."""
    tally: Counter[tuple[bool, str]] = Counter()
    for kind, seed in sampled([(kind, seed) for kind in ("program", "counter") for seed in range(40)], 5):
        given = case(kind, seed)
        assert isinstance(given.unfolding, ProgramUnfolding)
        program = given.unfolding.program
        for evidence in forgeries(program, Random(seed)):
            try:
                accepted = verify(of(program, evidence), program, Context(Allowance(1_000))).accepted
            except GaveUp:
                continue
            text = kernel_claim(of(program, evidence), program, Deadline(20)).text
            said = subprocess.run([native_program()], input=text, capture_output=True, text=True)
            answer = said.stdout.strip()
            assert answer == "serializable" or not accepted, (kind, seed, evidence)
            assert answer == "refused" or given.fewest() is None, (kind, seed, evidence)
            tally[accepted, answer] += 1
    assert tally[True, "serializable"] > at_least(10, 5)
    assert tally[False, "refused"] > at_least(5, 5)


def of(program: Program, evidence: ReductionEvidence) -> Certificate:
    return Certificate(digest(program), "serializable", evidence)


def symmetric_certificate(program: Program) -> Certificate | None:
    limits = Limits(max_states=2_000)
    try:
        answer = finish(symmetric_commit_points(ProgramUnfolding(program, limits), limits, Deadline(20)))
    except LimitReached:
        return None
    if not isinstance(answer, ProvedBySymmetry):
        return None
    evidence = symmetric_commit_evidence(answer, ProgramUnfolding(program, limits))
    return Certificate(digest(program), "serializable", evidence)


@needs_native
def test_proofs_up_to_symmetry_are_covered_with_their_images_written_out() -> None:
    confirmed = 0
    for seed in sampled(range(60), 4):
        program = parse(indexed_program(Random(seed)))
        certificate = symmetric_certificate(program)
        if certificate is not None and verify(certificate, program).accepted:
            assert verdict(certificate, program) == Accepted(), seed
            confirmed += 1
    assert confirmed >= at_least(12, 4)


def test_too_many_images_are_not_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seriatim.export.kernel.symmetric.MOST", 2)
    program = parse(indexed_program(Random(0)))
    certificate = symmetric_certificate(program)
    assert certificate is not None
    with pytest.raises(NotCovered, match="`symmetric-commit` with too many images to list"):
        kernel_claim(certificate, program, Deadline(20))


@needs_native
def test_steps_changed_in_a_table_of_views_are_noticed() -> None:
    """One number of the tables is changed at a time; a proof of a program that has none stays refused."""
    right, wrong = (
        read_input(SourceText("-", f"request a {{ {LOCK} x := X; {pause} X := 1 - x; L := {left}; x }}"))
        for pause, left in (("yield;", 0), ("L := 0; yield;", 0))
    )
    certificate = certificate_of(right, Method.MODULAR)
    assert certificate is not None
    assert isinstance(certificate.evidence, ReductionEvidence)
    assert verdict(certificate, right) == Accepted()
    assert isinstance(wrong, Program)
    numbers = kernel_claim(of(wrong, certificate.evidence), wrong, Deadline(20)).numbers
    random = Random(5)
    lines = []
    for _ in range(300):
        changed = list(numbers)
        place = random.randrange(len(changed) // 4, len(changed))
        changed[place] += random.choice((-1, 1, 2))
        lines.append(" ".join(map(str, changed)))
    said = subprocess.run([native_program()], input="\n".join(lines) + "\n", capture_output=True, text=True)
    verdicts = Counter(said.stdout.splitlines())
    assert set(verdicts) <= {"refused", "no claim"}
    assert verdicts["refused"] > 50


RETURNS_TO_FRESH = """{"initial_global": "g1", "requests": [["r0", "l0"], ["r1", "l2"]],
"responses": [["l0", "1"], ["l1", "0"], ["l3", "0"], ["l3", "1"]],
"transitions": [["l0", "g0", "l1", "g0"], ["l0", "g0", "l1", "g1"], ["l0", "g1", "l0", "g1"],
["l2", "g0", "l2", "g1"], ["l2", "g1", "l0", "g0"], ["l2", "g1", "l2", "g1"], ["l2", "g1", "l3", "g1"]]}"""


@needs_native
def test_first_steps_that_change_nothing_are_left_out() -> None:
    """The proof by counting depends on it: such a step would be one more number."""
    content = read_input(SourceText("r.json", RETURNS_TO_FRESH))
    certificate = certificate_of(content, Method.STATE_EQUATION)
    assert certificate is not None
    assert certificate.evidence.kind == "tree"
    assert verdict(certificate, content) == Accepted()


@deep
@needs_native
def test_a_long_run_is_replayed_and_its_outcome_refuted_by_counting() -> None:
    content = packing(3, 4)
    certificate = certificate_of(content, Method.CHAINS)
    assert certificate is not None
    assert certificate.evidence.kind in ("run", "folded-run")
    assert verdict(certificate, content) == Accepted()


@deep
@needs_rocq
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("run", "lost_update.ser"),
        ("reduction", "exchanged.ser"),
        pytest.param("observed-commit", "spin_lock.ser", marks=deep),
        pytest.param("tree", "counted.ser", marks=deep),
        pytest.param("strict-run", "lost_update.ser", marks=deep),
    ],
)
def test_rocq_proves_the_statement(kind: str, name: str) -> None:
    certificate = read_certificate((KEPT / f"{kind}.cert.json").read_text("utf-8"))
    assert verdict(certificate, content_of(KEPT / name), KernelKind.ROCQ) == Accepted()


# --- forgeries ----------------------------------------------------------------------------------------------


@needs_native
def test_changed_systems_do_not_deceive_the_kernel() -> None:
    subjects = []
    for seed in range(12):
        unfolding = case("system", seed).unfolding
        assert not isinstance(unfolding, ProgramUnfolding)
        certificate = certificate_of(unfolding.system)
        if certificate is not None and certificate.evidence.kind in ("commit", "tree", "run"):
            subjects.append(Subject(str(seed), unfolding.system, certificate))
    tally: Counter[str] = Counter()
    assert not list(attack(subjects, 80, native_program(), Random(3), tally))
    assert tally["refused"] > 10
    assert tally["serializable"] > 3


@needs_native
@pytest.mark.parametrize("path", EXAMPLES[1::5], ids=lambda path: path.stem)
def test_a_damaged_claim_is_refused_or_still_right(path: Path) -> None:
    """One number of the evidence is changed at a time; the verdict about the input stays what it was."""
    content = content_of(path)
    certificate = certificate_of(content)
    assert certificate is not None
    claim = kernel_claim(certificate, content, Deadline(20))
    random = Random(path.stem)
    lines = []
    for _ in range(60):
        numbers = list(claim.numbers)
        place = random.randrange(len(numbers) // 2, len(numbers))
        numbers[place] += random.choice((-1, 1, 7))
        lines.append(" ".join(map(str, numbers)))
    said = subprocess.run(
        [native_program()], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    verdicts = said.stdout.splitlines()
    assert len(verdicts) == len(lines)
    assert set(verdicts) <= {"refused", "no claim", claim.proved}


# --- what is not covered ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "what"),
    [
        ("chains", "door.ser", "`chains`"),
        ("linear-cover", "counted.ser", "`linear-cover`"),
        ("cycle", "lost_update.ser", "conflict-serializable"),
    ],
)
def test_what_the_kernel_does_not_cover_is_named(kind: str, name: str, what: str) -> None:
    certificate = read_certificate((KEPT / f"{kind}.cert.json").read_text("utf-8"))
    with pytest.raises(NotCovered, match=what):
        kernel_claim(certificate, content_of(KEPT / name), Deadline(20))
