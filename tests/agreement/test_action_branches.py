"""The symbolic branches of actions, at a concrete state, are what the reference interpreter does there."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from random_actions import random_actions
from samples import IS_DEEP
from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import ActionProgram, Collection, CollectionKind, Global
from seriatim.actions.values import GlobalState, Instance, Shape, Sizes
from seriatim.arithmetic.terms import Constant, Sort, number
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.branches import Path
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.events import count_at
from seriatim.frontends.actions.parser import parse
from seriatim.source import InputError, SourceText
from term_values import WINDOW, Function, Names, value


def constant(found: object) -> Constant:
    assert isinstance(found, int)
    return Constant(found, Sort.BOOL if isinstance(found, bool) else Sort.INT)


def meaning(state: GlobalState, interpreter: Interpreter) -> dict[str, int | bool | Function]:
    """What the functions of a symbolic state are at a concrete one; outside of arrays everything is 0."""
    found: dict[str, int | bool | Function] = dict(interpreter.layout.sizes.parameters)
    for variable, content in zip(interpreter.program.variables, state, strict=True):
        shape = interpreter.layout.shapes[variable.name]

        def cell(
            *places: int, variable: Global = variable, content: Any = content, shape: Shape = shape
        ) -> int:
            arity = len(variable.ranges)
            position = shape.position(places[:arity])
            if position is None:
                return 0
            element = content[position] if arity else content
            return int(element.count(places[arity:]) if isinstance(variable.type, Collection) else element)

        is_plain = not variable.ranges and not isinstance(variable.type, Collection)
        for name in (variable.name, f"{variable.name}@t"):
            found[name] = _number(content) if is_plain else cell
    return found


def _number(content: object) -> int:
    assert isinstance(content, int)
    return content


def outcomes(path: Path, interpreter: Interpreter, known: Names) -> set[tuple[object, ...]]:
    """Where a path leads, with each choice."""
    found: set[tuple[object, ...]] = set()
    domains = [WINDOW if each.name.sort is Sort.INT else (False, True) for each in path.choices]
    for chosen in product(*domains):
        names = {**known, **dict(zip((c.name.name for c in path.choices), chosen, strict=True))}
        if not value(path.condition(), names):
            continue
        after: list[object] = []
        for variable in interpreter.program.variables:
            shape = interpreter.layout.shapes[variable.name]
            cells: list[object] = []
            for place in shape.indices() if variable.ranges else [()]:
                index = tuple(map(number, place))
                if isinstance(variable.type, Collection):
                    assert variable.type.kind is CollectionKind.BAG
                    counts = Counter(
                        {
                            (m,): int(value(path.state[variable.name](*index, number(m)), names))
                            for m in WINDOW
                        }
                    )
                    cells.append(tuple(sorted(counts.elements())))
                else:
                    cells.append(value(path.state[variable.name](*index), names))
            after.append(tuple(cells) if variable.ranges else cells[0])
        created: Counter[Instance] = Counter()
        for event in path.created:
            for arguments in product(WINDOW, repeat=len(event.arguments)):
                created[event.subject, arguments] += int(
                    value(count_at(event, tuple(map(number, arguments))), names)
                )
        found.add((tuple(after), tuple(sorted(created.elements()))))
    return found


def compare(program: ActionProgram, limit: int) -> int:
    sizes = {"N": 2}
    interpreter = Interpreter(program, Sizes(sizes, 0, 1))
    assert program.proof is not None
    conditions = Conditions(program, program.proof)
    moves, symbolic = conditions.moves, conditions.signature.state("t")
    try:
        reached = Reached(interpreter, limit, Deadline())
    except TooLarge:
        return 0
    pairs = {(state, instance) for state, pending in reached.configurations for instance in pending}
    for state, instance in sorted(pairs, key=repr)[:40]:
        known = meaning(state, interpreter)
        arguments = tuple(map(constant, instance[1]))
        branches = moves.original(instance[0], symbolic, arguments, "c")
        execution = interpreter.execute(state, instance)
        fails = not all(value(condition, known) for condition, _ in branches.gate)
        assert fails == execution.fails, (state, instance)
        found = {each for path in branches.paths for each in outcomes(path, interpreter, known)}
        expected = {(each.state, each.created) for each in execution.outcomes}
        if not fails:
            assert found == expected, (state, instance)
    return len(pairs)


def agree(seeds: range) -> int:
    compared = 0
    for seed in seeds:
        program = parse(SourceText("random", random_actions(seed)))
        try:
            compared += compare(program, 200)
        except InputError as refusal:
            if {each.code for each in refusal.diagnostics} != {
                "SER559"
            }:  # a loop without a form for all sizes
                raise
    return compared


@pytest.mark.parametrize("start", range(0, 2000 if IS_DEEP else 40, 10))
def test_symbolic_branches_do_what_the_interpreter_does(start: int) -> None:
    assert agree(range(start, start + 10)) > 0
