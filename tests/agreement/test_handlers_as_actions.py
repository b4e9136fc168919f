"""Handlers as actions: what an order proves of two and three requests agrees with what `ser check` says."""

from pathlib import Path

import pytest

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.printer import print_actions
from seriatim.actions.values import Sizes
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.finite import check_at
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.program.syntax import Program
from seriatim.result import Holds, Violated
from seriatim.sequencing.handlers import convert_handlers
from seriatim.source import InputError, SourceText
from seriatim.systems.limits import Limits
from testkit.inputs.action_programs import parse_text

EXAMPLES = Path(__file__).parents[2] / "examples"
PROVED = {"locked_rows", "mailbox", "packet_numbers_atomic", "sold_out", "spin_lock", "stamped_routes"}


def program_of(name: str) -> Program:
    text = (EXAMPLES / f"{name}.ser").read_text("utf-8")
    found = read_input(SourceText(f"{name}.ser", text))
    assert isinstance(found, Program)
    return found


def works(program: Program, requests: int) -> bool:
    actions = convert_handlers(program, Limits(), Deadline(10))
    assert actions.proof is not None
    interpreter = Interpreter(actions, Sizes({"N": requests}))
    return not check_at(interpreter, actions.proof, 20_000, Deadline(10), terminating=True).findings


@pytest.mark.parametrize("name", sorted(PROVED))
def test_what_the_order_proves_is_serializable(name: str) -> None:
    program = program_of(name)
    assert works(program, 2)
    assert works(program, 3)
    assert isinstance(decide(program, Options(timeout=20)).answer, Holds)


@pytest.mark.parametrize(
    "name",
    ["aba", "careless_retry", "early_flag", "firewall", "lazy_singleton", "read_committed", "write_skew"],
)
def test_what_is_not_serializable_is_not_proved(name: str) -> None:
    program = program_of(name)
    assert isinstance(decide(program, Options(timeout=20)).answer, Violated)
    assert not (works(program, 2) and works(program, 3))


@pytest.mark.parametrize("name", ["spin_lock", "locked_rows", "aba"])
def test_a_conversion_has_the_outcomes_of_the_handlers_and_is_a_text(name: str) -> None:
    actions = convert_handlers(program_of(name), Limits(), Deadline(10))
    assert parse_text(print_actions(actions)) == actions
    interpreter = Interpreter(actions, Sizes({"N": 2}))
    try:
        reached = Reached(interpreter, 20_000, Deadline(10))
    except TooLarge:
        pytest.fail("two requests have few configurations")
    answers = [state[-1] for _, state in reached.final]
    assert all(isinstance(each, tuple) and len(each) == 2 for each in answers)
    assert reached.final


def test_counters_without_end_are_refused_with_a_remedy() -> None:
    with pytest.raises(InputError) as caught:
        convert_handlers(program_of("lost_update"), Limits(), Deadline(10))
    assert [each.code for each in caught.value.diagnostics] == ["SER560"]


def test_globals_whose_names_become_alike_stay_two_globals() -> None:
    """`N` is the number of requests, so the global `N` needs another name, which the program has, too."""
    text = "N := 0\nN_ := 0\n\nrequest bump:\n    a := N\n    yield\n    N := 1 - a\n    return a\n"
    text += "\nrequest other:\n    N_ := 0\n    return 0\n"
    program = read_input(SourceText("alike.ser", text))
    assert isinstance(program, Program)
    actions = convert_handlers(program, Limits(), Deadline(10))
    names = [each.name for each in actions.variables]
    assert len(names) == len({*names}) == 3
    assert not works(program, 2)
