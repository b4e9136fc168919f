"""Programs with mistakes, beside what `ser check` says about them."""

from pathlib import Path

import pytest

from seriatim.diagnostic_text import render
from seriatim.frontends.ser.parser import parse
from seriatim.source import InputError, SourceText

PROGRAMS = sorted(Path(__file__).parent.glob("*.ser"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_mistakes_are_described_as_expected(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    with pytest.raises(InputError) as caught:
        parse(text)
    source = SourceText(path.name, text)
    command, expected = path.with_suffix(".txt").read_text("utf-8").split("\n", 1)
    assert command == f"ser check {path.name}"
    assert "".join(render(found, source) for found in caught.value.diagnostics) == expected
