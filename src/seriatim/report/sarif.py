"""Results as SARIF 2.1.0, which code-scanning services show in the source: one run for all inputs.

A violation is a result at the place where its run fails, or else first switches to another request, with the
run as a code flow: a thread flow for each request, in one order of execution. Mistakes in inputs are results,
too; what is undecided is one of the kind `open`. Inputs that are serializable have none.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, assert_never
from urllib.parse import quote

from seriatim.explain.account import Account
from seriatim.explain.timeline import Moment, Timeline, find_interrupted
from seriatim.explain.why import Fails
from seriatim.properties.property import in_words
from seriatim.report.rules import UNDECIDED, rule_help
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import account_text, conclusions, outcome_text, sizes
from seriatim.report.why_text import why_texts
from seriatim.result import Faulty, Holds, Lost, Recorded, Refused, Result, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, SourceText, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_UNBROKEN = TextLook(width=1_000_000)
"""A look without line breaks: viewers break lines."""

Json = dict[str, Any]


def sarif(results: Sequence[Result], version: str) -> str:
    """A SARIF log about these results."""
    findings = [finding for result in results for finding in _findings(result)]
    rules = sorted({finding["ruleId"] for finding in findings})
    driver = {"name": "seriatim", "version": version, "rules": [_rule(rule) for rule in rules]}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "artifacts": [{"location": _artifact(result.source)} for result in results],
                "results": [finding | {"ruleIndex": rules.index(finding["ruleId"])} for finding in findings],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: str) -> Json:
    title, text = rule_help(rule)
    return {"id": rule, "shortDescription": {"text": title}, "help": {"text": text, "markdown": text}}


def _findings(result: Result) -> Iterator[Json]:
    answer, source = result.answer, result.source
    for warning in result.warnings:
        yield _mistake(warning, source)
    match answer:
        case Holds() | Recorded(holds=True):
            pass
        case Recorded(account=account):
            yield _contradiction(account, result)
        case Violated():
            yield _violation(answer, result)
        case Faulty(diagnostic=diagnostic):
            yield _mistake(diagnostic, source)
        case Unusable(diagnostics=diagnostics):
            yield from (_mistake(diagnostic, source) for diagnostic in diagnostics)
        case Undecided() | Refused():
            yield _open(" ".join(filter(None, conclusions(result))), source)
        case Lost(reason=reason):
            yield _open(reason, source)
        case _:
            assert_never(answer)


def _open(text: str, source: SourceText) -> Json:
    return _finding(UNDECIDED, text, source) | {"kind": "open", "level": "none"}


def _mistake(diagnostic: Diagnostic, source: SourceText) -> Json:
    hint = "" if diagnostic.hint is None else f" Hint: {diagnostic.hint}"
    finding = _finding(diagnostic.code, diagnostic.message + hint, source, _region(diagnostic.span))
    return finding | {"level": diagnostic.severity.value}


def _violation(violated: Violated, result: Result) -> Json:
    shown = violated.run.timeline
    name = violated.certificate.verdict
    reason = conclusions(result)[0]
    answers = outcome_text(shown, TextLook())
    told = f" {answers}." if answers else ""
    text = f"{in_words(name).capitalize()} ({sizes(violated.run)}):{told} {reason}"
    why = [part.rstrip() for part in why_texts(violated.why, result.property, _UNBROKEN, "") if part]
    text = "\n\n".join((text, *why))
    switched = next(map(_stretch, find_interrupted(shown)), None)
    region = _region(violated.why.diagnostic.span) if isinstance(violated.why, Fails) else switched
    finding = _finding(name.replace("_", "-"), text, result.source, region)
    return finding | {"level": "error", "codeFlows": [{"threadFlows": list(_flows(shown, result.source))}]}


def _contradiction(account: Account, result: Result) -> Json:
    """Returns what contradicts a log, at the lines of its entries."""
    lines = sorted({bar.line for reason in account.reasons for bar in reason.bars})
    text = "\n".join(conclusions(result)[:1]) + "\n\n" + account_text(account)
    rule = result.property.verdicts[1].replace("_", "-")
    region = {"startLine": lines[0]} if lines else None
    related = [_location(result.source, {"startLine": line}) for line in lines[1:]]
    finding = _finding(rule, text.rstrip(), result.source, region) | {"level": "error"}
    return finding | ({"relatedLocations": related} if related else {})


def _finding(rule: str, text: str, source: SourceText, region: Json | None = None) -> Json:
    return {"ruleId": rule, "message": {"text": text}, "locations": [_location(source, region)]}


def _location(source: SourceText, region: Json | None) -> Json:
    place = {"artifactLocation": _artifact(source)} | ({} if region is None else {"region": region})
    return {"physicalLocation": place}


def _artifact(source: SourceText) -> Json:
    """The location of a file. Relative names stay relative: services start at the repository's root."""
    path = Path(source.name)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}


def _region(span: Span | None) -> Json | None:
    if span is None:
        return None
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _stretch(moment: Moment) -> Json | None:
    """The part of a line that is executed, from the first column to the last."""
    if moment.line is None:
        return None
    if not moment.columns:
        return {"startLine": moment.line}
    first = min(first for first, _ in moment.columns)
    end = max(end for _, end in moment.columns)
    return {"startLine": moment.line, "startColumn": first, "endColumn": end}


def _flows(shown: Timeline, source: SourceText) -> Iterator[Json]:
    """Yields what each request does, a location for each line."""
    flows: dict[int, list[Json]] = {}
    order = 0
    for turn in shown.turns:
        for moment in turn.moments:
            order += 1
            location = _location(source, _stretch(moment)) | {"message": {"text": _tell(moment)}}
            flows.setdefault(turn.request, []).append({"location": location, "executionOrder": order})
    for request, heading in enumerate(shown.headings(), start=1):
        is_plain = shown.is_folded or shown.actor != "request"
        title = {"text": heading if is_plain else f"request {heading}"}
        yield {"id": str(request), "message": title, "locations": flows[request]}


def _tell(moment: Moment) -> str:
    changes = ", ".join(
        f"{change.name}: {change.show(change.old)} ➜ {change.show(change.new)}" for change in moment.changes
    )
    code = " … ".join(moment.pieces)
    return f"{code} ({changes})" if changes else code
