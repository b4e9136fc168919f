"""Warns of statements without BEGIN: each is a transaction by itself then, which is rarely meant."""

import re
from collections.abc import Iterator

from seriatim.frontends.sql.choosing import complete
from seriatim.frontends.sql.live.text import Call, Statement, Unreadable, read_text
from seriatim.frontends.sql.refusal import ALONE
from seriatim.source import Diagnostic, SourceText, Span, quote, warning

_BEGINS = re.compile(r"\s*(begin|start)\b", re.I)
_ENDS = re.compile(r"\s*(commit|end|rollback|abort)\b(?!\s+(?:(?:work|transaction)\s+)?to\b)", re.I)
_TOUCHES = re.compile(r"\s*(select|with|values|table|insert|update|delete|merge|call)\b", re.I)


def warn_of_single_statements(source: SourceText) -> tuple[Diagnostic, ...]:
    """A warning for each transaction with several statements that no BEGIN joins."""
    if source.name.endswith(".spec"):
        return ()
    try:
        calls = {call.name: call for call in read_text(complete(source)[0].text).calls}
    except Unreadable:
        return ()
    return tuple(_warning(call, source) for call in calls.values() if len(list(_alone(call))) > 1)


def _alone(call: Call) -> Iterator[Statement]:
    """The statements of a request that are transactions by themselves, however its conditions turn out."""
    inside = False
    for each in call.statements:
        inside = bool(_BEGINS.match(each.text)) or (inside and not _ENDS.match(each.text))
        if not inside and _TOUCHES.match(each.text):
            yield each


def _warning(call: Call, source: SourceText) -> Diagnostic:
    first, *_, last = _alone(call)
    span = Span(first.line, 1, first.line, len(source.line(first.line)) + 1, source.name)
    message = (
        f"{quote(call.name)} has no BEGIN around the statements in lines {first.line} to {last.line}: each is"
        " a transaction by itself, and no isolation level joins them"
    )
    return warning(ALONE, message, span, "write BEGIN and COMMIT around them")
