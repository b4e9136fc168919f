"""How runs end at given sizes agrees with the graph of all configurations."""

from seriatim.actions.configurations import Configuration, Reached, TooLarge, minus, plus
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.syntax import ActionProgram
from seriatim.actions.values import Sizes
from seriatim.budget import Deadline
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.endings import find_endings
from seriatim.sequencing.outcome import Proved
from testkit.generators.actions import random_actions
from testkit.inputs.action_programs import parse_text, protocol


def graph(interpreter: Interpreter) -> dict[Configuration, set[Configuration]]:
    """All configurations with those after one step."""
    reached = Reached(interpreter, 3_000, Deadline())
    found: dict[Configuration, set[Configuration]] = {}
    for state, pending in reached.configurations:
        after = found.setdefault((state, pending), set())
        for instance in pending:
            for outcome in interpreter.execute(state, instance).outcomes:
                after.add((outcome.state, plus(minus(pending, instance), outcome.created)))
    return found


def can_come_back(edges: dict[Configuration, set[Configuration]]) -> bool:
    """Whether taking away what leads nowhere leaves something."""
    left = dict(edges)
    while True:
        ends = [each for each, after in left.items() if not any(other in left for other in after)]
        if not ends:
            return bool(left)
        for each in ends:
            del left[each]


def test_endings_agree_with_all_configurations() -> None:
    found = [compare(seed) for seed in range(120)]
    assert {"stuck", "endless", "ends"} <= set(found)


def compare(seed: int) -> str | None:
    """Compares one random program; returns how its runs end."""
    program = parse_text(random_actions(seed))
    interpreter = Interpreter(program, Sizes({each.name: 2 for each in program.sizes}, 0, 1))
    try:
        edges = graph(interpreter)
        found = find_endings(interpreter, 3_000, Deadline())
    except TooLarge:
        return None
    waiting = [(state, pending) for (state, pending), after in edges.items() if pending and not after]
    fails = [any(interpreter.execute(state, each).fails for each in pending) for state, pending in waiting]
    assert (found.stuck is not None) == (False in fails)
    assert (found.endless is not None) == can_come_back(edges)
    if found.stuck is not None:
        assert found.stuck.last in follow(interpreter, found.stuck.run)
    if found.endless is not None:
        before = follow(interpreter, found.endless.run)
        assert any(here in follow_from(interpreter, {here}, found.endless.again) for here in before)
        return "endless"
    return "ends" if found.stuck is None else "stuck"


def follow(interpreter: Interpreter, run: tuple[object, ...]) -> set[Configuration]:
    """Where executing these instances may lead."""
    return follow_from(interpreter, {(state, START) for state in interpreter.initial_states()}, run)


def follow_from(
    interpreter: Interpreter, here: set[Configuration], run: tuple[object, ...]
) -> set[Configuration]:
    for instance in run:
        here = {
            (outcome.state, plus(minus(pending, each), outcome.created))
            for state, pending in here
            for each in dict.fromkeys(pending)
            if each == instance
            for outcome in interpreter.execute(state, each).outcomes
        }
    return here


def decided(program: ActionProgram, size: int) -> Proved:
    settings = Settings(sizes=(Sizes({each.name: size for each in program.sizes}, 0, 1),))
    outcome = Decision(program, settings, read_proof, Deadline(60)).decide()
    assert isinstance(outcome, Proved)
    return outcome


def test_at_given_sizes_it_is_told_how_runs_end() -> None:
    endings = decided(protocol("broadcast"), 2).endings
    assert endings is not None
    assert all(each.stuck is None and each.endless is None for each in endings)
