"""XML that is well formed, whatever the bytes: a fuzzer gets past the syntax, to what elements mean.

A byte opens an element, closes one, or adds a text; what is still open at the end is closed.
"""

from xml.sax.saxutils import quoteattr

QUERY = (
    *("property-set", "property", "id", "formula", "exists-path", "finally", "all-paths", "globally"),
    *(
        "conjunction",
        "disjunction",
        "negation",
        "true",
        "false",
        "is-fireable",
        "deadlock",
        "transition",
        "place",
    ),
    *("integer-le", "integer-lt", "integer-ge", "integer-gt", "integer-eq", "integer-ne", "tokens-count"),
    *("integer-constant", "integer-sum", "integer-difference", "integer-product"),
)
NET = (
    "pnml",
    "net",
    "page",
    "place",
    "transition",
    "arc",
    "initialMarking",
    "inscription",
    "text",
    "type",
    "name",
)
TEXTS = ("P1", "P2", "g0", "t1", "final", "0", "1", "2", "-1", "999999999999", " ", "é")
ATTRIBUTES = ("id", "source", "target", "type", "value")


def query_tree(data: bytes) -> str:
    return _tree(data, QUERY, "<property-set><property><formula><exists-path><finally>", 5)


def net_tree(data: bytes) -> str:
    return _tree(data, NET, "<pnml><net>", 2)


def _tree(data: bytes, names: tuple[str, ...], start: str, depth: int) -> str:
    """Elements of these names, below some that are open already."""
    open_names = [part.rstrip(">") for part in start.split("<")[1:]]
    assert len(open_names) == depth
    parts = [start]
    for byte in data:
        kind, choice = byte >> 6, byte & 63
        if kind == 0 and len(open_names) > 1:
            parts.append(f"</{open_names.pop()}>")
        elif kind == 1:
            parts.append(TEXTS[choice % len(TEXTS)])
        else:
            name = names[choice % len(names)]
            attributes = "" if kind == 2 else _attributes(choice)
            parts.append(f"<{name}{attributes}>")
            open_names.append(name)
    return "".join([*parts, *(f"</{name}>" for name in reversed(open_names))])


def _attributes(choice: int) -> str:
    """A few names that places, transitions and arcs may share."""
    return "".join(
        f" {name}={quoteattr(TEXTS[(choice + shift) % len(TEXTS)])}"
        for shift, name in enumerate(ATTRIBUTES[:3])
    )
