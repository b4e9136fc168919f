"""Where no proof is found, the relation is told that is missing."""

from seriatim.arithmetic.term_text import read_term
from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.simulation.engine import simulate
from seriatim.engines.stage import GaveUp
from seriatim.frontends.ser.parser import parse
from seriatim.program.symbolic.words import facts_in_words
from seriatim.result import Undecided
from seriatim.systems.limits import Limits
from testkit.samples import deep

CROWD = """
request look { IN := IN + 1; yield; c := IN > 8; IN := IN - 1; N := N + 1; c }
"""
"""With nine requests, one may answer what it never does alone; that is not found in a few states."""


@deep
def test_the_missing_relation_is_named() -> None:
    found = simulate(parse(CROWD), True, Deadline(30))
    assert isinstance(found, GaveUp)
    assert "it is not known that (the serial IN + 1 ≥ 9) = (IN ≥ 9)" in found.missing


@deep
def test_the_answer_contains_it() -> None:
    found = decide(parse(CROWD), Options(Limits(max_states=50), timeout=120)).answer
    assert isinstance(found, Undecided)
    assert "`look` may commit where it could not run alone" in found.reason


def test_formulas_in_words() -> None:
    (told,) = facts_in_words(read_term("(or (not (= g.L 0)) (= g.X s.X))"))
    assert told == "X = the serial X while L = 0"
    formula = read_term("(and (<= 1 g.L) (= |0.x| s.X) (not (= |1.x| |0.=|)) (<= (+ g.X 1) (* 2 s.X)))")
    assert facts_in_words(formula, ("the first's ", "the second's ")) == (
        "L ≥ 1",
        "the first's x = the serial X",
        "the second's x ≠ the first's answer",
        "X < 2 · the serial X",
    )
