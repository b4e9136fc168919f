"""Notebooks: `%load_ext seriatim.notebook`, then `%%ser` above a cell that is a program.

    %%ser --property strict --name counter
    request incr { x := X; yield; X := x + 1; x }

The cell shows the verdict, as `seriatim.check` does; mistakes are shown with their place. With `--name`, the
verdict is a variable afterwards. `--as sql --isolation repeatable-read` is for a cell in another language,
`--draw serial` shows a picture, `--fix` changes that are proved.
"""

import argparse
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from seriatim.api import Drawing, Fix, Verdict, check, draw, fix
from seriatim.frontends.languages import SUFFIXES
from seriatim.frontends.protocol import ISOLATION_LEVELS
from seriatim.properties.all import WITHOUT_SPECIFICATION


@dataclass(frozen=True, slots=True)
class Fixes:
    """Changes below a cell, one after the other."""

    found: tuple[Fix, ...]

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self.found)) or "No change is known to be needed, or to be enough."

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self.found) or f"<p>{self!r}</p>"


Shown = Verdict | Drawing | Fixes


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
    languages = [suffix.removeprefix(".") for suffix in SUFFIXES]
    parser.add_argument("--property", choices=list(WITHOUT_SPECIFICATION), default=None, dest="question")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--name", help="a variable for the verdict")
    parser.add_argument("--as", choices=languages, default="ser", dest="language")
    parser.add_argument("--isolation", choices=list(ISOLATION_LEVELS))
    parser.add_argument("--engine")
    parser.add_argument("--run", action="store_true", help="allow to execute the cell")
    parser.add_argument("--draw", choices=["ns", "serial", "net", "run"])
    parser.add_argument("--fix", action="store_true")
    return parser


def check_cell(line: str, cell: str, variables: dict[str, Any]) -> Shown:
    """The verdict on the program in a cell, or its picture or fixes; raises `ValueError` about options and
    mistakes."""
    options = _parser().parse_args(shlex.split(line))
    settings = {name: value for name in ("isolation", "engine") if (value := getattr(options, name))}
    name = f"<cell>.{options.language}"
    found: Shown
    if options.fix:
        found = Fixes(fix(cell, timeout=options.timeout, name=name, run=options.run, **settings))
    elif options.draw in ("ns", "serial", "net"):
        found = draw(cell, options.draw, name=name, **settings)
    else:
        found = check(
            cell,
            property=options.question,
            timeout=options.timeout,
            name=name,
            run=options.run,
            **settings,
        )
        if options.draw == "run":
            found = draw(found)
    if options.name is not None:
        variables[options.name] = found
    return found


def load_ipython_extension(shell: Shell) -> None:
    """Adds the magic `%%ser`; IPython calls this."""
    from IPython.core.error import UsageError  # It is there when this is called, and only then.

    def magic(line: str, cell: str) -> Shown:
        try:
            return check_cell(line, cell, shell.user_ns)
        except (ValueError, TypeError) as wrong:
            raise UsageError(str(wrong)) from None  # Shown as text, without a traceback.

    shell.register_magic_function(magic, "cell", "ser")
