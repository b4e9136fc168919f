"""The JSON format of network systems: what is written is read, and mistakes are named and placed."""

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from seriatim.budget import Deadline
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.system_printer import name_entries, write_system
from seriatim.source import Diagnostic, InputError, Severity
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import Limits
from testkit.generators.system_strategies import network_systems
from testkit.samples import IS_DEEP

LOCK = """{
  "initial_global": "free",
  "requests": [
    ["work", "waiting"]
  ],
  "responses": [
    ["done", "ok"]
  ],
  "transitions": [
    ["waiting", "free", "working", "taken"],
    ["working", "taken", "done", "free"]
  ]
}
"""

EMPTY = {"initial_global": "g", "requests": [], "responses": [], "transitions": []}

BENCHMARKS = Path(__file__).parents[5] / "shared" / "benchmarks"


@cache
def schema() -> Draft202012Validator:
    text = (
        resources.files("seriatim.frontends.network_json")
        .joinpath("network_system.schema.json")
        .read_text("utf-8")
    )
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))


def mistakes(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        read_system(text)
    return caught.value.diagnostics


def system_text(**changes: Any) -> str:
    return json.dumps(EMPTY | changes)


# What is right


def test_states_are_numbered_as_first_named() -> None:
    assert read_system(LOCK) == NetworkSystem(
        globals=("free", "taken"),
        locals=(LocalState("waiting"), LocalState("done"), LocalState("working")),
        requests=("work",),
        responses=("ok",),
        initial=0,
        req=((0, 0),),
        resp=((1, 0),),
        delta=((0, 0, 2, 1), (2, 1, 1, 0)),
    )


def test_the_order_of_the_keys_does_not_matter() -> None:
    members = json.loads(LOCK)
    assert read_system(json.dumps(dict(reversed(members.items())))) == read_system(LOCK)


def test_words_of_logics_and_of_json_are_names_like_others() -> None:
    text = system_text(requests=[["TRUE", "null"]], responses=[["null", "false"], ["null", "a\n\u001b"]])
    system = read_system(text)
    assert system.requests == ("TRUE",)
    assert system.responses == ("false", "a\n\u001b")


def test_a_request_may_start_in_several_states_and_several_may_share_one() -> None:
    system = read_system(system_text(requests=[["a", "x"], ["a", "y"], ["b", "x"]]))
    assert system.req == ((0, 0), (0, 1), (1, 0))


@given(network_systems())
def test_what_is_written_is_read_again(system: NetworkSystem) -> None:
    again = read_system(write_system(system))
    assert name_entries(again) == name_entries(system)
    assert again.globals[again.initial] == system.globals[system.initial]


@given(network_systems())
def test_reading_settles_the_numbering(system: NetworkSystem) -> None:
    text = write_system(system)
    assert write_system(read_system(text)) == text
    assert read_system(write_system(read_system(text))) == read_system(text)


@given(network_systems())
def test_the_schema_allows_what_is_written(system: NetworkSystem) -> None:
    schema().validate(json.loads(write_system(system)))


def test_the_example_of_the_schema_is_a_system() -> None:
    text = (
        resources.files("seriatim.frontends.network_json")
        .joinpath("network_system.schema.json")
        .read_text("utf-8")
    )
    for example in json.loads(text)["examples"]:
        assert read_system(json.dumps(example)).requests


def test_the_system_of_a_program_is_written_and_read() -> None:
    program = parse("request a { X := 1; yield; X } request b { y := X; yield; X := 0; y }")
    system = network_system(program, Limits(), Deadline())
    assert name_entries(read_system(write_system(system))) == name_entries(system)


def test_megabytes_are_read() -> None:
    """Ten with DEEP=1, else one."""
    number = 200_000 if IS_DEEP else 20_000
    steps = [[f"state {i:06}", f"global {i % 100:06}", f"state {i + 1:06}", "g"] for i in range(number)]
    text = system_text(requests=[["r", "state 000000"]], transitions=steps)
    assert len(text) > 50 * number
    assert len(read_system(text).delta) == number


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="the paper's benchmarks are not here")
@pytest.mark.parametrize(("name", "size"), [("b1", 2), ("b2", 4), ("b3", 2), ("b4", 3)])
def test_the_systems_of_the_paper_are_read(name: str, size: int) -> None:
    text = (BENCHMARKS / f"{name}.json").read_text("utf-8")
    system = read_system(text)
    assert len(system.delta) == size
    schema().validate(json.loads(write_system(system)))


