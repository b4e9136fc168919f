"""Commit points as evidence: accepted only if the order of the commits is always serial."""

from dataclasses import replace
from typing import Literal, cast

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.flights import EMPTY_ORDER, STAYS, Flights
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.inputs import Input, digest
from seriatim.program.semantics import big_steps
from seriatim.properties.linearizable import Linearizability
from seriatim.source import SourceText

AT_THE_ANSWER = CommitEvidence(1, (), ())


def report(text: str, evidence: CommitEvidence, limit: int = 5_000) -> Report:
    content: Input = read_input(SourceText("-", text))
    return verify(Certificate(digest(content), "serializable", evidence), content, Context(Allowance(limit)))


SYSTEM_OF_ONE_STEP = """{
  "initial_global": "g",
  "requests": [["p", "a"], ["q", "b"]],
  "responses": [["a", "unmoved"], ["b", "moved"]],
  "transitions": [["a", "g", "b", "h"], ["a", "h", "c", "g"], ["c", "g", "c", "h"]]
}"""


ONE_STEP = {
    "no yield at all": "request a { X := 1 - X; X }",
    "a yield that is never reached": "request a { X := 1; if (X == 0) { yield }; X }",
    "a yield at the end": "request a { X := 1 - X; yield }",
    "nothing but a constant": "request a { 3 }",
    "who pauses is stuck": "request a { if (X == 0) { X := 1; yield; while (1) { yield } }; X := 1 - X; 2 }",
    "who pauses waits for what no longer comes": """
        request a { if (X == 0) { X := 1; yield; while (X == 1) { yield }; return 5 }; 2 }
    """,
    "who waits for something first": "request a { while (X == 1) { yield }; X := ?; X } request b { X := 0 }",
    "only who is stuck makes others pause": """
        request a { X := 1; yield; while (1) { yield } }
        request b { if (X == 1) { yield; Y := 1 - Y; return Y }; Y }
    """,
    "only who waits for who is stuck makes others pause": """
        request a { X := 1; yield; while (1) { yield } }
        request b { Y := 1; yield; while (X == 0) { yield }; 0 }
        request c { if (Y == 1) { yield; Z := 1 - Z; return Z }; Z }
    """,
    "a network system": SYSTEM_OF_ONE_STEP,
    "one request pauses where another one starts": """{
      "initial_global": "g",
      "requests": [["p", "a"], ["q", "b"]],
      "responses": [["c", "done"]],
      "transitions": [["a", "g", "c", "g"], ["b", "g", "a", "h"]]
    }""",
}


@pytest.mark.parametrize("text", ONE_STEP.values(), ids=ONE_STEP.keys())
def test_who_is_answered_by_its_first_step_commits_there(text: str) -> None:
    found = report(text, AT_THE_ANSWER)
    assert found.accepted, found.complaint


def test_a_race_has_no_commit_points() -> None:
    """The lost update: requests that commit when they are answered commit in no serial order."""
    found = report("request incr { x := X; yield; X := (x + 1) % 3; X }", AT_THE_ANSWER)
    assert not found.accepted
    assert "`incr` may commit to" in found.complaint


LOCKED = """
    request incr { while (L == 1) { yield }; L := 1; yield; X := (X + 1) % 3; yield; L := 0; X }
"""


def test_a_lock_needs_its_invariant_or_pairs() -> None:
    """What the lock excludes is seen at level 1 with the invariant of the lock, or at level 2."""
    assert not report(LOCKED, CommitEvidence(1, (), ())).accepted
    assert report(LOCKED, CommitEvidence(1, (Invariant("L", 1),), ())).accepted
    assert report(LOCKED, CommitEvidence(2, (), ())).accepted


TWO_UNITS = """
    S := 2
    request a {
        while (S == 0) { yield }; S := S - 1; yield;
        if (T == 2) { return 7 }; T := (T + 1) % 3; yield;
        T := (T + 2) % 3; S := (S + 1) % 3; 0
    }
"""


def test_two_units_need_pairs_and_their_invariant() -> None:
    """Where two have changed T, nobody is about to: pairs are kept apart from a third request."""
    units = (Invariant("S", -1),)
    assert not report(TWO_UNITS, CommitEvidence(1, units, ())).accepted
    assert not report(TWO_UNITS, CommitEvidence(2, (), ())).accepted
    assert report(TWO_UNITS, CommitEvidence(2, units, ())).accepted


