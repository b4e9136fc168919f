"""The magic of notebooks, in a real shell."""

from collections.abc import Iterator
from typing import Any

import pytest

from seriatim import Drawing, NotSerializable, Serializable, Unknown
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


def test_mistakes_are_shown_with_their_place_and_without_a_traceback(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    found = shell.run_cell("%%ser\nrequest incr { X := X + ; X }\n")
    assert not found.success, "cells below do not run"
    told = capsys.readouterr()
    assert "error[SER005]: expected an expression" in told.err
    assert "  1 | request incr { X := X + ; X }" in told.err
    assert "Traceback" not in told.err + told.out


def test_pictures_and_fixes_are_shown(shell: Any) -> None:
    bounded = RACING.replace("x + 1", "(x + 1) % 3")
    for view in ("ns", "serial", "net", "run"):
        found = shell.run_cell_magic("ser", f"--draw {view}", bounded)
        assert isinstance(found, Drawing)
        assert found._repr_svg_().startswith("<svg")
    fixes = shell.run_cell_magic("ser", "--fix", bounded)
    assert "lock" in fixes.found[0].text
    assert "<pre>" in fixes._repr_html_()
    assert "Requests wait while another one holds LOCK" in repr(fixes)
    assert "No change" in shell.run_cell_magic("ser", "--fix", ATOMIC)._repr_html_()


def test_other_languages_are_cells_too(shell: Any) -> None:
    sql = """
create table counter (id int primary key, n int);
insert into counter values (1, 0);
-- transaction: increment
begin;
select n from counter where id = 1 \\gset
update counter set n = (:n + 1) % 3 where id = 1;
commit;
"""
    found = shell.run_cell_magic("ser", "--as sql --isolation read-committed", sql)
    assert isinstance(found, NotSerializable)
    assert "lost update" in found._repr_html_()
    service = "class C:\n    def __init__(self): self.n = 0\n    async def get(self): return self.n\n"
    assert isinstance(shell.run_cell_magic("ser", "--as py", service), Serializable | Unknown)
