"""The kernel agrees with the checker, runs programs as the reference interpreter does, and is not deceived.

A sample runs each time. `make proofs` has it confirm all examples; `python -m proved` measures it at length.
"""

import subprocess
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from failing_programs import FailingMaker
from kernel_texts import Configurations
from long_runs import packing
from proved.changes import attack
from proved.subjects import Subject
from random_cases import case
from random_programs import GLOBALS, LOCALS, ProgramMaker
from samples import deep
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.deciding.pipeline import Options, decide
from seriatim.export.kernel.claim import NotCovered, kernel_claim, kernel_claims
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.runner import Accepted, ask, is_there, native_program
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.program.semantics import Configuration, big_steps, initial_configuration, initial_store
from seriatim.properties.property import Property
from seriatim.properties.safe import Safety
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = sorted((CHECKOUT / "examples").glob("*.ser"))
KEPT = CHECKOUT / "tests" / "golden" / "certificates-0.1.0"
"""Certificates of an earlier version, with their inputs."""

needs_native = pytest.mark.skipif(
    not is_there(KernelKind.NATIVE), reason="there is no native kernel; `make proofs` builds it"
)
needs_rocq = pytest.mark.skipif(
    not is_there(KernelKind.ROCQ), reason="there is no Rocq, or no compiled proofs; `make proofs` builds them"
)


def content_of(path: Path) -> Input:
    return read_input(SourceText(str(path), path.read_text("utf-8")))


def certificate_of(
    content: Input, method: Method = Method.AUTO, question: Property = SERIALIZABILITY
) -> Certificate | None:
    options = Options(Limits(max_states=500), timeout=20, method=method, question=question)
    answer = decide(content, options).answer
    return answer.certificate if isinstance(answer, Holds | Violated) else None


def verdict(certificate: Certificate, content: Input, kind: KernelKind = KernelKind.NATIVE) -> object:
    return ask(kind, kernel_claim(certificate, content, Deadline(20)), Deadline(60))


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
        ("observed-run", "lost_increment.ser"),
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
    if certificate is not None and certificate.evidence.kind not in ("chains", "linear-cover", "reduction"):
        assert verdict(certificate, content) == Accepted()


@needs_native
@pytest.mark.parametrize("seed", range(6))
def test_failing_steps_are_covered(seed: int) -> None:
    """That none fails, by covers alone, or a run to one that does; both statements where two are claimed."""
    content = read_input(SourceText("-", FailingMaker(Random(seed)).text()))
    for question in (Safety(), SERIALIZABILITY):
        certificate = certificate_of(content, question=question)
        if certificate is None or certificate.evidence.kind in ("chains", "linear-cover", "reduction"):
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


@needs_native
def test_a_long_run_is_replayed_and_its_outcome_refuted_by_counting() -> None:
    content = packing(3, 4)
    certificate = certificate_of(content, Method.CHAINS)
    assert certificate is not None
    assert certificate.evidence.kind in ("run", "folded-run")
    assert verdict(certificate, content) == Accepted()


@needs_rocq
@pytest.mark.parametrize(
    ("kind", "name"), [("run", "lost_update.ser"), pytest.param("tree", "counted.ser", marks=deep)]
)
def test_rocq_proves_the_statement(kind: str, name: str) -> None:
    certificate = read_certificate((KEPT / f"{kind}.cert.json").read_text("utf-8"))
    assert verdict(certificate, content_of(KEPT / name), KernelKind.ROCQ) == Accepted()


# --- the language -------------------------------------------------------------------------------------------


@needs_native
@pytest.mark.parametrize("block", range(4))
def test_programs_run_as_the_reference_interpreter_runs_them(block: int) -> None:
    """All atomic steps, from the beginnings of handlers and from where these lead."""
    texts = Configurations(GLOBALS, LOCALS)
    asked: list[Configuration] = []
    for seed in range(block * 40, block * 40 + 40):
        random = Random(seed)
        maker = ProgramMaker(random, modulus=3, odd=random.choice([0.0, 0.3, 0.6]))
        program = maker.program(handlers=2, size=random.randint(2, 6))
        for handler in program.handlers:
            asked.extend(reached(initial_configuration(handler, initial_store(program)), 6))
    questions = "".join(texts.question(configuration) + "\n" for configuration in asked)
    said = subprocess.run(
        [native_program(), "steps"], input=questions, capture_output=True, text=True, check=True
    )
    for configuration, line in zip(asked, said.stdout.splitlines(), strict=True):
        expected = {texts.answer(end) for end in big_steps(configuration)}
        assert {end for end in line.split(";") if end} == expected, configuration


def reached(start: Configuration, most: int) -> list[Configuration]:
    """Some configurations at which atomic steps begin."""
    found = [start]
    for configuration in found:
        for end in sorted(big_steps(configuration), key=repr):
            if end not in found and len(found) < most:
                found.append(end)
    return found


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
        ("reduction", "exchanged.ser", "`reduction`"),
        ("cycle", "lost_update.ser", "conflict-serializable"),
        ("strict-run", "lost_update.ser", "strict"),
    ],
)
def test_what_the_kernel_does_not_cover_is_named(kind: str, name: str, what: str) -> None:
    certificate = read_certificate((KEPT / f"{kind}.cert.json").read_text("utf-8"))
    with pytest.raises(NotCovered, match=what):
        kernel_claim(certificate, content_of(KEPT / name), Deadline(20))
