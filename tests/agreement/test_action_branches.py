"""The symbolic branches of actions, at a concrete state, are what the reference interpreter does there."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import ActionProgram, Collection, CollectionKind, Order, Proof
from seriatim.actions.values import Instance, Sizes
from seriatim.arithmetic.terms import ONE, Constant, Sort, Term, both, number
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.branches import Path
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.events import count_at
from seriatim.frontends.actions.parser import parse
from seriatim.source import InputError, SourceText
from testkit.generators.actions import random_actions
from testkit.oracles.action_meanings import meaning
from testkit.oracles.term_values import WINDOW, Names, value
from testkit.samples import IS_DEEP


def constant(found: object) -> Constant:
    assert isinstance(found, int)
    return Constant(found, Sort.BOOL if isinstance(found, bool) else Sort.INT)


def outcomes(path: Path, interpreter: Interpreter, known: Names) -> set[tuple[object, ...]]:
    """Where a path leads, with each choice."""
    found: set[tuple[object, ...]] = set()
    for names in choices(path, known):
        if not value(path.condition(), names):
            continue
        assert value(both(*path.known()), names)
        after: list[object] = []
        for variable in interpreter.program.variables:
            shape = interpreter.layout.shapes[variable.name]
            cells: list[object] = []
            for place in shape.indices() if variable.ranges else [()]:
                index = tuple(map(number, place))
                if isinstance(variable.type, Collection):
                    cells.append(messages(path, variable.name, variable.type, index, names))
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


def messages(
    path: Path, name: str, type_: Collection, index: tuple[Term, ...], names: Names
) -> tuple[tuple[int | bool, ...], ...]:
    """What a set, bag or queue contains after a path."""
    parts = range(len(type_.message))
    if type_.kind is CollectionKind.QUEUE:
        head, tail = (int(value(path.state[f"{name} {end}"](*index), names)) for end in ("head", "tail"))
        return tuple(
            tuple(value(path.state[f"{name} part {part}"](*index, number(at)), names) for part in parts)
            for at in range(head, tail)
        )
    counts = Counter(
        {
            each: int(value(path.state[name](*index, *map(number, each)), names))
            for each in product(WINDOW, repeat=len(parts))
        }
    )
    return tuple(sorted(counts.elements()))


def choices(path: Path, known: Names) -> Iterator[Names]:
    """All values of what a path chooses; of bags that it draws, those with up to two copies of 0 and 1."""
    domains: list[list[Names]] = []
    for choice in path.choices:
        values = WINDOW if choice.name.sort is Sort.INT else (False, True)
        domains.append([{choice.name.name: each} for each in values])
    for draw in path.draws:
        domains.append([])
        for bag in product(range(3), repeat=2):
            taken: Names = {draw.function: lambda m, bag=bag: bag[m] if m in (0, 1) else 0}
            count, *best = (name.name for name in draw.names)
            for extreme in WINDOW if best else (0,):
                domains[-1].append({**taken, count: sum(bag), **dict.fromkeys(best, extreme)})
    for chosen in product(*domains):
        yield {key: each for part in (known, *chosen) for key, each in part.items()}


DRAINS = """
param N >= 1
box[1..N]: bag
other: bag
best[1..N]: int := 0

action main():
    for i in 1..N:
        async fill(i)
        async drain(i)
        async last(i)
    async fill(1)
    async spill()

action fill(i):
    havoc v in 0..1
    send(box[i], v)
    send(other, v)

action drain(i):
    found := -1
    for j in 1..N:
        v := receive(box[i])
        found := max(v, found)
    best[i] := found

action last(i):
    low := 5
    for j in 2..N + 1:
        v := receive(other)
        low := min(low, v)
    best[i] := low

action spill():
    for j in 1..N:
        v := receive(other)

sequential:
    order fill, drain, last, spill
"""


def test_loops_that_drain_bags_do_what_the_interpreter_does() -> None:
    program = parse(SourceText("drains", DRAINS))
    assert program.proof is not None
    conditions = Conditions(program, program.proof)
    state = conditions.signature.state("t")
    drawing = [conditions.moves.original(name, state, (ONE,), "c").paths for name in ("drain", "last")]
    assert all(path.draws for paths in drawing for path in paths)
    assert compare(program, 4_000) > 100


def test_a_loop_can_be_executed_iff_some_draw_is_possible() -> None:
    program = parse(
        SourceText("drains", DRAINS.partition("action spill")[0].replace("    async spill()\n", ""))
    )
    proof = Proof(("fill", "drain", "last"), Order(("fill", "drain", "last")))
    conditions = Conditions(replace(program, proof=proof), proof)
    interpreter = Interpreter(program, Sizes({"N": 2}, 0, 1))
    seen = set()
    for state, pending in sorted(Reached(interpreter, 4_000, Deadline()).configurations, key=repr)[::7]:
        for name, arguments in pending:
            branches = conditions.moves.original(
                name, conditions.signature.state("t"), tuple(map(constant, arguments)), "c"
            )
            can = bool(value(conditions.moves.can_step(branches), meaning(state, interpreter)))
            assert can == bool(interpreter.execute(state, (name, arguments)).outcomes)
            seen.add((name, can))
    assert {("drain", True), ("drain", False), ("last", True), ("last", False)} <= seen


QUEUES = """
param N >= 1
q: queue
links[1..N]: queue(int, int)
seen: set(int, int)
m[1..N][1..N]: int := 0

action main():
    send(q, 1)
    for i in 1..N:
        async fill(i, 3 - i)
        async move(i)
    async last()

action fill(i, k):
    for a in 1..N:
        for b in a..N:
            if b == i:
                m[a][b] := m[a][b] + k
            else:
                m[a][b] := b
        send(links[a], (i, a))
        send(seen, (a, i))
    assert m[i][k] <= 2 or size(q) == 1

action move(i):
    v, w := receive(links[i])
    send(q, v + w)
    havoc m[i][v] in 0..w with m[i][v] != first(q)
    for a in 1..N:
        for b in 1..a:
            async note(a)
        receive(seen, (a, v))

action note(i):
    v := receive(q)
    if first(q) == v:
        send(links[i], (v, v))

action last():
    await size(q) >= 2
    v := receive(q)
    v := receive(q)
    m[1][1] := m[N][1] + v

sequential:
    order fill, move, note, last
"""


def test_queues_tables_and_nested_loops_do_what_the_interpreter_does() -> None:
    assert compare(parse(SourceText("queues", QUEUES)), 1_000, most=1_000) > 100


def compare(program: ActionProgram, limit: int, most: int = 40) -> int:
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
    for state, instance in sorted(pairs, key=repr)[:: len(pairs) // most + 1]:
        known = meaning(state, interpreter)
        arguments = tuple(map(constant, instance[1]))
        branches = moves.original(instance[0], symbolic, arguments, "c")
        execution = interpreter.execute(state, instance)
        fails = not all(value(each.term, known) for each in branches.gate)
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


@pytest.mark.parametrize("start", range(0, 1000 if IS_DEEP else 40, 10))
def test_symbolic_branches_do_what_the_interpreter_does(start: int) -> None:
    assert agree(range(start, start + 10)) > 0
