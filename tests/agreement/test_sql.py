"""SQL transactions: the machine agrees with a reference of versions and locks, and with a live server.

Random scripts; a small sample runs each time, a larger one with DEEP=1, and any with SQL_SCRIPTS=1000 in the
environment. SQL_FIRST=300000 chooses the first of those that run on a server, where all interleavings of
whole statements are executed.
"""

import os
from collections.abc import Iterator
from itertools import combinations_with_replacement
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.protocol import Comparison
from seriatim.frontends.sql.comparing import EFFORTS, Comparer, picture_of
from seriatim.frontends.sql.engines import text_of
from seriatim.frontends.sql.language import DataStatement, Insert, Level, Update
from seriatim.frontends.sql.live.footprints import Footprints
from seriatim.frontends.sql.live.postgres import PostgresPlace, arena
from seriatim.frontends.sql.live.runs import Outcome, interleavings, next_path
from seriatim.frontends.sql.live.server import NoServer, Server, shared_server
from seriatim.frontends.sql.live.text import Text, read_text
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import Seen, outcomes, serial_outcomes
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.script import read_script
from seriatim.frontends.sql.spec_file import read_spec
from seriatim.source import SourceText
from testkit.generators.sql import random_script
from testkit.inputs.sql_anomalies import CASES, Case
from testkit.oracles.sql_reference import reference_outcomes
from testkit.samples import IS_DEEP, deep, deep_cases, sampled, slowest_cases

