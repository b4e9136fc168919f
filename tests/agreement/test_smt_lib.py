"""Exported proofs: two solvers confirm every question, and notice if something is missing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.reference import ProgramReference
from seriatim.deciding.pipeline import Options, decide
from seriatim.export.smt_lib import export
from seriatim.export.smt_lib.export import invariant_of, smt_lib
from seriatim.export.smt_lib.script import script
from seriatim.frontends.all import read_input
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program
from seriatim.result import Holds
from seriatim.source import SourceText
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import case
from testkit.oracles.smt_answers import cvc5_answers, z3_answers
from testkit.samples import IS_DEEP, at_least, deep_cases, sample, sampled

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = sorted((CHECKOUT / "examples").glob("*.ser"))
PAPER = CHECKOUT.parent / "shared" / "benchmarks"
SAMPLE = (
    "a4.ser",
    "a7.ser",
    "b2.json",
    "c2.ser",
    "d1.ser",
    "e6.ser",
    "f5.ser",
    "g2.ser",
    "g7.ser",
)

INFINITE = {"locked_update"}
"""No handler yields, which is proof enough; but there are infinitely many global states to tell apart."""

COUNTED = "request t { if (X == 0) { X := 1; 0 } else { X := 3 - X; 7 } }"
"""Proved by counting only with a cut."""


def content_of(text: str) -> Input:
    return read_input(SourceText("-", text))


def proof(content: Input, method: Method = Method.AUTO, seconds: float = 20.0) -> Certificate | None:
    verdict = decide(content, Options(timeout=seconds, method=method)).answer
    return verdict.certificate if isinstance(verdict, Holds) else None


def exported(content: Input, method: Method = Method.AUTO) -> str:
    certificate = proof(content, method)
    assert certificate is not None
    return smt_lib(certificate, content, Deadline(20.0))


def assert_confirmed(text: str) -> None:
    questions = text.count("\n(check-sat)\n")
    assert questions >= 2
    assert z3_answers(text) == ["unsat"] * questions
    assert cvc5_answers(text) == ["unsat"] * questions


@pytest.mark.parametrize("path", sampled(EXAMPLES, 4), ids=lambda path: path.stem)
def test_both_solvers_confirm_the_proofs_of_our_examples(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = content_of(path.read_text("utf-8"))
    certificate = proof(content)
    if path.stem in INFINITE:
        assert certificate is not None
        monkeypatch.setattr(export, "MAX_STATES", 500)
        with pytest.raises(GaveUp, match="more than"):
            smt_lib(certificate, content, Deadline())
    elif certificate is not None:
        assert_confirmed(smt_lib(certificate, content, Deadline(20.0)))


@deep_cases("d1.ser")
@pytest.mark.skipif(
    not PAPER.is_dir(), reason="the paper's inputs are not ours to ship: ../shared/benchmarks is absent"
)
@pytest.mark.parametrize("name", SAMPLE)
def test_both_solvers_confirm_the_proofs_of_inputs_of_the_paper(name: str) -> None:
    assert_confirmed(exported(content_of((PAPER / name).read_text("utf-8"))))


RANDOM = {"system": sample(10, 2), "program": sample(12, 2), "counter": sample(10, 2)}


@pytest.mark.parametrize("kind", RANDOM)
def test_z3_confirms_the_proofs_of_random_inputs(kind: str) -> None:
    proved = 0
    for seed in RANDOM[kind]:
        unfolding = case(kind, seed).unfolding
        content: Input = unfolding.program if isinstance(unfolding, ProgramUnfolding) else unfolding.system
        certificate = proof(content, seconds=1.0 if IS_DEEP else 0.3)
        if certificate is not None:
            text = smt_lib(certificate, content, Deadline(20.0))
            assert set(z3_answers(text)) == {"unsat"}, seed
            proved += 1
    assert proved >= at_least(3, 3)


def test_situations_are_exported_too() -> None:
    """Counting needs them here; the invariant is about the net of the steps in situations."""
    text = """
        request enter {
            if (SHUT == 0) { SHUT := 1; 0 }
            else {
                SHUT := 0; yield; while (SHUT == 0) { yield };
                yield; while (SHUT == 1) { yield }; SHUT := 1; 0
            }
        }
    """
    script_ = exported(content_of(text), Method.STATE_EQUATION)
    assert "situation" in script_
    assert_confirmed(script_)


def test_a_proof_without_its_cuts_is_not_confirmed() -> None:
    content = content_of(COUNTED)
    certificate = proof(content, Method.STATE_EQUATION)
    assert certificate is not None
    assert isinstance(certificate.evidence, TreeEvidence)
    assert_confirmed(smt_lib(certificate, content, Deadline()))
    without = replace(certificate, evidence=replace(certificate.evidence.claim, cuts=()))
    *others, refutation = z3_answers(smt_lib(without, content, Deadline()))
    assert (set(others), refutation) == ({"unsat"}, "sat")


LOCK = "request a { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }"


@pytest.mark.parametrize("method", [Method.COMMIT, Method.STATE_EQUATION])
def test_no_part_of_a_question_is_idle(method: Method) -> None:
    """A step with another effect breaks the invariant; an invariant that says nothing refutes nothing."""
    content = content_of(LOCK)
    assert isinstance(content, Program)
    certificate = proof(content, method)
    assert certificate is not None
    system = invariant_of(
        certificate.evidence, ProgramReference(content, big_steps), Allowance(1_000, Deadline())
    )
    assert_confirmed(script(system))
    for index, step in enumerate(system.steps):
        changes = dict(list(step.changes.items())[1:])
        wrong = (*system.steps[:index], replace(step, changes=changes), *system.steps[index + 1 :])
        answers = z3_answers(script(replace(system, steps=wrong)))
        assert [number for number, answer in enumerate(answers) if answer == "sat"] == [1 + index]
    assert z3_answers(script(replace(system, invariant=())))[-1] == "sat"
    unusual = replace(system.variables[0], initial=7)
    assert z3_answers(script(replace(system, variables=(unusual, *system.variables[1:]))))[0] == "sat"


@pytest.mark.parametrize("method", [Method.COMMIT, Method.STATE_EQUATION])
def test_names_of_an_input_can_not_break_the_script(method: Method) -> None:
    """They stand in comments only, without line breaks; what they would be as symbols does not matter."""
    odd = ["a\n(assert false)\n(check-sat)", "a b", "a_b", "a|b", ";", "\u2028(exit)"]
    system = {
        "initial_global": odd[0],
        "requests": [[odd[1], odd[2]], [odd[2], odd[3]]],
        "responses": [[odd[4], odd[5]]],
        "transitions": [[odd[2], odd[0], odd[4], odd[1]], [odd[3], odd[1], odd[4], odd[0]]],
    }
    text = exported(content_of(json.dumps(system)), method)
    assert text.isascii()
    assert_confirmed(text)
