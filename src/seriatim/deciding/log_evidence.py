"""Re-checks certificates about logs: those that were saved, and those of earlier verdicts.

Claim: a verdict about a log that is recalled here is right, whoever wrote it. It is believed because of its
certificates alone: they are checked against the log as it is read here, and have to settle every level in
question. The words around it come from its writer.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from seriatim.budget import Deadline
from seriatim.certificate import history as about_requests
from seriatim.certificate import transactions as about_levels
from seriatim.certificate.history import Comparison, HistoryCertificate
from seriatim.certificate.transactions import REAL_TIME, Level, LevelCertificate, weaker
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history.isolation import verify_level
from seriatim.checking.history.transactions import TransactionLog
from seriatim.checking.obligation import Report
from seriatim.deciding.logs import AboutLevels, load_model, read_log, read_question
from seriatim.history import decide as requests
from seriatim.history.reading import Format
from seriatim.history.transactions import decide as transactions
from seriatim.properties.explained import Explained
from seriatim.properties.isolated import Isolated
from seriatim.result import Recorded, Result
from seriatim.strict_json import error, one_of, parse
from seriatim.systems.limits import Limits

QUESTIONS = (about_requests.QUESTION, about_levels.QUESTION)


@dataclass(frozen=True, slots=True)
class LogClaim:
    """What a certificate says about a log, and what the checker says of it."""

    question: Explained | Isolated
    holds: bool
    words: str
    report: Report

    @property
    def verdict(self) -> str:
        return self.question.verdicts[not self.holds]

    def settles(self, level: Level) -> bool:
        """Whether the verdict on this level follows."""
        if isinstance(self.question, Explained):
            return False
        mine = Level(self.question.level)
        return level is mine or (level in weaker(mine) if self.holds else mine in weaker(level))


def concerns_logs(text: str) -> bool:
    """Whether a text has certificates about a log, one a line, the first of them well-formed or not."""
    first, _, _ = text.lstrip().partition("\n")
    if not any(f'"{question}"' in first for question in QUESTIONS):
        return False
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("question") in QUESTIONS


def verify_log(text: str, lines: Iterable[str], program: str | None, deadline: Deadline) -> list[LogClaim]:
    """Checks certificates, one a line, about one log; `program` is where the program is that it was compared
    with, if not where it was. Raises `InputError`, `BadInput`, `GaveUp`, `OutOfBudget`."""
    texts = [line for line in text.splitlines() if line.strip()]
    if _question_of(texts[0]) == about_requests.QUESTION:
        if len(texts) > 1:
            raise error("SER405", "there are several certificates about a log of requests, not one")
        about, form, certificate = about_requests.read(texts[0])
        about = about if program is None else replace(about, program=program)
        compared = load_model(about, Limits(), deadline)
        question = read_question(compared, lines, _format(form), about.ignores_times)
        return [_about_requests(certificate, about, question, deadline)]
    found = [about_levels.read(each) for each in texts]
    reading, *others = (each for each, _ in found)
    if any(other != reading for other in others):
        raise error("SER405", "the certificates are about logs that are read in different ways")
    log = read_log(lines, _format(reading.log_format), reading.any_initial, deadline)
    return [_about_level(certificate, log, deadline) for _, certificate in found]


def _question_of(text: str) -> object:
    found = parse(text)
    return found.get("question") if isinstance(found, dict) else None


def _format(name: str) -> Format:
    return Format(one_of(name, "log_format", tuple(each.value for each in Format)))


def _about_requests(
    certificate: HistoryCertificate, about: Comparison, question: requests.Question, deadline: Deadline
) -> LogClaim:
    report = requests.check(certificate, question, requests.about_of(question), deadline)
    holds = certificate.verdict == about_requests.EXPLICABLE
    return LogClaim(about.asked, holds, certificate.verdict, report)


def _about_level(certificate: LevelCertificate, log: TransactionLog, deadline: Deadline) -> LogClaim:
    level = certificate.level
    report = verify_level(certificate, log, Allowance(transactions.ALLOWANCE, deadline))
    words = f"{level.words}: {certificate.verdict}"
    return LogClaim(Isolated(level.value), certificate.verdict == "holds", words, report)


# --- earlier verdicts ---------------------------------------------------------------------------------------


def is_complete(result: Result) -> bool:
    """Whether a verdict is one that later runs may have as well: all levels are decided."""
    answer = result.answer
    levels = answer.account.facts.get("levels", {}) if isinstance(answer, Recorded) else {}
    return isinstance(answer, Recorded) and isinstance(levels, dict) and "undecided" not in levels.values()


def shows_requests(
    result: Result, question: requests.Question, about: Comparison, deadline: Deadline
) -> bool:
    """Whether the evidence of an earlier result about requests holds here. Raises `InputError`,
    `OutOfBudget`."""
    answer = result.answer
    if not isinstance(answer, Recorded) or len(answer.certificates) != 1:
        return False
    try:
        _, _, certificate = about_requests.read(answer.certificates[0])
        claim = _about_requests(certificate, about, question, deadline)
    except GaveUp:
        return False
    return result.property == about.asked and claim.report.accepted and claim.holds == answer.holds


def shows_levels(result: Result, log: TransactionLog, about: AboutLevels, deadline: Deadline) -> bool:
    """Whether the evidence of an earlier result about levels holds here, and settles all that are asked
    about, as the result says. Raises `InputError`, `OutOfBudget`."""
    answer = result.answer
    if not isinstance(answer, Recorded) or result.property != about.asked:
        return False
    try:
        found = (about_levels.read(each)[1] for each in answer.certificates)
        claims = [_about_level(certificate, log, deadline) for certificate in found]
    except GaveUp:
        return False
    if not all(claim.report.accepted for claim in claims):
        return False
    settled: dict[str, str] = {}
    for level in Level if about.level is None else (about.level,):
        holds = {claim.holds for claim in claims if claim.settles(level)}
        if level in REAL_TIME and not log.is_timed:
            settled[level.value] = "not_applicable"
        elif len(holds) == 1:
            settled[level.value] = "holds" if True in holds else "violated"
    is_as_told = settled == answer.account.facts.get("levels")
    return is_as_told and answer.holds == ("violated" not in settled.values())
