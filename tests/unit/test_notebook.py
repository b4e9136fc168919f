"""The magic of notebooks, in a real shell."""

from collections.abc import Iterator
from typing import Any

import pytest

from seriatim import NotSerializable, Serializable
from seriatim.notebook import check_cell

RACING = "request incr { x := X; yield; X := x + 1; x }"
ATOMIC = "request incr { X := 1; X }"


@pytest.fixture
def shell() -> Iterator[Any]:
    shells = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    found = shells.InteractiveShell()
    found.run_line_magic("load_ext", "seriatim.notebook")
    yield found
    found.history_manager.end_session()


def test_a_cell_shows_its_verdict(shell: Any) -> None:
    found = shell.run_cell_magic("ser", "--name counter", RACING)
    assert isinstance(found, NotSerializable)
    assert shell.user_ns["counter"] is found
    assert "not serializable" in found._repr_html_().lower()


def test_another_question_can_be_asked(shell: Any) -> None:
    assert shell.run_cell_magic("ser", "--property safe", ATOMIC).__class__.__name__ == "Holds"
    found = shell.run_cell_magic("ser", "--property strict --name counter", RACING)
    assert shell.user_ns["counter"] is found
    assert "not strictly serializable" in str(found).lower()


def test_without_a_name_nothing_is_remembered() -> None:
    variables: dict[str, Any] = {}
    assert isinstance(check_cell("", ATOMIC, variables), Serializable)
    assert not variables


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("--property magic", RACING, "%%ser: argument --property"),
        ("--nonsense", RACING, "%%ser: unrecognized arguments"),
        ("", "request incr { x := ", "SER"),
    ],
)
def test_mistakes_are_told(line: str, cell: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_cell(line, cell, {})
