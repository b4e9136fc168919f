"""ITF, SARIF and JUnit say what happened, in the form that their readers expect."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import itf_py
import pytest
from jsonschema import Draft202012Validator

from seriatim.deciding.pipeline import Options, decide
from seriatim.explain.timeline import Timeline
from seriatim.frontends.all import read_input
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.itf import itf
from seriatim.report.junit import junit
from seriatim.report.sarif import sarif
from seriatim.result import Lost, Result, Unusable, Violated
from seriatim.source import Diagnostic, SourceText, Span
from seriatim.systems.limits import Limits
from testkit.inputs.undecided_programs import GROWING

RACY = "request flip {\n  x := N;\n  yield;\n  N := 1 - x;\n  x\n}\n"
ATOMIC = "request flip { x := N; N := 1 - x; x }\n"
ENDLESS = GROWING
SYSTEM = json.dumps(
    {
        "initial_global": "g<&",
        "requests": [["r", "start"]],
        "responses": [["end", "1"], ["other", "2"]],
        "transitions": [
            ["start", "g<&", "middle", "g<&"],
            ["middle", "g<&", "end", "h"],
            ["middle", "h", "end", "h"],
            ["start", "h", "other", "h"],
        ],
    }
)


def decided(name: str, text: str) -> Result:
    source = SourceText(name, text)
    return decide(read_input(source), Options(Limits(max_states=100)), source=source)


def shown(result: Result) -> Timeline:
    assert isinstance(result.answer, Violated)
    return result.answer.run.timeline


@cache
def all_kinds() -> tuple[Result, ...]:
    mistake = Diagnostic("SER005", "expected \x00 an expression", Span(2, 3, 2, 5), "write one")
    missing = Diagnostic("SER201", "no such file")
    return (
        decided("racy.ser", RACY),
        decided("a folder/atomic.ser", ATOMIC),
        decided("/absolute/endless.ser", ENDLESS),
        decided("system.json", SYSTEM),
        Result(SourceText("bad.ser", "request\n  {}\n"), SERIALIZABILITY, Unusable((mistake,))),
        Result(SourceText("missing.ser", ""), SERIALIZABILITY, Unusable((missing,))),
        Result(SourceText("lost.ser", ""), SERIALIZABILITY, Lost("the worker is gone")),
    )


# ITF, read by the library of its community


def test_trace_has_the_states_of_the_run() -> None:
    trace = itf_py.trace_from_json(json.loads(itf(shown(decided("racy.ser", RACY)), "racy.ser")))
    assert trace.vars == ["N", "request", "action", "in_flight", "answers"]
    assert [state.values["N"] for state in trace.states] == [0, 0, 0, 1, 1]
    assert [state.values["request"] for state in trace.states] == [0, 1, 2, 2, 1]
    last = trace.states[-1].values
    assert len(last["in_flight"]) == 0
    assert {request: answer.response for request, answer in last["answers"].items()} == {1: "0", 2: "0"}


def test_trace_says_where_who_is_in_flight_is() -> None:
    trace = itf_py.trace_from_json(json.loads(itf(shown(decided("racy.ser", RACY)), "racy.ser")))
    paused = trace.states[1].values["in_flight"][1]
    assert (paused.handler, paused.at, dict(paused.locals)) == ("flip", "line 3", {"x": 0})


def test_trace_of_a_network_system_has_its_states_by_name() -> None:
    trace = itf_py.trace_from_json(json.loads(itf(shown(decided("s.json", SYSTEM)), "s.json")))
    assert {state.values["global"] for state in trace.states} == {"g<&", "h"}
    assert trace.states[1].values["in_flight"][1].at == "middle"


# SARIF


def closed(required: str, optional: str = "", **properties: Any) -> dict[str, Any]:
    """The schema of an object without other members; those that are not described may be anything."""
    names = [*required.split(), *optional.split()]
    return {
        "type": "object",
        "required": required.split(),
        "properties": {name: properties.get(name, {}) for name in names},
        "additionalProperties": False,
    }


def array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


TEXT = {"type": "string", "minLength": 1}
MESSAGE = closed("text", "markdown", text=TEXT, markdown=TEXT)
POSITION = {"type": "integer", "minimum": 1}
REGION = closed(
    "startLine",
    "startColumn endLine endColumn",
    startLine=POSITION,
    startColumn=POSITION,
    endLine=POSITION,
    endColumn=POSITION,
)
ARTIFACT = closed("uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9%/._~:-]+$"})
PLACE = closed("artifactLocation", "region", artifactLocation=ARTIFACT, region=REGION)
LOCATION = closed("physicalLocation", "message", physicalLocation=PLACE, message=MESSAGE)
FLOW_LOCATION = closed("location executionOrder", location=LOCATION, executionOrder={"type": "integer"})
THREAD_FLOW = closed("locations", "id message", id=TEXT, message=MESSAGE, locations=array(FLOW_LOCATION))
RESULT = closed(
    "message",
    "ruleId ruleIndex kind level locations codeFlows",
    message=MESSAGE,
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    kind={"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
    level={"enum": ["none", "note", "warning", "error"]},
    locations=array(LOCATION),
    codeFlows=array(closed("threadFlows", threadFlows=array(THREAD_FLOW) | {"minItems": 1})),
)
RULE = closed("id", "shortDescription help", id=TEXT, shortDescription=MESSAGE, help=MESSAGE)
DRIVER = closed("name", "version rules", name=TEXT, version=TEXT, rules=array(RULE) | {"uniqueItems": True})
RUN = closed(
    "tool",
    "columnKind artifacts results",
    tool=closed("driver", driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    artifacts=array(closed("location", location=ARTIFACT)) | {"uniqueItems": True},
    results=array(RESULT),
)
LOG = closed("version runs", "$schema", version={"const": "2.1.0"}, runs=array(RUN))
"""What SARIF 2.1.0 (section 3) says about the properties that we use, and no other ones."""


def log() -> Any:
    document = json.loads(sarif(all_kinds(), "1.2"))
    Draft202012Validator(LOG).validate(document)
    return document


OFFICIAL_SCHEMA = Path(__file__).parents[3] / "build/sarif/sarif-2.1.0.json"


@pytest.mark.skipif(not OFFICIAL_SCHEMA.exists(), reason="`make sarif` has not fetched the official schema")
def test_reports_follow_the_official_schema_of_sarif() -> None:
    schema = Draft202012Validator(json.loads(OFFICIAL_SCHEMA.read_text("utf-8-sig")))
    schema.validate(log())
    assert not schema.is_valid(log() | {"runs": [{"tool": {}}]})


def results_of(name: str) -> list[Any]:
    (run,) = log()["runs"]
    return [
        result
        for result in run["results"]
        if result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith(name)
    ]


def test_violation_is_at_the_line_where_its_run_switches() -> None:
    (result,) = results_of("racy.ser")
    assert (result["ruleId"], result["level"]) == ("not-serializable", "error")
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 3,
        "startColumn": 3,
        "endColumn": 8,
    }
    assert "flip/0 ×2" in result["message"]["text"]


def test_run_is_a_thread_for_each_request_in_one_order() -> None:
    (result,) = results_of("racy.ser")
    (flow,) = result["codeFlows"]
    order = sorted(
        (step["executionOrder"], thread["id"], step["location"]["physicalLocation"]["region"]["startLine"])
        for thread in flow["threadFlows"]
        for step in thread["locations"]
    )
    assert [(thread, line) for _, thread, line in order] == [
        ("1", 2), ("1", 3), ("2", 2), ("2", 3), ("2", 4), ("2", 5), ("1", 4), ("1", 5),
    ]  # fmt: skip
    assert [number for number, _, _ in order] == list(range(1, 9))


def test_proof_has_no_result_but_is_an_artifact() -> None:
    assert results_of("atomic.ser") == []
    (run,) = log()["runs"]
    assert {"location": {"uri": "a%20folder/atomic.ser"}} in run["artifacts"]


def test_undecided_is_open_and_has_an_absolute_place() -> None:
    (result,) = results_of("endless.ser")
    assert (result["kind"], result["level"]) == ("open", "none")
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == Path("/absolute/endless.ser").as_uri()


def test_network_system_has_no_lines() -> None:
    (result,) = results_of("system.json")
    assert result["ruleId"] == "not-serializable"
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_mistake_is_at_its_place_with_its_rule() -> None:
    (result,) = results_of("bad.ser")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 5}
    (run,) = log()["runs"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "SER005"
    assert rule["shortDescription"]["text"]


# JUnit


def case(name: str) -> ElementTree.Element:
    root = ElementTree.fromstring(junit(all_kinds()))
    (found,) = (case for case in root.iter("testcase") if case.get("name") == name)
    return found


@pytest.mark.parametrize(
    ("name", "problem", "kind"),
    [
        ("racy.ser", "failure", "not serializable"),
        ("system.json", "failure", "not serializable"),
        ("/absolute/endless.ser", "error", "undecided"),
        ("bad.ser", "error", "SER005"),
        ("missing.ser", "error", "SER201"),
        ("lost.ser", "error", "undecided"),
    ],
)
def test_what_is_not_proved_is_no_success(name: str, problem: str, kind: str) -> None:
    (found,) = case(name)
    assert (found.tag, found.get("type")) == (problem, kind)
    assert found.get("message")
    assert found.text


def test_proof_is_a_success() -> None:
    assert list(case("a folder/atomic.ser")) == []


def test_counts_are_those_of_the_cases() -> None:
    root = ElementTree.fromstring(junit(all_kinds()))
    (suite,) = root
    for totals in (root, suite):
        counts = [totals.get(name) for name in ("tests", "failures", "errors")]
        assert counts == ["7", "2", "4"]
    assert len(list(root.iter("failure"))) == 2
    assert len(list(root.iter("error"))) == 4


def test_a_violation_in_sarif_says_why_and_where_to_the_column() -> None:
    source = SourceText("flip.ser", "request flip { x := N; yield; N := 1 - x; x }\n")
    result = decide(read_input(source), Options(), source=source)
    (found,) = json.loads(sarif([result], "1.2"))["runs"][0]["results"]
    assert "A contradiction: the handlers are not serializable." in found["message"]["text"]
    region = found["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 16, "endColumn": 29}
    line = source.line(1)
    for flow in found["codeFlows"][0]["threadFlows"]:
        for step in flow["locations"]:
            place = step["location"]["physicalLocation"]["region"]
            executed = line[place["startColumn"] - 1 : place["endColumn"] - 1]
            assert step["location"]["message"]["text"].startswith(executed)
