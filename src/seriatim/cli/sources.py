"""`ser check --explain-scope` and `--conformance`: shows and tests how a source is understood."""

from collections.abc import Iterable
from functools import partial

from seriatim.budget import Deadline, OutOfBudget
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.terminal import Terminal
from seriatim.cli.translation_options import Sources
from seriatim.frontends.all import refuse_setting, translate
from seriatim.frontends.kinds import only_for
from seriatim.frontends.languages import Content, content_named, language_of
from seriatim.frontends.python.conformance import compare
from seriatim.frontends.python.replayer import Failed
from seriatim.frontends.reading import BadInput, parse_source
from seriatim.report.translation_text import scope_text
from seriatim.source import Diagnostic, InputError, SourceText

Read = tuple[SourceText, Diagnostic | None]
"""The text of a file, and the problem with the file if there is one."""


def explain_scopes(found: Iterable[Read], sources: Sources, terminal: Terminal) -> int:
    """Shows how sources are understood; returns the exit code."""
    code = ExitCode.YES
    for source, problem in found:
        try:
            if problem is not None:
                raise BadInput(source, [problem])
            if content_named(source.name) is Content.THREADS:
                raise BadInput(source, [refuse_setting("explain-scope")])
            read = only_for("check", partial(translate, settings=sources.settings()))
            translation = parse_source(source, read)
        except BadInput as bad:
            terminal.complain(bad.source, *bad.diagnostics)
            code = ExitCode.BAD_INPUT
        else:
            terminal.say(scope_text(translation, source, terminal.out))
    return code


def compare_sources(found: Iterable[Read], sources: Sources, timeout: float, terminal: Terminal) -> int:
    """Follows random runs of the real code in the model; returns the exit code."""
    codes = [compare_one(read, sources, timeout, terminal) for read in found]
    return max(codes, key=(ExitCode.YES, ExitCode.UNKNOWN, ExitCode.NO, ExitCode.BAD_INPUT).index)


def compare_one(found: Read, sources: Sources, timeout: float, terminal: Terminal) -> ExitCode:
    source, problem = found
    try:
        if problem is not None:
            raise BadInput(source, [problem])
        if "cancel" not in language_of(source).settings:
            raise BadInput(source, [refuse_setting("conformance")])
        settings = dict(sources.settings())
        came = compare(source, settings, sources.conformance or 1, Deadline(timeout))
    except (BadInput, InputError) as bad:
        terminal.complain(source, *bad.diagnostics)
        return ExitCode.BAD_INPUT
    except (Failed, OutOfBudget) as stopped:
        reason = str(stopped) or f"time limit reached ({timeout:g} s)"
        terminal.say(f"{source.name}: UNDECIDED: {reason}\n")
        return ExitCode.UNKNOWN
    if came.difference is not None:
        terminal.say(f"{source.name}: THE MODEL DIFFERS, in run {came.runs}: {came.difference}\n")
        return ExitCode.NO
    end = f"; {came.outside} of them leave a scope, and are followed up to there" if came.outside else ""
    terminal.say(f"{source.name}: the model allows all {came.turns} turns of {came.runs} random runs{end}\n")
    return ExitCode.YES
