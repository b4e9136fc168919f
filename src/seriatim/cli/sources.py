"""`ser check --explain-scope`: shows how a source is understood."""

from collections.abc import Iterable
from functools import partial

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.terminal import Terminal
from seriatim.cli.translation_options import Sources
from seriatim.frontends.all import allow_run, explain, refuse_setting
from seriatim.frontends.kinds import only_for
from seriatim.frontends.languages import Content, content_named
from seriatim.frontends.reading import BadInput, parse_source
from seriatim.report.translation_text import scope_text
from seriatim.source import Diagnostic, SourceText

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
            parse_source(source, only_for("check", lambda _: None))
            settings = sources.settings()
            read = partial(explain, settings=settings if sources.no_run else allow_run(source, settings))
            translation = parse_source(source, read)
        except BadInput as bad:
            terminal.complain(bad.source, *bad.diagnostics)
            code = ExitCode.BAD_INPUT
        else:
            terminal.say(scope_text(translation, source, terminal.out))
    return code
