"""Whole SQL files made from the list of what the model accepts: the server says the same as the model.

Schemas have keys, foreign keys, checks, defaults, unique indexes and all types. Requests alone, pairs in all
interleavings of whole statements, and the verdict about pairs are compared. A sample runs each time;
SQL_FILES=1000 in the environment makes it larger, and SQL_FIRST_FILE chooses the first one.
"""

import os
from collections.abc import Iterator
from random import Random

import pytest
from sqlglot import expressions as sql

from seriatim.budget import Deadline
from seriatim.frontends.sql.accepting import AGGREGATES, CLAUSES, CONSTRAINTS, FUNCTIONS, OPERATORS, TYPES
from seriatim.frontends.sql.comparing import EFFORTS, Comparer
from seriatim.frontends.sql.expressions import FUNCTIONS as NODES
from seriatim.frontends.sql.expressions import OPERATORS as OPERATOR_NODES
from seriatim.frontends.sql.expressions import SUMMARIES, type_name
from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.live.postgres import arena
from seriatim.frontends.sql.live.server import NoServer, Server, shared_server
from seriatim.frontends.sql.live.text import read_text
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import TooMany, outcomes, serial_outcomes
from seriatim.frontends.sql.pieces import Kind, split
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.script import read_script
from seriatim.frontends.sql.statements import parse
from seriatim.source import InputError, SourceText
from testkit.generators.sql_files import random_file
from testkit.samples import IS_DEEP

FILES = int(os.environ.get("SQL_FILES", "60" if IS_DEEP else "8"))
FIRST = int(os.environ.get("SQL_FIRST_FILE", "500000"))
MOST_STATES = 20_000
BOTH = range(2)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A private server; where there is none, these tests are skipped."""
    try:
        yield shared_server()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


@pytest.mark.parametrize("level", Level)
def test_the_server_says_the_same_about_whole_files(server: Server, level: Level) -> None:
    compared = 0
    for seed in range(FIRST, FIRST + FILES):
        text = random_file(Random(seed))
        try:
            machine = Machine(read_script(SourceText(f"{seed}.sql", text)), level)
            found, serial = outcomes(machine, BOTH, most=MOST_STATES), serial_outcomes(machine, BOTH)
        except (InputError, Refusal, TooMany):
            continue
        with arena(server, read_text(text), level.value) as place:
            done = Comparer(place, machine, EFFORTS["quick"], found <= serial, Deadline()).compare()
        assert not done.difference, (seed, done.difference, text)
        compared += 1
    assert compared > FILES // 5


def test_every_row_of_the_list_is_in_some_file() -> None:
    seen: set[object] = set()
    fields: set[tuple[str, str]] = set()
    for seed in range(400):
        text = random_file(Random(seed))
        for piece in split(text, "x.sql"):
            if piece.kind is not Kind.STATEMENT or not piece.text.lower().startswith(STARTS):
                continue
            for node in parse(piece.text).walk():
                seen |= {type(node), node.key}
                seen |= {type_name(node)} if isinstance(node, sql.DataType) else set()
                fields |= {(node.key, name) for name, value in node.args.items() if value}
    unseen = [each for each, node in ((v, k) for k, v in OPERATOR_NODES.items()) if node not in seen]
    unseen_functions = [each for node, each in NODES.items() if node not in seen]
    assert [each for each in OPERATORS if each in unseen] == []
    assert [each for each in FUNCTIONS if each in unseen_functions] == []
    assert [each for each in AGGREGATES if {k for k, v in SUMMARIES.items() if v is each} - seen] == []
    assert sorted(set(TYPES) - seen) == []
    assert sorted(CONSTRAINTS - seen - {"primarykey", "foreignkey"}) == []
    wanted = {(node, name) for node, names in CLAUSES.items() for name in names}
    assert sorted(wanted - fields - NOT_WRITTEN) == []


STARTS = ("create table", "select", "with", "update", "insert", "delete", "alter")

NOT_WRITTEN = frozenset({("insert", "default"), ("lock", "expressions"), ("join", "kind")})
"""Clauses that the files do without: they are in other tests, or stand for another spelling."""
