"""Runs that break a program are found at sizes and values that are not small."""

from pathlib import Path

import pytest

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.syntax import ActionProgram
from seriatim.actions.values import Sizes
from seriatim.budget import Deadline
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.outcome import Proved, RunBreaks
from seriatim.sequencing.refuting import Refutation, refute
from seriatim.source import SourceText
from testkit.generators.actions import random_actions
from testkit.samples import IS_DEEP

PROTOCOLS = Path(__file__).parents[3] / "examples" / "protocols"

COUNTED = """param N >= 1

done: int := 0

action main():
    for i in 1..N:
        async work(i)

action work(i):
    assert done < 5
    done := done + 1

sequential:
    order work
    ensures done == N
"""

CHOSEN = """x: int

action main():
    async work()

action work():
    assert x != 7
    skip

sequential:
    order work
    ensures true
"""


def program(text: str) -> ActionProgram:
    return parse(SourceText("a.actions", text))


def paxos(old: str, new: str) -> ActionProgram:
    """Paxos with a mistake, and the order alone."""
    text = (PROTOCOLS / "paxos.actions").read_text()
    head = text[: text.index("sequential:")]
    assert old in head
    ends = "ensures all p in 1..R, q in 1..R: decided[p] and decided[q] => decision[p] == decision[q]"
    order = f"sequential:\n    order start, join, propose, vote, conclude by index\n    {ends}\n"
    return program(head.replace(old, new) + order)


def check_run(found: Refutation | None, given: ActionProgram) -> Sizes:
    """The run is one of the program, step by step, and breaks it; returns its sizes."""
    assert found is not None
    sizes = found.interpreter.layout.sizes
    interpreter = Interpreter(given, sizes)
    trace = found.broken.trace
    assert trace.initial in set(interpreter.initial_states())
    state, pending = trace.initial, list(START)
    for step in trace.steps:
        pending.remove(step.instance)
        state_after, pending_after = step.after
        outcomes = interpreter.execute(state, step.instance).outcomes
        assert any(
            each.state == state_after and sorted([*pending, *each.created]) == sorted(pending_after)
            for each in outcomes
        )
        state, pending = state_after, list(pending_after)
    if found.broken.instance is not None:
        assert found.broken.instance in pending
        assert interpreter.execute(state, found.broken.instance).fails
    else:
        assert not pending
        assert given.proof is not None
        assert not all(
            interpreter.holds(each.condition, state, trace.initial, (), {}) for each in given.proof.ensures
        )
    return sizes


def test_an_assertion_that_fails_at_six_is_refuted_there() -> None:
    given = program(COUNTED)
    found = refute(given, Deadline(), 8)
    assert check_run(found, given).parameters == {"N": 6}
    assert found is not None
    assert len(found.broken.trace.steps) == 6


def test_values_that_the_program_names_are_tried() -> None:
    given = program(CHOSEN)
    sizes = check_run(refute(given, Deadline(), 8), given)
    assert sizes.low <= 7 <= sizes.high


@pytest.mark.parametrize(
    ("old", "new", "sizes"),
    [
        (
            "havoc m in Majority with all i in 1..N: i in m => voted[r][i]",
            "await some i in 1..N: voted[r][i]",
            {"N": 3, "R": 2},
        ),
        (
            "            await all q in 1..R, i in 1..N: last < q and q < r and proposed[q] and i in m"
            " => not voted[q][i]\n",
            "",
            {"N": 3, "R": 3},
        ),
    ],
    ids=["one voter decides", "a vote that is not the latest"],
)
def test_paxos_with_a_mistake_is_refuted(old: str, new: str, sizes: dict[str, int]) -> None:
    given = paxos(old, new)
    assert check_run(refute(given, Deadline(), 8), given).parameters == sizes


def test_what_is_refuted_breaks_where_all_runs_are_tried() -> None:
    refuted = 0
    for seed in range(40):
        given = program(random_actions(seed))
        found = refute(given, Deadline(), 1)
        if found is not None:
            sizes = check_run(found, given)
            refuted += 1
            try:
                assert Reached(Interpreter(given, sizes), 20_000, Deadline()).broken is not None
            except TooLarge:
                continue
    assert refuted >= 3


FIRST = """x: int := 0

action main():
    x := 1
    assert x == {value}
"""


def test_main_alone_is_decided() -> None:
    failing = Decision(program(FIRST.format(value=2)), Settings(find_order=True), read_proof, Deadline(60))
    outcome = failing.decide()
    assert isinstance(outcome, RunBreaks)
    assert outcome.broken.instance == ("main", ())
    assert outcome.broken.line == 5
    assert outcome.broken.trace.steps == ()
    holding = Decision(program(FIRST.format(value=1)), Settings(find_order=True), read_proof, Deadline(60))
    assert isinstance(holding.decide(), Proved)


@pytest.mark.parametrize("is_small", [False, True])
def test_a_program_that_fails_in_each_order_is_refuted_without_an_order(is_small: bool) -> None:
    """No order works, so none is there to be proved; the run is found all the same."""
    given = program(COUNTED.partition("sequential:")[0].replace("done < 5", "done < 1"))
    sizes = (Sizes({"N": 2}, 0, 1),) if is_small else ()
    outcome = Decision(given, Settings(sizes, find_order=True), read_proof, Deadline(60)).decide()
    assert isinstance(outcome, RunBreaks)
    assert outcome.interpreter.layout.sizes.parameters == {"N": 2}
    assert len(outcome.broken.trace.steps) == 2


def test_random_programs_without_an_order_are_refuted_only_where_a_run_breaks() -> None:
    refuted = 0
    for seed in range(30) if IS_DEEP else (0, 1, 2, 3, 6, 8):
        given = program(random_actions(seed).partition("sequential:")[0])
        outcome = Decision(given, Settings(find_order=True), read_proof, Deadline(60)).decide()
        if isinstance(outcome, Proved | RunBreaks):
            for size in (1, 2):
                sizes = Sizes({each.name: max(each.least, size) for each in given.sizes}, 0, 1)
                try:
                    broken = Reached(Interpreter(given, sizes), 20_000, Deadline()).broken
                except TooLarge:
                    continue
                assert broken is None or isinstance(outcome, RunBreaks)
        if isinstance(outcome, RunBreaks):
            refuted += 1
            sizes = outcome.interpreter.layout.sizes
            assert Reached(Interpreter(given, sizes), 20_000, Deadline()).broken is not None
    assert refuted >= 2


def test_a_deadline_ends_the_search() -> None:
    given = paxos("decided[r] := true", "decided[r] := true")
    assert refute(given, Deadline().of_cpu(0.3), 1_000) is None


def test_the_verdict_is_a_run_that_the_checker_replays() -> None:
    given = program(COUNTED)
    outcome = Decision(given, Settings(), read_proof, Deadline(60)).decide()
    assert isinstance(outcome, RunBreaks)
    assert outcome.interpreter.layout.sizes.parameters == {"N": 6}
