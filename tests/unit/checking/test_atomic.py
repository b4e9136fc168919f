"""Atomicity as evidence: accepted only if every outcome is that of a serial run."""

from collections.abc import Iterator
from random import Random
from typing import Literal

import pytest

import brute_force
from random_programs import ProgramMaker
from random_systems import SETTINGS, random_system
from seriatim.certificate.format import AtomicEvidence, Certificate
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.network.inputs import Input, digest, read_input
from seriatim.network.limits import LimitReached, Limits
from seriatim.network.system import NetworkSystem
from seriatim.network.unfolding import ProgramUnfolding
from seriatim.source import SourceText


def report(content: Input, reason: Literal["no-yield", "one-step"], limit: int = 5_000) -> Report:
    return verify(Certificate(digest(content), "serializable", AtomicEvidence(reason)), content, limit)


def read(text: str) -> Input:
    return read_input(SourceText("-", text))


SYSTEM_OF_ONE_STEP = """{
  "initial_global": "g",
  "requests": [["p", "a"], ["q", "b"]],
  "responses": [["a", "unmoved"], ["b", "moved"]],
  "transitions": [["a", "g", "b", "h"], ["a", "h", "c", "g"], ["c", "g", "c", "h"]]
}"""


@pytest.mark.parametrize(
    "text",
    ["request a { X := 1 - X; X } request b { while (X == 0) { X := ? }; 3 }", "request a { while (1) { } }"],
)
def test_without_yield_every_program_is_atomic(text: str) -> None:
    assert report(read(text), "no-yield").accepted


def test_infinitely_many_states_do_not_matter_without_yield() -> None:
    assert report(read("request count { X := X + 1; X }"), "no-yield").accepted


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("request a { 1 } request b { if (0) { yield }; 1 }", "no handler contains `yield`: `b` does"),
        ("request a { x := X + yield; x }", "`a` does"),
        (SYSTEM_OF_ONE_STEP, "the input is a network system"),
    ],
)
def test_a_yield_anywhere_refutes_that_there_is_none(text: str, complaint: str) -> None:
    assert complaint in report(read(text), "no-yield").complaint


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
    "a network system": SYSTEM_OF_ONE_STEP,
    "one request pauses where another one starts": """{
      "initial_global": "g",
      "requests": [["p", "a"], ["q", "b"]],
      "responses": [["c", "done"]],
      "transitions": [["a", "g", "c", "g"], ["b", "g", "a", "h"]]
    }""",
}


@pytest.mark.parametrize("text", ONE_STEP.values(), ids=ONE_STEP.keys())
def test_who_is_answered_by_its_first_step_is_atomic(text: str) -> None:
    found = report(read(text), "one-step")
    assert found.accepted, found.complaint


SEVERAL_STEPS = {
    "an answer after a pause": "request a { x := X; yield; X := 1 - x; x }",
    "after a loop of pauses": "request a { Y := 1; while (X == 0) { yield }; 7 } request b { X := 1 - X; 0 }",
    "only where another one is in flight": """
        request a { X := 1; yield; X := 0; while (1) { yield } }
        request b { if (X == 1) { yield; if (X == 0) { return 7 } else { while (1) { yield } } }; 1 }
        request c { X := 1 - X; 1 }
    """,
    "a network system": SYSTEM_OF_ONE_STEP.replace('["c", "g", "c", "h"]', '["b", "h", "a", "g"]'),
}


@pytest.mark.parametrize("text", SEVERAL_STEPS.values(), ids=SEVERAL_STEPS.keys())
def test_who_is_answered_later_is_not_atomic(text: str) -> None:
    found = report(read(text), "one-step")
    assert not found.accepted
    assert "nobody who has paused is ever answered: somebody can still answer" in found.complaint


def test_a_system_without_bound_is_given_up_on() -> None:
    with pytest.raises(GaveUp, match="more than 200 states"):
        report(read("request count { X := X + 1; yield; while (1) { yield } }"), "one-step", limit=200)


def rules_of(content: Input) -> brute_force.Rules:
    """Independent of the reference interpreter, on which the checker relies."""
    if isinstance(content, NetworkSystem):
        return brute_force.rules_of_system(content)
    return brute_force.rules_of_unfolding(ProgramUnfolding(content, Limits(max_states=2_000)))


def random_inputs() -> Iterator[Input]:
    for seed in range(150):
        random = Random(seed)
        yield ProgramMaker(random, modulus=2).program(handlers=1 + seed % 2, size=1 + seed % 3)
    for seed in range(300):
        yield random_system(Random(seed), SETTINGS[seed % 2], mixed=0.4 * (seed % 3))


def violations(content: Input, requests: int) -> frozenset[brute_force.Outcome]:
    rules = rules_of(content)
    return brute_force.interleaved(rules, requests) - brute_force.serial(rules, requests)


def test_what_is_accepted_is_serializable() -> None:
    """On random inputs: all interleavings of three requests have serial outcomes."""
    accepted = refused = 0
    for content in random_inputs():
        try:
            if report(content, "one-step", limit=400).accepted:
                assert not violations(content, 3)
                accepted += 1
            else:
                refused += 1
        except (GaveUp, LimitReached, brute_force.TooLarge):
            continue
    assert accepted > 20
    assert refused > 20


def test_whoever_has_a_violation_is_refused() -> None:
    """On random inputs, with two requests."""
    found = 0
    for content in random_inputs():
        try:
            if violations(content, 2):
                assert not report(content, "one-step", limit=400).accepted
                found += 1
        except (GaveUp, LimitReached, brute_force.TooLarge):
            continue
    assert found > 5
