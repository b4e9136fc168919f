"""Verdicts as text and as JSON; the JSON is what the schema that the package ships says."""

import json
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from seriatim.budget import Deadline
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.fault_run import FaultRunEvidence, Told
from seriatim.certificate.run import RunEvidence
from seriatim.checking.obligation import Obligation, Report
from seriatim.engines.stage import Unexplained
from seriatim.explain.causes import explain_cause
from seriatim.explain.telling import show_run
from seriatim.explain.why import NothingExplains
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method, Minimality, Obstacle
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.limits_text import limit_diagnostic
from seriatim.report.result_json import error_json, result_json
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import evidence_text, headline, verdict_text
from seriatim.result import Answer, Faulty, Holds, Lost, Refused, Result, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, Severity, SourceText, Span
from seriatim.systems.limits import Growth, LimitReached, Limits
from seriatim.systems.posing import pose
from seriatim.systems.run import Run, Turn
from seriatim.systems.unfolding import ProgramUnfolding

SOURCE = SourceText("flip.ser", "request flip { x := N; yield; N := 1 - x; x }\n")
MISTAKE = Diagnostic("SER801", "`N` is outside", Span(1, 31, 1, 41), "widen it")
DOUBT = Diagnostic("SER701", "odd", None, None, Severity.WARNING)
PROOF = Certificate("0" * 64, "serializable", AtomicEvidence())
UNSAFE = Certificate(
    "0" * 64, "unsafe", FaultRunEvidence((), 1, "flip", Told("SER801", "`N` is outside")), SAFETY
)
REFUTATION = Certificate("0" * 64, "not_serializable", RunEvidence(()))
SCHEMA = json.loads(resources.files("seriatim.report").joinpath("result.schema.json").read_text("utf-8"))


def race(unfolding: ProgramUnfolding) -> Run:
    """Two flips that both read 0."""
    (start,) = unfolding.starts
    ((paused, _),) = unfolding.moves(start, 0)
    ((answered, one),) = unfolding.moves(paused, 0)
    assert unfolding.moves(paused, one) == ((answered, one),)
    return Run(
        (
            Turn(0, start, paused, 0, 0),
            Turn(1, start, paused, 0, 0),
            Turn(1, paused, answered, 0, one),
            Turn(0, paused, answered, one, one),
        )
    )


def decision(kind: str) -> Result:
    unfolding = ProgramUnfolding(parse(SOURCE.text), Limits())
    run = race(unfolding)
    shown = show_run(run, unfolding, SOURCE)
    cause = Unexplained(pose(SERIALIZABILITY.states(), unfolding, Limits(), Deadline()), run.outcome())
    why = explain_cause(run, cause, unfolding, Deadline())
    answers: dict[str, Answer] = {
        "proof": Holds(PROOF, "Nobody yields."),
        "minimal": Violated(REFUTATION, shown, Minimality.PROVED, 2, why),
        "bounded": Violated(REFUTATION, shown, Minimality.BOUNDED, 3, why),
        "large": Violated(REFUTATION, shown, Minimality.UNKNOWN, 0, why),
        "cut": Violated(REFUTATION, shown, Minimality.UNKNOWN, 0, NothingExplains(None, None, is_cut=True)),
        "undecided": Undecided("the time limit is reached", "allow more with --timeout", 4),
        "nothing known": Undecided("the time limit is reached", None, 0),
        "much known": Undecided("too hard", "bound `X`", 3, ("get", "put"), Obstacle("flip", 2, "1")),
        "refused": Refused(PROOF, Report((Obligation("the run is one", False, "it stops at turn 3"),))),
        "faulty": Faulty(UNSAFE, MISTAKE, replace(shown, steps=5)),
        "unusable": Unusable((MISTAKE, Diagnostic("SER201", "no such file"))),
        "lost": Lost("the worker is gone"),
    }
    answer = answers[kind]
    if isinstance(answer, Unusable | Lost):
        return Result(SOURCE, SERIALIZABILITY, answer)
    stages = {"search": 0.2, "re-check": 0.05}
    return Result(SOURCE, SERIALIZABILITY, answer, Method.SEARCH, 0.25, stages, (DOUBT,))


KINDS = ["proof", "minimal", "bounded", "large", "cut", "undecided", "nothing known", "refused", "faulty"]
NOT_DECIDED = ["unusable", "lost"]


def assert_valid(result: dict[str, Any]) -> None:
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(result)))


def test_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("kind", KINDS + NOT_DECIDED)
@pytest.mark.parametrize("saved_as", [None, "flip.cert.json"])
def test_results_match_the_schema(kind: str, saved_as: str | None) -> None:
    assert_valid(result_json(decision(kind), saved_as))


def test_errors_match_the_schema() -> None:
    placed = Diagnostic("SER001", "no", Span(1, 2, 1, 3), "yes")
    assert_valid(error_json("a.ser", [placed, Diagnostic("SER201", "no such file")]))


@pytest.mark.parametrize("field", ["trace", "verdict", "seconds", "minimal"])
def test_schema_demands_what_readers_rely_on(field: str) -> None:
    result = result_json(decision("minimal"))
    del result[field]
    assert not Draft202012Validator(SCHEMA).is_valid(result)


@pytest.mark.parametrize(
    ("kind", "minimal"), [("minimal", "proved"), ("bounded", "within 3 in flight"), ("large", "no")]
)
def test_minimality_is_qualified(kind: str, minimal: str) -> None:
    assert result_json(decision(kind))["minimal"] == minimal


