"""Where a verdict says little: after a decision, what is known of complete runs."""

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse

WAITS = """
READY := 0
request start(v in 0..1) { while (READY == v) { yield }; X := 1 - X }
request stop { yield; X := 0 }
request ready { if (X == 2) { READY := 1 }; READY }
"""
"""Nobody ever makes READY 1."""

SYSTEM = """{
  "initial_global": "dark",
  "requests": [["wait", "waiting"], ["look", "looking"]],
  "responses": [["awake", "good morning"], ["seen", "dark"]],
  "transitions": [
    ["looking", "dark", "yawning", "dark"], ["yawning", "dark", "seen", "dark"],
    ["waiting", "bright", "awake", "bright"]
  ]
}"""


def test_a_request_that_waits_in_vain_is_warned_of_with_its_arguments() -> None:
    (found,) = decide(parse(WAITS), Options()).warnings
    assert (found.code, found.message) == ("SER708", "no complete run contains a request `start(0)`")
    assert found.span is not None
    assert found.span.line == 3


def test_a_request_of_a_network_system_has_no_place_in_a_text() -> None:
    (found,) = decide(read_system(SYSTEM), Options()).warnings
    assert (found.code, found.span) == ("SER708", None)
    assert "`wait`" in found.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("request incr { x := X; yield; X := 1 - x; 0 }", ["SER709"]),
        ("request incr { x := X; yield; X := 1 - x; x }", []),
        ("request incr { X := 1 - X; 0 }", []),
        ("request take { while (X == 1) { yield }; X := 1 } request give { X := 0 }", []),
    ],
)
def test_constant_answers_are_noted_only_where_requests_can_be_interrupted(
    text: str, expected: list[str]
) -> None:
    assert [found.code for found in decide(parse(text), Options()).warnings] == expected
