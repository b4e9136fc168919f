"""Changes of a text at some places; everything else, comments and layout included, stays as it is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seriatim.frontends.ser.surface import Declaration, Variable
from seriatim.frontends.ser.surface_printer import put_variable, surface_printer
from seriatim.program.expression_printer import SPELLINGS, Style
from seriatim.source import Span

_AFTER_STATEMENT = re.compile(r"[ \t]*;?[ \t]*")
_COMMENT = ("//", "#")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """What stands between two offsets of a text is replaced."""

    start: int
    end: int
    replacement: str


class Offsets:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def of(self, span: Span) -> tuple[int, int]:
        return (
            self.starts[span.line - 1] + span.column - 1,
            self.starts[span.end_line - 1] + span.end_column - 1,
        )

    def stands_at(self, span: Span, word: str) -> bool:
        start, end = self.of(span)
        return self.text[start:end] == word

    def indentation(self, offset: int) -> str | None:
        """The white space before a place, if there is nothing else before it on its line."""
        before = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return before if not before.strip() else None

    def text_of(self, span: Span) -> str:
        start, end = self.of(span)
        return self.text[start:end]

    def uses_layout(self, head: Span, first: Span) -> bool:
        """Whether the block between a head and its first statement is an indented one."""
        return "{" not in self.text[self.of(head)[0] : self.of(first)[0]]

    def insert(self, at: int, is_layout: bool, *statements: str) -> str:
        """Statements before what stands at a place, in the style of their surroundings."""
        indentation = self.indentation(at)
        end = "; " if indentation is None else ("" if is_layout else ";") + "\n" + indentation
        return "".join(statement + end for statement in statements)

    def declaration(self, variable: Variable, declarations: Sequence[Declaration]) -> Edit:
        """A declaration after the others, on a line of its own."""
        printer = surface_printer(SPELLINGS[Style.LAYOUT])
        put_variable(variable, printer)
        end = self.of(declarations[-1].span)[1]
        line_end = self.text.find("\n", end)
        at = len(self.text) if line_end < 0 else line_end + 1
        return Edit(at, at, f"{printer.text()}\n")

    def without_statement(self, span: Span) -> Edit:
        """Takes a statement out, with its separator, and with its line if nothing else is on that."""
        start, end = self.of(span)
        after, rest = self._after(end)
        if self.indentation(start) is None:
            return Edit(start, end if rest.startswith(_COMMENT) else after, "")
        line = self.whole_line(span)
        return Edit(start, after, "") if rest or line is None else line

    def whole_line(self, span: Span) -> Edit | None:
        """The edit that deletes the line of a statement; None if other statements are on it."""
        start, end = self.of(span)
        indentation = self.indentation(start)
        _, rest = self._after(end)
        if indentation is None or (rest and not rest.startswith(_COMMENT)):
            return None
        line_end = self.text.find("\n", end)
        return Edit(start - len(indentation), len(self.text) if line_end < 0 else line_end + 1, "")

    def _after(self, end: int) -> tuple[int, str]:
        """Where a statement with its separator ends, and what else is on the line."""
        after = _AFTER_STATEMENT.match(self.text, end)
        assert after is not None
        return after.end(), self.text[after.end() :].partition("\n")[0].rstrip("\r")


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with these changes, which must not overlap; those at one place are made in their order."""
    ordered = sorted(enumerate(edits), key=lambda item: (item[1].start, item[1].end, item[0]))
    for _, edit in reversed(ordered):
        text = text[: edit.start] + edit.replacement + text[edit.end :]
    return text
