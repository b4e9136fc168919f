"""A result as JSON, one object an input; `result.schema.json` describes it, `result_from_json` reads it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, assert_never

from seriatim.certificate.certificate import Certificate, write
from seriatim.frontends.protocol import Approximation, Comparison
from seriatim.method import Minimality
from seriatim.properties.property import property_fields
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.report.diagnostic_json import diagnostic_json
from seriatim.report.run_json import run_json, sample_json
from seriatim.report.verdict_text import HINT_FOR_LOST
from seriatim.report.why_json import record_json, why_json
from seriatim.result import (
    Answer,
    Faulty,
    Holds,
    Lost,
    Recorded,
    Refused,
    Result,
    Undecided,
    Unusable,
    Violated,
    verdict_name,
)
from seriatim.source import Diagnostic

VERSION = 1
"""The version of the format. It changes if a field is removed or changes its meaning, not if one is added."""

Json = dict[str, Any]


def result_json(result: Result, saved_as: str | None = None) -> Json:
    """A result as a JSON object, with the path of its saved evidence or bug bundle."""
    found: Json = {
        "version": VERSION,
        "file": result.source.name,
        "property": property_fields(result.property),
        "verdict": verdict_name(result),
        "method": result.method,
        "seconds": result.seconds,
    }
    if result.stages:
        found["stages"] = dict(result.stages)
    found |= _answer(result.answer)
    if isinstance(result.answer, Holds) and isinstance(result.property, StaticLinearizability):
        found["points"] = [record_json(step) for step in result.answer.points]
    if not isinstance(result.answer, Unusable | Lost):
        found["warnings"] = [diagnostic_json(warning) for warning in result.warnings]
    if result.stuck is not None:
        stuck = result.stuck
        found["stuck"] = {
            **run_json(stuck.run),
            **why_json(stuck.why),
            "evidence": _evidence(stuck.certificate),
        }
    if result.approximations:
        found["assumed"] = [_approximation(each) for each in result.approximations]
    if result.confirmation is not None:
        found["replayed"] = record_json(result.confirmation)
    if result.compared is not None:
        found["compared"] = _comparison(result.compared)
    if saved_as is not None:
        found["bug_bundle" if isinstance(result.answer, Refused) else "certificate"] = saved_as
    if result.actor != "request":
        found["actor"] = result.actor
    if result.also:
        found["also"] = [
            {
                "property": property_fields(each.property),
                "verdict": verdict_name(replace(result, answer=each.answer)),
                **_answer(each.answer),
            }
            for each in result.also
        ]
    return found | {"source": result.source.text}


def _approximation(approximation: Approximation) -> Json:
    span = approximation.span
    return {
        "kind": approximation.kind.value,
        "place": None if span is None else [span.line, span.column, span.end_line, span.end_column],
        "sentence": approximation.sentence,
        "approval": approximation.approval,
    }


def _comparison(comparison: Comparison) -> Json | None:
    if comparison.engine is None:
        return None
    return {
        "engine": comparison.engine,
        "sentence": comparison.sentence,
        "difference": comparison.difference or None,
    }


def _answer(answer: Answer) -> Json:
    match answer:
        case Holds(certificate=certificate, reason=reason, sample=sample):
            shown = None if sample is None else sample_json(sample)
            return {"reason": reason, "sample": shown, "evidence": _evidence(certificate)}
        case Violated(certificate=certificate, run=run, in_flight=in_flight, why=why):
            minimal = {"minimal": _minimal(answer), "in_flight": in_flight}
            named: Json = {"anomaly": answer.name} if answer.name else {}
            if answer.fixes:
                named["fixes"] = list(answer.fixes)
            return minimal | named | run_json(run) | why_json(why) | {"evidence": _evidence(certificate)}
        case Recorded(account=account, certificates=certificates):
            told = {"log": record_json(account)}
            return told | {"evidence": [json.loads(certificate) for certificate in certificates]}
        case Undecided(reason=reason, hint=hint, clean_up_to=clean_up_to):
            found: Json = {"reason": reason, "hint": hint, "clean_up_to": clean_up_to}
            found |= {
                "single_steps": list(answer.single_steps),
                "obstacle": answer.obstacle and record_json(answer.obstacle),
            }
            if answer.suspicion is not None:
                found["suspicion"] = run_json(answer.suspicion.run) | why_json(answer.suspicion.why)
            return found
        case Faulty(certificate=certificate, diagnostic=diagnostic, run=run):
            wrong = {"diagnostics": [diagnostic_json(diagnostic)]}
            return wrong | run_json(run) | {"evidence": _evidence(certificate)}
        case Refused(certificate=certificate, report=report):
            reason = f"a bug in Seriatim: the checker refused its evidence: {answer.complaint}"
            found = {"reason": reason, "hint": "please report this, with the input", "clean_up_to": 0}
            refusal = [asdict(obligation) for obligation in report.obligations]
            return found | {"evidence": _evidence(certificate), "refusal": refusal}
        case Unusable(diagnostics=diagnostics):
            return {"diagnostics": [diagnostic_json(diagnostic) for diagnostic in diagnostics]}
        case Lost(reason=reason):
            return {"reason": reason, "hint": HINT_FOR_LOST, "clean_up_to": 0}
        case _:
            assert_never(answer)


def error_json(name: str, diagnostics: Sequence[Diagnostic]) -> Json:
    """A JSON object about an input that could not be read, without a question."""
    return {
        "version": VERSION,
        "file": name,
        "verdict": "error",
        "method": None,
        "seconds": 0.0,
        "diagnostics": [diagnostic_json(diagnostic) for diagnostic in diagnostics],
    }


def _evidence(certificate: Certificate) -> Json:
    """The object that `--certificate` saves."""
    evidence: Json = json.loads(write(certificate))
    return evidence


def _minimal(violated: Violated) -> str:
    match violated.minimality:
        case Minimality.BOUNDED:
            return f"within {violated.in_flight} in flight"
        case Minimality.PROVED | Minimality.UNKNOWN:
            return violated.minimality.value
        case _:
            assert_never(violated.minimality)
