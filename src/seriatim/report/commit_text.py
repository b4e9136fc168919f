"""Where requests take effect, in words."""

from collections.abc import Iterable

from seriatim.explain.explanation import CommitStep
from seriatim.explain.names import visible


def commit_words(step: CommitStep) -> str:
    lines = f", {lines_words(step.lines)}" if step.lines else ""
    return (
        f"`{visible(step.handler)}` takes effect between {step.begins} and {step.ends}{lines}; "
        f"it answers {_alternatives(map(visible, step.responses))}."
    )


def lines_words(lines: tuple[int, ...]) -> str:
    """`line 3`, `lines 3-5 and 8`."""
    ranges: list[tuple[int, int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], line)
        else:
            ranges.append((line, line))
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    return f"line{'s' if len(lines) > 1 else ''} {join_words(shown, 'and')}"


def _alternatives(items: Iterable[str], most: int = 8) -> str:
    found = list(items)
    if len(found) > most:
        found[most - 1 :] = [f"{len(found) - most + 1} others"]
    return join_words(found, "or")


def join_words(items: list[str], word: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"
