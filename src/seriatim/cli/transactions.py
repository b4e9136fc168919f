"""`ser history LOG` without a model: which isolation levels do the transactions of a log show?"""

import json
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TextIO

from seriatim import __version__
from seriatim.budget import Deadline
from seriatim.certificate.transactions import Level, LevelCertificate
from seriatim.certificate.transactions import read as read_certificate
from seriatim.certificate.transactions import write as write_certificate
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history.isolation import verify_level
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.terminal import Terminal
from seriatim.frontends.reading import InputFile, load
from seriatim.history.reading import Format
from seriatim.history.transactions.decide import ALLOWANCE, Decided, decide_levels
from seriatim.history.transactions.names import find_level
from seriatim.history.transactions.reading import read_transactions
from seriatim.report.html.page import page
from seriatim.report.html.transactions import levels_section
from seriatim.report.look import Style
from seriatim.report.transactions import overall, verdicts_json, verdicts_text
from seriatim.report.verification import obligation_lines
from seriatim.source import Diagnostic, InputError


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked about a log."""

    level: str | None
    lists_all: bool
    certificate: Path | None
    checked: Path | None
    html: Path | None
    as_json: bool


EXIT_CODES = {
    "holds": ExitCode.YES,
    "violated": ExitCode.NO,
    "undecided": ExitCode.UNKNOWN,
    "not_applicable": ExitCode.BAD_INPUT,
}


def decide_transactions(
    name: str, lines: TextIO, form: Format, wanted: Wanted, terminal: Terminal, deadline: Deadline
) -> ExitCode:
    """Raises `BadInput`, `InputError`, `OutOfBudget`."""
    begun = perf_counter()
    levels = list(Level) if wanted.level is None else [find_level(wanted.level)]
    if wanted.certificate is not None and wanted.level is None:
        raise InputError(
            [Diagnostic("SER574", "a certificate is about one level", hint="name it with --level")]
        )
    try:
        log = read_transactions(lines, form, deadline)
    except UnicodeDecodeError:
        message = "the log is not UTF-8 text"
        raise InputError([Diagnostic("SER571", message, hint="convert it")]) from None
    if wanted.checked is not None:
        _, certificate = load(
            InputFile.from_argument(str(wanted.checked)), lambda source: read_certificate(source.text)
        )
        assert isinstance(certificate, LevelCertificate)
        try:
            report = verify_level(certificate, log, Allowance(ALLOWANCE, deadline))
        except GaveUp as stopped:
            terminal.say(f"{wanted.checked}: undecided: {stopped}\n")
            return ExitCode.UNKNOWN
        look = terminal.out
        verdict = look.paint("valid", Style.GOOD) if report.accepted else look.paint("REFUSED", Style.BAD)
        claim = f"{certificate.level.words}: {certificate.verdict}"
        terminal.say(f"{look.paint(str(wanted.checked), Style.STRONG)}: {verdict}: {claim}\n")
        for obligation in report.obligations:
            for line in obligation_lines(obligation, look, not obligation.holds):
                terminal.say(f"{line}\n")
        return ExitCode.YES if report.accepted else ExitCode.NO
    verdicts = decide_levels(log, levels, deadline)
    if wanted.certificate is not None:
        (found,) = verdicts.values()
        if isinstance(found, Decided):
            write_whole(wanted.certificate, write_certificate(found.certificate))
    if wanted.html is not None:
        write_whole(wanted.html, page([levels_section(name, log, verdicts)], __version__))
    if wanted.as_json:
        terminal.say(json.dumps(verdicts_json(name, log, verdicts, perf_counter() - begun)) + "\n")
    else:
        terminal.say(verdicts_text(name, log, verdicts, wanted.lists_all, terminal.out))
    return EXIT_CODES[overall(verdicts)]
