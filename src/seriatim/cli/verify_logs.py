"""`ser verify` for certificates about logs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seriatim.budget import Deadline, enforce
from seriatim.certificate.transactions import Level
from seriatim.checking.obligation import Obligation, Report
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.log_files import open_log, with_line
from seriatim.cli.terminal import Terminal
from seriatim.deciding.log_evidence import LogClaim, concerns_logs, verify_log
from seriatim.frontends.reading import BadInput, InputFile, read
from seriatim.history.transactions.names import find_level
from seriatim.properties.property import in_words, property_fields
from seriatim.report.text_look import Style
from seriatim.report.verification import VERSION, obligation_json, obligation_lines
from seriatim.source import InputError, SourceText


@dataclass(frozen=True, slots=True)
class Wanted:
    """What certificates about a log have to prove, and where the program is that it was compared with."""

    verdict: str | None
    property_name: str | None
    level: str | None
    model: str | None
    foreign: bool
    """Whether an option asks for something that only certificates about programs have."""


def is_about_logs(file: InputFile) -> bool:
    """Whether a file has certificates about a log, one a line."""
    return file.path is not None and concerns_logs(read(file)[0].text)


def verify_logs(
    terminal: Terminal,
    files: tuple[InputFile, InputFile],
    wanted: Wanted,
    deadline: Deadline,
    as_json: bool,
    details: bool,
) -> ExitCode:
    """Checks certificates about a log, and reports. Raises `BadInput`, `GaveUp`, `OutOfBudget`."""
    certificate_file, log_file = files
    assert certificate_file.path is not None
    log = "-" if log_file.path is None else str(log_file.path)
    try:
        level = None if wanted.level is None else find_level(wanted.level)
        text = certificate_file.path.read_text("utf-8")
        with enforce(deadline), open_log(log) as lines:
            claims = verify_log(text, lines, wanted.model, deadline)
    except InputError as problem:
        codes = {each.code for each in problem.diagnostics}
        culprit = certificate_file if any(code.startswith("SER4") for code in codes) else log_file
        raise BadInput(SourceText(culprit.name, ""), [with_line(d) for d in problem.diagnostics]) from None
    if level is not None:
        claims = [claim for claim in claims if claim.settles(level)] or claims
    claims = _as_wanted(claims, wanted, level)
    is_valid = all(claim.report.accepted for claim in claims)
    names = certificate_file.name, log_file.name
    if as_json:
        terminal.say(json.dumps(_json(claims, is_valid, *names)) + "\n")
    else:
        terminal.say(_text(claims, names[0], terminal, details))
    return ExitCode.YES if is_valid else ExitCode.NO


def _as_wanted(claims: Sequence[LogClaim], wanted: Wanted, level: Level | None) -> list[LogClaim]:
    """The claims; the first one is refused if they are not what was wanted."""
    found: list[Obligation] = []
    first, *rest = claims
    if wanted.foreign:
        detail = "it is about a log; options about specifications and the kernel do not apply to it"
        found.append(Obligation("the certificate answers what the options ask for", False, detail))
    if wanted.property_name is not None:
        fits = first.question.name == wanted.property_name
        claim = f"the certificate answers the question that was asked: {wanted.property_name}"
        found.append(Obligation(claim, fits, f"it is about {first.question.name}", code="unexpected"))
    if level is not None:
        claim, fits = f"the verdict on {level.words} follows", first.settles(level)
        found.append(Obligation(claim, fits, "it does not", code="unexpected"))
    if wanted.verdict is not None:
        told = _verdict(claims)
        claim = f'the verdict is the expected one: "{in_words(wanted.verdict)}"'
        detail = f'it is "{in_words(told)}"'
        found.append(Obligation(claim, told == wanted.verdict, detail, code="unexpected"))
    until = next((at for at, each in enumerate(found, 1) if not each.holds), None)
    report = Report(tuple(found[:until])) if until else Report((*found, *first.report.obligations))
    return [replace(first, report=report), *rest]


def _verdict(claims: Sequence[LogClaim]) -> str:
    """The verdict on the log: that of a level that does not hold, if there is one."""
    return next((claim.verdict for claim in claims if not claim.holds), claims[0].verdict)


def _text(claims: Sequence[LogClaim], name: str, terminal: Terminal, details: bool) -> str:
    look, lines = terminal.out, list[str]()
    for claim in claims:
        is_valid = claim.report.accepted
        word = look.paint("valid", Style.GOOD) if is_valid else look.paint("REFUSED", Style.BAD)
        lines.append(f"{look.paint(name, Style.STRONG)}: {word}: {claim.words}")
        for obligation in claim.report.obligations:
            lines += obligation_lines(obligation, look, details or not obligation.holds)
    return "".join(f"{line}\n" for line in lines)


def _json(claims: Sequence[LogClaim], is_valid: bool, name: str, log: str) -> dict[str, object]:
    obligations: list[dict[str, object]] = []
    for claim in claims:
        of = f"{claim.words}: " if len(claims) > 1 else ""
        obligations += (
            obligation_json(replace(each, claim=f"{of}{each.claim}")) for each in claim.report.obligations
        )
    return {
        "version": VERSION,
        "certificate": name,
        "file": log,
        "result": "valid" if is_valid else "refused",
        "property": property_fields(claims[0].question),
        "verdict": _verdict(claims),
        "obligations": obligations,
    }
