"""Source texts as HTML, a line at a time: words of the language, numbers, comments and globals stand out.

It looks at words alone, so it also shows texts that do not parse. Its output keeps the text: each character
is there once, in its place.
"""

import re
from collections.abc import Iterator
from pathlib import PurePath

from seriatim.frontends.ser import keywords
from seriatim.report.html.markup import Markup, element, together

_PROGRAM = re.compile(
    r"(?P<comment>(?://|\#).*)"
    rf"|(?P<word>\b(?:{'|'.join(sorted(keywords.ALL))})\b|@lp\b)"
    r"|(?P<number>\b\d+\b)"
    r"|(?P<global>\b[A-Z]\w*)"
)
_PYTHON = re.compile(
    r"(?P<comment>\#.*)"
    r"|(?P<global>[rbf]?\"(?:[^\"\\]|\\.)*\"|[rbf]?'(?:[^'\\]|\\.)*')"
    r"|(?P<word>\b(?:async|await|def|class|import|from|as|with|if|elif|else|for|while|in|is|not|and|or|return|yield"
    r"|try|except|finally|raise|assert|global|nonlocal|lambda|pass|break|continue|del|None|True|False|self)\b|@\w+)"
    r"|(?P<number>\b\d+\b)"
)
_SYSTEM = re.compile(
    r'(?P<number>-?\b\d+\b)|(?P<global>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<word>"(?:[^"\\]|\\.)*")'
)


_BY_SUFFIX = {".py": _PYTHON, ".json": _SYSTEM}


def highlight_line(line: str, name: str) -> Markup:
    """A line of a text as HTML; the suffix of the text's name tells the language."""
    return together(*_pieces(line, _BY_SUFFIX.get(PurePath(name).suffix, _PROGRAM)))


def _pieces(line: str, words: re.Pattern[str]) -> Iterator[Markup | str]:
    end = 0
    for found in words.finditer(line):
        if found.start() > end:
            yield line[end : found.start()]
        yield element("span", found[0], class_=f"t-{found.lastgroup}")
        end = found.end()
    if end < len(line):
        yield line[end:]
