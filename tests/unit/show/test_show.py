"""The views of `ser show`: what they say is what the system is, in every form."""

import json
import re
import shutil
import subprocess
from functools import cache
from importlib import resources
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from seriatim.budget import Deadline
from seriatim.explain.names import visible
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.syntax import Program
from seriatim.program.system_printer import name_entries
from seriatim.show.run import NoRun
from seriatim.show.views import View, ViewForm, list_forms, show
from seriatim.source import SourceText
from seriatim.systems.from_program import BEYOND, network_system
from seriatim.systems.limits import LimitReached, Limits
from seriatim.text_width import columns
from testkit.generators.system_strategies import network_systems

TEXT = SourceText(
    "example.ser",
    """\
request main:
    X := 1
    yield
    y := X
    X := 0
    return y
""",
)
RUNNING_EXAMPLE = parse(TEXT.text)

SEMAPHORE = parse(
    """\
FREE := 2
request work {
    while (FREE == 0) { yield };
    FREE := FREE - 1;
    yield;
    FREE := FREE + 1;
    0
}
"""
)

STRUCTURES = [view for view in View if view is not View.RUN]
PICTURES = [
    (view, form)
    for view in STRUCTURES
    for form in (ViewForm.DOT, ViewForm.MERMAID)
    if form in list_forms(view)
]
GRAPHVIZ = shutil.which("dot")


def shown(view: View, form: ViewForm, source: Program | NetworkSystem) -> str:
    return show(view, form, source, TEXT, Limits(), Deadline())


def data(view: View, source: Program | NetworkSystem) -> dict[str, object]:
    result = json.loads(shown(view, ViewForm.JSON, source))
    assert isinstance(result, dict)
    return result


