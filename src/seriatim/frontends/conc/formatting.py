"""Thread programs in one layout: a statement a line, blocks indented by two, comments kept."""

from collections.abc import Iterator

from seriatim.frontends.conc.lexer import Kind, Token, tokenize
from seriatim.source import SourceText

INDENTATION = "  "
_TIGHT_AFTER = {"(", "!", ".."}
_TIGHT_BEFORE = {")", ",", ";", "..", ":"}


def layout(source: SourceText) -> str:
    """The same tokens, laid out; raises `InputError` if the text has characters that are none."""
    lines = list(_lines(tokenize(source.text, source.name)))
    return "".join(line.rstrip() + "\n" for line in lines)


def _lines(tokens: list[Token]) -> Iterator[str]:
    depth = 0
    line: list[Token] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else token
        if token.kind is Kind.END:
            break
        if token.after_blank and not line and token.text != "}":
            yield ""
        if token.text == "}":
            depth = max(0, depth - 1)
        line.append(token)
        if token.text == "{":
            ends = True
        elif token.text == "}":
            ends = following.text != "else"
        else:
            ends = token.text == ";" or token.kind is Kind.COMMENT
        if ends and following.kind is Kind.COMMENT and not following.begins_line:
            ends = False  # A comment at the end of a line stays there.
        if ends or following.kind is Kind.END:
            opened = any(each.text == "{" for each in line if each.kind is Kind.SYMBOL)
            yield INDENTATION * depth + _join_tokens(line)
            depth += opened
            line = []


def _join_tokens(line: list[Token]) -> str:
    text = ""
    before: Token | None = None
    for index, token in enumerate(line):
        if before is not None and _has_space(line, index):
            text += " "
        if token.kind is Kind.COMMENT and before is not None:
            text += " "  # Two before a comment.
        text += token.text
        before = token
    return text


def _has_space(line: list[Token], index: int) -> bool:
    before, token = line[index - 1], line[index]
    if token.kind is Kind.COMMENT:
        return True
    if token.text == ":" and any(each.text == "?" for each in line[:index]):
        return True
    if token.text in _TIGHT_BEFORE or before.text in _TIGHT_AFTER:
        return False
    if before.text == "-" and _is_sign(line, index - 1):
        return False
    return not (token.text == "(" and before.kind is Kind.NAME)


def _is_sign(line: list[Token], index: int) -> bool:
    """Whether a minus stands before its operand, and not between two."""
    if index == 0:
        return True
    before = line[index - 1]
    if before.kind is Kind.KEYWORD:
        return before.text not in ("true", "false")
    return before.kind is Kind.SYMBOL and before.text != ")"
