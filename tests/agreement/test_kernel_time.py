"""The kernel about real time: what it confirms, and that it is not deceived."""

import subprocess
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from proved.changes import attack
from proved.subjects import Subject
from seriatim.budget import Deadline
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.timeless import TimelessEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.verify import verify
from seriatim.export.kernel.as_written import as_written
from seriatim.export.kernel.claim import kernel_claim
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.names import SystemNames
from seriatim.export.kernel.runner import Accepted, KernelRefused, ask, native_program
from seriatim.export.kernel.text import integers
from seriatim.export.kernel.timeless import timeless_text
from seriatim.frontends.all import read_input
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.strict import StrictSerializability
from seriatim.source import SourceText
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import case
from testkit.oracles.kernel_verdicts import CHECKOUT, certificate_of, needs_native, verdict
from testkit.samples import deep

IN_TIME = ("run", "atomic", "commit")
"""The kinds of evidence about real time that the kernel covers."""


@needs_native
@pytest.mark.parametrize("barriers", [0, 1])
def test_real_time_is_covered(barriers: int) -> None:
    found: Counter[str] = Counter()
    for kind, seed in [*(("system", seed) for seed in (4, 5, 9)), ("program", 0), ("program", 1)]:
        unfolding = case(kind, seed).unfolding
        content: Input = unfolding.program if isinstance(unfolding, ProgramUnfolding) else unfolding.system
        certificate = certificate_of(content, question=StrictSerializability(barriers))
        if certificate is not None and certificate.evidence.kind in IN_TIME:
            assert verdict(certificate, content) == Accepted()
            found[certificate.evidence.kind] += 1
    assert set(found) == set(IN_TIME)


@needs_native
@pytest.mark.parametrize("name", ["d1_dial", "d3_traffic_light", "d4_compass"])
def test_orders_that_can_be_sorted_by_time_are_covered(name: str) -> None:
    path = CHECKOUT / "examples" / "paper" / f"{name}.ser"
    source = SourceText(str(path), path.read_text("utf-8"))
    content = read_input(source)
    certificate = certificate_of(content, question=StrictSerializability(1))
    assert certificate is not None
    assert certificate.evidence.kind == "timeless"
    for written in (None, as_written(source, content)):
        claim = kernel_claim(certificate, content, Deadline(20), written)
        assert claim.statement == "strictly_serializable 1 (program_ns p)"
        assert ask(KernelKind.NATIVE, claim, Deadline(20)) == Accepted()


LATE_AT_SOME_NODES = """
request a { while (M == 1) { yield }; M := 1; Z := 1 - x; yield; x := Y; yield; M := 0; x }
request b { while (L == 1) { yield }; L := 1; x := Y; yield; L := 0; x }
request c { x := Z; yield; while (L == 1) { yield }; L := 1; while (Z == 1) { yield }; yield; L := 0; x }
"""
"""A late request may hold a lock; where the lock is free, the cover excludes it."""


@needs_native
def test_who_is_late_stays_late_also_where_a_cover_excludes_it() -> None:
    content = read_input(SourceText("-", LATE_AT_SOME_NODES))
    certificate = certificate_of(content, Method.STATE_EQUATION, StrictSerializability(1))
    assert certificate is not None
    assert certificate.evidence.kind == "timeless"
    assert verdict(certificate, content) == Accepted()


@needs_native
def test_what_respects_time_anyway_need_not_be_sorted() -> None:
    """Evidence of the kind `timeless` about a program without `yield`."""
    content = read_input(SourceText("-", "request a { X := 1 - X; 0 }"))
    serial = certificate_of(content)
    assert serial is not None
    assert isinstance(serial.evidence, AtomicEvidence)
    question = StrictSerializability(1)
    evidence = TimelessEvidence(1, (), serial.evidence)
    certificate = replace(serial, question=question, verdict=question.verdicts[0], evidence=evidence)
    assert verify(certificate, content).accepted
    assert verdict(certificate, content) == Accepted()


