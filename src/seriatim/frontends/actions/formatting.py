"""Asynchronous programs in one fixed form: four spaces a level, comments where they were.

Lines stay lines. Each line is printed token by token, so nothing but white space can change; the result is
parsed and compared nevertheless.
"""

from itertools import pairwise

from seriatim.frontends.actions.lexer import Comment, Kind, Lexer, Token, comments
from seriatim.frontends.actions.parser import parse
from seriatim.source import Diagnostic, InputError, SourceText

_INDENTATION = "    "
_TIGHT_BEFORE = frozenset((")", "]", ",", ":", "..", "["))
_TIGHT_AFTER = frozenset(("(", "[", "..", "#"))
_CALLS = frozenset(("receive", "send", "old", "bag", "set", "queue", "pending"))


def format_actions(source: SourceText) -> str:
    """The program in its fixed form; raises `InputError` if it has mistakes."""
    program = parse(source)
    text = _Lines(source).text()
    if parse(SourceText(source.name, text)) != program:
        raise InputError([Diagnostic("SER559", "formatting would change what this program means")])
    return text.replace("\n", "\r\n") if "\r\n" in source.text else text


class _Lines:
    def __init__(self, source: SourceText) -> None:
        self._tokens: dict[int, list[Token]] = {}
        self._levels: dict[int, int] = {}
        level = depth = 0
        for token in Lexer(source.text, source.name).tokens():
            match token.kind:
                case Kind.INDENT:
                    level += 1
                case Kind.DEDENT:
                    level -= 1
                case Kind.LINE_END | Kind.END:
                    pass
                case _:
                    line = token.span.line
                    self._levels.setdefault(line, level + (1 if depth else 0))
                    self._tokens.setdefault(line, []).append(token)
                    depth += (token.text in "([") - (token.text in ")]")
        self._comments: dict[int, Comment] = {each.line: each for each in comments(source.text)}
        self._last = source.text.count("\n") + 1

    def text(self) -> str:
        lines: list[str] = []
        for number in range(1, self._last + 1):
            line = self._line(number)
            if line or (lines and lines[-1]):
                lines.append(line)
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines) + "\n"

    def _line(self, number: int) -> str:
        tokens, comment = self._tokens.get(number, []), self._comments.get(number)
        if not tokens:
            return "" if comment is None else _INDENTATION * self._level_after(number) + comment.text
        text = _INDENTATION * self._levels[number] + join_tokens(tokens)
        return text if comment is None else f"{text}  {comment.text}"

    def _level_after(self, number: int) -> int:
        """A comment on a line of its own belongs to the line that follows."""
        following = [line for line in self._levels if line > number]
        return self._levels[min(following)] if following else 0


def join_tokens(tokens: list[Token]) -> str:
    """The tokens of a line with the white space that belongs between them."""
    text = tokens[0].text
    for before, (one, other) in zip([None, *tokens], pairwise(tokens), strict=False):
        text += ("" if _is_tight(before, one, other) else " ") + other.text
    return text


def _is_tight(before: Token | None, one: Token, other: Token) -> bool:
    if other.text in _TIGHT_BEFORE and other.kind is Kind.SYMBOL:
        return True
    if one.text in _TIGHT_AFTER and one.kind is Kind.SYMBOL:
        return True
    if other.text == "(":
        return one.kind is Kind.NAME or one.text in _CALLS
    return one.text == "-" and _is_sign(before)


def _is_sign(before: Token | None) -> bool:
    """Whether a minus after this is a sign and not a subtraction."""
    if before is None or before.kind is Kind.KEYWORD:
        return True
    return before.kind is Kind.SYMBOL and before.text not in (")", "]")
