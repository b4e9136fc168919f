"""Turns text into tokens, in one pass; reports anything else, and keeps it in the stream as `Kind.WRONG`."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from seriatim.frontends.ser.keywords import RESERVED
from seriatim.source import Findings, Span, quote

MARK = "@lp"
"""The mark before the statement at which a request takes effect."""

MAX_DIGITS = 30
"""How long a number may be; far more than any state space that can be explored."""

MAX_TOKENS = 500_000
"""How long a program may be; far more than can be decided, and still read within seconds."""


class Kind(Enum):
    NAME = auto()
    NUMBER = auto()
    KEYWORD = auto()
    SYMBOL = auto()
    WRONG = auto()
    LINE_END = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text; `indentation` is the white space before it if it is the first one on its line."""

    kind: Kind
    text: str
    span: Span
    indentation: str | None


@dataclass(frozen=True, slots=True)
class Comment:
    """From `//` or `#` to the end of the line, without white space at the end."""

    text: str
    span: Span


_TOKEN = re.compile(
    r"""(?P<blank>   [ \t]+ )
      | (?P<comment> //[^\n]* | \#[^\n]* )
      | (?P<newline> \r?\n+ )
      | (?P<word>    \w+ )
      | (?P<mark>    @\w+ )
      | (?P<string>  "[^"\n]*" | '[^'\n]*' )
      | (?P<symbol>  := | ===? | =\+ | \+\+ | !==? | <= | >= | && | \|\| | [-+*%/]= | \.\.
                   | [][(){};:,?!<>=&|+*%-] )
      | (?P<odd>     (?: [^][\w\ \t\r\n"'(){};:,?!<>=&|+*%/\#-]++ | /(?![/=]) | \r(?!\n) )+ | ["'] )
    """,
    re.VERBOSE,
)

_INTENDED = {
    "&": ("&&", "write `&&` or `and`"),
    "|": ("||", "write `||` or `or`"),
    "===": ("==", "write `==`"),
    "!==": ("!=", "write `!=`"),
    # The parser reads `=` as `:=` where an assignment may stand, and as `==` elsewhere.
    "=": ("=", "use `:=` to assign and `==` to compare"),
    "+=": (":=", "write `x := x + …`"),
    "=+": (":=", "write `x := x + …`"),
    "-=": (":=", "write `x := x - …`"),
    "*=": (":=", "write `x := x * …`"),
    "%=": (":=", "write `x := x % …`"),
    "/=": (":=", "there is no division"),
}
"""Operators of other languages: what to read instead, so that no second error follows, and what to say."""

_ONLY_INTEGERS = "there are only integers"


def tokenize(text: str, findings: Findings, file: str = "") -> list[Token]:
    """All tokens of a text, the last one of kind `END`."""
    tokens: list[Token] = []
    line, line_start, fresh_line = 1, 0, True
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("blank", "comment"):
            continue
        start, end = match.span()
        if match.lastgroup == "newline":
            line, line_start, fresh_line = line + match.group().count("\n"), end, True
            continue
        span = Span(line, start - line_start + 1, line, end - line_start + 1, file)
        indentation = text[line_start:start] if fresh_line else None
        fresh_line = False
        if len(tokens) == MAX_TOKENS:
            message = f"the program is longer than {MAX_TOKENS:,} words and symbols"
            findings.report("SER029", message, span, "leave out what does not matter to the question")
            raise findings.error()
        match match.lastgroup:
            case "word":
                kind, meant = _word(match.group(), span, findings)
            case "symbol":
                kind, meant = _symbol(match.group(), span, findings)
            case "mark":
                kind, meant = _mark(match.group(), span, findings)
            case "string":
                kind, meant = Kind.WRONG, match.group()
                findings.report("SER001", f"unexpected string {quote(meant)}", span, _ONLY_INTEGERS)
            case _:
                kind, meant = _odd(match.group(), span, findings)
        tokens.append(Token(kind, meant, span, indentation))
    column = len(text) - line_start + 1
    tokens.append(Token(Kind.END, "", Span(line, column, line, column, file), text[line_start:]))
    return tokens


def comments(text: str) -> list[Comment]:
    """All comments of a text."""
    found: list[Comment] = []
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "newline":
            line, line_start = line + match.group().count("\n"), match.end()
        elif match.lastgroup == "comment":
            comment = match.group().rstrip()
            column = match.start() - line_start + 1
            found.append(Comment(comment, Span(line, column, line, column + len(comment))))
    return found


def _word(text: str, span: Span, findings: Findings) -> tuple[Kind, str]:
    if text in RESERVED:
        return Kind.KEYWORD, text
    if text.isidentifier():
        return Kind.NAME, text
    if not "0" <= text[0] <= "9":
        return _odd(text, span, findings)
    if not (text.isascii() and text.isdigit()):
        findings.report(
            "SER003",
            f"{quote(text)} is neither a number nor a name",
            span,
            "numbers consist of the digits 0 to 9; names begin with a letter or `_`",
        )
        return Kind.WRONG, text
    if len(text) > MAX_DIGITS:
        findings.report(
            "SER004",
            f"this number has {len(text):,} digits; at most {MAX_DIGITS} are allowed",
            span,
            "use a smaller number; every value that a variable takes is another state",
        )
        return Kind.WRONG, text
    return Kind.NUMBER, text


def _symbol(text: str, span: Span, findings: Findings) -> tuple[Kind, str]:
    if text == "++":
        report_no_operator(text, span, "write `x := x + 1`", findings)
        return Kind.WRONG, text
    if text not in _INTENDED:
        return Kind.SYMBOL, text
    meant, hint = _INTENDED[text]
    report_no_operator(text, span, hint, findings)
    return Kind.SYMBOL, meant


def _mark(text: str, span: Span, findings: Findings) -> tuple[Kind, str]:
    if text == MARK:
        return Kind.SYMBOL, text
    findings.report(
        "SER047",
        f"there is no mark {quote(text)}",
        span,
        f"the only mark is `{MARK}`, for a linearization point",
    )
    return Kind.WRONG, text


def report_no_operator(text: str, span: Span, hint: str, findings: Findings) -> None:
    findings.report("SER002", f"{quote(text)} is not an operator", span, hint)


def _odd(text: str, span: Span, findings: Findings) -> tuple[Kind, str]:
    noun = "character" if len(text) == 1 else "characters"
    if text == "/":
        hint = "there is no division"
    elif text in ('"', "'"):
        hint = _ONLY_INTEGERS
    else:
        hint = "names consist of letters, digits and `_`; comments begin with `//` or `#`"
    findings.report("SER001", f"unexpected {noun} {quote(text)}", span, hint)
    return Kind.WRONG, text
