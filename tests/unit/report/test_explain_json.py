"""The explanations of the codes for network systems are true."""

import re

import pytest

from seriatim.frontends.network_json.format import read_system
from seriatim.report.explain import explain, explained_codes
from seriatim.source import Diagnostic, InputError

_EXAMPLE = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", [code for code in explained_codes() if code.startswith("SER1")])
def test_the_first_example_is_refused_with_its_code_and_the_second_is_accepted(code: str) -> None:
    wrong, right = _EXAMPLE.findall(explain(code) or "")
    assert [found.code for found in said_about(wrong)] == [code]
    assert said_about(right) == ()


def said_about(text: str) -> tuple[Diagnostic, ...]:
    """The errors, or else the warnings."""
    try:
        return read_system(text).warnings
    except InputError as error:
        return tuple(error.diagnostics)
