"""A program of the core that does what turns with recorded integers have shown.

Each place of an integer is a global of the program, and so is each object of the shared state that is not
always the same: its value says which of its contents it has. A request does what it was seen to do: it waits
while it could not go on, tests what it has tested, and assigns the terms that were recorded. Where shared
states were never seen together with a state of the request, it may do anything: they do not occur together.

Claim: each run of the recorded turns, with any integers, is a run of the program with the same answers, and
runs of requests one at a time are the same in both. Why it holds: `_Coder.code` is the disjunction of the
moves of a state, taken apart by their tests; states that return are loops. The moves that are merged assign
the same terms, and their differences in fixed parts are those of the states in which they start.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from seriatim.frontends.python.recorded_system import RecordedMove, RecordedRequest, RecordedSystem
from seriatim.frontends.python.recording import INTEGER, Question, Symbol, Term
from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Connective,
    Expression,
    Handler,
    If,
    InitialValue,
    Logical,
    Number,
    Operator,
    Program,
    Read,
    Return,
    UnboundedHandler,
    While,
    Yield,
    sequence,
    walk,
)

MOST_NODES = 20_000
"""Parts of the code of a request."""

NUMBER = re.compile(r"-?\d+")


class TooLong(Exception):
    """No program can say it; tells why."""


# What a turn does, without the shared state in which it begins

Change = frozenset[int | None]
"""What may become of a fixed part of the shared state: a value, or None if it may stay as it is."""


@dataclass(frozen=True)
class Leaf:
    """The end of a turn."""

    target: int
    own: tuple[Term, ...]
    shared: tuple[tuple[str, Term], ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Fork:
    """A test of integers; or, without one, a choice of the world."""

    test: Question | None
    branches: "tuple[Effect, ...]"


Effect = Leaf | Fork
Item = TypeVar("Item")


def merged(one: Effect, other: Effect) -> Effect | None:
    """What does the same as both, where they begin; None if there is no such thing."""
    match one, other:
        case Leaf(), Leaf():
            if (one.target, one.own, one.shared) != (other.target, other.own, other.shared):
                return None
            changes = tuple(a & b for a, b in zip(one.changes, other.changes, strict=True))
            return Leaf(one.target, one.own, one.shared, changes) if all(changes) else None
        case Fork(), Fork():
            if one.test != other.test or len(one.branches) != len(other.branches):
                return None
            pairs = zip(one.branches, other.branches, strict=True)
            parts = [found for found in (merged(a, b) for a, b in pairs) if found is not None]
            return Fork(one.test, tuple(parts)) if len(parts) == len(one.branches) else None
    return None


class Model:
    """The fixed parts of the shared state as variables, and the moves as effects."""

    def __init__(self, system: RecordedSystem, prefix: str) -> None:
        self.system = system
        self.names, self.values = fixed_parts(system, prefix)
        """The variables, and their values in each state."""
        moves: dict[tuple[int, int], list[RecordedMove]] = {}
        for move in system.moves:
            moves.setdefault((move.local, move.state), []).append(move)
        self.effects: dict[int, dict[int, Effect]] = {}
        """What a request does in each shared state in which it can go on."""
        for (local, state), found in moves.items():
            self.effects.setdefault(local, {})[state] = self._options(found)
        self.waits = waiting_pairs(system)

    def _options(self, moves: Sequence[RecordedMove]) -> Effect:
        options = group(moves, lambda move: move.option)
        found = [self._effect(each, 0) for each in options.values()]
        return found[0] if len(found) == 1 else Fork(None, tuple(found))

    def _effect(self, moves: Sequence[RecordedMove], depth: int) -> Effect:
        first = moves[0]
        if len(first.choices) == depth:
            before, after = self.values[first.state], self.values[first.after]
            pairs = zip(before, after, strict=True)
            changes = tuple(frozenset((new, None)) if new == old else frozenset((new,)) for old, new in pairs)
            return Leaf(first.target, first.own, first.shared, changes)
        branches = group(moves, lambda move: move.choices[depth])
        parts = tuple(self._effect(branches[taken], depth + 1) for taken in sorted(branches))
        return Fork(first.tests[depth], parts)


def group(items: Sequence[Item], key: Callable[[Item], int]) -> dict[int, list[Item]]:
    found: dict[int, list[Item]] = {}
    for each in items:
        found.setdefault(key(each), []).append(each)
    return found


def waiting_pairs(system: RecordedSystem) -> dict[int, set[int]]:
    """For each state of a request, the shared states in which it has to wait."""
    found: dict[int, set[int]] = {}
    for local, state in system.waiting:
        found.setdefault(local, set()).add(state)
    return found


def fixed_parts(system: RecordedSystem, prefix: str) -> tuple[list[str], list[tuple[int, ...]]]:
    """The parts of the shared state that change, by name, and for each state their values; 0 at the start."""
    states = [dict(each) for each in system.states]
    columns: dict[tuple[int, ...], str] = {}
    for name in sorted({name for each in states for name in each}):
        seen: dict[str | None, int] = {states[system.first].get(name): 0}
        column = tuple(seen.setdefault(each.get(name), len(seen)) for each in states)
        if len(seen) > 1:
            columns.setdefault(column, name)
    rows: list[tuple[int, ...]] = [tuple(each[number] for each in columns) for number in range(len(states))]
    return unique_names(f"{prefix}fixed", columns.values()), rows


def unique_names(prefix: str, names: Iterable[str]) -> list[str]:
    """Names of globals, which have a dot."""
    found: dict[str, None] = {}
    for name in names:
        plain = f"{prefix}.{re.sub(r'[^A-Za-z0-9_.]+', '_', name).strip('_')}"
        number, unique = 2, plain
        while unique in found:
            unique, number = f"{plain}_{number}", number + 1
        found[unique] = None
    return list(found)


@dataclass(frozen=True)
class RecordedModel:
    """The program of some services, and the globals that count in its final states."""

    program: Program
    observed: tuple[str, ...]


def recorded_model(systems: Sequence[RecordedSystem], observes: Sequence[bool]) -> RecordedModel:
    """The program of services that share nothing."""
    coders = [
        Coder(system, "" if len(systems) == 1 else f"{number}.") for number, system in enumerate(systems, 1)
    ]
    programs = [each.program() for each in coders]
    is_open = any(each.unbounded_handlers for each in programs)
    unbounded = [
        each
        for program in programs
        for each in program.unbounded_handlers
        or [UnboundedHandler(h.name, (), h.body) for h in program.handlers]
    ]
    names: dict[str, Mapping[int, str]] = {}
    for each in programs:
        names |= each.answer_names
    whole = Program(
        tuple(value for each in programs for value in each.initial_values),
        tuple(handler for each in programs for handler in each.handlers),
        answer_names=names,
        unbounded_handlers=tuple(unbounded) if is_open else (),
    )
    observed = [
        name
        for coder, counts in zip(coders, observes, strict=True)
        if counts
        for name in (*coder.globals.values(), *coder.model.names)
    ]
    return RecordedModel(whole, tuple(observed))


# Code

WAIT = Yield()
ANSWER = "#answer"
"""A local for an answer that depends on what the last step changes."""


@dataclass
class Header:
    """A state of a request whose code is being written, and to which it may return."""

    local: int
    names: tuple[str, ...]
    flag: str
    is_loop: bool = False
    is_left: bool = False
    """Whether the loop is left for one around it."""


class Coder:
    """Writes the code of requests."""

    def __init__(self, system: RecordedSystem, prefix: str = "") -> None:
        self.system, self.model = system, Model(system, prefix)
        places = sorted(
            {name for name, _ in system.initial}
            | {name for move in system.moves for name, _ in move.shared}
            | {name for move in system.moves for term in terms_of(move) for name in places_in(term)}
        )
        self.globals = dict(zip(places, unique_names(f"{prefix}state", places), strict=True))
        self.answers = AnswerCodes(system)
        self.nodes = 0

    def program(self) -> Program:
        requests = self.system.requests
        bodies = [self.body(number) for number in range(len(requests))]
        initial = dict(self.system.initial)
        values = [
            *(InitialValue(self.globals[name], initial.get(name, 0)) for name in self.globals),
            *(InitialValue(name, 0) for name in self.model.names),
        ]
        examples = [
            Handler(example_name(request, values), with_arguments(parameters(request), values, body))
            for request, body in zip(requests, bodies, strict=True)
            for values in request.examples
        ]
        is_open = any(each.parameters for each in requests)
        unbounded = [
            UnboundedHandler(request.label, parameters(request), body)
            for request, body in zip(requests, bodies, strict=True)
            if is_open
        ]
        return Program(
            tuple(values),
            tuple(examples),
            answer_names=self.answers.names(),
            unbounded_handlers=tuple(unbounded),
        )

    def body(self, request: int) -> Expression:
        self.nodes = 0
        return self.code(request, parameters(self.system.requests[request]), [])

    def code(self, local: int, names: tuple[str, ...], stack: list[Header]) -> Expression:
        """What a request does from a state on, where its integers are in these locals."""
        header = Header(local, names, f"#in{len(stack)}")
        known = self.model.effects.get(local, {})
        waits = self.model.waits.get(local, set())
        inner = [*stack, header]
        rest = self.dispatch(known, inner) if known else Number(0)
        if waits:
            condition = self.condition(waits, set(known))
            if condition is None:
                return While(Number(1), WAIT)
            rest = sequence(While(condition, WAIT), rest)
        if not header.is_loop:
            return rest
        if not header.is_left:
            return While(Number(1), rest)
        return sequence(Assign(header.flag, Number(1)), While(Read(header.flag), rest))

    # Which shared state it is

    def condition(self, yes: set[int], no: set[int]) -> Expression | None:
        """Whether the shared state is one of the first, and none of the others; None if it always is."""
        if not no:
            return None
        label = dict.fromkeys(yes, True) | dict.fromkeys(no, False)
        tree = self.decide(label)
        assert isinstance(tree, Binary | Logical)
        return tree

    def decide(self, label: Mapping[int, bool]) -> Expression:
        if len(set(label.values())) == 1:
            return Number(int(next(iter(label.values()))))
        variable, groups = self.split(list(label), lambda states: len({label[each] for each in states}))
        parts = {value: self.decide({each: label[each] for each in states}) for value, states in groups}
        found: Expression = Number(0)
        for value, part in parts.items():
            here: Expression = Binary(Operator.EQUAL, Read(variable), Number(value))
            found = either(found, both(here, part))
        return found

    def split(
        self, states: list[int], count: Callable[[list[int]], int]
    ) -> tuple[str, list[tuple[int, list[int]]]]:
        """The variable that tells most about what to do, and the states for each of its values."""
        best: tuple[tuple[int, int, str], list[tuple[int, list[int]]]] | None = None
        for column, name in enumerate(self.model.names):
            groups = group(states, lambda state: self.model.values[state][column])  # noqa: B023 - used at once
            if len(groups) > 1:
                cost = sum(map(count, groups.values()))
                told = ((cost, len(groups), name), sorted(groups.items()))
                best = told if best is None or told < best else best
        assert best is not None, "shared states differ in some part"
        return best[0][2], best[1]

    def dispatch(self, effects: Mapping[int, Effect], stack: list[Header]) -> Expression:
        """What to do, by the shared state."""
        kinds = clusters(list(effects.values()))
        if len(kinds) == 1:
            return self.effect(kinds[0], stack)
        variable, groups = self.split(
            list(effects), lambda states: len(clusters([effects[each] for each in states]))
        )
        codes: list[tuple[Expression, Expression]] = []
        for value, states in groups:
            here: Expression = Binary(Operator.EQUAL, Read(variable), Number(value))
            code = self.dispatch({each: effects[each] for each in states}, stack)
            same = next((n for n, (_, known) in enumerate(codes) if known == code), None)
            if same is None:
                codes.append((here, code))
            else:
                codes[same] = (either(codes[same][0], here), code)
        return choose(codes)

    # What it does

    def effect(self, effect: Effect, stack: list[Header]) -> Expression:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise TooLong("the code of a request is too long")
        match effect:
            case Fork(test=None, branches=branches):
                found = self.effect(branches[-1], stack)
                for each in reversed(branches[:-1]):
                    found = If(Choice(), self.effect(each, stack), found)
                return found
            case Fork(test=test, branches=branches):
                codes = [self.effect(each, stack) for each in branches]
                if test is None or len(codes) == 1 or codes[0] == codes[1]:
                    return codes[0]
                return If(self.test(test, stack), codes[0], codes[1])
            case Leaf():
                return self.leaf(effect, stack)

    def leaf(self, leaf: Leaf, stack: list[Header]) -> Expression:
        names = stack[-1].names
        assigned = [(self.globals[name], self.term(term, names)) for name, term in leaf.shared]
        for name, change in zip(self.model.names, leaf.changes, strict=True):
            if None not in change:
                (value,) = (each for each in change if each is not None)
                assigned.append((name, Number(value)))
        target = self.system.locals[leaf.target]
        if target.answer is not None:
            answer = self.answers.code(leaf.target, [self.term(each, names) for each in leaf.own])
            if mentioned(answer) & {name for name, _ in assigned}:
                assigned.append((ANSWER, answer))
                answer = Read(ANSWER)
            return sequence(*at_once(assigned), Return(answer))
        back = next((n for n, each in enumerate(stack) if each.local == leaf.target), None)
        following = local_names(leaf.own, names) if back is None else stack[back].names
        assigned += [(name, self.term(term, names)) for name, term in zip(following, leaf.own, strict=True)]
        if back is None:
            return sequence(*at_once(assigned), Yield(), self.code(leaf.target, following, stack))
        stack[back].is_loop = True
        left = stack[back + 1 :]
        for each in left:
            each.is_left = True
        return sequence(*at_once(assigned), Yield(), *(Assign(each.flag, Number(0)) for each in left))

    # Terms

    def term(self, term: Term, names: tuple[str, ...]) -> Expression:
        found: Expression | None = None if term.number == 0 and term.parts else Number(term.number)
        for symbol, count in sorted(term.parts, key=lambda part: part[1] < 0):
            value = self.symbol(symbol, names)
            size: Expression = (
                value if abs(count) == 1 else Binary(Operator.MULTIPLY, Number(abs(count)), value)
            )
            if found is None:
                found = size if count > 0 else Binary(Operator.SUBTRACT, Number(0), size)
            else:
                found = Binary(Operator.ADD if count > 0 else Operator.SUBTRACT, found, size)
        assert found is not None
        return found

    def symbol(self, symbol: Symbol, names: tuple[str, ...]) -> Expression:
        match symbol:
            case ("own", number):
                return Read(names[number])
            case ("shared", place):
                return Read(self.globals[place])
            case ("mod", term, number):
                return Binary(Operator.MODULO, self.term(term, names), Number(number))
        raise AssertionError(symbol)

    def test(self, test: Question, stack: list[Header]) -> Expression:
        operator = Operator.LESS_EQUAL if test.is_order else Operator.EQUAL
        return Binary(operator, self.term(test.term, stack[-1].names), Number(0))


def parameters(request: RecordedRequest) -> tuple[str, ...]:
    """The locals that hold the arguments."""
    return tuple(f"my_{each}" if not each[0].islower() else each for each in request.parameters)


def example_name(request: RecordedRequest, values: tuple[int, ...]) -> str:
    """The name of a request with numbers as arguments."""
    name, arguments = request.label.partition("(")[::2]
    given = dict(zip(request.parameters, values, strict=True))
    parts = [str(given.get(each, each)) for each in arguments.removesuffix(")").split(", ")]
    return f"{name}({', '.join(parts)})"


def with_arguments(names: tuple[str, ...], values: tuple[int, ...], body: Expression) -> Expression:
    return sequence(*(Assign(name, Number(value)) for name, value in zip(names, values, strict=True)), body)


def local_names(own: tuple[Term, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """The locals for integers that a request keeps: those that they are in already, where possible."""
    found: list[str | None] = []
    for term in own:
        match term.number, term.parts:
            case 0, ((("own", number), 1),) if names[number] not in found:
                found.append(names[number])
            case _:
                found.append(None)
    every = (f"v{number}" for number in range(2 * len(own) + len(names)))
    free = (name for name in every if name not in (*found, *names))
    return tuple(next(free) if each is None else each for each in found)


def clusters(effects: Sequence[Effect]) -> list[Effect]:
    """Effects, merged where they do the same."""
    found: list[Effect] = []
    for effect in effects:
        for number, known in enumerate(found):
            both_ = merged(known, effect)
            if both_ is not None:
                found[number] = both_
                break
        else:
            found.append(effect)
    return found


def both(one: Expression, other: Expression) -> Expression:
    match other:
        case Number(value=0):
            return other
        case Number():
            return one
    return Logical(Connective.AND, one, other)


def either(one: Expression, other: Expression) -> Expression:
    match one, other:
        case Number(value=0), _:
            return other
        case _, Number(value=0):
            return one
    return Logical(Connective.OR, one, other)


def choose(codes: list[tuple[Expression, Expression]]) -> Expression:
    """The code whose condition holds; one of them does."""
    for number, (condition, code) in enumerate(codes):
        others = [each for each in codes if each is not codes[number]]
        rest = choose(others) if others else code
        if code == sequence(Yield(), While(condition, WAIT), rest):
            return sequence(While(condition, WAIT), rest)
    *conditional, (_, found) = codes
    for condition, code in reversed(conditional):
        found = If(condition, code, found)
    return found


def at_once(assigned: list[tuple[str, Expression]]) -> list[Assign[Expression]]:
    """Assignments that take place together, one after the other."""
    found: list[Assign[Expression]] = []
    todo = [(name, value) for name, value in assigned if value != Read(name)]
    while todo:
        free = next(
            (
                each
                for each in todo
                if not any(each[0] in mentioned(value) for name, value in todo if name != each[0])
            ),
            None,
        )
        if free is None:
            name, _ = todo[0]
            kept = f"#old{len(found)}"
            found.append(Assign(kept, Read(name)))
            todo = [(each, renamed(part, name, kept) if each != name else part) for each, part in todo]
            continue
        found.append(Assign(*free))
        todo.remove(free)
    return found


def mentioned(expression: Expression) -> set[str]:
    return {part.name for part in walk(expression) if isinstance(part, Read)}


def renamed(expression: Expression, name: str, other: str) -> Expression:
    match expression:
        case Read(name=known) if known == name:
            return Read(other)
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, renamed(left, name, other), renamed(right, name, other))
    return expression


def terms_of(move: RecordedMove) -> Iterator[Term]:
    yield from move.own
    yield from (term for _, term in move.shared)
    yield from (each.term for each in move.tests if each is not None)


def places_in(term: Term) -> Iterator[str]:
    for symbol, _ in term.parts:
        if symbol[0] == "shared":
            yield symbol[1]
        elif symbol[0] == "mod":
            yield from places_in(symbol[1])


# Answers


class AnswerCodes:
    """Answers as integers: for each request, `kinds * integer + kind` where one answer has an integer."""

    def __init__(self, system: RecordedSystem) -> None:
        self.system = system
        self.kinds: dict[int, list[str]] = {}
        for each in system.locals:
            if each.answer is not None:
                shape, _ = shape_of(each.answer)
                known = self.kinds.setdefault(each.request, [])
                if shape not in known:
                    known.append(shape)
                if shape.count(INTEGER) > 1:
                    raise TooLong("an answer has two integers that are not known")
        for known in self.kinds.values():
            known.sort()

    def code(self, local: int, terms: list[Expression]) -> Expression:
        """The code of the answer that a request has given."""
        told = self.system.locals[local]
        assert told.answer is not None
        shape, number = shape_of(told.answer)
        kinds = self.kinds[told.request]
        if number is not None:
            terms = [Number(number)]
        kind = kinds.index(shape)
        if not terms:
            return Number(kind)
        if len(kinds) == 1:
            return terms[0]
        scaled = Binary(Operator.MULTIPLY, Number(len(kinds)), terms[0])
        if isinstance(terms[0], Number):
            return Number(len(kinds) * terms[0].value + kind)
        return scaled if kind == 0 else Binary(Operator.ADD, scaled, Number(kind))

    def text(self, request: int, code: int) -> str:
        """The text of an answer."""
        kinds = self.kinds[request]
        if len(kinds) == 1:
            return kinds[0].replace(INTEGER, str(code))
        return kinds[code % len(kinds)].replace(INTEGER, str(code // len(kinds)))

    def names(self) -> dict[str, dict[int, str]]:
        """The texts of those answers that are no integers."""
        found: dict[str, dict[int, str]] = {}
        for number, request in enumerate(self.system.requests):
            kinds = self.kinds.get(number, [])
            plain = {kind: text for kind, text in enumerate(kinds) if INTEGER not in text}
            if plain:
                examples = [example_name(request, each) for each in request.examples]
                found |= dict.fromkeys((request.label, *examples), plain)
        return found


def shape_of(answer: str) -> tuple[str, int | None]:
    """An answer without its integer, if it is just a number."""
    return (INTEGER, int(answer)) if NUMBER.fullmatch(answer) else (answer, None)
