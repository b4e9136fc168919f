"""Exploring agrees with brute force about what explains a run so far, and tells each move."""

from collections import Counter
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.explain.explored import Explicability, Exploration
from seriatim.explain.exploring import explore
from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import Program
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from testkit.generators.programs import ProgramMaker
from testkit.oracles.brute_force import Interpreted, Outcome, interleaved, serial
from testkit.samples import deep, sample

LOST_UPDATE = """X := 0
request inc {
  x := X;
  yield;
  X := x + 1;
  x
}
request get { X }
"""


def explored(text: str, *choices: int, observed: tuple[str, ...] = ()) -> Exploration:
    source = SourceText("a.ser", text)
    origin = unfold(parse(text), Limits(), Deadline())
    return explore(origin, source, choices, Deadline(), observed)


def test_at_the_start_each_handler_can_begin_and_the_empty_order_explains() -> None:
    found = explored(LOST_UPDATE)
    assert [(choice.handler, choice.request) for choice in found.choices] == [("inc", 1), ("get", 1)]
    assert (found.explicability, found.is_complete) == (Explicability.EXPLAINED, True)
    assert [(each.state, each.order) for each in found.explaining] == [((("X", 0),), ())]


def test_the_move_is_told_at_which_a_lost_update_becomes_inexplicable() -> None:
    found = explored(LOST_UPDATE, 0, 1, 0, 0)  # both read, both write
    assert [turn.response for turn in found.run.timeline.turns] == [None, None, "0", "0"]
    assert (found.explicability, found.unexplained_since) == (Explicability.UNEXPLAINED, 4)
    bounded = LOST_UPDATE.replace("X := 0", "X in 0..3 saturate := 0")
    assert explored(bounded, 0, 1, 0, 0).explicability is Explicability.NEVER
    before = explored(LOST_UPDATE, 0, 1, 0)
    assert before.explicability is Explicability.EXPLAINED
    assert [(each.state, each.order) for each in before.explaining] == [
        ((("X", 1),), (("inc", "0"),)),
        ((("X", 2),), (("inc", "0"), ("inc", "1"))),
    ]


def test_a_choice_says_which_lines_it_executes_and_what_it_changes() -> None:
    choice = explored(LOST_UPDATE, 0).choices[0]
    assert [(moment.line, moment.pieces) for moment in choice.moments] == [(5, ("X := x + 1",)), (6, ("x",))]
    assert (choice.response, choice.after) == ("0", (("X", 1),))


def test_an_impossible_choice_ends_the_run_before_it() -> None:
    found = explored(LOST_UPDATE, 0, 7, 0)
    assert (found.refused, len(found.run.timeline.turns)) == (1, 1)


def test_requests_that_have_not_begun_may_be_what_is_missing() -> None:
    text = (
        "X := 0\nrequest blink { X := 1; yield; X := 0; 0 }\nrequest set { X := 1; 0 }\nrequest get { X }\n"
    )
    found = explored(text, 0, 3)  # blink pauses, get answers 1
    assert found.run.timeline.turns[-1].response == "1"
    assert found.explicability is Explicability.BY_OTHERS
    assert found.unexplained_since == 2
    without = text.replace("request set { X := 1; 0 }\n", "")
    assert explored(without, 0, 2).explicability is Explicability.NEVER


def test_what_is_observed_counts_where_nobody_is_in_flight() -> None:
    text = "X := 0\nrequest inc { x := X; yield; X := x + 1; 0 }\n"
    assert explored(text, 0, 1, 0, 0).explicability is Explicability.EXPLAINED
    found = explored(text, 0, 1, 0, 0, observed=("X",))
    assert (found.explicability, found.unexplained_since) == (Explicability.BY_OTHERS, 4)


def test_who_waits_for_a_lock_has_no_move() -> None:
    text = "B := 0\nrequest a { while (B == 1) { yield }; B := 1; yield; B := 0; 0 }\n"
    found = explored(text, 0)
    assert [choice.request for choice in found.choices] == [1]
    assert [(each.request, each.handler) for each in found.waiting] == [(None, "a")]


def test_a_step_that_fails_is_no_choice_and_is_told() -> None:
    found = explored("X in 0..1 := 0\nrequest a { X := X + 1; yield; X := X + 1; 0 }\n", 0)
    assert [(each.request, each.fault and each.fault.code) for each in found.waiting] == [
        (1, "SER801"),
        (None, "SER801"),
    ]