@needs_native
def test_barriers_are_a_part_of_the_statement() -> None:
    """A run that needs its barrier proves nothing without it."""
    unfolding = case("system", 9).unfolding
    assert not isinstance(unfolding, ProgramUnfolding)
    content = unfolding.system
    certificate = certificate_of(content, question=StrictSerializability(1))
    assert certificate is not None
    claim = kernel_claim(certificate, content, Deadline(20))
    assert claim.statement == "~ strictly_serializable 1 (system_ns s)"
    assert ask(KernelKind.NATIVE, claim, Deadline(20)) == Accepted()
    evidence = certificate.evidence
    assert isinstance(evidence, RunEvidence)
    assert evidence.barriers
    no_time = replace(certificate, question=StrictSerializability(0))
    at_once = replace(certificate, evidence=replace(evidence, barriers=()))
    assert verdict(no_time, content) == verdict(at_once, content) == KernelRefused("refused")


@needs_native
def test_changed_systems_do_not_deceive_it_about_time() -> None:
    """Also evidence that a system is serializable is offered as one that it is strictly so."""
    subjects = []
    for seed in (0, 1, 4, 5, 9):
        unfolding = case("system", seed).unfolding
        assert not isinstance(unfolding, ProgramUnfolding)
        for question in (SERIALIZABILITY, StrictSerializability(1)):
            certificate = certificate_of(unfolding.system, question=question)
            if certificate is not None and certificate.evidence.kind in IN_TIME:
                timed = replace(certificate, question=StrictSerializability(1))
                subjects.append(Subject(str(seed), unfolding.system, timed))
    tally: Counter[str] = Counter()
    assert not list(attack(subjects, 25, native_program(), Random(5), tally))
    assert tally["refused"] > 2
    assert tally["serializable"] > 0


def offered_as_timeless(certificate: Certificate) -> Certificate:
    """Evidence without time, offered as one whose orders can be sorted by time."""
    evidence = TimelessEvidence(1, (), certificate.evidence)
    return replace(certificate, question=StrictSerializability(1), evidence=evidence)


@deep
@needs_native
def test_orders_that_cannot_be_sorted_by_time_are_refused() -> None:
    """Whatever is offered: what the kernel accepts has no violation by three requests, and what the checker
    accepts the kernel accepts. Then systems are changed under the evidence."""
    subjects = []
    tally: Counter[str] = Counter()
    for seed in range(24):
        unfolding = case("system", seed).unfolding
        assert not isinstance(unfolding, ProgramUnfolding)
        certificate = certificate_of(unfolding.system)
        if certificate is None or certificate.evidence.kind not in ("commit", "tree"):
            continue
        forged = offered_as_timeless(certificate)
        subjects.append(Subject(str(seed), unfolding.system, forged))
        said = verdict(forged, unfolding.system)
        assert said == Accepted() or not verify(forged, unfolding.system).accepted
        tally["accepted" if said == Accepted() else "refused"] += 1
    assert tally["accepted"] > 2
    assert tally["refused"] > 2
    assert not list(attack(subjects, 60, native_program(), Random(2), tally))
    assert tally["serializable"] > 3


@deep
@needs_native
@pytest.mark.parametrize("seed", [9, 16])
def test_no_evidence_sorts_what_time_forbids(seed: int) -> None:
    """These systems are serializable, but not strictly; one number of the evidence is changed at a time."""
    unfolding = case("system", seed).unfolding
    assert not isinstance(unfolding, ProgramUnfolding)
    content = unfolding.system
    certificate = certificate_of(content)
    assert certificate is not None
    assert certificate.evidence.kind == "tree"
    forged = offered_as_timeless(certificate)
    assert not verify(forged, content).accepted
    numbers = kernel_claim(forged, content, Deadline(20)).numbers
    own = timeless_length(content, forged)
    random = Random(seed)
    lines = []
    for _ in range(300):
        changed = list(numbers)
        place = random.randrange(len(changed) - own, len(changed))
        changed[place] = random.choice((0, 1, changed[place] + 1, changed[place] - 1))
        lines.append(" ".join(map(str, changed)))
    said = subprocess.run([native_program()], input="\n".join(lines) + "\n", capture_output=True, text=True)
    verdicts = Counter(said.stdout.splitlines())
    assert set(verdicts) <= {"refused", "no claim"}
    assert verdicts["refused"] > 20


def timeless_length(content: NetworkSystem, certificate: Certificate) -> int:
    """How many numbers, at the end of a claim, say why an order can be sorted by time."""
    names = SystemNames(content)
    assert isinstance(certificate.evidence, TimelessEvidence)
    text = timeless_text(names.reference, certificate.evidence, names, Allowance(100_000))
    return len(list(integers(text)))
