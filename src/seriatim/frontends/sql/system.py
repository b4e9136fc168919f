"""The network system of a script: all states and steps of any number of its transactions.

The system has one more request than the script: the *observer*, which answers with the rows of all tables and
ends the run. It makes the final rows a part of the outcome, as `systems.observation` explains for programs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seriatim.budget import Deadline
from seriatim.frontends.sql.aborting import refuse_several_transactions
from seriatim.frontends.sql.claims import MANY, Claim, Mark
from seriatim.frontends.sql.language import Level, Script
from seriatim.frontends.sql.levels import POSTGRESQL, Rules
from seriatim.frontends.sql.machine import AMBIGUOUS, Machine
from seriatim.frontends.sql.moving import moves, moves_at_once
from seriatim.frontends.sql.naming import answers_name, database_name, tables_name
from seriatim.frontends.sql.promise import may_fail_on_keys
from seriatim.frontends.sql.refusal import UNBOUNDED, UNSUPPORTED, Growth, Refusal
from seriatim.frontends.sql.states import Answer, Database, Done, Local
from seriatim.frontends.sql.terms import Value
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.state import GlobalState
from seriatim.properties.derived import FINAL_VALUES
from seriatim.systems.closure import bits, closure
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move

OBSERVER = FINAL_VALUES


LIMITS = Limits(max_states=100_000)


MANY_VALUES = 40
"""A column that takes more new values than this counts as growing without bound."""


MANY_ROWS = 6
"""A table that gets more new rows than this counts as growing without bound."""


Moves = Callable[[Machine, Local, Database], list[tuple[Local | Done, Database]]]
"""A function that gives all next moves of a request."""


class SqlUnfolding:
    """A machine whose states are numbered on demand."""

    def __init__(self, machine: Machine, moves: Moves = moves) -> None:
        self.machine = machine
        self.moves_of = moves
        self.requests = (*(each.name for each in machine.requests), OBSERVER)
        self.databases: list[Database] = []
        self.locals: list[Local | None] = []
        """The local states by number; None is the observer's."""
        self.completions: list[tuple[int, str]] = []
        self.answers: list[tuple[Answer, ...]] = []
        """The answers of each completion."""
        self.counted: tuple[Claim, ...] = ()
        self.global_values: list[tuple[int, ...]] = []
        """For each database, the number of holders of each claim in `counted`."""
        self.crowded: set[str] = set()
        """The tables that get more and more rows."""
        self.values: dict[tuple[int, int], set[Value]] = {}
        """The new values of each column so far, by table and place."""
        self.first_values = [
            [{row[place] for row in table.rows} for place in range(len(table.fields))]
            for table in machine.tables
        ]
        self._databases: dict[Database, int] = {}
        self._locals: dict[Local | None, int] = {}
        self._completions: dict[tuple[int, str], int] = {}
        self._moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self.database(machine.initial())
        self.starts = (
            *(self.local(machine.start(number)) for number in range(len(machine.requests))),
            self.local(None),
        )

    def request_of(self, local: int) -> int:
        state = self.locals[local]
        return len(self.machine.requests) if state is None else state.request

    def global_state(self, global_: int) -> GlobalState:
        return database_name(self.machine, self.databases[global_])

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        key = (local, global_)
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = tuple(dict.fromkeys(self._explore(local, global_)))
        return known

    def _explore(self, local: int, global_: int) -> list[Move]:
        state, database = self.locals[local], self.databases[global_]
        request = self.request_of(local)
        if state is None:
            if database.closed or any(mode is not Mark.DONE for (_, mode), _ in database.claims):
                return []  # A request in flight could never end.
            answer = tables_name(self.machine, database)
            end = replace(database, closed=True, tables=(), claims=())
            return [(~self.completion(request, answer, ()), self.database(end))]
        found: list[Move] = []
        for after, there in self.moves_of(self.machine, state, database):
            if isinstance(after, Done):
                target = ~self.completion(request, answers_name(after.answers), after.answers)
            else:
                target = self.local(after)
            if (target, there) != (local, database):
                found.append((target, self.database(there)))
        return [move for move in found if move != (local, global_)]

    def count_claims(self, max_steps: int, deadline: Deadline) -> None:
        """Makes the number of holders of each claim a value of global states, for the search for invariants.

        Global states are numbered as they are found, and all need the same values. So the claims are those of
        requests that run one at a time; others are not counted, which only costs precision.
        """
        found: dict[Claim, None] = {}
        quiet, steps = [INITIAL_GLOBAL], 0
        known = set(quiet)
        while quiet:
            between = quiet.pop()
            pending = [(start, between) for start in self.starts]
            seen = set(pending)
            while pending:
                deadline.check()
                for target, after in self.moves(*pending.pop()):
                    steps += 1
                    found |= dict.fromkeys(claim for claim, _ in self.databases[after].claims)
                    if target < 0 and after not in known:
                        known.add(after)
                        quiet.append(after)
                    elif target >= 0 and (target, after) not in seen:
                        seen.add((target, after))
                        pending.append((target, after))
                    if steps > max_steps:
                        raise LimitReached("--max-states", max_steps)
        self.counted = tuple(sorted(found, key=repr))
        self.global_values = [self._counts(each) for each in self.databases]

    def _counts(self, database: Database) -> tuple[int, ...]:
        counts = dict(database.claims)
        return tuple(counts.get(claim, 0) for claim in self.counted)

    def local(self, state: Local | None) -> int:
        number = self._locals.get(state)
        if number is None:
            number = self._locals[state] = len(self.locals)
            self.locals.append(state)
        return number

    def database(self, state: Database) -> int:
        number = self._databases.get(state)
        if number is None:
            number = self._databases[state] = len(self.databases)
            self.databases.append(state)
            self.global_values.append(self._counts(state))
            self._watch_growth(state)
        return number

    def _watch_growth(self, database: Database) -> None:
        """Raises `LimitReached` if a table or a column seems to grow without bound."""
        if all(request.transaction.once for request in self.machine.requests):
            return  # If each request runs only once, nothing grows.
        for number, rows in enumerate(database.tables):
            if len(rows) > len(self.machine.tables[number].rows) + MANY_ROWS:
                self.crowded.add(self.machine.tables[number].name)
                raise LimitReached("--max-states", MANY_ROWS)
            for _, row in rows:
                for place, value in enumerate(row):
                    if value in self.first_values[number][place]:
                        continue
                    seen = self.values.setdefault((number, place), set())
                    seen.add(value)
                    if len(seen) > MANY_VALUES:
                        raise LimitReached("--max-states", MANY_VALUES)

    def completion(self, request: int, name: str, answers: tuple[Answer, ...]) -> int:
        number = self._completions.get((request, name))
        if number is None:
            number = self._completions[request, name] = len(self.completions)
            self.completions.append((request, name))
            self.answers.append(answers)
        return number


