"""What a script may not say to a server that somebody else uses, too.

On a private server, scripts have no rights, so nothing has to be read. On a server that a URL names, they
have those of its user: whatever would leave the schema of the script is refused by its words, also inside of
bodies of functions. This is no wall, which is why superusers are refused as well.
"""

import re
from collections.abc import Iterable

from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.text import Statement

_BEYOND = (
    (re.compile(r"\bcopy\s+[^;]*\b(program|from|to)\b", re.I), "COPY"),
    (re.compile(r"\balter\s+system\b", re.I), "ALTER SYSTEM"),
    (
        re.compile(
            r"\b(create|alter|drop)\s+(role|user|group|extension|database|tablespace|server|schema|publication"
            r"|subscription|event\s+trigger|foreign\s+data|language|policy)\b",
            re.I,
        ),
        "what belongs to the whole server",
    ),
    (re.compile(r"\b(set|reset)\s+(session\s+|local\s+)?(role|session\s+authorization)\b", re.I), "SET ROLE"),
    (re.compile(r"\b(grant|revoke|reassign)\s", re.I), "GRANT"),
    (re.compile(r"\b(listen|notify|unlisten|pg_notify)\b", re.I), "NOTIFY"),
    (re.compile(r"\bsearch_path\b", re.I), "search_path"),
    (re.compile(r"^\s*load\s|\bsecurity\s+definer\b", re.I), "LOAD and SECURITY DEFINER"),
    (re.compile(r"\bexecute\s+(format|'|\$|\w+\s*\|\||[\"(])", re.I), "EXECUTE of a text"),
    (
        re.compile(
            r"\b(dblink\w*|lo_\w+|pg_read\w*|pg_write\w*|pg_ls_\w+|pg_stat_file|pg_terminate_backend"
            r"|pg_cancel_backend|pg_reload_conf|pg_switch_wal|query_to_xml\w*)\s*\(",
            re.I,
        ),
        "a function that reaches beyond the database",
    ),
)

_QUALIFIED = re.compile(
    r"\b(?:from|join|into|update|table|only|references|truncate|lock|view|function|procedure|call|on|exists)\s+"
    r"\"?(\w+)\"?\s*\.\s*\"?\w+\"?(?!\s*(?:\.|=|<|>|!))",
    re.I,
)
_STRING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.S)
_ALIAS = re.compile(r"\b(?:from|join|into|update|table|as)\s+\"?(\w+)\"?", re.I)

READABLE = frozenset({"pg_catalog", "information_schema", "excluded", "new", "old"})


def refuse_reach(statements: Iterable[Statement]) -> None:
    """Raises `Impossible` for a statement that would leave the schema of its script."""
    for each in statements:
        text = _STRING.sub("''", each.text)
        for pattern, what in _BEYOND:
            if pattern.search(each.text if what == "EXECUTE of a text" else text):
                raise Impossible(f"{what} is refused on a server that a URL names", each.line)
        own = {name.lower() for name in _ALIAS.findall(text)} | READABLE
        for schema in _QUALIFIED.findall(text):
            named = re.search(rf"\b(?:from|join|into|update|table)\s+\"?{schema}\"?\s*\.", text, re.I)
            if schema.lower() not in own or (named is not None and schema.lower() not in READABLE):
                message = f"the schema `{schema}` is refused on a server that a URL names"
                raise Impossible(message, each.line)
