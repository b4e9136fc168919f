"""The checker on evidence that lists exactly what threads can reach: accepted iff no step fails there, and
never if anything is left out."""

from dataclasses import replace
from functools import cache

import pytest

from seriatim.certificate.evidence import Evidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import report_on
from seriatim.checking.threads import thread_obligations
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.statement import NeverFails
from seriatim.source import SourceText
from testkit.oracles.thread_configurations import (
    Explored,
    Fact,
    Numbered,
    explore,
    most_of_a_template,
    parts,
    predicates,
    whole,
)
from testkit.samples import sampled

COUNTED = """
global x: 0..2 = 0;
thread main() { fork 1 w(); fork 1 w(); }
thread w() { x := x + 1; assert x <= 2; }
"""
RESULT = """
global c: 0..1 = 0;
thread main() { local d: 0..1; fork 1 w(1); join 1 assign d; assert d == c; }
thread w(n: 0..1) returns (r: 0..1) { c := c + n; r := n; }
"""
ATOMIC_JOIN = """
global c: 0..3 = 0;
thread main() { fork 1 w(); atomic { assert c <= 1; join 1; assert c == 1; } }
thread w() { c := c + 1; }
"""
NESTED = """
global x: 0..3 = 0; global done: bool = false;
thread main() { fork 1 a(); join 1; assert x == 1 && done; }
thread a() { fork 2 b(); join 2; atomic { assert x == 1; done := true; } }
thread b() { x := x + 1; }
"""
CHOICE = """
global x: 0..1; global y: bool = false;
thread main() { local h: bool; fork 1 w(); havoc h; if (h) { y := true; } else { fork 2 w(); } }
thread w() { atomic { assume y; x := 1 / 1; } assert x == 1; }
"""
MIXED = """
global x: 0..2 = 0;
thread main() { local m: 0..0; fork 1 w(); fork 2 w(); assert x <= 2; m := x / 3; }
thread w() { local t: 1..2; atomic { t := x + 1; x := t; } }
"""
TWO_KINDS = """
global x: 0..1 = 0;
thread main() { local d: 1..2; fork 1 v(); fork 1 w(); join 1 assign d; assert d == 2 || x == 0; }
thread v() { x := 1; }
thread w() returns (r: 2..2) { r := 2; }
"""
DIFFERENT = """
global x: 0..2 = 0;
thread main() { local d: 1..2; fork 1 w(1); fork 2 w(2); join 2 assign d; assert d == 2; join 1; }
thread w(n: 1..2) returns (r: 1..2) { r := n; }
"""

FAILING = {
    "the range is too small": COUNTED.replace("0..2", "0..1"),
    "an assertion of a thread": COUNTED.replace("x <= 2", "x <= 1"),
    "an assertion about a result": RESULT.replace("d == c", "d != c"),
    "a result outside its range": RESULT.replace("local d: 0..1", "local d: 0..0"),
    "an argument outside its range": RESULT.replace("w(1)", "w(2)"),
    "before a join": ATOMIC_JOIN.replace("c <= 1", "c == 1"),
    "after a join": ATOMIC_JOIN.replace("assert c == 1;", "assert c == 0;"),
    "after a join of a thread": NESTED.replace("assert x == 1; done", "assert x == 0; done"),
    "main, after all others": NESTED.replace("&& done", "&& !done"),
    "a division": CHOICE.replace("1 / 1", "1 / x"),
    "a global without an initial value": CHOICE.replace("x := 1 / 1; }", "y := true; }"),
    "a step that changes locals as well": MIXED.replace("assert x <= 2", "assert x <= 1"),
    "only some threads have results": TWO_KINDS.replace("|| x", "&& x"),
    "the thread that was started last": DIFFERENT.replace("d == 2", "d == 1"),
}
SAFE = {
    "counted": COUNTED,
    "result": RESULT,
    "atomic join": ATOMIC_JOIN,
    "nested": NESTED,
    "choice": CHOICE,
    "different": DIFFERENT,
    "mixed": MIXED,
    "two kinds": TWO_KINDS,
}
PROGRAMS = SAFE | FAILING


@cache
def program(name: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", PROGRAMS[name]))


@cache
def explored(name: str) -> Explored:
    return explore(program(name))


def is_accepted(name: str, evidence: Evidence) -> bool:
    return report_on(thread_obligations(program(name), NeverFails(), evidence, Context())).accepted


def petrified(name: str, bounded: frozenset[Fact], safe: frozenset[Fact]) -> PetrifiedEvidence:
    bound = most_of_a_template(explored(name).configurations)
    return PetrifiedEvidence(bound, predicates(bounded), predicates(safe))


def facts(name: str) -> frozenset[Fact]:
    return whole(explored(name).configurations)


def some(facts: frozenset[Fact]) -> list[Fact]:
    listed = sorted(facts, key=repr)
    return sampled(listed[:: 1 + len(listed) // 7], 3)


def modular(name: str, level: int) -> ThreadModularEvidence:
    return ThreadModularEvidence(level, (), predicates(parts(explored(name).configurations, level)))


def formulas(name: str) -> tuple[Evidence, ...]:
    return petrified(name, facts(name), facts(name)), modular(name, 3)


def lists(name: str) -> tuple[Evidence, ...]:
    numbered = Numbered(program(name), explored(name).configurations)
    return numbered.cover(), numbered.pairs()


@pytest.mark.parametrize("name", SAFE)
def test_formulas_about_all_that_can_be_reached_are_a_proof(name: str) -> None:
    assert not explored(name).fails
    for each in formulas(name):
        assert is_accepted(name, each), each.kind


@pytest.mark.parametrize("name", ["atomic join", "nested"])
def test_lists_of_all_that_can_be_reached_are_a_proof(name: str) -> None:
    """Here every variable has a value, and pairs tell enough."""
    for each in lists(name):
        assert is_accepted(name, each), each.kind


def test_threads_that_have_finished_are_forgotten_if_nobody_joins() -> None:
    cover, _ = lists("counted")
    assert is_accepted("counted", cover)
    assert isinstance(cover, ThreadCoverEvidence)
    numbered = tuple(replace(each, id=None if each.template == "main" else 7) for each in cover.threads)
    assert is_accepted("counted", replace(cover, threads=numbered))


@pytest.mark.parametrize("name", FAILING)
def test_nothing_is_a_proof_where_a_step_fails(name: str) -> None:
    assert explored(name).fails
    for each in (*formulas(name), *lists(name), modular(name, 1)):
        assert not is_accepted(name, each), each.kind


@pytest.mark.parametrize("name", SAFE)
def test_formulas_about_all_threads_leave_nothing_out(name: str) -> None:
    """Whatever they say can be reached, so formulas without it are wrong."""
    everything = facts(name)
    for each in some(everything):
        assert not is_accepted(name, petrified(name, everything - {each}, everything))
        assert not is_accepted(name, petrified(name, everything, everything - {each}))


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("name", SAFE)
def test_formulas_about_some_threads_leave_nothing_out(name: str, level: int) -> None:
    everything = parts(explored(name).configurations, level)
    for each in some(everything):
        forged = ThreadModularEvidence(level, (), predicates(everything - {each}))
        assert not is_accepted(name, forged)


@pytest.mark.parametrize("name", SAFE)
def test_a_bound_has_to_be_large_enough(name: str) -> None:
    evidence = petrified(name, facts(name), facts(name))
    assert not is_accepted(name, replace(evidence, bound=evidence.bound - 1))
    assert is_accepted(name, replace(evidence, bound=evidence.bound + 1))
