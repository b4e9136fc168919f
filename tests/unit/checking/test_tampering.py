"""Runs that were tampered with, or whose input was: refused, or violations as well."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.program.inputs import Input, digest
from seriatim.program.network_system import NetworkSystem
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.forgeries.inputs import changed_inputs
from testkit.forgeries.runs import tampered
from testkit.inputs.written_runs import VIOLATIONS, Case
from testkit.oracles import brute_force

cases = pytest.mark.parametrize("case", VIOLATIONS.values(), ids=VIOLATIONS.keys())


def is_accepted(content: Input, turns: tuple[Turn, ...]) -> bool:
    """By the checker; the digest is always right, so that the run alone has to tell."""
    certificate = Certificate(digest(content), "not_serializable", RunEvidence(turns))
    return verify(certificate, content, Context(Allowance(10_000))).accepted


def outcome(turns: tuple[Turn, ...]) -> brute_force.Outcome:
    return tuple(sorted((turn.handler, turn.response) for turn in turns if turn.response is not None))


@cache
def violations(content: Input, requests: int) -> frozenset[brute_force.Outcome]:
    """All of them up to so many requests, found without the reference interpreter and without the checker."""
    if isinstance(content, NetworkSystem):
        rules = brute_force.rules_of_system(content)
    else:
        rules = brute_force.rules_of_unfolding(ProgramUnfolding(content, Limits()))
    return brute_force.interleaved(rules, requests) - brute_force.serial(rules, requests)


def is_violation(content: Input, found: brute_force.Outcome) -> bool:
    return found in violations(content, max(len(found), 3))


def accepted_as_genuine(content: Input, turns: tuple[Turn, ...]) -> bool:
    """Whether the checker accepts a run; fails if it accepts one that is no violation."""
    accepted = is_accepted(content, turns)
    assert not accepted or is_violation(content, outcome(turns))
    return accepted


@cases
def test_the_runs_are_violations_before_anybody_tampers_with_them(case: Case) -> None:
    assert accepted_as_genuine(case.content(), case.turns())


@cases
def test_a_run_with_one_change_is_refused_or_genuine(case: Case) -> None:
    content = case.content()
    accepted = [accepted_as_genuine(content, turns) for turns in tampered(case.turns())]
    assert sum(accepted) < len(accepted) / 4


@given(st.sampled_from(list(VIOLATIONS.values())), st.data())
def test_a_run_with_several_changes_is_refused_or_genuine(case: Case, data: st.DataObject) -> None:
    turns = case.turns()
    for _ in range(data.draw(st.integers(2, 3))):
        if turns:
            turns = data.draw(st.sampled_from(list(tampered(turns))))
    accepted_as_genuine(case.content(), turns)


@cases
def test_a_run_of_another_input_is_refused_or_genuine(case: Case) -> None:
    content = case.content()
    others = [other for other in changed_inputs(content, case.source) if other != content]
    accepted = [accepted_as_genuine(other, case.turns()) for other in others]
    assert not all(accepted)