def test_counterexample_as_json() -> None:
    result = result_json(decision("minimal"))
    assert (result["requests"], result["steps"], result["switches"]) == (2, 4, 1)
    assert result["outcome"] == [["flip", "0", 2]]
    assert [turn["request"] for turn in result["trace"]] == [1, 2, 2, 1]
    assert result["trace"][2] == {
        "request": 2,
        "handler": "flip",
        "switch": False,
        "lines": [
            {
                "line": 1,
                "code": "N := 1 - x; x",
                "changes": [{"name": "N", "old": 0, "new": 1}],
                "columns": [[31, 44]],
            }
        ],
        "before": {"N": 0},
        "after": {"N": 1},
        "response": "0",
        "pauses_at": None,
    }


def test_proof_as_text() -> None:
    assert verdict_text(decision("proof"), TextLook()) == (
        "flip.ser: serializable for any number of requests\n  Nobody yields.\n"
    )


def test_evidence_that_is_saved_says_how_to_recheck_it() -> None:
    text = evidence_text(decision("proof"), "flip.cert.json")
    assert text == "  Evidence saved. To re-check it: ser verify flip.cert.json flip.ser\n"


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("proof", "  To keep the proof, add --certificate FILE; `ser verify` re-checks it.\n"),
        ("minimal", "  To keep it, add --certificate FILE; then see `ser replay` and `ser verify`.\n"),
    ],
)
def test_what_is_not_saved_says_in_one_line_how_to_keep_it(kind: str, line: str) -> None:
    assert evidence_text(decision(kind), None).startswith(line)
    assert "ser verify" not in verdict_text(decision(kind), TextLook())


def test_a_program_can_be_fixed_and_a_network_system_cannot() -> None:
    assert "  To fix it: ser fix flip.ser\n" in evidence_text(decision("minimal"), None)
    assert "ser fix" not in evidence_text(
        replace(decision("minimal"), source=SourceText("flip.json", "")), None
    )
    assert "ser fix" not in evidence_text(decision("proof"), None)


def test_a_run_that_is_saved_says_how_to_step_through_it() -> None:
    text = evidence_text(decision("minimal"), "flip.cert.json")
    assert "ser replay flip.cert.json flip.ser" in text
    assert "ser verify flip.cert.json flip.ser" in text


@pytest.mark.parametrize("kind", ["undecided", "refused"])
def test_without_a_verdict_there_is_no_evidence_to_keep(kind: str) -> None:
    assert evidence_text(decision(kind), None) == ""


def test_counterexample_as_text_argues() -> None:
    text = verdict_text(decision("minimal"), TextLook())
    assert text.startswith("flip.ser: NOT SERIALIZABLE (2 requests, 4 steps)\n")
    assert "answers: flip/0 ×2" in text
    assert "No one-at-a-time order gives these answers. Suppose that one did:" in text
    assert "it answers 0 and leaves N = 1; then the next `flip` would answer 1, not 0" in " ".join(
        text.split()
    )
    assert "A contradiction" in text
    assert "  - flip/0, then flip/1\n" in text


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("minimal", "There is no counterexample with fewer requests."),
        ("bounded", "at most 3 requests in flight at a time"),
        ("large", "There may be a counterexample with fewer requests."),
    ],
)
def test_text_says_whether_the_counterexample_is_minimal(kind: str, sentence: str) -> None:
    assert sentence in " ".join(verdict_text(decision(kind), TextLook()).split())


def test_nothing_is_said_about_requests_of_which_nothing_is_known() -> None:
    text = verdict_text(decision("nothing known"), TextLook())
    assert text == "flip.ser: UNDECIDED\n  The time limit is reached.\n"


def test_refused_evidence_is_no_verdict() -> None:
    text = verdict_text(decision("refused"), TextLook())
    assert "NO VERDICT" in text
    assert "serializable" not in text.casefold()
    assert "the run is one: it stops at turn 3" in " ".join(text.split())
    assert result_json(decision("refused"))["verdict"] == "unknown"


@pytest.mark.parametrize("kind", KINDS)
def test_headline_is_one_line_that_begins_the_text(kind: str) -> None:
    line = headline(decision(kind), TextLook())
    assert line.count("\n") == 1
    assert verdict_text(decision(kind), TextLook()).startswith(line)


@pytest.mark.parametrize(
    ("reached", "code", "message"),
    [
        (LimitReached("--max-states", 5000), "SER301", "there are more than 5,000 states"),
        (
            LimitReached("--max-value", 9, Growth("X", (3,))),
            "SER302",
            "a variable goes beyond 9: `X` keeps growing (line 3)",
        ),
        (
            LimitReached("--max-value", 9, Growth("X", (3, 5))),
            "SER302",
            "a variable goes beyond 9: `X` keeps growing (lines 3, 5)",
        ),
    ],
)
def test_limits_name_their_flag_and_what_grows(reached: LimitReached, code: str, message: str) -> None:
    diagnostic = limit_diagnostic(reached)
    assert (diagnostic.code, diagnostic.message) == (code, message)
    assert reached.flag in (diagnostic.hint or "")


def test_undecided_tells_what_is_known() -> None:
    assert verdict_text(decision("much known"), TextLook()) == (
        "flip.ser: UNDECIDED\n"
        "  Too hard.\n"
        "  There is no violation with up to 3 requests.\n"
        "  Each request of `get`, `put` can be treated as a single step: nothing that\n"
        "  happens in between matters.\n"
        "  Obstacle to a proof: `flip`, continuing after line 2, may answer 1 where no\n"
        "  order of the requests that took effect before allows that.\n"
        "  hint: bound `X`\n"
    )
    found = result_json(decision("much known"))
    assert found["single_steps"] == ["get", "put"]
    assert found["obstacle"] == {"handler": "flip", "line": 2, "response": "1"}
    Draft202012Validator(SCHEMA).validate(found)