# What is wrong


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "the text ends where more JSON should follow", 1, 1),
        ('{"requests": [', "the text ends where more JSON should follow", 1, 15),
        ('{\n  "requests', "this string does not end", 2, 3),
        ('{"requests": []}\n!', "not JSON: unexpected `!`", 2, 1),
        ("{\n  'requests': []}", "not JSON: unexpected `'`", 2, 3),
        ('{"a": ",]" !}', "not JSON: unexpected `!`", 1, 12),
        ('{"a": ["b",\n ]}', "not JSON: unexpected `,`", 1, 11),
        ('{"a": "x\ny"}', "not JSON: unexpected `\\n`", 1, 9),
        ('{"a": ["NaN",\n NaN]}', "`NaN` is not JSON", 2, 2),
        ('{"a": -Infinity}', "`-Infinity` is not JSON", 1, 7),
        ("[" * 100_000, "lists and objects are nested too deeply", 1, 4),
        ('{"a":' * 100_000, "lists and objects are nested too deeply", 1, 16),
    ],
)
def test_a_text_that_is_not_json_is_refused_where_it_goes_wrong(
    text: str, message: str, line: int, column: int
) -> None:
    (mistake,) = mistakes(text)
    assert mistake.code == "SER101"
    assert mistake.message == message
    assert mistake.span is not None
    assert (mistake.span.line, mistake.span.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"requests": [],}', "remove the comma after the last entry"),
        ('{"requests": [[1],\n ]}', "remove the comma after the last entry"),
        ('{"requests": [] // none\n}', "JSON has no comments"),
        ("{'requests': []}", "put strings in double quotes"),
    ],
)
def test_common_slips_get_a_hint(text: str, hint: str) -> None:
    (mistake,) = mistakes(text)
    assert mistake.hint == hint


@pytest.mark.parametrize(
    ("text", "code", "message", "place"),
    [
        ("[]", "SER102", "the text is a list, not an object", "[]"),
        ("7" * 9000, "SER102", "the text is a number, not an object", "7" * 9000),
        (system_text(initial_global=None), "SER102", "`initial_global` is `null`, not a string", "null"),
        (system_text(requests={}), "SER102", "`requests` is an object, not a list", "{}"),
        (system_text(requests=[True]), "SER102", "`requests[0]` is `true`, not a list", "true"),
        (system_text(requests=[["r", 4.5]]), "SER102", "`requests[0][1]` is a number, not a string", "4.5"),
        (system_text(requests=[["r", ["s"]]]), "SER102", "`requests[0][1]` is a list, not a string", '["s"]'),
        (system_text(request=[]), "SER104", "there is no key `request`", '"request"'),
        (
            '{"requests": [], ' + system_text()[1:],
            "SER105",
            "the key `requests` is given twice",
            '"requests"',
        ),
        (
            system_text(transitions=[["a", "g", "b"]]),
            "SER106",
            "`transitions[0]` should have 4 names, and has 3",
            '["a", "g", "b"]',
        ),
        (system_text(initial_global=""), "SER107", "`initial_global` is empty", '""'),
        (system_text(responses=[["", "x"]]), "SER107", "`responses[0][0]` is empty", '""'),
        (
            system_text(responses=[["x", "\ud800"]]),
            "SER107",
            "`responses[0][1]` holds half of a character, `\\ud800`",
            '"\\ud800"',
        ),
        (
            system_text(requests=[["r", "a"]], transitions=[["a", "g", "b", "g"], ["c", "g", "a", "g"]]),
            "SER109",
            "`transitions[1]` names `c`, a local state where no request ever is",
            '"c"',
        ),
    ],
)
def test_a_mistake_is_named_and_its_place_is_exact(text: str, code: str, message: str, place: str) -> None:
    (mistake,) = mistakes(text)
    assert (mistake.code, mistake.message, mistake.severity) == (code, message, Severity.ERROR)
    assert mistake.span is not None
    assert text[mistake.span.column - 1 : mistake.span.end_column - 1] == place


