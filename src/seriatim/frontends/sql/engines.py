"""The database that has its say about a file, and the text that is sent to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

from seriatim.frontends.protocol import Settings
from seriatim.frontends.sql.choosing import complete
from seriatim.frontends.sql.client import statement_text
from seriatim.frontends.sql.language import (
    Do,
    Item,
    Script,
    Transaction,
)
from seriatim.frontends.sql.live.mariadb import mariadb_place
from seriatim.frontends.sql.live.mariadb_server import SCHEMES, named_mariadb, shared_mariadb
from seriatim.frontends.sql.live.places import Place
from seriatim.frontends.sql.live.postgres import arena
from seriatim.frontends.sql.live.server import Server, named_server, shared_server
from seriatim.frontends.sql.live.sqlite import sqlite_place
from seriatim.frontends.sql.live.text import Argument, Call, Statement, Text, read_text
from seriatim.frontends.sql.terms import Value
from seriatim.source import SourceText

POSTGRESQL = "postgresql"
MARIADB = "mariadb"
SQLITE = "sqlite"

DEFAULTS = {MARIADB: "repeatable-read", SQLITE: "serializable"}
"""The level of transactions that name none, where it is not READ COMMITTED."""


def kind_of(engine: str) -> str:
    """Which database an engine is, also if a URL names it."""
    scheme = engine.partition("://")[0]
    if scheme in SCHEMES:
        return MARIADB
    return SQLITE if engine == SQLITE else POSTGRESQL


def has_model(engine: str) -> bool:
    """Whether the model knows the rules of this database."""
    return kind_of(engine) == POSTGRESQL


def level_of(settings: Settings) -> str:
    """The level of transactions that name none: the given one, or the database's own default."""
    default = DEFAULTS.get(kind_of(settings.get("engine", "")), "read-committed")
    return settings.get("isolation", default)


def server_named(engine: str) -> Server:
    """The server of a URL; without one, a private one. Raises `NoServer`."""
    return shared_server() if engine in ("", POSTGRESQL) else named_server(engine)


@contextmanager
def place_named(engine: str, text: Text, level: str) -> Iterator[Place]:
    """A place for a script on the database that the user names. Raises `NoServer` and `Impossible`."""
    if engine == SQLITE:
        with sqlite_place(text) as database:
            yield database
        return
    if kind_of(engine) == MARIADB:
        maria = shared_mariadb() if engine == MARIADB else named_mariadb(engine)
        with mariadb_place(maria, text, level.replace("-", " ")) as place:
            yield place
        return
    with arena(server_named(engine), text, level.replace("-", " ")) as found:
        yield found


def read_source(source: SourceText) -> Text:
    """A file as a server sees it, with values for all of its variables. Raises `Unreadable`."""
    return read_text(complete(source)[0].text)


def named_text(source: SourceText, script: Script) -> Text:
    """What the server is told: the text of a script itself. Specs and logs are not text for a server, so
    theirs is made from what was read. Raises `Unreadable`."""
    if source.name.endswith(".spec") or any(each.is_session for each in script.transactions):
        return text_of(script)
    text = read_source(source)
    known = {call.name for call in text.calls}
    logged = [each for each in script.transactions if each.name not in known]
    return Text(text.setup, (*text.calls, *(call for each in logged for call in calls_of(each))))


def text_of(script: Script) -> Text:
    """The text of a script that was read."""
    setup = tuple(Statement(text, 1) for text in script.schema_text)
    return Text(setup, tuple(call for each in script.transactions for call in calls_of(each)))


def calls_of(transaction: Transaction) -> tuple[Call, ...]:
    """The requests of a transaction without conditions, as those of specs and logs are."""
    code = tuple(Statement(statement_text(each), each.span.line, _gset(each)) for each in transaction.items)
    names = [parameter.name for parameter in transaction.parameters]
    return tuple(
        Call(
            transaction.name,
            tuple(zip(names, map(_argument, values), strict=True)),
            code,
            transaction.once,
            transaction.span.line,
            transaction.is_session,
        )
        for values in product(*(parameter.values for parameter in transaction.parameters))
    )


def _gset(item: Item) -> str | None:
    return item.gset if isinstance(item, Do) else None


def _argument(value: Value) -> Argument:
    return value if value is None or isinstance(value, bool | int | str) else str(value)
