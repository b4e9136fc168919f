"""The checker on crowds of threads: nothing that can happen may be left out."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.thread_cover import CoveredState, Crowd, ThreadCoverEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation, report_on
from seriatim.checking.thread_cover import obligations as thread_cover_obligations
from seriatim.engines.threads.cover_evidence import cover_evidence
from seriatim.engines.threads.karp_miller import Cover
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem

THREE = """
global x: 0..3 = 0;
thread main() { fork 0 w(); fork 0 w(); fork 0 w(); }
thread w() { x := x + 1; assert x <= 3; }
"""
WAITING = """
global go: bool = false; global x: 0..3 = 0;
thread main() { fork 0 w(); fork 0 w(); fork 0 w(); go := true; }
thread w() { atomic { assume go; x := x + 1; } assert x <= 3; }
"""
"""All three threads are there before one of them moves."""
MANY = """
global lock: 0..1 = 0;
thread main() { while (*) { fork 0 w(); } }
thread w() { atomic { assume lock == 0; lock := 1; } lock := 0; }
"""
JOINED = """
global x: 0..2 = 0;
thread main() { fork 1 w(); fork 1 w(); join 1; fork 1 w(); join 1; join 1; assert x <= 2; }
thread w() { atomic { assume x < 2; x := x + 1; } x := x - 1; }
"""


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


def cover(text: str) -> ThreadCoverEvidence:
    built = Cover(FiniteSystem(program(text), Deadline()), Deadline())
    assert built.build(5_000)
    return cover_evidence(built)


def checked(text: str, evidence: ThreadCoverEvidence) -> list[Obligation]:
    return list(report_on(thread_cover_obligations(program(text), evidence, Context())).obligations)


def smaller(crowd: Crowd) -> Iterator[Crowd]:
    """The crowd with fewer threads of a description, or with none."""
    for place, (number, count) in enumerate(crowd):
        before, behind = crowd[:place], crowd[place + 1 :]
        yield (*before, *behind)
        for fewer in (1, 2) if count is None else range(1, count):
            yield (*before, (number, fewer), *behind)


def fewer(state: CoveredState) -> Iterator[CoveredState]:
    for place, crowd in enumerate(state.crowds):
        before, behind = state.crowds[:place], state.crowds[place + 1 :]
        yield replace(state, crowds=(*before, *behind))
        yield from (replace(state, crowds=(*before, each, *behind)) for each in smaller(crowd))


@pytest.mark.parametrize("text", [THREE, WAITING, MANY, JOINED], ids=["three", "waiting", "many", "joined"])
def test_no_thread_of_a_crowd_can_be_spared(text: str) -> None:
    """Whatever is listed can happen, so evidence that leaves it out is wrong."""
    evidence = cover(text)
    assert all(each.holds for each in checked(text, evidence))
    for place, state in enumerate(evidence.states):
        others = evidence.states[:place], evidence.states[place + 1 :]
        for states in ((), *((each,) for each in fewer(state))):
            forged = replace(evidence, states=(*others[0], *states, *others[1]))
            assert not all(each.holds for each in checked(text, forged))


def test_a_crowd_may_list_a_description_in_parts() -> None:
    evidence = cover(THREE)
    states = [
        replace(
            state,
            crowds=tuple(
                tuple((number, 1) for number, count in crowd for _ in range(count or 0))
                for crowd in state.crowds
            ),
        )
        for state in evidence.states
    ]
    assert all(each.holds for each in checked(THREE, replace(evidence, states=tuple(states))))


def test_steps_are_counted() -> None:
    text = "global x: 0..1 = 0; thread main() { x := 1; x := 0; }"
    assert checked(text, cover(text))[-1].detail == "2 steps"