def test_each_missing_key_is_named() -> None:
    found = mistakes('{"initial_global": "g", "responses": []}')
    assert [(mistake.code, mistake.message) for mistake in found] == [
        ("SER103", "the key `requests` is missing"),
        ("SER103", "the key `transitions` is missing"),
    ]
    assert found[0].hint == "`requests` is a list of entries [request, local]"


def test_a_misspelt_key_is_not_missing_as_well() -> None:
    text = '{"initial_global": "g", "request": [], "responses": [], "transitions": []}'
    (mistake,) = mistakes(text)
    assert (mistake.code, mistake.hint) == ("SER104", "did you mean `requests`?")


def test_a_misspelt_state_gets_a_suggestion() -> None:
    (mistake,) = mistakes(LOCK.replace('["working", "taken", "done"', '["workin", "taken", "done"'))
    assert (mistake.code, mistake.hint) == ("SER109", "did you mean `working`?")


def test_a_repeated_entry_is_a_warning_that_points_to_the_first_one() -> None:
    text = system_text(requests=[["r", "a"], ["r", "b"], ["r", "a"]])
    system = read_system(text)
    assert system == read_system(system_text(requests=[["r", "a"], ["r", "b"]]))
    (found,) = system.warnings
    assert (found.code, found.severity) == ("SER108", Severity.WARNING)
    assert found.span is not None
    assert found.span.column == text.rindex('["r", "a"]') + 1
    assert found.hint == "`requests[0]` says the same; remove one of them"


def test_many_repeated_entries_are_one_warning() -> None:
    (found,) = read_system(system_text(requests=[["r", "a"]] * 5)).warnings
    assert found.message == "`requests[1]` repeats an entry; there are 3 more like it"


def test_a_response_of_a_local_state_that_is_never_reached_is_a_warning() -> None:
    (found,) = read_system(system_text(requests=[["r", "a"]], responses=[["a", "x"], ["b", "y"]])).warnings
    assert (found.code, found.severity) == ("SER109", Severity.WARNING)
    assert found.message == "`responses[1]` names `b`, a local state where no request ever is"


def test_a_state_is_named_once_however_often_it_stands() -> None:
    text = system_text(transitions=[["a", "g", "b", "g"], ["a", "h", "b", "h"]])
    assert [mistake.code for mistake in mistakes(text)] == ["SER109"]


def test_all_mistakes_are_reported_in_the_order_of_the_text() -> None:
    text = (
        '{"transitions": [["a"], [1, "g", "", "g"]],\n "requests": 0, "initial_global": "g", "responses": []}'
    )
    found = mistakes(text)
    assert [mistake.code for mistake in found] == ["SER106", "SER102", "SER107", "SER102"]
    assert [mistake.span.line for mistake in found if mistake.span] == [1, 1, 1, 2]


def test_what_follows_from_another_mistake_is_not_reported() -> None:
    """A transition that cannot be read may lead to the states that seem to be unreachable."""
    text = system_text(requests=[["r"]], transitions=[["a", "g", "b", "g"]])
    assert [mistake.code for mistake in mistakes(text)] == ["SER106"]


def test_places_count_escaped_quotes_and_lines_right() -> None:
    text = """{
 "initial_global": "a\\"b]",
 "requests": [
  ["\\\\", "x,"],
  [""
 , "x"]],
 "responses": [], "transitions": []}"""
    (mistake,) = mistakes(text)
    assert mistake.span is not None
    assert (mistake.span.line, mistake.span.column) == (5, 4)


def test_nesting_that_python_can_read_is_a_wrong_type() -> None:
    text = system_text(requests=[["r", "x"]]).replace('"x"', "[" * 200 + "]" * 200)
    (mistake,) = mistakes(text)
    assert (mistake.code, mistake.message) == ("SER102", "`requests[0][1]` is a list, not a string")


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        system_text(initial_global=None),
        system_text(initial_global=""),
        system_text(requests={}),
        system_text(requests=[["r", 4]]),
        system_text(requests=[["r"]]),
        system_text(name="x"),
        '{"initial_global": "g", "requests": [], "responses": []}',
        system_text(transitions=[["a", "g", "b", "g", "c"]]),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(text: str) -> None:
    assert mistakes(text)
    assert not schema().is_valid(json.loads(text))
