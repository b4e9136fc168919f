"""Reads what `result_json` writes, as an equal result."""

import json
from typing import Any

from seriatim.certificate.certificate import Certificate
from seriatim.checking.obligation import Obligation, Report
from seriatim.codec import codec_of, read_among
from seriatim.explain.account import Account
from seriatim.explain.explanation import CommitStep
from seriatim.explain.why import Stuck
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.protocol import Approximation, ApproximationKind, Comparison, Confirmation
from seriatim.frontends.ser.specification import read_specification
from seriatim.method import Method, Minimality, Obstacle
from seriatim.properties.all import read_property
from seriatim.report.diagnostic_json import diagnostic_from
from seriatim.report.result_json import VERSION
from seriatim.report.run_json import run_from_json, sample_from
from seriatim.report.why_json import why_from
from seriatim.result import (
    Also,
    Answer,
    Faulty,
    Holds,
    Lost,
    Recorded,
    Refused,
    Result,
    StuckWarning,
    Suspicion,
    Undecided,
    Unusable,
    Violated,
)
from seriatim.source import Diagnostic, InputError, SourceText, Span

Json = dict[str, Any]


def result_from_json(text: str) -> Result:
    """The result in a line of `ser check --json`; raises `ValueError` if the line is not a result."""
    try:
        found = json.loads(text)
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']} of the format is not known")
        method = found["method"]
        return Result(
            SourceText(found["file"], found["source"]),
            read_property(found["property"], read_specification),
            _answer(found),
            None if method is None else Method(method),
            found["seconds"],
            found.get("stages", {}),
            _diagnostics(found.get("warnings", ())),
            _stuck(found.get("stuck")),
            tuple(_approximation(each, found["file"]) for each in found.get("assumed", ())),
            read_among(Confirmation, found["replayed"]) if "replayed" in found else None,
            _comparison(found["compared"]) if "compared" in found else None,
            found.get("actor", "request"),
            tuple(map(_also, found.get("also", ()))),
        )
    except (KeyError, TypeError, AttributeError, InputError) as wrong:
        raise ValueError(f"this is not a result of a check: {wrong!r}") from wrong


def _stuck(found: Json | None) -> StuckWarning | None:
    if found is None:
        return None
    return StuckWarning(_certificate(found), run_from_json(found), read_among(Stuck, found))


def _approximation(found: Json, file: str) -> Approximation:
    span = None
    if found["place"] is not None:
        line, column, end_line, end_column = found["place"]
        span = Span(line, column, end_line, end_column, file)
    return Approximation(ApproximationKind(found["kind"]), found["sentence"], span, found["approval"])


def _also(found: Json) -> Also:
    answer = _answer(found)
    if not isinstance(answer, Holds | Undecided):
        raise TypeError("a violation would be the result")
    return Also(read_property(found["property"], read_specification), answer)


def _comparison(found: Json | None) -> Comparison:
    if found is None:
        return Comparison(None, "Not compared with a server.")
    return Comparison(found["engine"], found["sentence"], found["difference"] or "")


def _answer(found: Json) -> Answer:
    match found["verdict"]:
        case "error" if "trace" not in found:
            return Unusable(_diagnostics(found["diagnostics"]))
        case "unknown":
            return _read_undecided(found)
        case _ if "log" in found:
            certificates = tuple(json.dumps(each) + "\n" for each in found["evidence"])
            asked = read_property(found["property"], read_specification)
            return Recorded(
                found["verdict"] == asked.verdicts[0],
                codec_of(Account).read(found["log"], "log"),
                certificates,
            )
        case _ if "minimal" in found:
            minimal, run = _minimality(found["minimal"]), run_from_json(found)
            name, fixes = found.get("anomaly", ""), tuple(found.get("fixes", ()))
            why, in_flight = why_from(found), found["in_flight"]
            return Violated(_certificate(found), run, minimal, in_flight, why, name, fixes)
        case _ if "diagnostics" in found:  # Its verdict was `error` in version 0.1.0.
            diagnostic, *_ = _diagnostics(found["diagnostics"])
            return Faulty(_certificate(found), diagnostic, run_from_json(found))
        case _:
            sample = None if found["sample"] is None else sample_from(found["sample"])
            points = tuple(read_among(CommitStep, step) for step in found.get("points", ()))
            return Holds(_certificate(found), found["reason"], sample, points)


def _read_undecided(found: Json) -> Undecided | Refused | Lost:
    if "single_steps" not in found and "refusal" not in found:
        return Lost(found["reason"])
    if "refusal" in found:
        return Refused(_certificate(found), Report(tuple(map(_obligation, found["refusal"]))))
    single_steps = tuple(found["single_steps"])
    obstacle = None if found["obstacle"] is None else read_among(Obstacle, found["obstacle"])
    told = found.get("suspicion")
    suspicion = None if told is None else Suspicion(run_from_json(told), why_from(told))
    return Undecided(found["reason"], found["hint"], found["clean_up_to"], single_steps, obstacle, suspicion)


def _obligation(found: Json) -> Obligation:
    lists = {key: tuple(found[key]) for key in ("data", "confirmed_by", "gave_up")}
    return Obligation(**(found | lists))


def _certificate(found: Json) -> Certificate:
    return read_certificate(json.dumps(found["evidence"]))


def _minimality(minimal: str) -> Minimality:
    return Minimality.BOUNDED if minimal.startswith("within") else Minimality(minimal)


def _diagnostics(found: list[Json] | tuple[()]) -> tuple[Diagnostic, ...]:
    return tuple(map(diagnostic_from, found))
