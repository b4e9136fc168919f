"""A diagnostic as text: the place, the message, the source line, what to do."""

import unicodedata

from seriatim.source import Diagnostic, Severity, SourceText, Span

WINDOW = 100
"""How many characters of a long source line are shown."""

_COLORS = {Severity.ERROR: "\033[1;31m", Severity.WARNING: "\033[1;33m", Severity.NOTE: "\033[1;36m"}
_BOLD = "\033[1m"
_PLAIN = "\033[0m"


def render(diagnostic: Diagnostic, source: SourceText, color: bool = False) -> str:
    """Renders a diagnostic as lines of text, each with its line break."""
    mark, bold, plain = (_COLORS[diagnostic.severity], _BOLD, _PLAIN) if color else ("", "", "")
    span = diagnostic.span
    name = span.file if span is not None and span.file else source.name
    where = name if span is None else f"{name}:{span.line}:{span.column}"
    kind = f"{mark}{diagnostic.severity}[{diagnostic.code}]{plain}"
    lines = [f"{bold}{where}:{plain} {kind}: {bold}{diagnostic.message}{plain}"]
    if span is not None and name == source.name:
        shown, carets = _excerpt(source.line(span.line), span)
        gutter = len(str(span.line))
        lines.append(f"  {span.line} | {shown}".rstrip())
        lines.append(f"  {'':{gutter}} | {carets.replace('^', mark + '^', 1)}{plain}")
    if diagnostic.hint is not None:
        lines.append(f"  {bold}hint:{plain} {diagnostic.hint}")
    return "".join(line + "\n" for line in lines)


def _excerpt(line: str, span: Span) -> tuple[str, str]:
    """The part of a line around a span, safe to show, and the carets that go under it."""
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    first = max(0, min(start - WINDOW // 2, len(line) - WINDOW))
    last = first + WINDOW
    shown = "".join(_visible(character) for character in line[first:last])
    carets = "".join(_blank(character) for character in line[first:start])
    underlined = line[start : min(end, last)]
    carets += "^" * max(1, sum(_columns(character) for character in underlined))
    if first > 0:
        shown, carets = "…" + shown, " " + carets
    return shown + ("…" if last < len(line) else ""), carets


def _visible(character: str) -> str:
    """The character, or a substitute if a terminal would obey it or show nothing."""
    return character if character.isprintable() or character == "\t" else "\N{REPLACEMENT CHARACTER}"


def _blank(character: str) -> str:
    """White space as wide as the character is shown."""
    return "\t" if character == "\t" else " " * _columns(character)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
