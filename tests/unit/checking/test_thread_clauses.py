"""Formulas about main and some threads: which are about a program, symmetric, and what solvers say."""

from typing import Literal

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_predicates import Predicate, read_formula
from seriatim.checking import thread_clauses
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, report_on
from seriatim.checking.thread_clauses import Formulas
from seriatim.checking.threads import kind_obligations
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import FINISHED, ThreadProgram
from seriatim.source import SourceText
from seriatim.terms.expressions import FALSE, TRUE, Variable


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


def says(place: int, formula: object = True, *threads: tuple[str, int]) -> Predicate:
    return Predicate(place, threads, read_formula(formula, "here"))


def is_accepted(text: str, evidence: PetrifiedEvidence | ThreadModularEvidence) -> bool:
    return report_on(kind_obligations(program(text), evidence, Context())).accepted


THREADS = """
global x: int = 0; global b: bool = true;
thread main() { while (*) { fork 0 v(); fork 0 w(x); } }
thread v() { x := x; }
thread w(n: int) { local c: bool; n := x; }
"""


def problem(*predicates: Predicate) -> str | None:
    found = Formulas(program(THREADS), predicates, Context()).about_this_program("it is")
    return None if found.holds else found.detail


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (True, None),
        ("g.b", None),
        (["!", "g.b"], None),
        (["==", "g.x", ["-", 0]], None),
        (["==", "g.b", ["<", "g.x", "0.n"]], None),
        (["!=", "g.b", "0.c"], None),
        (["==>", ["&&", "g.b", "0.c"], ["||", True, ["<=", "0.#", 3]]], None),
        (["?", "g.b", "0.c", [">", ["?", "0.c", 1, "g.x"], 2]], None),
        (1, "a formula is a number"),
        ("g.x", "a formula is a number"),
        (["-", 1], "a formula is a number"),
        (["+", 1, 2], "a formula is a number"),
        (["?", True, 1, 2], "a formula is a number"),
        ("g.y", "there is no variable `g.y`"),
        ("1.c", "there is no variable `1.c`"),
        (["!", "g.x"], "a formula mixes numbers and truth values"),
        (["==", ["-", "g.b"], 1], "a formula mixes numbers and truth values"),
        (["==", "g.b", 1], "a formula mixes numbers and truth values"),
        (["!=", 1, "g.b"], "a formula mixes numbers and truth values"),
        (["<", "g.b", "0.c"], "a formula mixes numbers and truth values"),
        (["&&", "g.x", True], "a formula mixes numbers and truth values"),
        (["||", True, "g.x"], "a formula mixes numbers and truth values"),
        (["?", 1, True, True], "a formula mixes numbers and truth values"),
        (["?", True, True, 1], "a formula mixes numbers and truth values"),
    ],
)
def test_a_formula_is_a_condition_about_variables_that_exist(formula: object, expected: str | None) -> None:
    assert problem(says(0, formula, ("w", 0))) == expected


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (says(FINISHED, True, ("v", FINISHED), ("w", 0)), None),
        (says(0, True, ("w", 0), ("v", 0)), "threads of a predicate are not sorted"),
        (says(0, True, ("w", 0), ("w", FINISHED)), "threads of a predicate are not sorted"),
        (says(9), "`main` has no place 9"),
        (says(0, True, ("v", 9)), "`v` has no place 9"),
        (says(0, True, ("u", 0)), "`u` has no place 0"),
        (says(0, True, ("u", FINISHED)), "`u` has no place -1"),
    ],
)
def test_a_formula_is_about_places_that_exist(predicate: Predicate, expected: str | None) -> None:
    assert problem(predicate) == expected


def test_formulas_about_another_program_are_refused() -> None:
    for kept in (
        PetrifiedEvidence(1, (says(0), says(9)), (says(0),)),
        ThreadModularEvidence(1, (), (says(9),)),
    ):
        found = report_on(kind_obligations(program(THREADS), kept, Context())).obligations[0]
        assert (found.holds, found.detail) == (False, "`main` has no place 9")


V, W = ("v", 0), ("w", 0)


