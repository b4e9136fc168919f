"""Notebooks: `%load_ext seriatim.notebook`, then `%%ser` above a cell that is a program.

    %%ser --property strict --name counter
    request incr { x := X; yield; X := x + 1; x }

The cell shows the verdict, as `seriatim.check` does. With `--name`, the verdict is a variable afterwards.
"""

import argparse
import shlex
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from seriatim.api import BadInput, Verdict, check
from seriatim.properties.all import WITHOUT_SPECIFICATION


class Shell(Protocol):
    """The part of IPython's shell that we use."""

    user_ns: dict[str, Any]

    def register_magic_function(
        self, func: Callable[[str, str], object], magic_kind: str, magic_name: str
    ) -> None: ...


class _Parser(argparse.ArgumentParser):
    """A parser that raises errors instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"%%ser: {message}; {self.format_usage().strip()}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%ser", add_help=False)
    parser.add_argument(
        "--property", choices=list(WITHOUT_SPECIFICATION), default="serializable", dest="question"
    )
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--name", help="a variable for the verdict")
    return parser


def check_cell(line: str, cell: str, variables: dict[str, Any]) -> Verdict:
    """The verdict on the program in a cell; raises `ValueError` about options and mistakes."""
    options = _parser().parse_args(shlex.split(line))
    try:
        verdict = check(cell, property=options.question, timeout=options.timeout)
    except BadInput as bad:
        raise ValueError(str(bad)) from None
    if options.name is not None:
        variables[options.name] = verdict
    return verdict


def load_ipython_extension(shell: Shell) -> None:
    """Adds the magic `%%ser`; IPython calls this."""

    def magic(line: str, cell: str) -> Verdict:
        return check_cell(line, cell, shell.user_ns)

    shell.register_magic_function(magic, "cell", "ser")