@dataclass(frozen=True, slots=True)
class SqlSystem:
    """A script at some isolation level, unfolded."""

    machine: Machine
    unfolding: SqlUnfolding
    content: NetworkSystem
    levels: frozenset[Level]
    guaranteed: bool = False
    """Whether the database promises that the transactions run as if one at a time."""

    @property
    def counts_many(self) -> bool:
        """Whether in some state three transactions hold the same claim, so that the model allows more than
        the database does."""
        return any(map(counts_many, self.unfolding.databases))

    @property
    def confuses_rows(self) -> bool:
        """Whether in some state rows with one key are not distinguished."""
        return any(map(confuses_rows, self.unfolding.databases))


def counts_many(database: Database) -> bool:
    return any(count >= MANY and mode is not Mark.DONE for (_, mode), count in database.claims)


def confuses_rows(database: Database) -> bool:
    return any(id_[1] == AMBIGUOUS for rows in database.tables for id_, _ in rows)


def build(
    script: Script,
    level: Level,
    rules: dict[Level, Rules] = POSTGRESQL,
    limits: Limits = LIMITS,
    deadline: Deadline | None = None,
    answers_aborts: bool = False,
) -> SqlSystem:
    """Builds the system. Raises `Refusal` if it is too large or infinite, and `OutOfBudget`."""
    machine = Machine(script, level, rules, answers_aborts)
    if answers_aborts:
        refuse_several_transactions(machine)
    deadline = deadline or Deadline()
    levels = machine.levels()
    promised = all(rules[each].guaranteed for each in levels) and not machine.second_begins()
    if promised and not machine.shows_locks and not answers_aborts:
        unfolding, steps = _explore(SqlUnfolding(machine, moves_at_once), limits, deadline)
        fails = any(isinstance(each, str) for answers in unfolding.answers for each in answers)
        if not fails and not machine.rolls_back():
            alone = SqlSystem(machine, unfolding, _network(unfolding, steps), levels, guaranteed=True)
            if not may_fail_on_keys(machine):
                return alone
            unfolding, steps = _explore(SqlUnfolding(machine), limits, deadline)
            if not any(isinstance(each, str) for answers in unfolding.answers for each in answers):
                return alone
            return SqlSystem(machine, unfolding, _network(unfolding, steps), levels)
    unfolding, steps = _explore(SqlUnfolding(machine), limits, deadline)
    if machine.shows_locks and machine.waits:
        raise Refusal(
            UNSUPPORTED,
            "SKIP LOCKED beside a transaction that waits for one row and holds another is not supported",
            "it would see locks of transactions that a deadlock ends; lock all rows in one statement",
            next(iter(machine.waits)),
        )
    return SqlSystem(machine, unfolding, _network(unfolding, steps), levels)


