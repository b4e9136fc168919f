"""The meaning of names as semantic tokens: editors colour what is shared otherwise than what is local."""

from collections.abc import Iterator

from lsprotocol import types

from seriatim.lsp.findings import DocumentText
from seriatim.lsp.names import DocumentNames, Sort
from seriatim.source import Span

LEGEND = types.SemanticTokensLegend(
    ["function", "variable", "enumMember", "keyword"],
    ["declaration", "readonly", "static", "modification", "async"],
)
_KINDS = {
    Sort.REQUEST: ("function", ()),
    Sort.FUNCTION: ("function", ()),
    Sort.CONSTANT: ("variable", ("readonly",)),
    Sort.VALUE: ("enumMember", ()),
    Sort.SHARED: ("variable", ("static",)),
    Sort.LOCAL: ("variable", ()),
}
"""Each sort of names with its type and modifiers: what is shared is static."""


def tokens(text: DocumentText, names: DocumentNames) -> list[int]:
    """Five numbers for each token, relative to the one before, as the protocol has them."""
    numbers: list[int] = []
    before = types.Position(0, 0)
    for span, kind, modifiers in sorted(_told(names), key=lambda each: each[0]):
        place = text.range(span)
        length = place.end.character - place.start.character
        if length <= 0 or place.start.line != place.end.line:
            continue
        lines = place.start.line - before.line
        columns = place.start.character - (before.character if lines == 0 else 0)
        flags = sum(1 << LEGEND.token_modifiers.index(each) for each in modifiers)
        numbers += [lines, columns, length, LEGEND.token_types.index(kind), flags]
        before = place.start
    return numbers


def _told(names: DocumentNames) -> Iterator[tuple[Span, str, tuple[str, ...]]]:
    for pause in names.pauses:
        yield pause, "keyword", ("async",)
    for each in names.occurrences:
        kind, modifiers = _KINDS[each.symbol.sort]
        declared = ("declaration",) if each.is_definition else ()
        written = ("modification",) if each.is_write else ()
        yield each.span, kind, (*modifiers, *declared, *written)
