"""Handlers as actions, for any number of requests: the same outcomes as the handlers, and proofs that brute
force agrees with."""

from pathlib import Path
from random import Random

import pytest

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.values import Sizes
from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import Program
from seriatim.sequencing.decide import Settings
from seriatim.sequencing.handlers import ANSWERS, convert_handlers
from seriatim.sequencing.outcome import Proved
from seriatim.sequencing.together import find_together
from seriatim.source import InputError
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.locked_steps import random_locked_steps
from testkit.inputs.action_programs import decide
from testkit.oracles.brute_force import Rules, interleaved, rules_of_unfolding, serial
from testkit.oracles.brute_force import TooLarge as TooManyStates
from testkit.samples import deep, sample, sampled, slow_seeds, slowest_cases

EXAMPLES = Path(__file__).parents[2] / "examples"
PROVED = {"locked_rows", "mailbox", "packet_numbers_atomic", "sold_out", "spin_lock", "stamped_routes"}
"""The examples whose requests can be finished as soon as they have started."""


def example(name: str) -> Program:
    return parse((EXAMPLES / f"{name}.ser").read_text("utf-8"))


def rules(program: Program) -> tuple[ProgramUnfolding, Rules]:
    unfolding = ProgramUnfolding(program, Limits(), Deadline())
    return unfolding, rules_of_unfolding(unfolding)


def compare(program: Program, requests: int) -> bool:
    """Whether outcomes were compared; they are too many otherwise."""
    try:
        actions = convert_handlers(program, Limits(), Deadline())
        reached = Reached(Interpreter(actions, Sizes({"N": requests}, 0, 0)), 20_000, Deadline())
        expected = interleaved(rules(program)[1], requests)
    except (InputError, LimitReached, TooLarge, TooManyStates):
        return False
    place = [each.name for each in actions.variables].index(ANSWERS)
    bags = {final[place] for _, final in reached.final}
    unfolding = ProgramUnfolding(program, Limits(), Deadline())
    find_together(unfolding, Deadline())  # numbers completions as the conversion does
    answers = [(unfolding.requests[request], answer) for request, answer in unfolding.completions]
    found = set()
    for bag in bags:
        assert isinstance(bag, tuple)
        found.add(tuple(sorted(answers[int(message[0])] for message in bag)))
    assert found == {each for each in expected if len(each) == requests}
    return True


@pytest.mark.parametrize("name", sampled(sorted(path.stem for path in EXAMPLES.glob("*.ser")), 4))
def test_two_requests_of_an_example_have_the_same_outcomes_as_actions(name: str) -> None:
    compare(example(name), 2)


@deep
def test_most_examples_can_be_compared() -> None:
    assert sum(compare(example(path.stem), 2) for path in EXAMPLES.glob("*.ser")) > 20


@pytest.mark.parametrize("seed", sample(200))
def test_random_handlers_have_the_same_outcomes_as_actions(seed: int) -> None:
    compare(random_locked_steps(Random(seed)), 2 + seed % 2)


@slowest_cases("packet_numbers_atomic")
@pytest.mark.parametrize(
    "name", [n if n == "mailbox" else pytest.param(n, marks=deep) for n in sorted(PROVED)]
)
def test_examples_are_proved_for_any_number_of_requests(name: str) -> None:
    program = convert_handlers(example(name), Limits(), Deadline())
    assert isinstance(decide(program, Settings(terminating=True)), Proved)


@deep
@pytest.mark.parametrize("name", sorted({path.stem for path in EXAMPLES.glob("*.ser")} - PROVED))
def test_other_examples_are_not_proved(name: str) -> None:
    try:
        program = convert_handlers(example(name), Limits(), Deadline())
    except (InputError, LimitReached):
        return
    assert not isinstance(decide(program, Settings(terminating=True)), Proved)


@deep
@slow_seeds
@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_for_all_is_serializable(seed: int) -> None:
    """Of random handlers with and without locks; three requests are looked at, all orders of them."""
    program = random_locked_steps(Random(seed))
    try:
        actions = convert_handlers(program, Limits(), Deadline())
        rule = rules(program)[1]
        serializable = interleaved(rule, 3) <= serial(rule, 3)
        proved = isinstance(decide(actions, Settings(terminating=True)), Proved)
    except (InputError, LimitReached, TooManyStates):
        return
    assert serializable or not proved
