"""Files that SQLite's and InnoDB's promises cover: the databases keep them, in all runs of two requests.

A sample runs each time; SQL_FILES=500 in the environment makes it larger, and SQL_FIRST_FILE chooses the
first one.
"""

import os
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.sql.engines import MARIADB, SQLITE, place_named
from seriatim.frontends.sql.exploring import STAGES, explore
from seriatim.frontends.sql.live.mariadb_server import shared_mariadb
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import read_text
from seriatim.frontends.sql.promised import accept
from testkit.generators.plain_sql import plain_file
from testkit.samples import IS_DEEP

FILES = int(os.environ.get("SQL_FILES", "40" if IS_DEEP else "6"))
FIRST = int(os.environ.get("SQL_FIRST_FILE", "0"))


def shows_violation(engine: str, level: str, seed: int) -> bool:
    text = read_text(plain_file(Random(seed), engine == MARIADB))
    if level == "serializable":
        accept(text, engine, level)
    with place_named(engine, text, level) as place:
        found = explore(place, Deadline(60), STAGES[:1])
    assert not found.doubt
    return found.violation is not None


@pytest.mark.parametrize("engine", [SQLITE, MARIADB])
def test_promises_are_kept(engine: str) -> None:
    if engine == MARIADB:
        try:
            shared_mariadb()
        except NoServer as missing:
            pytest.skip(f"{missing.reason}: {missing.hint}")
    seeds = range(FIRST, FIRST + FILES)
    assert [seed for seed in seeds if shows_violation(engine, "serializable", seed)] == []


def test_a_weaker_level_is_noticed() -> None:
    try:
        shared_mariadb()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")
    assert any(shows_violation(MARIADB, "read committed", seed) for seed in range(20))
