"""`ser reproduce --paper sequentialization`: the protocols, proved again, beside the paper's table."""

from collections.abc import Sequence
from pathlib import Path

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.failures import report_failures
from seriatim.cli.files import input_files, make_directory, write_whole
from seriatim.cli.terminal import Terminal
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.languages import ACTIONS
from seriatim.frontends.reading import load
from seriatim.reproduction.sequentialization import PAPER, Measured, measure, table


def reproduce_sequentialization(
    context: click.Context, terminal: Terminal, paths: Sequence[str], timeout: float, out: Path
) -> None:
    """Measures, prints and saves the table, and ends the command: 3 if a protocol is not proved."""
    results: list[Measured] = []
    with report_failures(context, terminal, "ser reproduce"):
        for file in input_files(paths, suffixes=ACTIONS.suffixes):
            _, program = load(file, parse)
            stem = file.name.removesuffix(ACTIONS.suffixes[0]).rpartition("/")[2]
            if program.proof is not None and program.proof.when:
                results.append(measure(stem, program, read_proof, timeout))
        make_directory(out)
        text = table(results)
        write_whole(out / "sequentialization.md", f"# Inductive sequentialization, measured again\n\n{text}")
    terminal.say(text)
    proved = {each.stem for each in results if each.verdict.startswith("proved")}
    context.exit(ExitCode.YES if set(PAPER) & {r.stem for r in results} <= proved else ExitCode.UNKNOWN)
