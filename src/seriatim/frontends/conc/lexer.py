"""Text to tokens of the thread language; comments are tokens, too, for the formatter."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from seriatim.frontends.ser.lexer import MAX_DIGITS, MAX_TOKENS
from seriatim.source import Diagnostic, InputError, Span, quote

_DECLARING = ("global", "thread", "returns", "local", "int", "bool", "true", "false")
_ACTING = ("havoc", "assume", "assert", "return", "atomic", "if", "else", "while", "fork", "join", "assign")
KEYWORDS = frozenset((*_DECLARING, *_ACTING))


class Kind(Enum):
    NAME = auto()
    NUMBER = auto()
    KEYWORD = auto()
    SYMBOL = auto()
    COMMENT = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    span: Span
    begins_line: bool = False
    """Whether it is the first on its line."""
    after_blank: bool = False
    """Whether an empty line stands before it."""


_TOKEN = re.compile(
    r"""(?P<blank>   [ \t\r\f]+ )
      | (?P<newline> \n )
      | (?P<comment> //[^\n]* )
      | (?P<word>    \w+ )
      | (?P<symbol>  ==> | := | == | != | <= | >= | && | \|\| | \.\. | [(){};:,?!<>=+*%/-] )
      | (?P<odd>     . )
    """,
    re.VERBOSE,
)


def tokenize(text: str, file: str = "") -> list[Token]:
    """All tokens, the last one of kind `END`; raises `InputError` with all that is no token."""
    tokens: list[Token] = []
    wrong: list[Diagnostic] = []
    line, line_start, breaks = 1, 0, 2
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "newline":
            line, line_start, breaks = line + 1, match.end(), breaks + 1
        if match.lastgroup in ("blank", "newline"):
            continue
        start, end = match.start() - line_start + 1, match.end() - line_start + 1
        span = Span(line, start, line, end, file)
        kind = _kind(match, span, wrong)
        tokens.append(Token(kind, match.group().rstrip(), span, breaks > 0, breaks > 1 and bool(tokens)))
        breaks = 0
        if len(tokens) > MAX_TOKENS:
            message = f"the program is longer than {MAX_TOKENS:,} words and symbols"
            raise InputError([Diagnostic("SER029", message, span, "leave out what does not matter")])
    if wrong:
        raise InputError(wrong[:20])
    column = len(text) - line_start + 1
    return [*tokens, Token(Kind.END, "", Span(line, column, line, column, file))]


def _kind(match: re.Match[str], span: Span, wrong: list[Diagnostic]) -> Kind:
    text = match.group()
    match match.lastgroup:
        case "comment":
            return Kind.COMMENT
        case "symbol":
            return Kind.SYMBOL
        case "word" if text in KEYWORDS:
            return Kind.KEYWORD
        case "word" if text.isidentifier():
            return Kind.NAME
        case "word" if text.isascii() and text.isdigit():
            if len(text) > MAX_DIGITS:
                message = f"this number has {len(text):,} digits; at most {MAX_DIGITS} are allowed"
                wrong.append(Diagnostic("SER004", message, span, "use a smaller number"))
            return Kind.NUMBER
        case "word":
            hint = "numbers consist of the digits 0 to 9; names begin with a letter or `_`"
            wrong.append(Diagnostic("SER003", f"{quote(text)} is neither a number nor a name", span, hint))
            return Kind.NAME
        case _:
            hint = "names consist of letters, digits and `_`; comments begin with `//`"
            wrong.append(Diagnostic("SER001", f"unexpected character {quote(text)}", span, hint))
            return Kind.SYMBOL