@pytest.mark.parametrize(
    ("threads", "formula", "symmetric"),
    [
        ((W, W), ["<=", "0.n", "1.n"], False),
        ((W, W), ["==", "0.n", "1.n"], True),
        ((W, W), ["!=", "0.#", "1.#"], True),
        ((W, W, W), ["<=", "0.n", "1.n"], False),
        ((W, W, W), ["<=", "1.n", "2.n"], False),
        ((W, W, W), ["&&", ["==", "0.n", "1.n"], ["<=", "1.n", "2.n"]], False),
        ((W, W, W), ["&&", ["<=", "0.n", "1.n"], ["<=", "0.n", "2.n"]], False),
        ((W, W, W), ["==", ["+", "0.n", ["+", "1.n", "2.n"]], "g.x"], True),
        ((V, W), ["<=", "0.#", "1.#"], True),
        ((V, W, W), ["<=", "0.#", "1.#"], False),
        ((V, W, W), ["&&", ["<=", "0.#", "1.#"], ["<=", "0.#", "2.#"]], True),
        ((V, V, W), ["&&", ["<=", "0.#", "2.#"], ["<=", "1.#", "2.#"]], True),
        ((V, V, W), ["<=", "0.#", "1.#"], False),
    ],
)
def test_threads_at_the_same_place_can_be_exchanged(
    threads: tuple[tuple[str, int], ...], formula: object, symmetric: bool
) -> None:
    formulas = Formulas(program(THREADS), (says(0, formula, *threads),), Context())
    if symmetric:
        formulas.symmetric()
        return
    with pytest.raises(DoesNotFollow, match="two threads exchange places"):
        formulas.symmetric()


WHO_MOVES = """
global go: bool = false;
thread main() { fork 1 w(1); fork 2 w(2); go := true; }
thread w(n: 1..2) { atomic { assume go; assert n == 2; go := false; } }
"""


def test_a_formula_cannot_choose_which_of_two_threads_moves() -> None:
    """The one that moves stands last; the formula says that it has the right number."""
    both, ended = ["&&", ["==", "0.n", 1], ["==", "1.n", 2]], ("w", FINISHED)
    lies = (
        says(0, ["!", "g.go"]),
        says(1, ["&&", ["!", "g.go"], ["==", "0.n", 1]], W),
        says(2, ["&&", ["!", "g.go"], both], W, W),
        says(FINISHED, both, W, W),
        says(FINISHED, ["!", "g.go"], ended, W),
    )
    assert not is_accepted(WHO_MOVES, PetrifiedEvidence(2, lies, lies))


ANSWERS: list[tuple[bool | None, bool | None, Literal["yes", "no", "unknown"]]] = [
    (True, True, "yes"),
    (True, None, "yes"),
    (None, True, "yes"),
    (None, None, "unknown"),
    (False, True, "no"),
    (True, False, "no"),
    (False, None, "no"),
    (None, False, "no"),
]


