"""Explanations of verdicts: what they say, and that it is true."""

from collections.abc import Iterator

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.counting import counting
from seriatim.checking.cover import Precision
from seriatim.checking.cover_claim import cut_places
from seriatim.checking.moves import Moves
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.deciding.pipeline import Options, decide
from seriatim.elaborate import elaborate
from seriatim.explain.explanation import Detail, Equation
from seriatim.explain.projection import Projection, projections
from seriatim.frontends.all import read_input
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.program.semantics import big_steps
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Program
from seriatim.report.commit_text import lines_words
from seriatim.report.explanation_text import equation_words, explanation_text
from seriatim.report.text_look import TextLook
from seriatim.result import Holds
from seriatim.source import SourceText
from seriatim.systems.limits import Limits
from testkit.oracles.brute_force import Interpreted, Outcome, reachable, rules_of_system


def explained(text: str, method: Method = Method.AUTO) -> str:
    source = SourceText("test", text)
    content = read_input(source)
    options = Options(Limits(), 20.0, method)
    result = decide(content, options, source=source)
    shown = explanation_text(elaborate(content, result, frozenset(Detail), options), TextLook())
    assert all(len(line) <= 80 for line in shown.splitlines())
    return " ".join(shown.split())


def test_a_commit_is_named_with_its_lines_and_answers() -> None:
    text = """\
request packet {
    r := X;
    yield;
    r
}
request set {
    yield;
    X := 1;
    7
}
"""
    shown = explained(text, Method.COMMIT)
    assert "`packet` takes effect between its start and the pause in line 3, lines 2-3" in shown
    assert "it answers 0 or 1." in shown
    assert "`set` takes effect between the pause in line 7 and its answer, lines 8-9; it answers 7." in shown


def test_an_atomic_handler_is_named_with_its_line() -> None:
    assert "`flip` (line 2) has no `yield`" in explained("\nrequest flip {\n X := 1 - X; X\n}")
    assert "`ask` (line 2) has no `yield`" in explained("fun f() { 0 }\nrequest ask { f() }")


def test_steps_of_a_network_system_are_named_by_its_states() -> None:
    text = """{
        "initial_global": "g", "requests": [["r", "a"]], "responses": [["c", "done"]],
        "transitions": [["a", "g", "b", "g"], ["b", "g", "c", "g"]]
    }"""
    assert "`r` takes effect between" in explained(text, Method.COMMIT)
    assert "it answers done." in explained(text, Method.COMMIT)


def test_a_counterexample_is_a_table_of_firings() -> None:
    shown = explained("request inc { x := X; yield; X := (x + 1) % 2; x }")
    assert "step firing global state in flight answered" in shown
    assert "8 inc answers X = 1 inc/0 ×2" in shown


def test_lines_are_ranges() -> None:
    assert lines_words((3,)) == "line 3"
    assert lines_words((3, 4, 5, 8)) == "lines 3-5 and 8"


def test_equations_have_positive_numbers_on_both_sides() -> None:
    assert equation_words(Equation(((1, ("a", "0")), (-2, ("b", "1"))), -1)) == "a/0 = 2 b/1 + 1"
    assert equation_words(Equation(((1, ("a", "0")),), -3)) == "a/0 = 3"


COUNTERS = """
    request up { while (X == 2) { yield }; X := X + 1; 0 }
    request down { while (X == 0) { yield }; X := X - 1; 0 }
"""
STOP = """
    request go {
        while (STOP == 1) { yield }; X := (X + 1) % 3; yield;
        while (STOP == 1) { yield }; X := (X + 1) % 3;
        if (?) { STOP := 1; X } else { 0 }
    }
"""
SHARED = """{
    "initial_global": "out",
    "requests": [["login", "start"], ["logout", "in"]],
    "responses": [["start", "welcome"], ["in", "result"], ["start", "bye"]],
    "transitions": [["start", "out", "in", "on"], ["in", "on", "start", "out"]]
}"""


def test_counting_says_how_answers_and_the_global_state_are_related() -> None:
    shown = explained(COUNTERS, Method.STATE_EQUATION)
    assert "In X = 0" in shown
    assert "up/0 = down/0" in shown or "down/0 = up/0" in shown


def projected(content: Input) -> list[Projection]:
    verdict = decide(content, Options(Limits(), 20.0, Method.STATE_EQUATION)).answer
    assert isinstance(verdict, Holds)
    assert isinstance(verdict.certificate.evidence, TreeEvidence)
    evidence = verdict.certificate.evidence.claim
    allowance = Allowance(10_000, Deadline())
    precision = Precision(evidence.level, evidence.invariants)
    if isinstance(content, Program):
        moves = Moves(ProgramReference(content, big_steps), precision, allowance)
    else:
        moves = Moves(SystemReference(content), precision, allowance)
    cuts = tuple((cut, cut_places(moves, cut, allowance)) for cut in evidence.cuts)
    return list(projections(moves, counting(moves), cuts, Deadline()))


def comparable(state: GlobalState) -> GlobalState:
    """Without the variables that are 0, which the interpreter does not store."""
    return state if isinstance(state, str) else tuple(sorted(pair for pair in state if pair[1] != 0))


def left_behind(content: Input, requests: int) -> Iterator[tuple[GlobalState, Outcome]]:
    """The global state and the outcome at the end of each complete run, by brute force."""
    if isinstance(content, Program):
        interpreted = Interpreted(content)
        for global_, flight, outcome in reachable(interpreted.rules, requests):
            if not flight:
                yield comparable(interpreted.globals.items[global_]), outcome
    else:
        for global_, flight, outcome in reachable(rules_of_system(content), requests):
            if not flight:
                yield content.globals[global_], outcome


@pytest.mark.parametrize("text", [COUNTERS, STOP, SHARED], ids=["counters", "stop", "shared"])
def test_what_counting_says_is_true_of_all_runs_of_a_few_requests(text: str) -> None:
    content = read_input(SourceText("-", text))
    facts = {comparable(found.state): found for found in projected(content)}
    assert any(fact.equations or fact.never for fact in facts.values())
    for state, outcome in left_behind(content, 3):
        fact = facts[state]
        assert fact.can_rest
        assert not set(fact.never) & set(outcome)
        assert all(outcome.count(completion) <= 1 for completion in fact.at_most_one)
        for equation in fact.equations:
            assert sum(k * outcome.count(c) for k, c in equation.terms) + equation.constant == 0
