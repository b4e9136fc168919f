"""XML that is well formed, whatever the bytes: a fuzzer gets past the syntax, to what elements mean.

A byte opens an element, closes one, or adds a text; what is still open at the end is closed.
"""

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

QUERY = (
    *("property-set", "property", "id", "formula", "exists-path", "finally", "all-paths", "globally"),
    *("conjunction", "disjunction", "negation", "true", "false", "is-fireable", "deadlock", "transition"),
    *("integer-le", "integer-lt", "integer-ge", "integer-gt", "integer-eq", "integer-ne", "tokens-count"),
    *("integer-constant", "integer-sum", "integer-difference", "integer-product", "place"),
)
NET = (
    *("pnml", "net", "page", "place", "transition", "arc"),
    *("initialMarking", "inscription", "text", "type", "name"),
)
TEXTS = ("P1", "P2", "g0", "t1", "final", "0", "1", "2", "-1", "999999999999", " ", "é")
ATTRIBUTES = ("id", "source", "target")


def query_tree(data: bytes) -> str:
    return _tree(data, QUERY, ("property-set", "property", "formula", "exists-path", "finally"))


def net_tree(data: bytes) -> str:
    return _tree(data, NET, ("pnml", "net"))


def _tree(data: bytes, names: Sequence[str], outer: Sequence[str]) -> str:
    """Elements of these names, within some others."""
    opened = list(outer)
    parts = [f"<{name}>" for name in outer]
    for byte in data:
        kind, choice = byte >> 6, byte & 63
        if kind == 0 and len(opened) > 1:
            parts.append(f"</{opened.pop()}>")
        elif kind == 1:
            parts.append(TEXTS[choice % len(TEXTS)])
        else:
            opened.append(names[choice % len(names)])
            parts.append(f"<{opened[-1]}{_attributes(choice) if kind == 3 else ''}>")
    return "".join([*parts, *(f"</{name}>" for name in reversed(opened))])


def _attributes(choice: int) -> str:
    """A few names that places, transitions and arcs may share."""
    texts = (TEXTS[(choice + shift) % len(TEXTS)] for shift in range(len(ATTRIBUTES)))
    return "".join(f" {name}={quoteattr(text)}" for name, text in zip(ATTRIBUTES, texts, strict=True))
