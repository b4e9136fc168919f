"""Questions that share a context do not see each other, and survive one that is interrupted."""

import pytest
import z3

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.arithmetic.solvers.validity import is_contradictory
from seriatim.budget import Deadline

WORK = 1_000_000


def test_scripts_may_declare_the_same_names_with_other_sorts() -> None:
    questions = Questions()
    _, first = questions.ask("(declare-const x Int) (assert (> x 3)) (assert (< x 3))", Deadline(), WORK)
    _, second = questions.ask("(declare-const x Bool) (assert x)", Deadline(), WORK)
    assert (first, second) == (z3.unsat, z3.sat)


def test_all_questions_share_one_context() -> None:
    questions = Questions()
    solvers = [questions.ask("(declare-const x Int)", Deadline(), WORK)[0] for _ in range(2)]
    assert solvers[0].ctx is solvers[1].ctx


def test_after_an_interruption_the_next_question_has_a_context_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Someone may still be at work in the old one."""
    questions = Questions()
    before = questions.ask("(declare-const x Int)", Deadline(), WORK)[0].ctx

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("seriatim.arithmetic.solvers.questions.answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            questions.ask("(declare-const x Int)", Deadline(), WORK)
    after, answer = questions.ask("(declare-const x Int)", Deadline(), WORK)
    assert after.ctx is not before
    assert answer == z3.sat


def test_what_is_too_hard_for_a_quick_answer_is_asked_again() -> None:
    """The simple solver knows little about squares."""
    script = "(declare-const x Int) (assert (= (* x x) 1522756)) (assert (> x 0))"
    assert is_contradictory(script, SolverName.Z3, Deadline(), Questions()) is False
