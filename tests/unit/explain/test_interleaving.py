"""The example that comes with a serializable input: a real interleaving, and an order that explains it."""

import json
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.explain.interleaving import MAX_MOMENTS, REQUESTS, interleaving
from seriatim.explain.telling import show_run
from seriatim.frontends.ser.parser import parse
from seriatim.source import SourceText
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import Limits
from seriatim.systems.random_run import random_handlers, random_run
from seriatim.systems.run import Run, replays
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

TICKETS = "request take {\n  N := (N + 1) % 3;\n  n := N;\n  yield;\n  n\n}\n"
TWO_HANDLERS = TICKETS + "request peek {\n  yield;\n  N\n}\n"
ONE_STEP = "request take {\n  N := (N + 1) % 3;\n  N\n}\n"


@pytest.mark.parametrize("text", [TICKETS, TWO_HANDLERS])
def test_the_run_is_an_interleaved_one_and_the_order_is_a_serial_run_with_its_answers(text: str) -> None:
    program = parse(text)
    found = interleaving(program, SourceText("take.ser", text))
    assert found is not None
    assert found.run.switches >= 1
    assert sum(len(turn.moments) for turn in found.run.timeline.turns) <= MAX_MOMENTS
    origin = ProgramUnfolding(program, Limits(), Deadline())
    drawn = random_run(origin, random_handlers(origin, REQUESTS, found.seed), found.seed)
    assert isinstance(drawn, Run)
    assert show_run(drawn, origin, SourceText("take.ser", text)) == found.run
    assert replays(drawn, origin)
    answers = Counter(found.order)
    assert tuple(sorted((*each, times) for each, times in answers.items())) == found.run.timeline.outcome()
    serial = SerialAutomaton(origin, Limits().max_states)
    reached = {INITIAL_GLOBAL}
    for handler, response in found.order:
        completion = origin.completions.index((origin.requests.index(handler), response))
        reached = {after for before in reached for after in serial.after(before).get(completion, ())}
    assert reached


def test_the_same_input_has_the_same_sample() -> None:
    source = SourceText("take.ser", TWO_HANDLERS)
    assert interleaving(parse(TWO_HANDLERS), source) == interleaving(parse(TWO_HANDLERS), source)


def test_without_time_there_is_none() -> None:
    assert interleaving(parse(TICKETS), SourceText("take.ser", TICKETS), deadline=Deadline(0.0)) is None


def test_requests_that_run_in_one_step_have_none() -> None:
    assert interleaving(parse(ONE_STEP), SourceText("take.ser", ONE_STEP)) is None


def test_no_order_no_sample() -> None:
    """Of an input that is not serializable, a run that no order explains is no sample."""
    text = "request take {\n  n := N;\n  yield;\n  N := n + 1;\n  N\n}\n"
    found = interleaving(parse(text), SourceText("take.ser", text))
    assert found is None


@pytest.mark.parametrize("arguments", [["--quiet"], ["--json"], []])
def test_it_is_shown_to_people_and_to_machines_and_not_where_one_line_is_asked_for(
    arguments: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "take.ser"
    file.write_text(TICKETS, "utf-8")
    printed = CliRunner().invoke(main, ["check", str(file), *arguments]).stdout
    assert ("For example:" in printed) == (not arguments)
    if arguments == ["--json"]:
        schema = json.loads(resources.files("seriatim.report").joinpath("result.schema.json").read_text())
        result = json.loads(printed)
        Draft202012Validator(schema).validate(result)
        again = ["run", str(file), "--requests", "2", "--seed", str(result["sample"]["seed"]), "--json"]
        assert json.loads(CliRunner().invoke(main, again).stdout)["trace"] == result["sample"]["trace"]


def test_the_html_report_shows_it_with_its_order(tmp_path: Path) -> None:
    file, page = tmp_path / "take.ser", tmp_path / "report.html"
    file.write_text(TICKETS, "utf-8")
    CliRunner().invoke(main, ["check", str(file), "--html", str(page), "--quiet"])
    text = page.read_text("utf-8")
    assert "<h3>For example</h3>" in text
    assert "One at a time, the same answers come from: take/1, then take/2" in text
