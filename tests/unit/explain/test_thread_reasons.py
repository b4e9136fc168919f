"""Proofs about threads, in words."""

import pytest

from seriatim.certificate.thread_predicates import Predicate
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.explain.thread_reasons import explain_threads, plain, ranges, tell_formulas
from seriatim.frontends.conc.frontend import read_threads
from seriatim.method import Method
from seriatim.program.threads.printer import print_expression
from seriatim.program.threads.symbolic import conjunction
from seriatim.result import Holds
from seriatim.source import SourceText
from seriatim.terms.expressions import Constant, Variable, apply

LOCKED = """
global m: 0..1 = 0; global balance: 0..100 = 100; global log: int = 0;
thread main() { fork 1 w(); fork 2 w(); }
thread w() {
  atomic { assume m == 0; m := 1; }
  if (balance >= 80) { balance := balance - 80; log := log + 1; }
  assert balance >= 0;
  m := 0;
}
"""
BANK = """global balance: int = 0;
global log: int = 0;
thread main() {
    while (*) { fork 0 deposit(); fork 1 withdraw(); fork 2 audit(); }
}
thread deposit() { atomic { balance := balance + 1; log := log + 1; } }
thread withdraw() { atomic { if (balance > 0) { balance := balance - 1; log := log - 1; } } }
thread audit() { atomic { assert balance >= 0; assert balance == log; } }
"""

COUNTED = """
global inside: int = 0;
thread main() { while (*) { fork 0 w(); } }
thread w() {
  inside := inside + 1;
  assert inside > 0;
  inside := inside - 1;
}
"""


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            LOCKED,
            (
                "The lock `m` protects `balance` and `log`: all accesses happen under it.",
                "At most two threads of `w` run at a time.",
                "At most one thread holds the lock `m` at a time, in `w` in lines 6 to 8.",
            ),
        ),
        (
            LOCKED.replace("fork 1 w(); fork 2 w();", "while (*) { fork 1 w(); }"),
            ("Whether something fails does not depend on `log`.",),
        ),
        (COUNTED, ("`inside` is always the number of threads of `w` in lines 6 to 7.",)),
    ],
)
def test_what_a_proof_rests_on(text: str, sentences: tuple[str, ...]) -> None:
    program = read_threads(SourceText("t.conc", text))
    method = Method.MODULAR if text == COUNTED else Method.AUTO
    answer = decide_threads(program, Options(timeout=30, method=method)).answer
    assert isinstance(answer, Holds)
    told = set(explain_threads(program, answer.certificate.evidence))
    assert told >= set(sentences), told


def test_formulas_are_told_as_people_write_them() -> None:
    difference = apply("+", Variable("c"), apply("*", Constant(-1), Variable("i")))
    assert print_expression(plain(apply("!", apply(">=", difference, Constant(1))))) == "c <= i"


def test_of_a_long_formula_what_it_says_about_all_its_threads() -> None:
    """And places of main are not told where they do not matter."""
    program = read_threads(SourceText("t.conc", COUNTED))
    one, other = Variable("0.t"), Variable("1.t")
    facts = [
        apply("<=", one, other),
        apply("!=", one, other),
        *(apply(">=", Variable("g.inside"), Constant(number)) for number in range(20)),
    ]
    long = conjunction(tuple(facts))
    two = (("w", 0), ("w", 1))
    assert list(tell_formulas(program, (Predicate(0, two, long), Predicate(-1, two, long)))) == [
        "While `w#1` is before line 5 and `w#2` is before line 6: w#1.t < w#2.t."
    ]
    only_here = (Predicate(0, two, long), Predicate(-1, two, Constant(True)))
    assert list(tell_formulas(program, only_here)) == [
        "While `main` is before line 3 and `w#1` is before line 5 and `w#2` is before line 6: w#1.t < w#2.t."
    ]


def test_lines_as_ranges() -> None:
    assert ranges([20, 13, 17, 18, 19, 19]) == "13, 17 to 20"
    assert ranges([3, 4]) == "3, 4"


def test_a_sentence_is_told_once() -> None:
    """Three forks in one line are three places before that line."""
    text = SourceText("t.conc", BANK)
    answer = decide_threads(read_threads(text), Options(timeout=30)).answer
    assert isinstance(answer, Holds)
    told = list(explain_threads(read_threads(text), answer.certificate.evidence))
    assert len(told) == len(set(told))
    assert any("`main` is before line 4" in sentence for sentence in told)
    assert not any("before line 4 or before line 4" in sentence for sentence in told)
