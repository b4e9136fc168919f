"""C text as the parser takes it, with every line where it was.

Comments become blanks, except `//@ assert e;`, which becomes a call. Includes are left out: what is used of
them has stubs. Object-like macros whose body is one constant or name are replaced; all other directives are
refused.
"""

import re

from seriatim.frontends.c.refusing import refuse
from seriatim.source import Span

STUBS = (
    "typedef unsigned long pthread_t; typedef int pthread_mutex_t; typedef int pthread_cond_t; "
    "typedef int pthread_attr_t; typedef int pthread_mutexattr_t; typedef int pthread_condattr_t; "
    "typedef unsigned long size_t; typedef _Bool bool; typedef int FILE; typedef unsigned char uint8_t; "
    "typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t; "
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; "
    "typedef long intptr_t; typedef unsigned long uintptr_t; "
)
"""On the first line, so that lines keep their numbers; it is as long as `OFFSET` says."""

OFFSET = len(STUBS)

ASSERTION = "__seriatim_assert"

_COMMENT = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//@\s*assert\b([^\n]*)|//[^\n]*|/\*.*?\*/', re.DOTALL
)
_ATTRIBUTE = re.compile(r"\b__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
_DROPPED = re.compile(
    r"\b(?:__extension__|__inline__|__inline|inline|__restrict|restrict|_Noreturn|noreturn)\b"
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)[ \t]*([^\n]*)")
_SIMPLE = re.compile(r"\(?\s*-?\s*\w+\s*\)?")

CONSTANTS = {
    "NULL": "0",
    "PTHREAD_MUTEX_INITIALIZER": "0",
    "PTHREAD_COND_INITIALIZER": "0",
    "true": "1",
    "false": "0",
    "EBUSY": "16",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295u",
}


def preprocess(text: str, file: str) -> str:
    """Raises `InputError` at directives that would change the program."""
    text = _COMMENT.sub(_blank, text)
    text = _ATTRIBUTE.sub(_spaces, text)
    text = _DROPPED.sub(_spaces, text)
    macros = dict(CONSTANTS)
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        directive = _DIRECTIVE.fullmatch(line.rstrip("\r"))
        if directive is None:
            lines.append(_replaced(line, macros))
        else:
            _obey(directive.group(1), directive.group(2).strip(), Span(number, 1, number, 2, file), macros)
            lines.append("")
    return STUBS + "\n".join(lines)


def _obey(name: str, rest: str, span: Span, macros: dict[str, str]) -> None:
    if name == "include" or name == "" or name.isdigit() or name == "line" or name == "pragma":
        return
    if name == "define":
        found = re.fullmatch(r"(\w+)(?:[ \t]+(.*))?", rest)
        if found is not None and (found.group(2) is None or _SIMPLE.fullmatch(found.group(2).strip())):
            macros[found.group(1)] = _replaced(found.group(2) or "", macros)
            return
        refuse(
            "a macro other than a name for a constant", span, "run the preprocessor first: gcc -E -P file.c"
        )
    if name == "undef":
        macros.pop(rest, None)
        return
    refuse(f"the directive `#{name}`", span, "run the preprocessor first: gcc -E -P file.c")


def _replaced(line: str, macros: dict[str, str]) -> str:
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda found: macros.get(found.group(), found.group()), line)


def _blank(found: re.Match[str]) -> str:
    text = found.group()
    if text.startswith(('"', "'")):
        return text
    if text.startswith("//@"):
        condition = found.group(1).strip().rstrip(";")
        return f"{ASSERTION}({condition});"
    return _spaces(found)


def _spaces(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())
