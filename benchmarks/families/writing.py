"""Programs in layout style, put together from pieces of text; a piece has no indentation of its own."""

from collections.abc import Iterable
from inspect import cleandoc
from textwrap import indent


def code(text: str) -> str:
    """A piece, from a string literal that is indented like the Python around it."""
    return cleandoc(text)


def handler(name: str, *pieces: str) -> str:
    return f"request {name}:\n{block(*pieces)}\n"


def block(*pieces: str) -> str:
    """Pieces, one below the other, as the body of a handler, a loop or a branch."""
    return indent("\n".join(pieces), "    ")


def program(handlers: Iterable[str]) -> str:
    return "\n".join(handlers)


def acquire(lock: str) -> str:
    """Waits until the lock is free and takes it, in one step."""
    return code(f"""
        while {lock} == 1:
            yield
        {lock} := 1
    """)


def release(lock: str) -> str:
    return f"{lock} := 0"


def next_modulo(variable: str, modulus: int) -> str:
    return f"{variable} := ({variable} + 1) % {modulus}"
