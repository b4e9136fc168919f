"""Request handlers as an asynchronous program: one action for each place where a request can rest.

Every stretch of a handler between two `yield`s becomes a step of an action, as a table: for each state of
the globals in which it can go on, what it assigns and where it rests next. `main` starts N requests; each
of them may be of any kind, and is an instance `request()` like all others. An answer goes into the bag
`answers`. So the runs that end are those in which all N requests are answered, and their final globals tell
which kinds of requests gave which answers, and how often.

The order "finish what has started": resting requests come before fresh ones. Runs in this order are serial.
If it covers all runs that end, then for N requests every outcome is the outcome of a serial run. The order
leaves out the places where no serial run rests: nothing is left there when a run in the order has ended.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from seriatim.actions.expressions import Between, Cell, Parameter, Symbol, Target
from seriatim.actions.syntax import (
    MAIN,
    Action,
    ActionProgram,
    Assign,
    Async,
    Await,
    Block,
    Collection,
    CollectionKind,
    Either,
    EnumType,
    For,
    Global,
    IntType,
    Order,
    Proof,
    Send,
    Size,
    Statement,
)
from seriatim.actions.words import KEYWORDS
from seriatim.budget import Deadline
from seriatim.program.syntax import Program
from seriatim.sequencing.handler_facts import HandlerNames, always_facts, serial_facts
from seriatim.sequencing.together import find_together
from seriatim.source import Diagnostic, InputError
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding
from seriatim.terms.expressions import Constant

REQUEST = "request"
ANSWERS = "answers"
COUNT = "N"
"""The parameter that says how many requests there are."""
MAX_ROWS = 2_000

Row = tuple[int, int, int]
"""A move: global state before, local or ~completion afterwards, global state afterwards."""


class _Tables:
    """All moves of a program, in the states in which requests can rest somewhere (see `together`)."""

    def __init__(self, program: Program, limits: Limits, deadline: Deadline) -> None:
        self.unfolding = ProgramUnfolding(program, limits, deadline)
        self.together = find_together(self.unfolding, deadline)
        self.rows: dict[int, list[Row]] = {}
        self.fails = False
        count = 0
        for local, states in self._places():
            for state in sorted(states):
                rows = [(state, target, after) for target, after in self.unfolding.moves(local, state)]
                self.rows.setdefault(local, []).extend(rows)
                self.fails |= (local, state) in self.unfolding.faults
                count += len(rows)
                if count > MAX_ROWS:
                    hint = "ser check decides it for any number of requests"
                    message = f"as actions, these handlers have more than {MAX_ROWS:,} moves"
                    raise InputError([Diagnostic("SER560", message, hint=hint)])

    def _places(self) -> Iterator[tuple[int, frozenset[int]]]:
        yield from ((start, self.together.states) for start in self.unfolding.starts)
        yield from self.together.resting.items()


def convert_handlers(program: Program, limits: Limits, deadline: Deadline) -> ActionProgram:
    """Converts handlers to actions. Raises `InputError` if there are too many moves, or a step can fail."""
    tables = _Tables(program, limits, deadline)
    if tables.fails:
        hint = "ser check --property safe shows a run in which a step fails"
        raise InputError([Diagnostic("SER560", "a step of these handlers can fail", hint=hint)])
    unfolding = tables.unfolding
    outcome = EnumType(
        "Outcome", tuple(_answer_name(unfolding, c) for c in range(len(unfolding.completions)))
    )
    names = {local: _action_name(unfolding, local) for local in tables.together.resting}
    taken = {*names.values(), *outcome.members}
    named = HandlerNames(unfolding, _name_globals(unfolding.global_names, taken), names, REQUEST)
    resting = tuple(
        Action(name, (), _table(tables, (local,), named, outcome)) for local, name in names.items()
    )
    fresh = Action(REQUEST, (), _table(tables, unfolding.starts, named, outcome))
    main = Action(MAIN, (), (For("i", Between(Constant(1), Parameter(COUNT)), (Async(REQUEST, ()),)),))
    initial = zip(named.variables, unfolding.global_values[INITIAL_GLOBAL], strict=True)
    variables = tuple(Global(name, (), IntType(), Constant(value)) for name, value in initial)
    bag = Global(ANSWERS, (), Collection(CollectionKind.BAG, (outcome,)), None)
    when = serial_facts(named)
    visited = {each.action for each in when}
    order = (*(action.name for action in resting if action.name in visited), REQUEST)
    return ActionProgram(
        sizes=(Size(COUNT, 0),),
        enums=(outcome,),
        families=(),
        variables=(*variables, bag),
        initially=(),
        actions=(main, fresh, *resting),
        proof=Proof(order, Order(order), always=always_facts(named, tables.together), when=when),
    )


def is_serial(proof: Proof) -> bool:
    """Whether runs in this order of handlers are serial: what has started is finished first.

    Instances have no arguments, so an order by index is not possible, and a key is a constant. An abstraction
    can do more than its action; then a run in the order need not be a run of the program. An action that the
    order leaves out could be executed at any time, but is never pending: at the end nothing is left.
    """
    return proof.order.names[-1] == REQUEST and not proof.keys and not proof.abstractions


def complete_proof(program: ActionProgram, given: Proof) -> Proof:
    """Adds facts about handlers to a proof that a user has given, where it has none of its own.

    Facts `always` do not depend on the order; facts `when` do.
    """
    known = program.proof
    assert known is not None
    when = known.when if is_serial(given) else ()
    return replace(given, always=given.always or known.always, when=given.when or when)


def _word(text: str) -> str:
    """Makes a valid name from a text that is none of those that the conversion makes."""
    word = re.sub(r"\W+", "_", text)
    return f"{word}_" if word in KEYWORDS | {MAIN, REQUEST, ANSWERS, COUNT, "Outcome", "i"} else word


def _name_globals(texts: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Makes a name for each global; no two are the same, and none is taken."""
    found: list[str] = []
    for text in texts:
        word = _word(text)
        while word in taken or word in found:
            word += "_"
        found.append(word)
    return tuple(found)


