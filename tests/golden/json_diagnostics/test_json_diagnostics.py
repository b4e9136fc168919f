"""Network systems with mistakes, beside what `ser check` says about them."""

from pathlib import Path

import pytest

from seriatim.diagnostic_text import render
from seriatim.frontends.network_json.format import read_system
from seriatim.source import Diagnostic, InputError, SourceText

SYSTEMS = sorted(Path(__file__).parent.glob("*.json"))


@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: path.stem)
def test_mistakes_are_described_as_expected(path: Path) -> None:
    text = path.read_text("utf-8")
    source = SourceText(path.name, text)
    command, expected = path.with_suffix(".txt").read_text("utf-8").split("\n", 1)
    assert command == f"ser check {path.name}"
    assert "".join(render(found, source) for found in said_about(text)) == expected


def said_about(text: str) -> tuple[Diagnostic, ...]:
    """The errors, or else the warnings."""
    try:
        return read_system(text).warnings
    except InputError as error:
        return tuple(error.diagnostics)


def test_every_code_of_the_format_is_provoked() -> None:
    said = "".join(path.with_suffix(".txt").read_text("utf-8") for path in SYSTEMS)
    assert [code for code in range(101, 110) if f"[SER{code}]" not in said] == []