@cache
def schema() -> Draft202012Validator:
    text = resources.files("seriatim.show").joinpath("show.schema.json").read_text("utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))


# The paper's running example


def test_serial_runs_of_the_running_example_stay_in_one_state_and_answer_1() -> None:
    assert data(View.SERIAL, RUNNING_EXAMPLE) == {
        "version": 1,
        "view": "serial",
        "initial": "[X=0]",
        "states": ["[X=0]"],
        "edges": [{"from": "[X=0]", "request": "main", "response": "1", "to": "[X=0]"}],
    }


def test_the_net_of_the_running_example_has_the_papers_places_and_transitions() -> None:
    net = data(View.NET, RUNNING_EXAMPLE)
    places, transitions = net["places"], net["transitions"]
    assert isinstance(places, list)
    assert isinstance(transitions, list)
    kinds = [place["kind"] for place in places]
    assert kinds == ["global"] * 2 + ["in_flight"] * 4 + ["answered"] * 2
    assert [place["tokens"] for place in places] == [1, 0, 0, 0, 0, 0, 0, 0]
    kinds = [transition["kind"] for transition in transitions]
    assert kinds == ["spawn"] + ["step"] * 4 + ["respond"] * 2
    assert transitions[0]["takes"] == []


def test_the_steps_of_the_running_example_are_those_of_the_papers_table() -> None:
    assert data(View.DELTA, RUNNING_EXAMPLE)["transitions"] == [
        ["main@start[]", "[X=0]", "main@3:5[]", "[X=1]"],
        ["main@start[]", "[X=1]", "main@3:5[]", "[X=1]"],
        ["main@3:5[]", "[X=0]", "main/0", "[X=0]"],
        ["main@3:5[]", "[X=1]", "main/1", "[X=0]"],
    ]


def test_the_picture_of_the_running_example_merges_parallel_steps() -> None:
    text = shown(View.NS, ViewForm.DOT, RUNNING_EXAMPLE)
    assert r'n0 -> n1 [label="[X=0] → [X=1]\n[X=1] → [X=1]"]' in text
    assert text.count("shape=diamond") == 3


# All systems


@given(network_systems(), st.sampled_from(STRUCTURES))
def test_json_follows_its_schema(system: NetworkSystem, view: View) -> None:
    schema().validate(data(view, system))


@pytest.mark.parametrize("view", STRUCTURES)
@pytest.mark.parametrize("program", [RUNNING_EXAMPLE, SEMAPHORE])
def test_the_json_of_programs_follows_its_schema(program: Program, view: View) -> None:
    schema().validate(data(view, program))


def test_the_schema_refuses_something() -> None:
    assert not schema().is_valid({"version": 1, "view": "serial", "states": []})
    assert not schema().is_valid(data(View.SERIAL, RUNNING_EXAMPLE) | {"version": 2})


@given(network_systems())
def test_the_json_of_delta_is_the_system(system: NetworkSystem) -> None:
    members = data(View.DELTA, system)
    del members["version"], members["view"]
    assert name_entries(read_system(json.dumps(members))) == name_entries(system)


@given(network_systems(), st.sampled_from(STRUCTURES))
def test_text_fits_on_a_terminal_and_obeys_no_name(system: NetworkSystem, view: View) -> None:
    lines = shown(view, ViewForm.TEXT, system).split("\n")
    assert lines.pop() == ""
    assert all(columns(line) <= 80 for line in lines)
    assert all(line.isprintable() and line == line.rstrip() for line in lines)


def test_long_code_is_wrapped_at_80_columns() -> None:
    body = "; ".join(f"X := {number}" for number in range(40))
    lines = shown(View.NS, ViewForm.TEXT, parse(f"request main {{ {body} }}")).splitlines()
    assert len(lines) > 10
    assert max(map(len, lines)) <= 80


def test_columns_without_content_are_left_out() -> None:
    system = NetworkSystem(("g",), (LocalState("a"),), ("r",), ("ok",), 0, ((0, 0),), ((0, 0),), ())
    assert "remaining code" not in shown(View.NS, ViewForm.TEXT, system)
    assert "remaining code" in shown(View.NS, ViewForm.TEXT, RUNNING_EXAMPLE)


# Pictures

_STRING = r'"(?:[^"\\]|\\.)*"'
_DOT_VALUE = rf"(?:{_STRING}|[\w.]+)"
_DOT_ATTRIBUTES = rf"\[\w+={_DOT_VALUE}(?: \w+={_DOT_VALUE})*\]"
_DOT_LINE = re.compile(
    rf"digraph {{|}}|  rankdir=LR|  (?:node|edge|n\d+) {_DOT_ATTRIBUTES}"
    rf"|  n\d+ -> n\d+(?: {_DOT_ATTRIBUTES})?"
)

_LABEL = r'"(?:[0-9A-Za-z ,:=/!?\u0080-\U0010ffff]|#\d+;|<br/>)*"'
_BRACKETED = rf"(?:\(\({_LABEL}\)\)|{{{_LABEL}}}|\({_LABEL}\)|\(\[{_LABEL}\]\)|\[{_LABEL}\])"
_MERMAID_LINE = re.compile(
    rf"flowchart LR|    n\d+{_BRACKETED}:::\w+|    n\d+ (?:<-->|-->)(?:\|{_LABEL}\|)? n\d+"
    r"|    classDef \w+ [\w:#,-]+"
)


@given(network_systems(), st.sampled_from([View.NS, View.SERIAL, View.NET]))
def test_dot_is_well_formed_whatever_the_names(system: NetworkSystem, view: View) -> None:
    lines = shown(view, ViewForm.DOT, system).split("\n")
    assert lines.pop() == ""
    assert lines[0] == "digraph {"
    assert lines[-1] == "}"
    assert [line for line in lines if not _DOT_LINE.fullmatch(line)] == []


@given(network_systems(), st.sampled_from([View.NS, View.SERIAL, View.NET]))
def test_mermaid_is_well_formed_whatever_the_names(system: NetworkSystem, view: View) -> None:
    lines = shown(view, ViewForm.MERMAID, system).split("\n")
    assert lines.pop() == ""
    assert lines[0] == "flowchart LR"
    assert [line for line in lines if not _MERMAID_LINE.fullmatch(line)] == []


@pytest.mark.parametrize(("view", "form"), PICTURES)
def test_edges_join_nodes_that_are_there(view: View, form: ViewForm) -> None:
    text = shown(view, form, SEMAPHORE)
    declared = {int(number) for number in re.findall(r"^ +n(\d+)[ ({\[]*[\"s]", text, re.MULTILINE)}
    edges = re.findall(r"^ +n(\d+) (?:->|-->|<-->)(?:\|.*\|)? n(\d+)", text, re.MULTILINE)
    assert edges
    assert {int(number) for edge in edges for number in edge} <= declared == set(range(len(declared)))


NASTY = ('"', "\\", "\\n", "&amp;", "&", "<b>", "#quot;", "[x]", "{", "`", "end", "a\nb", "\u001b[31m", "名")


@pytest.mark.skipif(GRAPHVIZ is None, reason="Graphviz is not installed")
def test_graphviz_draws_every_name_as_people_see_it() -> None:
    system = NetworkSystem(NASTY, (LocalState("l"),), ("r",), ("ok",), 0, ((0, 0),), ((0, 0),), ())
    text = shown(View.NET, ViewForm.DOT, system)
    assert GRAPHVIZ is not None
    drawn = subprocess.run([GRAPHVIZ, "-Tsvg"], input=text, capture_output=True, check=True, encoding="utf-8")
    texts = {element.text for element in ElementTree.fromstring(drawn.stdout).iter() if element.text}
    assert {visible(name) for name in NASTY} <= {text.replace("\u00a0", " ") for text in texts}


def test_the_label_of_an_edge_with_many_steps_is_cut() -> None:
    steps = tuple((0, number, 1, number) for number in range(30))
    names = tuple(f"g{number}" for number in range(30))
    locals_ = (LocalState("a"), LocalState("b"))
    system = NetworkSystem(names, locals_, ("r",), ("ok",), 0, ((0, 0),), ((1, 0),), steps)
    text = shown(View.NS, ViewForm.DOT, system)
    assert r"g6 → g6\n… 23 more" in text


# Sizes


def test_stats_count_what_the_other_views_list() -> None:
    stats = data(View.STATS, SEMAPHORE)
    system = network_system(SEMAPHORE, Limits(), Deadline())
    serial = data(View.SERIAL, SEMAPHORE)
    assert stats["globals"] == len(system.globals)
    assert stats["locals"] == len(system.locals)
    assert stats["steps"] == len(system.delta)
    assert stats["locals_by_request"] == {"work": len(system.locals)}
    assert isinstance(serial["states"], list)
    assert isinstance(serial["edges"], list)
    assert stats["serial"] == {"states": len(serial["states"]), "edges": len(serial["edges"])}


def test_stats_name_the_invariant_that_keeps_a_semaphore_finite() -> None:
    closure = data(View.STATS, SEMAPHORE)["closure"]
    assert closure == {
        "level": 1,
        "invariants": [{"variable": "FREE", "initial": 2, "sign": -1, "weights": {"work@5:5[]": 1}}],
    }
    assert "  2 - FREE = #work@5:5[]\n" in shown(View.STATS, ViewForm.TEXT, SEMAPHORE)


@given(network_systems())
def test_stats_of_a_system_count_its_names(system: NetworkSystem) -> None:
    stats = data(View.STATS, system)
    assert (stats["globals"], stats["locals"]) == (len(system.globals), len(system.locals))
    assert stats["steps"] == len(system.delta)


# What cannot be shown


@pytest.mark.parametrize("view", View)
def test_every_view_exists_in_the_forms_that_it_claims_and_no_others(view: View) -> None:
    for form in ViewForm:
        if form in list_forms(view):
            assert shown(view, form, RUNNING_EXAMPLE)
        else:
            with pytest.raises(ValueError, match=f"the view {view} exists as .*, not as {form}"):
                shown(view, form, RUNNING_EXAMPLE)


UNBOUNDED = parse("request main { X := X + 1; yield; X }")
WITH_PARTS = (View.NS, View.DELTA, View.SERIAL, View.NET)


@pytest.mark.parametrize("view", STRUCTURES)
def test_of_a_program_that_is_too_large_a_part_is_shown_or_the_limit_is_told(view: View) -> None:
    limits = Limits(max_states=100)
    if view not in WITH_PARTS:
        with pytest.raises(LimitReached):
            show(view, ViewForm.TEXT, UNBOUNDED, TEXT, limits, Deadline())
        return
    told = " ".join(show(view, ViewForm.TEXT, UNBOUNDED, TEXT, limits, Deadline()).split())
    assert told.startswith("A part, because there are more than 100 states: `X` keeps growing (line 1).")
    found = json.loads(show(view, ViewForm.JSON, UNBOUNDED, TEXT, limits, Deadline()))
    schema().validate(found)
    assert found["left_out"] == "there are more than 100 states: `X` keeps growing (line 1)"
    assert BEYOND in json.dumps(found, ensure_ascii=False)


def test_the_steps_of_a_part_are_those_of_the_whole() -> None:
    """Compares a part with the whole of a program that is large, but bounded."""
    program = parse("X in 0..60 := 0\nrequest main { X := (X + 1) % 61; yield; x := X; yield; x }")

    def steps(limits: Limits) -> set[tuple[str, ...]]:
        return set(
            map(
                tuple,
                json.loads(show(View.DELTA, ViewForm.JSON, program, TEXT, limits, Deadline()))["transitions"],
            )
        )

    whole, part = steps(Limits()), steps(Limits(max_states=100))
    kept = {step for step in part if BEYOND not in step}
    assert kept < whole
    inside = {step[:2] for step in part}
    states = {state for _, state in inside}
    locals_ = {local for local, _ in inside}
    missing = {step for step in whole if step[:2] in inside} - kept
    assert missing
    assert all(step[2] not in locals_ or step[3] not in states for step in missing)


def test_the_first_states_of_a_serial_automaton_are_those_nearest_to_the_start() -> None:
    found = json.loads(show(View.SERIAL, ViewForm.JSON, UNBOUNDED, TEXT, Limits(max_states=100), Deadline()))
    assert found["states"] == [*(f"[X={number}]" for number in range(8)), BEYOND]
    assert [(edge["from"], edge["to"]) for edge in found["edges"]][-1] == ("[X=7]", BEYOND)


# Runs


def test_the_run_of_a_program_that_is_not_serializable_is_a_counterexample() -> None:
    text = shown(View.RUN, ViewForm.TEXT, RUNNING_EXAMPLE)
    assert text.startswith("A counterexample: no serial order has these answers.\n")
    assert "answers: main/0" in text


def test_the_run_of_a_serializable_program_is_a_sample_with_its_order() -> None:
    source = SourceText("incr.ser", "request incr {\n  yield;\n  X := X + 1;\n  yield;\n  1\n}\n")
    text = show(View.RUN, ViewForm.TEXT, parse(source.text), source, Limits(max_value=20), Deadline())
    assert text.startswith("A sample. One at a time, the same answers come from: incr/1, then incr/1.\n")


def test_the_run_of_a_program_with_a_mistake_ends_there() -> None:
    source = SourceText("bump.ser", "N in 0..1 := 0\nrequest bump {\n  N := N + 1;\n  yield;\n  0\n}\n")
    text = show(View.RUN, ViewForm.TEXT, parse(source.text), source, Limits(), Deadline())
    assert text.startswith("A run that fails: ")


def test_an_input_without_anybody_to_run_has_no_run_to_show() -> None:
    with pytest.raises(NoRun) as caught:
        shown(View.RUN, ViewForm.TEXT, parse("request main { while (1) { yield } }"))
    assert caught.value.diagnostic().code == "SER306"


@pytest.mark.skipif(GRAPHVIZ is None, reason="Graphviz is not installed")
def test_graphviz_puts_turns_below_one_another_and_requests_in_columns() -> None:
    assert GRAPHVIZ is not None
    text = shown(View.RUN, ViewForm.DOT, RUNNING_EXAMPLE)
    plain = subprocess.run(
        [GRAPHVIZ, "-Tplain"], input=text, capture_output=True, text=True, check=True
    ).stdout
    places = {
        name: (float(x), float(y)) for name, x, y in re.findall(r"^node (n\d+_\d+) (\S+) (\S+)", plain, re.M)
    }
    turns = re.findall(r"^  n(\d+)_(\d+) .*label=.*(?:yield|return)", text, re.M)
    assert len(turns) == 4
    heights = [places[f"n{row}_{lane}"][1] for row, lane in sorted(turns, key=lambda turn: int(turn[0]))]
    assert heights == sorted(heights, reverse=True)
    for row, lane in turns:
        assert abs(places[f"n{row}_{lane}"][0] - places[f"n0_{lane}"][0]) < 1.0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("request flip { x := N; yield; N := 1 - x; x }", "counterexample"),
        ("X in 0..1 := 0 request up { yield; X := X + 1; X }", "mistake"),
        ("request get { yield; X } request set { X := 1 }", "sample"),
        ("request incr { lock(L); x := X; yield; X := 1 - x; unlock(L); x }", "sample"),
        ("request wait { while (1) { X := 1 - X; yield }; 0 }", "unfinished"),
    ],
)
def test_every_program_has_a_run_also_as_json(text: str, kind: str) -> None:
    source = SourceText("example.ser", text.replace(" request", "\nrequest"))
    shown = json.loads(show(View.RUN, ViewForm.JSON, parse(source.text), source, Limits(), Deadline()))
    assert (shown["view"], shown["kind"], shown["file"]) == ("run", kind, "example.ser")
    assert shown["remark"]
    assert len(shown["trace"]) == shown["steps"] > 0
    assert kind == "unfinished" or shown["outcome"] or kind == "mistake"


def test_a_program_in_which_nobody_moves_has_no_run() -> None:
    source = SourceText("example.ser", "request wait { while (1) { }; 0 }")
    with pytest.raises(NoRun):
        show(View.RUN, ViewForm.TEXT, parse(source.text), source, Limits(), Deadline())
