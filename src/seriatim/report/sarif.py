"""Outcomes as SARIF 2.1.0, which code-scanning services show in the source: one run for all inputs.

A violation is a result at the place where its run first switches to another request, with the run as a code
flow: a thread flow for each request, in one order of execution. Mistakes in inputs are results, too; what is
undecided is one of the kind `open`. Inputs that are serializable have none.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never
from urllib.parse import quote

from seriatim.explain.narration import Moment
from seriatim.explain.timeline import Timeline, interruptions, timeline
from seriatim.properties.all import ALL
from seriatim.properties.property import in_words
from seriatim.report.explain import explain
from seriatim.report.look import Look
from seriatim.report.outcome import Abandoned, Decided, Outcome, Unusable
from seriatim.report.verdict_text import conclusions, outcome_text, sizes
from seriatim.source import Diagnostic, Span
from seriatim.verdict import Faulty, Holds, Refused, Undecided, Violated

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

UNDECIDED = "undecided"
VIOLATIONS = {name.replace("_", "-"): name for _, name in (asked.verdicts for asked in ALL)}
"""The rules that handlers can violate, with the verdicts."""

VIOLATION = "A run shows what nothing that is allowed explains: its message says what was compared with what."

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a log says of one input."""

    artifact: Json
    results: tuple[Json, ...]


def findings(outcome: Outcome) -> Findings:
    return Findings(_artifact(outcome), tuple(_results(outcome)))


def sarif(found: Sequence[Findings], version: str) -> str:
    """A log about some inputs, written by this version of the program."""
    results = [result for one in found for result in one.results]
    rules = sorted({result["ruleId"] for result in results})
    driver = {"name": "seriatim", "version": version, "rules": [_rule(rule) for rule in rules]}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "artifacts": [{"location": one.artifact} for one in found],
                "results": [result | {"ruleIndex": rules.index(result["ruleId"])} for result in results],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: str) -> Json:
    match rule:
        case _ if rule in VIOLATIONS:
            return _described(rule, f"The handlers are {in_words(VIOLATIONS[rule])}", VIOLATION)
        case "undecided":
            return _described(rule, "Undecided", "A limit was reached before there was a verdict.")
        case _:
            title, _, text = (explain(rule) or "").partition("\n")
            return _described(rule, title.partition(": ")[2], text.strip())


def _described(rule: str, title: str, text: str) -> Json:
    return {
        "id": rule,
        "shortDescription": {"text": title},
        "help": {"text": text, "markdown": text},
    }


def _results(outcome: Outcome) -> Iterator[Json]:
    match outcome:
        case Unusable(diagnostics=diagnostics):
            for diagnostic in diagnostics:
                yield _mistake(diagnostic, outcome)
        case Abandoned(lost=lost):
            yield _open(lost.reason, outcome)
        case Decided(decision=decision):
            for warning in decision.warnings:
                yield _mistake(warning, outcome)
            verdict = decision.verdict
            match verdict:
                case Holds():
                    pass
                case Violated():
                    yield _violation(outcome, verdict)
                case Faulty():
                    yield _mistake(verdict.diagnostic(), outcome)
                case Undecided() | Refused():
                    yield _open(" ".join(filter(None, conclusions(decision))), outcome)
                case _:
                    assert_never(verdict)
        case _:
            assert_never(outcome)


def _open(text: str, outcome: Outcome) -> Json:
    return _result(UNDECIDED, text, outcome) | {"kind": "open", "level": "none"}


def _mistake(diagnostic: Diagnostic, outcome: Outcome) -> Json:
    hint = "" if diagnostic.hint is None else f" Hint: {diagnostic.hint}"
    result = _result(diagnostic.code, diagnostic.message + hint, outcome, _region(diagnostic.span))
    return result | {"level": diagnostic.severity.value}


def _violation(outcome: Decided, verdict: Violated) -> Json:
    shown = timeline(verdict.run, outcome.decision.unfolding, outcome.source)
    name = verdict.certificate.verdict
    reason = conclusions(outcome.decision)[0]
    text = f"{in_words(name).capitalize()} ({sizes(verdict.run)}): {outcome_text(shown, Look())}. {reason}"
    region = _line(*interruptions(shown)[:1])
    result = _result(name.replace("_", "-"), text, outcome, region)
    return result | {"level": "error", "codeFlows": [{"threadFlows": list(_flows(shown, outcome))}]}


def _result(rule: str, text: str, outcome: Outcome, region: Json | None = None) -> Json:
    return {"ruleId": rule, "message": {"text": text}, "locations": [_location(outcome, region)]}


def _location(outcome: Outcome, region: Json | None) -> Json:
    place = {"artifactLocation": _artifact(outcome)} | ({} if region is None else {"region": region})
    return {"physicalLocation": place}


def _artifact(outcome: Outcome) -> Json:
    """Names relative to the current folder stay so: services take that for the root of the repository."""
    path = Path(outcome.source.name)
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


def _line(line: int | None = None) -> Json | None:
    return None if line is None else {"startLine": line}


def _flows(shown: Timeline, outcome: Decided) -> Iterator[Json]:
    """What each request does, a location for each line."""
    flows: dict[int, list[Json]] = {}
    order = 0
    for turn in shown.turns:
        for moment in turn.moments:
            order += 1
            location = _location(outcome, _line(moment.line)) | {"message": {"text": _told(moment)}}
            flows.setdefault(turn.request, []).append({"location": location, "executionOrder": order})
    for request, heading in enumerate(shown.headings(), start=1):
        title = {"text": heading if shown.is_folded else f"request {heading}"}
        yield {"id": str(request), "message": title, "locations": flows[request]}


def _told(moment: Moment) -> str:
    changes = ", ".join(f"{change.name}: {change.old} ➜ {change.new}" for change in moment.changes)
    code = " … ".join(moment.pieces)
    return f"{code} ({changes})" if changes else code
