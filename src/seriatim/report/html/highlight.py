"""Source texts as HTML, line by line: words of the language, numbers, comments and globals stand out.

It looks at words alone, so it also shows texts that do not parse. Its output keeps the text: each character
is there once, in its place. Comments and texts may go over several lines.
"""

import re
from pathlib import PurePath

from seriatim.actions.words import KEYWORDS
from seriatim.frontends.ser import keywords
from seriatim.report.html.markup import Markup, element, together

_LINE, _BLOCK = r"//.*", r"/\*[\s\S]*?(?:\*/|\Z)"
_TEXT = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_MACRO = r"(?m:^[ \t]*#\s*\w+)|\b[A-Z][A-Z_0-9]+\b"
_NUMBER = r"\b\d\w*"

_SQL_WORDS = (
    "select insert update delete from where and or not in is null like between into values set create "
    "table primary key foreign references unique check default index on as join left right inner outer "
    "order group by having limit offset distinct union all exists case when then else end begin start "
    "transaction commit rollback abort savepoint release isolation level read committed uncommitted "
    "repeatable serializable snapshot only write for share nowait skip locked returning conflict do "
    "nothing if count sum min max coalesce true false int integer bigint smallint text varchar char "
    "boolean numeric serial constraint alter drop with lock mode asc desc"
)
_C_WORDS = (
    "auto bool break case char const continue default do double else enum extern false float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch true typedef union "
    "unsigned void volatile while _Atomic _Bool _Thread_local"
)
_P4_WORDS = (
    "action actions apply bit bool const control default default_action else enum error exit extern false "
    "header if in inout int key match_kind out package parser return select size state struct switch "
    "table transition true type typedef varbit void"
)
_CONC_WORDS = (
    "global thread returns local int bool true false havoc assume assert return atomic if else while fork "
    "join assign"
)
_PYTHON_WORDS = (
    "async await def class import from as with if elif else for while in is not and or return yield try "
    "except finally raise assert global nonlocal lambda pass break continue del None True False self "
    "match case"
)


def _words(names: str) -> str:
    return rf"\b(?:{'|'.join(names.split())})\b"


def _language(
    comment: str, word: str, special: str = "", text: str = "", ignores_case: bool = False
) -> re.Pattern[str]:
    """The pattern of a language: comments and texts first, because they may contain everything else."""
    parts = {"comment": comment, "text": text, "word": word, "number": _NUMBER, "global": special}
    pattern = "|".join(f"(?P<{name}>{each})" for name, each in parts.items() if each)
    return re.compile(pattern, re.IGNORECASE if ignores_case else 0)


_OWN = _language(r"(?://|#).*", rf"{_words(' '.join(sorted(keywords.ALL)))}|@lp\b", r"\b[A-Z]\w*")
_SYSTEM = re.compile(
    r'(?P<number>-?\b\d+\b)|(?P<global>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?P<word>"(?:[^"\\\n]|\\.)*")'
)
_BY_SUFFIX = {
    ".json": _SYSTEM,
    ".py": _language(
        r"#.*",
        rf"{_words(_PYTHON_WORDS)}|@\w+",
        text=rf"[rbfRBF]*(?:\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z))|[rbf]*(?:{_TEXT})",
    ),
    ".sql": _language(
        rf"--.*|{_BLOCK}",
        rf"{_words(_SQL_WORDS)}|\\\w+",
        r":\w+",
        r"'(?:[^']|'')*(?:'|\Z)",
        ignores_case=True,
    ),
    ".c": _language(rf"{_LINE}|{_BLOCK}", _words(_C_WORDS), _MACRO, _TEXT),
    ".p4": _language(rf"{_LINE}|{_BLOCK}", rf"{_words(_P4_WORDS)}|@\w+", _MACRO, _TEXT),
    ".conc": _language(rf"{_LINE}|{_BLOCK}", _words(_CONC_WORDS)),
    ".actions": _language(r"//.*", _words(" ".join(sorted(KEYWORDS))), r"\b[A-Z]\w*"),
}


def highlight_lines(text: str, name: str) -> list[Markup]:
    """The lines of a text as HTML; the suffix of the text's name tells the language."""
    words = _BY_SUFFIX.get(PurePath(name).suffix, _OWN)
    lines: list[list[Markup | str]] = [[]]
    end = 0
    for found in words.finditer(text):
        _add(lines, text[end : found.start()], None)
        _add(lines, found[0], found.lastgroup)
        end = found.end()
    _add(lines, text[end:], None)
    return [together(*line) for line in lines]


def _add(lines: list[list[Markup | str]], text: str, kind: str | None) -> None:
    """Adds a piece to the last line, and begins a line after each line break in it."""
    for number, piece in enumerate(text.split("\n")):
        if number:
            lines.append([])
        shown = piece.rstrip("\r")
        if shown:
            lines[-1].append(shown if kind is None else element("span", shown, class_=f"t-{kind}"))