SAMPLE = int(os.environ.get("SQL_SCRIPTS", "200" if IS_DEEP else "16"))
LIVE_SAMPLE = max(2, SAMPLE // 10)
FIRST_LIVE = int(os.environ.get("SQL_FIRST", "50000"))
LEVELS = [Level.READ_COMMITTED, Level.REPEATABLE_READ]
BOTH = range(2)


def machines(level: Level, sample: int, first: int) -> Iterator[Machine]:
    """Of random scripts that are supported."""
    for machine, _ in scripts(level, sample, first):
        yield machine


def scripts(level: Level, sample: int, first: int) -> Iterator[tuple[Machine, Text]]:
    """The same, with what a server is told."""
    for seed in range(first, first + sample):
        text = random_script(Random(seed), level.value)
        machine = Machine(read_script(SourceText(f"seed {seed}.sql", text)), level)
        try:
            outcomes(machine, BOTH)
        except Refusal:
            continue
        yield machine, read_text(text)


def uses(machine: Machine, word: str) -> bool:
    return any(word in str(request.code) for request in machine.requests)


def is_beyond(statement: DataStatement) -> bool:
    """Whether the reference does not know such statements."""
    match statement:
        case Update(assignments=assignments):
            return any(column in ("id", "p") for column, _ in assignments)
        case Insert(query=query):
            return query is not None
        case _:
            return False


@pytest.mark.parametrize("level", LEVELS)
def test_the_machine_agrees_with_the_reference(level: Level) -> None:
    anomalous = total = 0
    for machine in machines(level, SAMPLE, 0):
        if uses(machine, "Savepoint") or uses(machine, "SKIP") or any(map(is_beyond, machine.statements)):
            continue  # The reference does without, and knows no foreign keys.
        if any(table.references for table in machine.tables):
            continue
        found, one_at_a_time = outcomes(machine, BOTH), serial_outcomes(machine, BOTH)
        reference = reference_outcomes(machine, BOTH)
        assert one_at_a_time <= reference <= found, machine.script
        assert bool(found - one_at_a_time) == bool(reference - one_at_a_time), machine.script
        total += 1
        anomalous += bool(reference - one_at_a_time)
    assert anomalous >= total // 8, "too few of the scripts are anomalous"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A private server; where there is none, these tests are skipped."""
    try:
        yield shared_server()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


@deep_cases("read committed")
@pytest.mark.parametrize("level", LEVELS)
def test_the_machine_agrees_with_a_live_server(server: Server, level: Level) -> None:
    for machine, text in scripts(level, LIVE_SAMPLE, FIRST_LIVE):
        compare_with(server, machine, text)


def compare_with(server: Server, machine: Machine, text: Text) -> None:
    """The server agrees with the model about requests alone and about pairs, and finds the same anomalies."""
    found, one_at_a_time = outcomes(machine, BOTH), serial_outcomes(machine, BOTH)
    with arena(server, text, machine.level.value) as place:
        compared = Comparer(place, machine, EFFORTS["full"], found <= one_at_a_time, Deadline()).compare()
    assert isinstance(compared, Comparison)
    assert not compared.difference, (compared.difference, machine.script)


def all_outcomes(place: PostgresPlace, text: Text, footprints: Footprints | None) -> tuple[set[Outcome], int]:
    """The outcomes of all runs, or of those that footprints leave, and how many there are."""
    path: list[int] | None = []
    found: set[Outcome] = set()
    runs = 0
    while path is not None:
        turns, path = next_path(place, text.calls, path, footprints=footprints)
        runs += 1
        outcome = turns.outcome()
        found |= {outcome} if outcome is not None else set()
    return found, runs


@slowest_cases("repeatable read", "serializable")
@pytest.mark.parametrize("level", [*LEVELS, Level.SERIALIZABLE])
def test_runs_that_are_left_out_show_nothing_else(server: Server, level: Level) -> None:
    every = fewer = 0
    for seed in range(FIRST_LIVE, FIRST_LIVE + 3 * LIVE_SAMPLE):
        text = read_text(random_script(Random(seed), level.value))
        with arena(server, text, level.value) as place:
            found, runs = all_outcomes(place, text, None)
            reduced, own = all_outcomes(place, text, Footprints(text, level.value))
        assert found == reduced, seed
        every, fewer = every + runs, fewer + own
    assert fewer < every


GOES_ON = """setup { CREATE TABLE a (i int PRIMARY KEY); CREATE TABLE b (i int); }
session s1
step w1 { BEGIN; INSERT INTO a VALUES (1); COMMIT; }
step r1 { SELECT i FROM b; }
session s2
step w2 { BEGIN; SELECT i FROM b; INSERT INTO a VALUES (1); INSERT INTO b VALUES (2); COMMIT; }
step b2 { INSERT INTO b VALUES (3); }
"""


@deep
@pytest.mark.parametrize("level", LEVELS)
def test_sessions_of_specs_go_on_after_errors_on_a_live_server(server: Server, level: Level) -> None:
    machine = Machine(read_spec(SourceText("goes_on.spec", GOES_ON)), level)
    compare_with(server, machine, text_of(machine.script))


SPELLINGS = """CREATE TABLE account (id int PRIMARY KEY, email text);
CREATE UNIQUE INDEX ON account (lower(email));
CREATE TABLE post (n int PRIMARY KEY, author int REFERENCES account);
INSERT INTO account VALUES (1, 'Eve'), (2, 'Bob');
"""
ABOUT_SPELLINGS = (
    "INSERT INTO account VALUES (3, 'Ann'); SELECT count(*) FROM account;",
    "SELECT count(*) FROM account; INSERT INTO account VALUES (4, 'ANN');",
    "INSERT INTO account VALUES (5, 'ann') ON CONFLICT (lower(email)) DO UPDATE SET email = EXCLUDED.email;",
    "INSERT INTO account VALUES (6, 'EVE') ON CONFLICT (lower(email)) DO NOTHING; SELECT email FROM account;",
    "UPDATE account SET email = 'ANN' WHERE id = 1; SELECT id FROM account WHERE email = 'Bob';",
    "DELETE FROM account WHERE email = 'Eve'; SELECT count(*) FROM account;",
    "INSERT INTO post VALUES (1, 1); SELECT email FROM account WHERE id = 1;",
)


@deep
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("pair", sampled([*combinations_with_replacement(range(len(ABOUT_SPELLINGS)), 2)], 7))
def test_unique_expressions_are_those_of_a_live_server(
    server: Server, pair: tuple[int, int], level: Level
) -> None:
    bodies = [
        f"-- transaction: t{n} once\nBEGIN;\n{ABOUT_SPELLINGS[each]}\nCOMMIT;\n"
        for n, each in enumerate(pair)
    ]
    text = SPELLINGS + "".join(bodies)
    compare_with(server, Machine(read_script(SourceText("spellings.sql", text)), level), read_text(text))


LIVE_CASES = CASES if IS_DEEP else [case for case in CASES if "skew" in case.name or "lost" in case.name]


@slowest_cases("serializable-read-only anomaly")
@pytest.mark.parametrize("case", LIVE_CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("level", sampled([*LEVELS, Level.SERIALIZABLE], 2))
def test_a_live_server_allows_the_published_anomalies(server: Server, case: Case, level: Level) -> None:
    machine = Machine(read_script(SourceText("case.sql", case.script())), level)
    text = read_text(case.script())
    with arena(server, text, level.value) as place:
        runs = (turns.outcome() for turns in interleavings(place, text.calls))
        live = {picture_of(each) for each in runs if each is not None}
        model = Comparer(place, machine, EFFORTS["full"], False, Deadline())
        seen = outcomes(machine, range(len(text.calls)))
        wanted = {model.picture(each) for each in seen if shows(case, each)}
    assert bool(live & wanted) == (level.value in case.allowed)


def shows(case: Case, seen: Seen) -> bool:
    pairs = zip(case.shown, seen.answers, strict=True)
    answers = all(wanted is None or wanted == given for wanted, given in pairs)
    return answers and (case.final is None or case.final == seen.tables[0])
