"""What editors can fold: blocks, by their indentation, and comments of several lines."""

from collections.abc import Iterator

from lsprotocol import types


def folds(lines: list[str]) -> list[types.FoldingRange]:
    return [*_blocks(lines), *_comments(lines)]


def _blocks(lines: list[str]) -> Iterator[types.FoldingRange]:
    """A line with more indented lines below it, up to the last of them; blank lines belong to what follows.

    Every line is pushed and popped at most once, so that long texts are no trouble.
    """
    open_: list[tuple[int, int]] = []
    """Lines that may begin a block, each with its indentation, which grows."""
    last = -1
    for number, line in enumerate([*lines, "."]):
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip()) if number < len(lines) else 0
        while open_ and open_[-1][1] >= depth:
            first, _ = open_.pop()
            if last > first:
                yield types.FoldingRange(first, last)
        open_.append((number, depth))
        last = number


def _comments(lines: list[str]) -> Iterator[types.FoldingRange]:
    first: int | None = None
    for number, line in enumerate([*lines, ""]):
        is_comment = line.lstrip().startswith(("//", "#"))
        if is_comment and first is None:
            first = number
        elif not is_comment and first is not None:
            if number - first > 1:
                yield types.FoldingRange(first, number - 1, kind=types.FoldingRangeKind.Comment)
            first = None
