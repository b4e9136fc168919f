"""`ser lsp`: the language server."""

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.terminal import Terminal
from seriatim.source import Diagnostic, SourceText


@click.command("lsp", short_help="Serve editors: the language server.")
@click.option(
    "--tcp", "port", type=click.IntRange(1, 65535), metavar="PORT", help="Listen on this port of 127.0.0.1."
)
@click.pass_context
def command(context: click.Context, port: int | None) -> None:
    """Serve an editor over the Language Server Protocol, on standard input and output.

    Editors start this themselves; the page "Editors" of the documentation says how. It needs the extra
    seriatim[lsp].
    """
    try:
        from seriatim.lsp.features import create_server
    except ModuleNotFoundError as missing:
        if missing.name not in ("pygls", "lsprotocol"):
            raise
        hint = "install it: pip install 'seriatim[lsp]'"
        unfit = Diagnostic("SER220", "the language server needs pygls", hint=hint)
        Terminal.with_color("auto").complain(SourceText("ser lsp", ""), unfit)
        context.exit(ExitCode.BAD_INPUT)
    server = create_server()
    if port is None:
        server.start_io()
    else:
        server.start_tcp("127.0.0.1", port)
