"""From a run back to the text: which parts of which lines were executed, and what they changed."""

from random import Random

import pytest

from seriatim.explain.telling import tell_run
from seriatim.explain.timeline import Timeline
from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.source import SourceText
from seriatim.systems.limits import Limits
from seriatim.systems.random_run import random_run
from seriatim.systems.run import Run
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.programs import ProgramMaker


def serial_run(text: str, *handlers: int) -> Timeline:
    """One request after the other; the handlers have no choice."""
    unfolding = ProgramUnfolding(parse(text), Limits())
    run = random_run(unfolding, handlers or (0,), seed=1, serial=True)
    assert isinstance(run, Run)
    return tell_run(run, unfolding, SourceText("test.ser", text))


def told(shown: Timeline) -> list[list[tuple[int | None, str]]]:
    return [[(moment.line, " … ".join(moment.pieces)) for moment in turn.moments] for turn in shown.turns]


def test_turn_is_told_by_the_lines_it_executes() -> None:
    text = "request main:\n    x := X\n    yield\n    X := x + 1\n    return X\n"
    assert told(serial_run(text)) == [
        [(2, "x := X"), (3, "yield")],
        [(4, "X := x + 1"), (5, "return X")],
    ]


def test_line_that_several_turns_share_is_told_in_parts() -> None:
    assert told(serial_run("request main { x := X; yield; X := 1 - x; x }")) == [
        [(1, "x := X; yield")],
        [(1, "X := 1 - x; x")],
    ]


def test_branch_that_is_not_taken_is_left_out() -> None:
    text = "request main { if (X == 1) { X := 2 } else { X := 3 }; 0 }"
    assert told(serial_run(text)) == [[(1, "if (X == 1) … X := 3 }; 0")]]


def test_condition_is_told_with_its_brackets_and_without_its_block() -> None:
    text = "request main {\n  while ((X + 1) == 1) {\n    X := 1\n  };\n  X\n}"
    assert told(serial_run(text)) == [
        [(2, "while ((X + 1) == 1)"), (3, "X := 1"), (2, "while ((X + 1) == 1)"), (5, "X")]
    ]


def test_operand_that_is_not_evaluated_is_left_out() -> None:
    assert told(serial_run("request main { X == 1 && Y == 1 }")) == [[(1, "X == 1")]]


def test_comment_is_not_part_of_what_is_executed() -> None:
    assert told(serial_run("request main {\n  X := 1 // one\n}")) == [[(2, "X := 1")]]


def test_line_breaks_of_windows_are_no_code() -> None:
    assert told(serial_run("request main:\r\n    X := 1\r\n    return X\r\n")) == [
        [(2, "X := 1"), (3, "return X")]
    ]


def test_changes_are_old_and_new_values() -> None:
    text = "request main { x := 5; y := x; x := 7; X := x; x }"
    ((moment,),) = [turn.moments for turn in serial_run(text).turns]
    assert [(change.name, change.old, change.new) for change in moment.changes] == [
        ("x", 0, 7),
        ("y", 0, 5),
        ("X", 0, 7),
    ]


def test_locals_that_nobody_reads_again_keep_their_value_in_the_story() -> None:
    text = "request main:\n    x := 5\n    yield\n    x := 6\n    return x\n"
    changes = [
        (change.old, change.new)
        for turn in serial_run(text).turns
        for moment in turn.moments
        for change in moment.changes
    ]
    assert changes == [(0, 5), (5, 6)]


def test_outcome_is_a_sorted_multiset() -> None:
    text = "request b { 1 }\nrequest a { X := X + 1; X }"
    assert serial_run(text, 0, 1, 0).outcome() == (("a", "1", 1), ("b", "1", 2))


def test_states_before_and_after_each_turn() -> None:
    shown = serial_run("Y := 2\nrequest main { X := 1; yield; Y := 3; 0 }")
    assert shown.initial == (("X", 0), ("Y", 2))
    assert [(turn.before, turn.after) for turn in shown.turns] == [
        ((("X", 0), ("Y", 2)), (("X", 1), ("Y", 2))),
        ((("X", 1), ("Y", 2)), (("X", 1), ("Y", 3))),
    ]


@pytest.mark.parametrize("seed", range(60))
def test_what_is_told_is_in_the_text_and_accounts_for_the_global_state(seed: int) -> None:
    text = print_program(ProgramMaker(Random(seed)).program(), list(Style)[seed % 2])
    unfolding = ProgramUnfolding(parse(text), Limits())
    result = random_run(unfolding, (0, 1, 0), seed, max_steps=40)
    run = result if isinstance(result, Run) else result.run
    lines = text.split("\n")
    for turn in tell_run(run, unfolding, SourceText("test.ser", text)).turns:
        assert not isinstance(turn.before, str)
        assert not isinstance(turn.after, str)
        state = dict(turn.before)
        for moment in turn.moments:
            assert moment.line is not None
            assert all(piece and piece in lines[moment.line - 1] for piece in moment.pieces)
            state.update({change.name: change.new for change in moment.changes if change.is_shared})
        assert state == dict(turn.after)