Steps = list[tuple[int, int, int, int]]


def _explore(unfolding: SqlUnfolding, limits: Limits, deadline: Deadline) -> tuple[SqlUnfolding, Steps]:
    """Explores all states and steps; raises `Refusal` if there are too many."""
    try:
        unfolding.count_claims(limits.max_states, deadline)
        coverage = closure(unfolding, limits, deadline)
    except LimitReached:
        raise refuse_size(unfolding.machine, unfolding) from None
    steps: Steps = []
    for g in coverage.globals():
        for local in bits(coverage.find_covered(g)):
            steps.extend((local, g, target, after) for target, after in unfolding.moves(local, g))
    return unfolding, steps


def _network(unfolding: SqlUnfolding, steps: Steps) -> NetworkSystem:
    first_answer = len(unfolding.locals)
    responses = list(dict.fromkeys(name for _, name in unfolding.completions))
    place = {name: number for number, name in enumerate(responses)}
    names = [f"{unfolding.requests[unfolding.request_of(n)]}#{n}" for n in range(first_answer)]
    answered = [f"{unfolding.requests[request]}/{name}" for request, name in unfolding.completions]
    return NetworkSystem(
        globals=tuple(database_name(unfolding.machine, each) for each in unfolding.databases),
        locals=tuple(LocalState(name) for name in (*names, *answered)),
        requests=unfolding.requests,
        responses=tuple(responses),
        initial=INITIAL_GLOBAL,
        req=tuple(enumerate(unfolding.starts)),
        resp=tuple((first_answer + n, place[name]) for n, (_, name) in enumerate(unfolding.completions)),
        delta=tuple(
            sorted(
                (local, g, target if target >= 0 else first_answer + ~target, after)
                for local, g, target, after in steps
            )
        ),
    )


def suggest_scope(first: Sequence[object]) -> str:
    """Suggests a scope that holds the numbers of the first rows and some small ones."""
    numbers = [each for each in first if isinstance(each, int)]
    return f"{min(0, *numbers)}..{max(3, *numbers)}" if numbers else "0..3"


def refuse_size(machine: Machine, unfolding: SqlUnfolding) -> Refusal:
    """The refusal of a system that is too large; names the tables or columns that grow."""
    columns = [key for key, seen in unfolding.values.items() if len(seen) > MANY_VALUES]
    growing = [
        f"{machine.tables[table].name}.{machine.tables[table].columns[place]}" for table, place in columns
    ]
    first = [
        row[place] for table, place in columns[:1] for row in machine.tables[table].rows if len(row) > place
    ]
    for table in sorted(unfolding.crowded):
        hint = f"bound the rows to look at, as in -- ser: {table} has at most 3 rows"
        grows = (Growth(table, None),)
        return Refusal(UNBOUNDED, f"{table} can have more and more rows", hint, grows=grows)
    if not growing:
        return Refusal(
            UNBOUNDED, "the transactions have too many states", "use fewer rows, or fewer arguments"
        )
    return Refusal(
        UNBOUNDED,
        f"{', '.join(growing)} can take more and more values",
        f"bound the values to look at, as in -- ser: {growing[0]} in {suggest_scope(first)}",
        grows=tuple(
            Growth(
                machine.tables[table].name,
                machine.tables[table].columns[place],
                tuple(unfolding.values[table, place]),
            )
            for table, place in columns
        ),
    )
