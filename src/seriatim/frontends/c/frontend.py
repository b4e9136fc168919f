"""The front end of C programs with pthreads; it needs the extra `seriatim[c]`."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from seriatim.frontends.protocol import (
    NO_SETTINGS,
    Approximation,
    ApproximationKind,
    Settings,
    ThreadTranslation,
    provenance,
)
from seriatim.source import Diagnostic, InputError, SourceText

if TYPE_CHECKING:
    from seriatim.program.threads.syntax import ThreadProgram

AT_ONCE = (
    "threads see each other's writes at once (sequential consistency), as without data races (`race-free`)"
)
BUFFERED = (
    "what a thread writes reaches memory later, in order (total store order, as on x86), and the compiler "
    "keeps the order of accesses"
)
ASSUMED = (
    "signed arithmetic does not overflow",
    "operands are evaluated from left to right",
    "locks and other objects of pthreads are used as allowed, calls succeed, and so does asking for memory",
    "pointers to locals are followed only while these exist, and no address is used as a number",
)


def read_c_threads(
    source: SourceText,
    statements_are_steps: bool = False,
    folders: Sequence[str] = (),
    macros: Sequence[str] = (),
    has_buffers: bool = False,
) -> "ThreadProgram":
    """Raises `InputError` with what is wrong, or with what cannot be translated."""
    if find_spec("pycparser") is None:
        hint = "install it: pip install 'seriatim[c]'"
        raise InputError([Diagnostic("SER092", "the parser for C is not installed", hint=hint)])
    from seriatim.frontends.c.preprocessing import Given  # Few inputs are in C.
    from seriatim.frontends.c.translation import read_c

    return read_c(source, statements_are_steps, Given(tuple(folders), tuple(macros)), has_buffers)


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> ThreadTranslation:
    """With `steps` set to `statement`, each statement is one step; otherwise each access is. With `memory`
    set to `tso`, stores wait in buffers. `include` and `define` are folders and macros, a line each."""
    folders, macros = (settings.get(name, "").splitlines() for name in ("include", "define"))
    has_buffers, are_whole = settings.get("memory") == "tso", settings.get("steps") == "statement"
    if has_buffers and are_whole:
        hint = "leave out one of them"
        raise InputError([Diagnostic("SER214", "`--memory tso` is about single accesses", hint=hint)])
    program = read_c_threads(source, are_whole, folders, macros, has_buffers)
    memory = BUFFERED if has_buffers else AT_ONCE
    assumed = tuple(Approximation(ApproximationKind.ASSUMPTION, each) for each in (memory, *ASSUMED))
    return ThreadTranslation(program, assumed, provenance("c", source, settings))
