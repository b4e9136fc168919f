"""The kernel executes programs, in the core and as they are written, as the reference interpreter does."""

import subprocess
from collections import Counter
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.export.kernel.as_written import as_written
from seriatim.export.kernel.claim import NotCovered, kernel_claim, kernel_claims
from seriatim.export.kernel.full_reference import FullReference, FullState
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.lockstep import Running
from seriatim.export.kernel.names import ProgramNames
from seriatim.export.kernel.runner import Accepted, ask, native_program
from seriatim.frontends.all import read_input
from seriatim.method import Method
from seriatim.program.semantics import Configuration, big_steps, initial_configuration, initial_store, store
from seriatim.program.syntax import Program
from seriatim.properties.property import Property
from seriatim.properties.safe import Safety
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.source import SourceText
from testkit.generators.programs import GLOBALS, LOCALS, ProgramMaker
from testkit.generators.surface import SurfaceMaker
from testkit.oracles.kernel_texts import Configurations
from testkit.oracles.kernel_verdicts import certificate_of, needs_native
from testkit.samples import at_least, deep, sampled


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


@needs_native
@pytest.mark.parametrize("seed", range(12))
def test_what_is_written_runs_as_the_core_runs(seed: int) -> None:
    """Arrays, ranges, locks, calls: the kernel's atomic steps are those that belong to the core's."""
    programs = [SurfaceMaker(number).program() for number in range(seed * 4, seed * 4 + 4)]
    for text in (*programs, *WRITTEN.values()) if seed == 0 else programs:
        source = SourceText("-", text)
        content = read_input(source)
        written = as_written(source, content)
        assert isinstance(content, Program)
        assert written is not None
        names = ProgramNames(content, written)
        texts = Configurations(names.globals, names.locals)
        asked = [
            (Running(state.code, state.own, store(dict(global_))), names.reference.steps(state, global_))
            for state, global_ in situations(names.reference, 25)
        ]
        questions = "".join(texts.question(running) + "\n" for running, _ in asked)
        said = subprocess.run(
            [native_program(), "steps"], input=questions, capture_output=True, text=True, check=True
        )
        for (running, ends), line in zip(asked, said.stdout.splitlines(), strict=True):
            expected = {
                texts.answer(Running(end.code, end.own, store(dict(after))))
                for end, after in ends
                if not isinstance(after, str)
            }
            assert {end for end in line.split(";") if end} == expected, (text, running)


def situations(reference: FullReference, most: int) -> list[tuple[FullState, tuple[tuple[str, int], ...]]]:
    """Some local states in flight, each with a global state in which it takes its next step."""
    assert not isinstance(reference.initial, str)
    found = [(state, reference.initial) for name in reference.requests for state in reference.fresh(name)]
    for state, global_ in found:
        for end, after in sorted(reference.steps(state, global_), key=repr):
            assert not isinstance(after, str)
            new = [(end, after), *((s, after) for name in reference.requests for s in reference.fresh(name))]
            found += [each for each in new if each not in found and not reference.is_final(each[0])]
        if len(found) > most:
            return found[:most]
    return found


WRITTEN = {
    "lock": "L := 0 request a { lock(L); x := X; yield; X := (x + 1) % 2; unlock(L); x }",
    "locks in an array": """
        K[2] := 0, A[2] in 0..1 := 0
        request a(i in 0..1) { x := i; lock(K[x]); y := A[x]; yield; A[x] := 1 - y; unlock(K[x]); y }""",
    "await": "request a { await X == 0; X := 1; yield; X := 0; 0 }",
    "a range": "X in 0..2 := 0 request a { if (X < 2) { X := X + 1 } else { X := 0 }; X }",
    "wraps": "X in 0..2 wrap := 0 request a { X := X + 1; yield; 0 }",
    "saturates": "X in 0..2 saturate := 0 request a { x := X + 1; yield; X := x; 0 }",
    "a choice": "request a { X := choose(0..2); yield; assert X <= 2; X }",
    "a call": "fun f(v) { if (v > 0) { return 1 }; yield; 0 } request a { X := f(X); yield; f(X) }",
    "calls within calls": """
        fun f(v, w) { 3 * v + w }
        request a { X := (f(1, f(2, X + 1)) + f(X, f(f(X, 2 * X), f(X, X + 1)))) % 3; yield; f(X, -X) }""",
    "a loop": "A[3] := 0 request a { for i in 0..2 { A[i] := i; yield }; A[1] }",
    "no such element": "A[2] := 0 request a { x := X; A[x] := 1; X := x + 1; yield; 0 }",
    "a mark": "request a { x := X; yield; @lp X := 1 - X; 0 }",
}


