"""Asks the compiler that is there whether it defines a name, with the headers that a program includes.

A reserved name, such as `_DEBUG`, may be defined by a compiler or a header. Where gcc is installed, it says
whether that is so. Only its preprocessor runs, on a text of `#include` lines and one condition.
"""

import os
import re
import subprocess
from collections.abc import Set
from functools import cache
from shutil import which

SECONDS = 10
"""How long the preprocessor may take."""
UNDEFINED = "seriatim_undefined"

_HEADER = re.compile(r"[a-z][a-z0-9_/]*\.h")
_NAME = re.compile(r"\w+")


def is_defined(name: str, headers: Set[str]) -> bool | None:
    """Whether gcc defines a name, both by default and with `_GNU_SOURCE`; None where nobody can say, or the
    two differ."""
    if not (_NAME.fullmatch(name) and all(map(_HEADER.fullmatch, headers))):
        return None
    compiler = os.environ.get("CC", "gcc")
    said = {_said(compiler, name, frozenset(headers), options) for options in ((), ("-D_GNU_SOURCE",))}
    return said.pop() if len(said) == 1 else None


@cache
def _said(compiler: str, name: str, headers: frozenset[str], options: tuple[str, ...]) -> bool | None:
    path = which(compiler)
    if path is None:
        return None
    included = "".join(f"#include <{each}>\n" for each in sorted(headers))
    text = f"{included}#ifndef __GNUC__\n#error other\n#endif\n#ifndef {name}\n{UNDEFINED}\n#endif\n"
    command = [path, "-E", "-x", "c", *options, "-"]
    try:
        done = subprocess.run(
            command, input=text, check=False, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return UNDEFINED not in done.stdout if done.returncode == 0 else None
