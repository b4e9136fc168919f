"""Results survive: pickled for another process, and as JSON, they read back as themselves."""

import json
import pickle
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from seriatim.certificate.certificate import Certificate
from seriatim.deciding.answer import EVERYTHING
from seriatim.deciding.pipeline import Options, decide
from seriatim.deciding.sources import leave_unconfirmed
from seriatim.engines.shared.folded_evidence import fold_evidence
from seriatim.explain.telling import show_run
from seriatim.explain.why import NothingExplains
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.specification import read_specification
from seriatim.method import Method, Minimality
from seriatim.program.inputs import digest
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.deadlock_free import DeadlockFreedom
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.serializable import Serializability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.properties.strict import StrictSerializability
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.result import Result, Violated
from seriatim.source import SourceText
from seriatim.systems.limits import Limits
from testkit.inputs.long_runs import packing_run, packing_text
from testkit.samples import deep_cases

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.ser"))[::5]
"""The fuzzer looks at many more: `reliability/differential/reports.py`."""
SCHEMA = json.loads(resources.files("seriatim.report").joinpath("result.schema.json").read_text("utf-8"))
FEW = Limits(max_states=300, max_value=4)

TEXTS = {
    "names": "enum State { free, taken }\nS in State := free\n"
    "request take { x := S; yield; S := taken; x }\n",
    "mistake": "S in 0..1 := 0\nrequest a { S := S + 1; yield; S := 0; 1 }\n",
    "endless": "request grow { N := N + 1; yield; N }\n",
    "no globals": "request a { yield; 1 }\n",
    "pieces": "request a { x := X; yield; if (x == 0) { X := 1 } else { X := 0 }; while (X == 2) { yield };"
    " X }\n",
}

RACE = "request incr { x := X; yield; X := x + 1; X }\n"
CROSSED = "request a { lock(D); yield; lock(G); 0 }\nrequest b { lock(G); yield; lock(D); 0 }\n"
"""A lost update, and locks that wait for each other."""


def specified(source: SourceText) -> list[Property]:
    """Every program is a specification of what it does alone."""
    own = read_specification(source)
    return [Linearizability(own), Linearizability(own, 1, pending=True), StaticLinearizability(own)]


def assert_survives(result: Result) -> None:
    assert pickle.loads(pickle.dumps(result)) == result
    text = json.dumps(result_json(result))
    Draft202012Validator(SCHEMA).validate(json.loads(text))
    again = result_from_json(text)
    assert again == result
    assert (again.seconds, again.stages) == (result.seconds, result.stages)
    assert json.dumps(result_json(again)) == text


QUESTIONS: list[Property] = [
    Serializability(),
    Serializability("all"),
    ConflictSerializability(),
    StrictSerializability(),
]


@deep_cases("aba")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_results_about_examples(path: Path) -> None:
    source = SourceText(path.name, path.read_text("utf-8"))
    content = read_input(source)
    for question in [*QUESTIONS, *specified(source)]:
        if not question.misfits(content, source)[1]:
            assert_survives(decide(content, Options(FEW, 0.5, question=question), source=source))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_results_about_odd_texts(name: str, question: Property) -> None:
    source = SourceText(name, TEXTS[name])
    assert_survives(decide(read_input(source), Options(FEW, 0.5, question=question), source=source))


def test_a_folded_run_of_a_network_system() -> None:
    unfolding, run = packing_run(4, 3)
    source = SourceText("packing.json", packing_text(4, 3))
    evidence = fold_evidence(run, unfolding)
    certificate = Certificate(digest(unfolding.system), "not_serializable", evidence)
    shown = show_run(run, unfolding, source)
    assert shown.timeline.is_folded
    violated = Violated(certificate, shown, Minimality.UNKNOWN, 0, NothingExplains(None, None))
    assert_survives(Result(source, Serializability(), violated, Method.CHAINS))


@pytest.mark.parametrize(
    ("property_", "text"),
    [(Serializability(), RACE), (StrictSerializability(), RACE), (DeadlockFreedom(), CROSSED)],
    ids=["serializable", "strict", "deadlock-free"],
)
def test_what_may_be_a_violation(property_: Property, text: str) -> None:
    """It is no evidence about the source, so it has no certificate."""
    source = SourceText("hall.ser", text)
    seen = decide(read_input(source), Options(question=property_), source=source)
    assert isinstance(seen.answer, Violated)
    result = replace(seen, answer=leave_unconfirmed(seen.answer, "nobody repeated it", "repeat it"))
    assert "evidence" not in result_json(result)["suspicion"]
    assert_survives(result)


def test_what_is_explained_when_nobody_asks() -> None:
    """A caller that wants the answer alone gets the same answer, without its explanation."""
    source = SourceText("take.ser", "request take { n := N; yield; N := n + 1; n }\n")
    asked = decide(read_input(source), Options(), source=source)
    alone = decide(read_input(source), Options(wants=frozenset()), source=source)
    assert result_json(alone)["argument"] is None
    assert result_json(alone)["evidence"] == result_json(asked)["evidence"]
    assert Options().wants == EVERYTHING


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "file": 3}'])
def test_what_is_no_result_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - what it says depends on what is missing
        result_from_json(text)


def test_a_result_without_its_evidence_is_refused() -> None:
    source = SourceText("a.ser", "request a { 1 }\n")
    found = result_json(decide(read_input(source), Options(), source=source))
    del found["evidence"]
    with pytest.raises(ValueError, match="evidence"):
        result_from_json(json.dumps(found))


def test_equal_results_say_the_same_however_long_they_took() -> None:
    source = SourceText("a.ser", "request a { 1 }\n")
    result = decide(read_input(source), Options(), source=source)
    assert replace(result, seconds=7.0) == result
    assert replace(result, source=SourceText("b.ser", source.text)) != result
