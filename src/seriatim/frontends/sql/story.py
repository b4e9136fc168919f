"""A run in the user's statements: which request executed what, the answers, and the changed rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seriatim.certificate.turns import Turn
from seriatim.frontends.sql.client import Client, Error, Rows
from seriatim.frontends.sql.code import Instruction
from seriatim.frontends.sql.language import Begin, Commit, Do, Release, Rollback, RollbackTo, Savepoint
from seriatim.frontends.sql.naming import answer_name
from seriatim.frontends.sql.states import Answer, Database, Done, Local
from seriatim.frontends.sql.system import SqlSystem, SqlUnfolding
from seriatim.program.state import GlobalState
from seriatim.source import Span
from seriatim.systems.unfolding import INITIAL_GLOBAL


@dataclass(frozen=True, slots=True)
class Event:
    """A statement, or a part of one, that a request executed."""

    span: Span
    text: str
    """The text of the statement, with the values of variables."""
    outcome: str
    """The answer in words; for a statement that is not over, what it does."""
    instruction: Instruction
    is_over: bool
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of one request."""

    request: int
    """The number of the request, counted from 1."""
    name: str
    events: tuple[Event, ...]
    local: Local
    before: Database
    after: Database
    answers: tuple[Answer, ...] | None
    """The answers of the whole request, if it has ended."""


@dataclass(frozen=True, slots=True)
class Story:
    initial: Database
    steps: tuple[Step, ...]
    final: Database

    def requests(self) -> tuple[str, ...]:
        """The names of the requests, in the order of their numbers."""
        return tuple({step.request: step.name for step in self.steps}.values())


class NotARun(Exception):
    """Raised when the system has no such run."""


def retell(system: SqlSystem, turns: Sequence[Turn]) -> Story:
    """Retells the run of a certificate, without the observer. Raises `NotARun`."""
    unfolding = system.unfolding
    by_name = {unfolding.global_state(number): number for number in range(len(unfolding.databases))}
    chains = _locals(unfolding, turns, by_name)
    numbers: dict[int, int] = {}
    clients: dict[int, Client] = {}
    steps: list[Step] = []
    before = INITIAL_GLOBAL
    for turn, (local, target) in zip(turns, chains, strict=True):
        after = by_name[turn.after]
        state = unfolding.locals[local]
        if state is not None:
            number = numbers.setdefault(turn.request, len(numbers) + 1)
            request = system.machine.requests[state.request]
            client = clients.setdefault(
                number, Client(request, system.machine.level, system.machine.answers_aborts)
            )
            end = unfolding.locals[target] if target >= 0 else Done(unfolding.answers[~target])
            assert end is not None
            events = tuple(_events(client, state, end))
            answers = end.answers if isinstance(end, Done) else None
            there = unfolding.databases[before], unfolding.databases[after]
            steps.append(Step(number, request.name, events, state, *there, answers))
            before = after
    return Story(unfolding.databases[INITIAL_GLOBAL], tuple(steps), unfolding.databases[before])


def _locals(
    unfolding: SqlUnfolding, turns: Sequence[Turn], by_name: Mapping[GlobalState, int]
) -> list[tuple[int, int]]:
    """The local states before and after each turn, which certificates do not name."""
    starts = {unfolding.requests[unfolding.request_of(each)]: each for each in unfolding.starts}
    globals_ = [INITIAL_GLOBAL, *(by_name[turn.after] for turn in turns)]
    own: dict[int, list[int]] = {}
    for place, turn in enumerate(turns):
        own.setdefault(turn.request, []).append(place)
    found: dict[int, tuple[int, int]] = {}
    for places in own.values():
        way = _way(unfolding, turns, places, globals_, starts[turns[places[0]].handler])
        found |= dict(zip(places, way, strict=True))
    return [found[place] for place in range(len(turns))]


def _way(
    unfolding: SqlUnfolding, turns: Sequence[Turn], places: list[int], globals_: list[int], start: int
) -> list[tuple[int, int]]:
    ways: list[list[tuple[int, int]]] = [[]]
    for place in places:
        turn, longer = turns[place], list[list[tuple[int, int]]]()
        for way in ways:
            local = way[-1][1] if way else start
            for target, after in unfolding.moves(local, globals_[place]):
                answers = target < 0 and unfolding.completions[~target][1] == turn.response
                pauses = target >= 0 and turn.response is None
                if after == globals_[place + 1] and (answers or pauses):
                    longer.append([*way, (local, target)])
        ways = longer
    if not ways:
        raise NotARun
    return ways[0]


def _events(client: Client, before: Local, after: Local | Done) -> Iterator[Event]:
    """The statements that a client executes between two states."""
    new = after.answers[len(before.answers) :]
    for answer in new:
        yield from _pass_over(client, len(client.request.code), bool(new))
        instruction, text = client.instruction, client.text()
        assert isinstance(instruction, Do)
        client.receive(_reply(answer))
        yield Event(instruction.span, text, answer_name(answer), instruction, True, answer)
    end = len(client.request.code) if isinstance(after, Done) else after.at
    if client.at < end and not client.ended and isinstance(client.instruction, ENDINGS):
        yield from _pass_over(client, end, bool(new))
    if isinstance(after, Done):
        return
    if after.work is not None or (not new and after.at == before.at):
        yield from _skip_silent(client)
        instruction = client.instruction
        if isinstance(instruction, Do):
            yield Event(instruction.span, client.text(), _partial(before, after), instruction, False)


ENDINGS = (Commit, Rollback, RollbackTo)


def _pass_over(client: Client, end: int, has_answered: bool) -> Iterator[Event]:
    """Executes what has no answer: BEGIN, savepoints, and the ends of transactions, which are told."""
    yield from _skip_silent(client)
    while client.at < end and not client.ended and isinstance(client.instruction, ENDINGS):
        instruction, text = client.instruction, client.text()
        is_written = not (isinstance(instruction, Commit) and instruction.implicit)
        client.receive(Rows((), 0))
        if is_written or not has_answered:
            yield Event(instruction.span, text if is_written else "(end)", "", instruction, True)
        if client.at < end:
            yield from _skip_silent(client)


def _partial(before: Local, after: Local) -> str:
    """What a statement that is not over has done, in words."""
    if (before.work is None or before.at != after.at) and after.work is not None and after.work.rows:
        return "finds " + ", ".join(_key(id_[0]) for id_ in after.work.rows)
    if before.work is not None and after.work is not None:
        met = [id_ for id_ in before.work.rows if id_ not in after.work.rows]
        return "reaches " + ", ".join(_key(id_[0]) for id_ in met) if met else "goes on"
    return "takes its snapshot"


def _key(key: Sequence[object]) -> str:
    return "(" + ", ".join(map(str, key)) + ")"


def _skip_silent(client: Client) -> Iterator[Event]:
    """Executes BEGIN and savepoints, which affect no other request."""
    while isinstance(client.instruction, Begin | Savepoint | Release):
        client.receive(Rows((), 0))
    return iter(())


def _reply(answer: Answer) -> Rows | Error:
    match answer:
        case int():
            return Rows((), answer)
        case str():
            return Error(answer)
        case _:
            return Rows(answer, len(answer))
