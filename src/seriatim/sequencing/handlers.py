"""Request handlers as an asynchronous program: one action for each place where a request can rest.

Every stretch of a handler between two `yield`s becomes a step of an action, as a table: for each state of
the globals in which it can go on, what it assigns and where it rests next. `main` starts N requests; each
of them may be of any kind, and is an instance `request()` like all others. An answer goes into the bag
`answers`. So the runs that end are those in which all N requests are answered, and their final globals tell
who answered what, and how often.

The order "finish what has started": resting requests come before fresh ones. Runs in this order are serial.
If it covers all runs that end, then for N requests every outcome is the outcome of a serial run.
"""

import re
from collections import deque

from seriatim.actions.expressions import (
    Between,
    Binary,
    Cell,
    Expression,
    Number,
    Operator,
    Parameter,
    Symbol,
    Target,
    Truth,
)
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
from seriatim.source import Diagnostic, InputError
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

REQUEST = "request"
ANSWERS = "answers"
COUNT = "N"
"""How many requests there are."""
MAX_ROWS = 2_000

Row = tuple[int, int, int]
"""Global state before, local or ~completion afterwards, global state afterwards."""


class _Tables:
    """All moves of a program: any request in any global state that some request leads to."""

    def __init__(self, program: Program, limits: Limits, deadline: Deadline) -> None:
        self.unfolding = ProgramUnfolding(program, limits, deadline)
        self.rows: dict[int, list[Row]] = {}
        self.fails = False
        locals_, globals_ = list(self.unfolding.starts), [INITIAL_GLOBAL]
        queue = deque((local, INITIAL_GLOBAL) for local in locals_)
        count = 0
        while queue:
            deadline.check()
            local, state = queue.popleft()
            for target, after in self.unfolding.moves(local, state):
                self.rows.setdefault(local, []).append((state, target, after))
                count += 1
                if count > MAX_ROWS:
                    hint = "ser check decides it for any number of requests"
                    message = f"as actions, these handlers have more than {MAX_ROWS:,} moves"
                    raise InputError([Diagnostic("SER560", message, hint=hint)])
                if after not in globals_:
                    globals_.append(after)
                    queue.extend((each, after) for each in locals_)
                if target >= 0 and target not in locals_:
                    locals_.append(target)
                    queue.extend((target, each) for each in globals_)
            self.fails |= (local, state) in self.unfolding.faults
        self.locals = tuple(locals_)


def handlers_as_actions(program: Program, limits: Limits, deadline: Deadline) -> ActionProgram:
    """Raises `InputError` if there are too many moves, or if a step can fail."""
    tables = _Tables(program, limits, deadline)
    if tables.fails:
        hint = "ser check --property safe shows a run in which a step fails"
        raise InputError([Diagnostic("SER560", "a step of these handlers can fail", hint=hint)])
    unfolding = tables.unfolding
    outcome = EnumType(
        "Outcome", tuple(_answer_name(unfolding, c) for c in range(len(unfolding.completions)))
    )
    names = {
        local: _action_name(unfolding, local) for local in tables.locals if local not in unfolding.starts
    }
    resting = tuple(
        Action(name, (), _table(tables, (local,), names, outcome)) for local, name in names.items()
    )
    fresh = Action(REQUEST, (), _table(tables, unfolding.starts, names, outcome))
    main = Action(MAIN, (), (For("i", Between(Number(1), Parameter(COUNT)), (Async(REQUEST, ()),)),))
    initial = zip(unfolding.global_names, unfolding.global_values[INITIAL_GLOBAL], strict=True)
    variables = tuple(Global(_word(name), (), IntType(), Number(value)) for name, value in initial)
    bag = Global(ANSWERS, (), Collection(CollectionKind.BAG, (outcome,)), None)
    order = (*(action.name for action in resting), REQUEST)
    return ActionProgram(
        sizes=(Size(COUNT, 0),),
        enums=(outcome,),
        families=(),
        variables=(*variables, bag),
        initially=(),
        actions=(main, fresh, *resting),
        proof=Proof(order, Order(order)),
    )


def _word(text: str) -> str:
    """A name of the language; the names of globals stay apart from those that the conversion makes."""
    word = re.sub(r"\W+", "_", text)
    return f"{word}_" if word in KEYWORDS | {MAIN, REQUEST, ANSWERS, COUNT, "Outcome", "i"} else word


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


def _table(tables: _Tables, locals_: tuple[int, ...], names: dict[int, str], outcome: EnumType) -> Block:
    rows = [row for local in locals_ for row in tables.rows.get(local, [])]
    blocks = tuple(_row(tables.unfolding, row, names, outcome) for row in dict.fromkeys(rows))
    match blocks:
        case ():
            return (Await(Truth(False)),)
        case (only,):
            return only
        case _:
            return (Either(blocks),)


def _row(unfolding: ProgramUnfolding, row: Row, names: dict[int, str], outcome: EnumType) -> Block:
    state, target, after = row
    before, values = unfolding.global_values[state], unfolding.global_values[after]
    variables = tuple(map(_word, unfolding.global_names))
    found: list[Statement] = [Await(_is_state(variables, before))]
    found += [
        Assign(Cell(name), Number(new))
        for name, old, new in zip(variables, before, values, strict=True)
        if old != new
    ]
    if target >= 0:
        found.append(Async(names[target], ()))
    else:
        found.append(Send(Target(ANSWERS), (Symbol(outcome.name, outcome.members[~target], ~target),)))
    return tuple(found)


def _is_state(names: tuple[str, ...], values: tuple[int, ...]) -> Expression:
    whole: Expression = Truth(True)
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        test = Binary(Operator.EQUAL, Cell(name), Number(value))
        whole = Binary(Operator.AND, whole, test) if number else test
    return whole
