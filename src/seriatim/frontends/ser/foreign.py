"""Recognizes texts in other languages: one sentence instead of many syntax errors.

Claim: a text in which a handler begins is never taken for one in another language, so authors of
programs hear about their mistakes. For the others, a line that only the other language has is enough.
"""

import re
from dataclasses import dataclass

from seriatim.source import Diagnostic, Span

_HANDLER = re.compile(r"^[ \t]*(?:request|fun|thread)\s+\w+\s*[({:]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    line: re.Pattern[str]
    """A pattern that only texts in this language match."""
    hint: str


LANGUAGES = (
    Language(
        "Python",
        re.compile(
            r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b"
            r"|class[ \t]+\w+.*:)",
            re.MULTILINE,
        ),
        "name the file `.py`: asyncio services are read as they are, see docs/guides/asyncio.md",
    ),
    Language(
        "SQL",
        re.compile(
            r"^[ \t]*(?:select\b.*\bfrom\b|insert[ \t]+into\b|update[ \t]+\w+[ \t]+set\b|delete[ \t]+from\b"
            r"|create[ \t]+table\b|start[ \t]+transaction\b|begin[ \t]*;|commit[ \t]*;)",
            re.MULTILINE | re.IGNORECASE,
        ),
        "name the file `.sql`: transactions are read as they are, see docs/guides/sql.md",
    ),
    Language(
        "P4",
        re.compile(
            r"^[ \t]*(?:#include[ \t]*<(?:core|v1model|psa|pna|tna)\.p4>|(?:control|parser)[ \t]+\w+[ \t]*\("
            r"|header[ \t]+\w+[ \t]*\{|bit[ \t]*<\d+>|register[ \t]*<)",
            re.MULTILINE,
        ),
        "write what happens to a packet as a request, with its registers as globals: docs/guides/p4.md",
    ),
    Language(
        "C",
        re.compile(
            r"^[ \t]*(?:#[ \t]*(?:include|define|ifdef|ifndef|pragma)\b"
            r"|(?:(?:static|const|unsigned|extern)[ \t]+)*"
            r"(?:void|int|char|long|bool|struct[ \t]+\w+|pthread_\w+)[ \t*]+\w+[ \t]*[(;=\[])",
            re.MULTILINE,
        ),
        "name the file `.c`: programs with threads are read as they are",
    ),
)


def foreign(text: str) -> Diagnostic | None:
    """A hint about a text that is not a program, if it looks like another language."""
    if _HANDLER.search(text):
        return None
    for language in LANGUAGES:
        found = language.line.search(text)
        if found is not None:
            line = text.count("\n", 0, found.start()) + 1
            shown = found.group().strip(" \t\n")
            begin = found.end() - len(found.group().lstrip(" \t\n")) - text.rfind("\n", 0, found.end())
            place = Span(line, begin, line, begin + len(shown))
            return Diagnostic("SER059", f"this looks like {language.name}", place, language.hint)
    return None