def random_prefix(origin: Origin, random: Random, requests: int, moves: int) -> tuple[int, ...]:
    """Choices of a random run of at most so many requests."""
    choices: list[int] = []
    for _ in range(moves):
        found = explore(origin, SourceText("", ""), choices, Deadline())
        begun = found.run.requests
        allowed = [n for n, turn in enumerate(found.choices) if turn.request <= min(begun + 1, requests)]
        if not allowed:
            break
        choices.append(random.choice(allowed))
    return tuple(choices)


def explanations(done: Outcome, flying: list[str], serial_outcomes: frozenset[Outcome]) -> list[Outcome]:
    """The serial outcomes that are what is done, and answers of some of those in flight."""
    found = []
    for outcome in serial_outcomes:
        rest = Counter(outcome)
        rest.subtract(done)
        names = Counter(handler for (handler, _), count in rest.items() for _ in range(count))
        if min(rest.values(), default=0) >= 0 and not names - Counter(flying):
            found.append(outcome)
    return found


def racing_program(random: Random) -> Program:
    """Handlers that read, pause, and write what they have read: many of their runs have no explanation."""
    lines = ["X in 0..2 wrap := 0", "Y in 0..2 wrap := 0"]
    for name in ("a", "b")[: random.randint(1, 2)]:
        parts = []
        for _ in range(random.randint(1, 2)):
            read, written = random.choice("XY"), random.choice("XY")
            parts.append(f"v := {read}; yield; {written} := v + {random.randint(0, 2)};")
        lines.append(f"request {name} {{ {' '.join(parts)} {random.choice(('v', 'X', 'v + Y'))} }}")
    return parse("\n".join(lines))


def random_program(random: Random) -> Program:
    if random.random() < 0.6:
        return racing_program(random)
    return ProgramMaker(random).program(random.randint(1, 2), 3)


@deep
def test_the_random_runs_are_of_every_kind() -> None:
    met = set()
    for seed in range(60):
        random = Random(seed)
        origin = unfold(random_program(random), Limits(), Deadline())
        found = explore(origin, SourceText("", ""), random_prefix(origin, random, 3, 6), Deadline())
        met.add((found.explicability.is_unexplained, found.is_complete))
    assert met == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize("seed", sample(300, 25))
def test_exploring_agrees_with_brute_force(seed: int) -> None:
    random = Random(seed)
    program = random_program(random)
    rules = Interpreted(program).rules
    one_at_a_time, together = serial(rules, 3), interleaved(rules, 3)
    origin = unfold(program, Limits(), Deadline())
    choices = random_prefix(origin, random, 3, 6)
    found = explore(origin, SourceText("", ""), choices, Deadline())
    turns = found.run.timeline.turns
    last = {turn.request: turn for turn in turns}
    done = tuple(sorted((t.handler, t.response) for t in last.values() if t.response is not None))
    flying = [turn.handler for turn in last.values() if turn.response is None]
    known = explanations(done, flying, one_at_a_time)
    if found.explicability is Explicability.EXPLAINED:
        assert known
        assert {tuple(sorted(each.order)) for each in found.explaining} <= set(known)
    else:
        assert found.explicability.is_unexplained
        assert not known
    if found.is_complete:
        assert (found.explicability is Explicability.EXPLAINED) == (done in one_at_a_time)
        assert done in together
    if found.explicability is Explicability.NEVER:
        assert not list(serializable_ends(origin, choices, one_at_a_time, 3))


def serializable_ends(
    origin: Origin, choices: tuple[int, ...], allowed: frozenset[Outcome], requests: int, depth: int = 5
) -> list[Outcome]:
    """Outcomes of complete runs that begin like this, of a few more moves, that are serial."""
    found = explore(origin, SourceText("", ""), choices, Deadline())
    ends = []
    if found.is_complete:
        done = [(t.handler, t.response) for t in found.run.timeline.turns if t.response is not None]
        ends = [tuple(sorted(done))] if tuple(sorted(done)) in allowed else []
    if depth:
        for number, turn in enumerate(found.choices):
            if turn.request <= requests:
                ends += serializable_ends(origin, (*choices, number), allowed, requests, depth - 1)
    return ends
