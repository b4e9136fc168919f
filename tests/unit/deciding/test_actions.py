"""Asynchronous programs get a result like all other inputs, with evidence that the checker accepts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.cache import Cache
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.cli.one_check import CheckTask, check_one, decider_from
from seriatim.cli.outputs import NOWHERE
from seriatim.cli.translation_options import Handling
from seriatim.deciding import actions
from seriatim.deciding.actions import decide_actions
from seriatim.deciding.pipeline import Options
from seriatim.explain.why import Fails
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.lsp.tasks import DocumentQuestion
from seriatim.lsp.tasks import decide as decide_for_editors
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import verdict_text
from seriatim.result import Holds, Lost, Result, Undecided, Unusable, Violated
from seriatim.source import SourceText
from testkit.inputs.action_programs import PROTOCOLS, parse_text, protocol

HANDLING = Handling({}, None, None, replay=False, denies_warnings=False)


def decide(text: str) -> Result:
    return decide_actions(SourceText("x.actions", text), parse_text(text), Deadline(60))


HEAD = "x: int := 0\naction main():\n    async a()\n    async b()\n"
FINE = HEAD + "action a():\n    x := x + 1\naction b():\n    x := x - 1\n"


def test_a_proof_is_a_result_with_a_certificate() -> None:
    program = protocol("no_choice")
    result = decide_actions(SourceText("no_choice.actions", ""), program, Deadline(60))
    assert isinstance(result.answer, Holds)
    assert "increment, decrement" in result.answer.reason
    certificate = result.answer.certificate
    assert verify_sequential(certificate, program, read_proof, (SolverName.Z3,), Deadline(60)).accepted
    assert "no_choice.actions: sequential for all sizes\n" in verdict_text(result, TextLook(width=200))


def test_an_order_is_looked_for_where_none_is_given() -> None:
    assert isinstance(decide(FINE).answer, Holds)


def test_a_run_that_breaks_the_program_is_shown_and_reads_back() -> None:
    result = decide(FINE.replace("x := x - 1", "assert x == 0") + "sequential:\n    order a, b\n")
    assert isinstance(result.answer, Violated)
    assert isinstance(result.answer.why, Fails)
    assert [turn.handler for turn in result.answer.run.timeline.turns] == ["main()", "a()", "b()"]
    text = verdict_text(result, TextLook(width=200))
    assert "BROKEN" in text
    assert "x: 0 -> 1" in text
    assert result_from_json(json.dumps(result_json(result))).answer == result.answer


def test_a_premise_that_fails_is_undecided_and_told() -> None:
    text = HEAD + "action a():\n    x := 1\naction b():\n    x := 2\nsequential:\n    order a, b\n"
    answer = decide(text).answer
    assert isinstance(answer, Undecided)
    assert "b() after a()" in answer.reason or "a() after b()" in answer.reason


@pytest.mark.parametrize("condition", ["x2[5] == 0"])
def test_conditions_that_read_what_does_not_exist_are_bad_input(condition: str) -> None:
    text = f"x2[1..2]: int := 0\ninitially {condition}\n" + FINE
    assert isinstance(decide(text).answer, Unusable)


@pytest.mark.parametrize("name", ["broken_pair", "no_choice"])
def test_a_verdict_of_an_earlier_run_is_recalled_and_rechecked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = PROTOCOLS / f"{name}.actions", Cache(tmp_path, 0.0)
    source = SourceText(str(path), path.read_text("utf-8"))
    task = CheckTask((source, None), Options(), NOWHERE, HANDLING, frozenset(), True, cache)
    first = check_one(task).result
    assert len(list(tmp_path.rglob("*.result.json"))) == 1
    monkeypatch.setattr(actions, "decide_actions", lambda *_: pytest.fail("it is decided again"))
    again = check_one(task).result
    assert again.answer == first.answer
    assert list(again.stages) == ["re-check"]


def test_what_a_worker_says_is_believed_for_its_evidence_alone() -> None:
    broken, fine = (
        SourceText(name, (PROTOCOLS / name).read_text("utf-8"))
        for name in ("broken_pair.actions", "no_choice.actions")
    )
    lie = replace(check_here(fine), source=broken)
    assert isinstance(check_here(broken).answer, Violated)
    answers = [json.dumps(result_json(each)) for each in (check_here(broken), lie)]
    told = [check_one(task_about(broken), decide=decider_from(each)).result.answer for each in answers]
    assert isinstance(told[0], Violated)
    assert isinstance(told[1], Lost)
    assert "its evidence is refused" in told[1].reason


def task_about(source: SourceText) -> CheckTask:
    return CheckTask((source, None), Options(), NOWHERE, HANDLING, frozenset(), True)


def check_here(source: SourceText) -> Result:
    return check_one(task_about(source)).result


def test_editors_get_the_same_verdict() -> None:
    source = SourceText("broken_pair.actions", (PROTOCOLS / "broken_pair.actions").read_text("utf-8"))
    result, content = decide_for_editors(
        DocumentQuestion(source.name, source.text, "serializable", {}, 20.0, replay=False)
    )
    assert content is None
    assert result.answer == check_here(source).answer
