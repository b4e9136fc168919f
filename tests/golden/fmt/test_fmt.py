"""Untidy programs, beside what becomes of them in either style; `UPDATE_GOLDEN=1` as for commands."""

import os
from pathlib import Path

import pytest

from seriatim.frontends.ser.formatting import format_text
from seriatim.program.expression_printer import Style

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("name", ["braces", "layout"])
def test_untidy_programs_are_formatted(name: str, style: Style) -> None:
    expected = FOLDER / f"{name}_in_{style.name.lower()}.ser"
    formatted = format_text((FOLDER / f"{name}.ser").read_text("utf-8"), style)
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(formatted, "utf-8")
    assert formatted == expected.read_text("utf-8")