def _action_name(unfolding: ProgramUnfolding, local: int) -> str:
    """The handler and the line where a request rests, and a number that tells its locals apart."""
    point_index, _ = unfolding.local_states[local]
    point = unfolding.steps.points[point_index]
    handler = unfolding.program.handlers[point.handler]
    line = handler.span.line if point.pause is None else point.pause.span.line
    return _word(f"{handler.name} line {line} {local}")


def _answer_name(unfolding: ProgramUnfolding, completion: int) -> str:
    request, value = unfolding.completions[completion]
    return _word(f"{unfolding.requests[request]} {value.replace('-', 'minus ')} {completion}")


def _table(tables: _Tables, locals_: tuple[int, ...], named: HandlerNames, outcome: EnumType) -> Block:
    rows = [row for local in locals_ for row in tables.rows.get(local, [])]
    blocks = tuple(_row(row, named, outcome) for row in dict.fromkeys(rows))
    match blocks:
        case ():
            return (Await(Constant(False)),)
        case (only,):
            return only
        case _:
            return (Either(blocks),)


def _row(row: Row, named: HandlerNames, outcome: EnumType) -> Block:
    state, target, after = row
    before, values = named.unfolding.global_values[state], named.unfolding.global_values[after]
    found: list[Statement] = [Await(named.is_state(before))]
    found += [
        Assign(Cell(name), Constant(new))
        for name, old, new in zip(named.variables, before, values, strict=True)
        if old != new
    ]
    if target >= 0:
        found.append(Async(named.actions[target], ()))
    else:
        found.append(Send(Target(ANSWERS), (Symbol(outcome.name, outcome.members[~target], ~target),)))
    return tuple(found)