@pytest.mark.parametrize(("level", "look"), [(1, "one by one (level 1)"), (2, "in pairs (level 2)")])
def test_an_accepted_proof_says_how_much_was_looked_at(level: Literal[1, 2], look: str) -> None:
    found = report("request a { x := X; yield; x }", CommitEvidence(level, (), ()))
    assert found.obligations[2].detail == (
        f"2 points at which requests can wait, in 1 combination with the global state, looked at {look}"
    )


def test_invariants_that_do_not_hold_or_name_nothing_are_not_used() -> None:
    invariants = (Invariant("L", -1), Invariant("X", 1), Invariant("NOBODY", 1), Invariant("L", 1))
    assert report(LOCKED, CommitEvidence(1, invariants, ())).accepted
    assert not report(LOCKED, CommitEvidence(1, invariants[:3], ())).accepted


def committed(response: int) -> CommittedState:
    return CommittedState("packet", "p", (("p", response),), str(response))


def test_an_early_commit_is_accepted_where_it_is_described() -> None:
    """`packet` takes effect when it reads P, although others go on before it answers."""
    text = "request packet { p := P; yield; p } request set { P := 1 - P; P }"
    assert not report(text, AT_THE_ANSWER).accepted
    assert report(text, CommitEvidence(1, (), (committed(0), committed(1)))).accepted


def test_a_commitment_that_is_not_kept_is_refused() -> None:
    lie = CommittedState("toss", "?", (), "0")
    found = report("request toss { yield; ? }", CommitEvidence(1, (), (lie,)))
    assert not found.accepted
    assert "commits to 0, but need not be answered so" in found.complaint


def test_a_fresh_request_is_never_committed() -> None:
    found = report(
        "request a { x := X; x }", CommitEvidence(1, (), (CommittedState("a", "x := X; x", (), "0"),))
    )
    assert not found.accepted


def test_a_system_without_bound_is_given_up_on() -> None:
    with pytest.raises(GaveUp, match="more than 200 states"):
        report("request count { X := X + 1; yield; 0 }", AT_THE_ANSWER, limit=200)


def test_there_are_two_levels() -> None:
    """The format has no other; who calls the checker with another one gets the second."""
    for level in (0, 3):
        evidence = replace(AT_THE_ANSWER, level=cast(Literal[1, 2], level))
        assert "looked at in pairs (level 2)" in report("request a { 3 }", evidence).obligations[-2].detail


def test_an_accepted_report_names_both_conditions() -> None:
    found = report("request a { 3 }", AT_THE_ANSWER)
    assert [each.claim for each in found.obligations[-2:]] == [STAYS, EMPTY_ORDER]


STUCK = """{
  "initial_global": "off",
  "requests": [["start", "begin"], ["get", "look"]],
  "responses": [["saw off", "0"], ["saw on", "1"]],
  "transitions": [
    ["begin", "off", "stuck", "on"], ["look", "off", "saw off", "off"], ["look", "on", "saw on", "on"]
  ]
}"""
ALWAYS_OFF = read_specification(SourceText("-", "spec { init a; a -> a: get/0; }"))


def test_who_is_stuck_is_seen_by_others_in_runs_that_need_not_be_complete() -> None:
    """`start` is never answered, so that `get` answers 1 in no complete run, but in others."""
    system = read_input(SourceText("-", STUCK))
    for pending in (False, True):
        question = Linearizability(ALWAYS_OFF, 0, pending)
        certificate = Certificate(digest(system), "linearizable", AT_THE_ANSWER, question)
        assert verify(certificate, system).accepted != pending


def test_steps_are_looked_up_once_and_paid_for() -> None:
    program = parse("request a { x := ?; yield; x }")
    allowance = Allowance(10, Deadline())
    flights = Flights(ProgramReference(program, big_steps), allowance)
    (fresh,) = flights.fresh
    assert len(flights.steps(fresh, flights.initial)) == len(flights.steps(fresh, flights.initial)) == 2
    assert allowance.spent == 1


def test_the_first_entry_that_describes_a_request_counts() -> None:
    """Entries may overlap: some ask for a value of x, another one does not."""
    text = "request flip { x := X; X := 1 - X; yield; x }"
    right = (CommittedState("flip", "x", (("x", 0),), "0"), CommittedState("flip", "x", (("x", 1),), "1"))
    wrong = CommittedState("flip", "x", (), "2")
    assert report(text, CommitEvidence(1, (), (*right, wrong))).accepted
    assert not report(text, CommitEvidence(1, (), (wrong, *right))).accepted
