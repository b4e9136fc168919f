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


def is_undefined(name: str, headers: Set[str]) -> bool:
    """Whether gcc defines no such name, neither by default nor with `_GNU_SOURCE`; False where nobody can
    say."""
    if not (_NAME.fullmatch(name) and all(map(_HEADER.fullmatch, headers))):
        return False
    compiler = os.environ.get("CC", "gcc")
    return all(
        _says_undefined(compiler, name, frozenset(headers), options) for options in ((), ("-D_GNU_SOURCE",))
    )


@cache
def _says_undefined(compiler: str, name: str, headers: frozenset[str], options: tuple[str, ...]) -> bool:
    path = which(compiler)
    if path is None:
        return False
    included = "".join(f"#include <{each}>\n" for each in sorted(headers))
    text = f"{included}#ifndef __GNUC__\n#error other\n#endif\n#ifndef {name}\n{UNDEFINED}\n#endif\n"
    command = [path, "-E", "-x", "c", *options, "-"]
    try:
        done = subprocess.run(
            command, input=text, check=False, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and UNDEFINED in done.stdout
