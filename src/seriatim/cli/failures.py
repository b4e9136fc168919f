"""Reports bad input and reached limits, each with its message and exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from seriatim.arithmetic.semilinear.algebra import TooManyComponents
from seriatim.arithmetic.solvers.isl import NotInstalled
from seriatim.budget import OutOfBudget
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.terminal import Terminal
from seriatim.frontends.reading import BadInput
from seriatim.report.limits_text import budget_diagnostic, limit_diagnostic, step_diagnostic
from seriatim.show.run import NoRun
from seriatim.source import InputError, SourceText
from seriatim.systems.limits import LimitReached


@contextmanager
def report_failures(context: click.Context, terminal: Terminal, name: str) -> Iterator[None]:
    """Reports a failure inside and ends the command. `name` is the input, for failures without a place."""
    place = SourceText(name, "")
    try:
        yield
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        terminal.complain(place, *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except (TooManyComponents, NotInstalled) as problem:
        terminal.complain(place, step_diagnostic(problem))
        context.exit(ExitCode.UNKNOWN)
    except NoRun as none:
        terminal.complain(place, none.diagnostic())
        context.exit(ExitCode.UNKNOWN)
    except LimitReached as reached:
        terminal.complain(place, limit_diagnostic(reached))
        context.exit(ExitCode.UNKNOWN)
    except OutOfBudget as out:
        terminal.complain(place, budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)