@pytest.mark.parametrize(("z3", "cvc5", "expected"), ANSWERS)
def test_one_solver_has_to_confirm_and_none_may_contradict(
    z3: bool | None, cvc5: bool | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {SolverName.Z3: z3, SolverName.CVC5: cvc5}
    monkeypatch.setattr(thread_clauses, "is_contradictory", lambda _, solver, *__: answers[solver])
    formulas = Formulas(program(THREADS), (), Context(chosen=tuple(answers)))
    if expected == "no":
        with pytest.raises(DoesNotFollow):
            formulas.require([TRUE], Variable("b"), "it")
    elif expected == "unknown":
        with pytest.raises(GaveUp):
            formulas.require([TRUE], Variable("b"), "it")
    else:
        formulas.require([TRUE], Variable("b"), "it")
        assert formulas.questions.confirmed == {name for name, answer in answers.items() if answer}
        assert formulas.questions.gave_up == {name for name, answer in answers.items() if answer is None}


def test_questions_are_counted_and_bounded() -> None:
    formulas = Formulas(program(THREADS), (), Context(Allowance(2)))
    formulas.require([FALSE], Variable("b"), "it")
    formulas.require([Variable("b")], TRUE, "it")
    assert formulas.questions.number == 0
    b = formulas.scenes.variable("b", formulas.program.types["b"])
    formulas.require([b], b, "it")
    formulas.require([b], b, "it")
    assert formulas.questions.number == 2
    with pytest.raises(GaveUp):
        formulas.require([b], b, "it")


def test_values_of_threads_are_within_their_types() -> None:
    text = """
    thread main() { local m: 0..3; fork 0 w(); assert m <= 3; }
    thread w() { local n: 0..2; assert n <= 2 && n >= 0; }
    """
    places = [*program(text).main_template.places, FINISHED]
    spots: list[tuple[tuple[str, int], ...]] = [(), (W,), (("w", FINISHED),)]
    anything = tuple(says(place, True, *threads) for place in places for threads in spots)
    assert is_accepted(text, ThreadModularEvidence(1, (), anything))


# --- formulas about any k threads -------------------------------------------------------------------------


def anywhere(text: str, *flows: Flow) -> ThreadModularEvidence:
    """Nothing is known but sums."""
    templates = program(text).templates
    spots = [(each.name, place) for each in templates for place in (*each.places, FINISHED)]
    mains = [place for name, place in spots if name == "main"]
    threads: list[tuple[tuple[str, int], ...]] = [(), *((each,) for each in spots if each[0] != "main")]
    return ThreadModularEvidence(
        1, flows, tuple(says(place, True, *each) for place in mains for each in threads)
    )


def test_a_sum_has_its_total_at_the_start() -> None:
    text = "global x: int = 0; thread main() { assert x < 0; }"
    assert not is_accepted(text, anywhere(text, Flow((("x", 1),), (), (), -1)))
    right = text.replace("x < 0", "x <= 0")
    assert is_accepted(right, anywhere(right, Flow((("x", 1),), (), (), 0)))


@pytest.mark.parametrize(
    "text",
    [
        "global x: int = 0; thread main() { x := 1; assert x <= 0; }",
        "global x: int = 0; thread main() { fork 0 w(); assert x <= 0; } thread w() { x := 1; }",
    ],
)
def test_no_step_changes_a_sum(text: str) -> None:
    assert not is_accepted(text, anywhere(text, Flow((("x", 1),), (), (), 0)))
    harmless = text.replace("x := 1", "x := x")
    assert is_accepted(harmless, anywhere(harmless, Flow((("x", 1),), (), (), 0)))


def test_what_a_step_does_not_touch_stays_as_it_is() -> None:
    """Formulas about main alone may say more than those about main and a thread."""
    text = """
    global x: 0..3 = 1; thread main() { fork 0 w(); assert x >= 1; } thread w() { local n: int; n := x; }
    """
    alone = {
        place: says(place, ["==", "g.x", 1]) for place in (*program(text).main_template.places, FINISHED)
    }
    others = [each for each in anywhere(text).predicates if each.threads]
    assert is_accepted(text, ThreadModularEvidence(1, (), (*alone.values(), *others)))
    changed = text.replace("n := x", "x := 0")
    assert not is_accepted(changed, ThreadModularEvidence(1, (), (*alone.values(), *others)))


def test_a_thread_that_a_thread_starts_is_looked_at() -> None:
    text = """
    thread main() { fork 1 a(); }
    thread a() { fork 2 b(); }
    thread b() { assert false; }
    """
    evidence = anywhere(text)
    silent = tuple(each for each in evidence.predicates if ("b", 0) not in each.threads)
    assert len(silent) < len(evidence.predicates)
    assert not is_accepted(text, evidence)
    assert not is_accepted(text, ThreadModularEvidence(1, (), silent))
    harmless = text.replace("assert false", "assert true")
    assert is_accepted(harmless, evidence)
    assert not is_accepted(harmless, ThreadModularEvidence(1, (), silent))


def test_a_thread_may_get_the_result_of_another_one() -> None:
    """The variable that gets it is one of the thread, not of main."""
    text = """
    thread main() { fork 1 a(); }
    thread a() { local t: bool; fork 2 b(); join 2 assign t; }
    thread b() returns (r: bool) { r := true; }
    """
    assert is_accepted(text, anywhere(text))
    start, end = says(0), says(FINISHED)
    one = [says(FINISHED, True, ("a", place)) for place in (0, 1, FINISHED)]
    two = [says(FINISHED, True, ("a", 1), ("b", place)) for place in (FINISHED, 0)]
    everything = (start, end, *one, *two)
    assert is_accepted(text, PetrifiedEvidence(1, everything, everything))
    assert not is_accepted(text, PetrifiedEvidence(1, everything[:-1], everything[:-1]))


@pytest.mark.parametrize("kind", ["any", "all"])
def test_what_a_new_thread_is_given_is_within_its_type(kind: str) -> None:
    """That values of a thread are within their types says nothing about what it is to be given."""
    text = "global n: int = 5; thread main() { fork 0 w(n); } thread w(i: 0..3) { }"
    for given, is_safe in (("n", False), ("2", True)):
        source = text.replace("w(n)", f"w({given})")
        evidence: PetrifiedEvidence | ThreadModularEvidence = anywhere(source)
        if kind == "all":
            everything = tuple(
                each for each in anywhere(source).predicates if bool(each.threads) == (each.place == FINISHED)
            )
            evidence = PetrifiedEvidence(1, everything, everything)
        assert is_accepted(source, evidence) is is_safe