@needs_native
@pytest.mark.parametrize("question", [SERIALIZABILITY, Safety()], ids=["answers", "faults"])
@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_claims_are_about_programs_as_they_are_written(text: str, question: Property) -> None:
    source = SourceText("-", text)
    content = read_input(source)
    certificate = certificate_of(content, question=question)
    if certificate is None:
        assert text == WRITTEN["no such element"]
        assert question == SERIALIZABILITY, "it fails, which is the answer to both questions"
        return
    claims = kernel_claims(certificate, content, Deadline(20), as_written(source, content))
    assert all(claim.is_written for claim in claims)
    assert [ask(KernelKind.NATIVE, claim, Deadline(20)) for claim in claims] == [Accepted()] * len(claims)


@needs_native
@pytest.mark.parametrize(
    "question",
    [SERIALIZABILITY, Serializability("all"), StrictSerializability(1)],
    ids=["answers", "values", "time"],
)
def test_locks_that_are_written_are_exchanged_by_views(question: Property) -> None:
    text = """
        K[3] := 0, A[3] := 0
        request move(i in 0..1) {
          lock(K[i]); yield; lock(K[i + 1]); yield; x := A[i]; yield; A[i] := 1 - x; A[i + 1] := x; yield;
          unlock(K[i + 1]); yield; unlock(K[i]); x
        }"""
    source = SourceText("-", text)
    content = read_input(source)
    certificate = certificate_of(content, Method.MODULAR, question)
    assert certificate is not None
    assert certificate.evidence.kind == "reduction"
    claim = kernel_claim(certificate, content, Deadline(20), as_written(source, content))
    assert claim.is_written
    assert ask(KernelKind.NATIVE, claim, Deadline(20)) == Accepted()


def test_views_of_fewer_cells_are_about_the_core() -> None:
    """The core knows that an index is small; the kernel, as the text says it, would look at all cells."""
    text = """
        A[3] := 0, L := 0
        request a { i in 0..1 := 0; lock(L); x := A[i]; yield; A[i] := 1 - x; unlock(L); x }"""
    source = SourceText("-", text)
    content = read_input(source)
    certificate = certificate_of(content, Method.MODULAR)
    assert certificate is not None
    assert certificate.evidence.kind == "reduction"
    assert not kernel_claim(certificate, content, Deadline(20), as_written(source, content)).is_written


@deep
@needs_native
def test_claims_about_random_programs_as_they_are_written() -> None:
    confirmed: Counter[str] = Counter()
    for seed in sampled(range(60), 4):
        source = SourceText("-", SurfaceMaker(seed).program())
        content = read_input(source)
        for question in (SERIALIZABILITY, Safety()):
            certificate = certificate_of(content, question=question)
            if certificate is None:
                continue
            try:
                claims = kernel_claims(certificate, content, Deadline(20), as_written(source, content))
            except NotCovered:
                continue
            for claim in claims:
                assert claim.is_written
                assert ask(KernelKind.NATIVE, claim, Deadline(20)) == Accepted(), (seed, claim.statement)
            confirmed[certificate.evidence.kind] += 1
    assert confirmed.total() >= at_least(30, 4)


@needs_native
def test_what_a_construct_means_is_part_of_the_input() -> None:
    """Evidence about a lock and a range proves nothing about another lock, or about a smaller range."""
    text = """L := 0, X in 0..3 := 0
        request a { lock(L); x := X; yield; if (x < 3) { X := x + 1 }; unlock(L); x }"""
    source = SourceText("-", text)
    content = read_input(source)
    certificate = certificate_of(content)
    assert certificate is not None
    claims = kernel_claims(certificate, content, Deadline(20), as_written(source, content))
    assert [claim.statement for claim in claims] == ["serializable (program_ns p)", "never_fails p"]
    first, second = (list(claim.numbers) for claim in claims)
    taken = next(i for i in range(len(first)) if first[i : i + 3] == [20, 1, 0])
    elsewhere = [*first[: taken + 2], 1, *first[taken + 3 :]]
    fit = next(i for i in range(len(second)) if second[i : i + 4] == [19, 0, 3, 0])
    smaller = [*second[: fit + 2], 2, *second[fit + 3 :]]
    lines = "".join(" ".join(map(str, each)) + "\n" for each in (first, second, elsewhere, smaller))
    said = subprocess.run([native_program()], input=lines, capture_output=True, text=True, check=False)
    assert said.stdout.splitlines() == ["serializable", "never_fails", "refused", "refused"]


def reached(start: Configuration, most: int) -> list[Configuration]:
    """Some configurations at which atomic steps begin."""
    found = [start]
    for configuration in found:
        for end in sorted(big_steps(configuration), key=repr):
            if end not in found and len(found) < most:
                found.append(end)
    return found
