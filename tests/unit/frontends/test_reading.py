"""Files that cannot be read say why, and where."""

import subprocess
from pathlib import Path

import pytest

from seriatim.frontends import reading
from seriatim.frontends.reading import InputFile, display_path, read
from seriatim.source import Span
from testkit.running.ser_processes import START, bound_by_modes


def problem(path: Path) -> tuple[str, Span | None]:
    _, found = read(InputFile(path))
    assert found is not None
    return found.code, found.span


def test_text_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.ser").write_bytes(b"\xef\xbb\xbfrequest a { \xc3\xa4 }")
    source, found = read(InputFile(tmp_path / "a.ser"))
    assert (source.text, found) == ("request a { ä }", None)


def test_missing_file(tmp_path: Path) -> None:
    assert problem(tmp_path / "missing.ser") == ("SER201", None)


def test_file_without_permission(tmp_path: Path) -> None:
    secret = tmp_path / "secret.ser"
    secret.touch(0)
    command = [*bound_by_modes(), *START, "check", secret]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert ended.returncode == 2
    assert "error[SER202]" in ended.stderr


def test_no_permission_is_told_from_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(_: InputFile) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reading, "_bytes", refuse)
    assert problem(tmp_path / "secret.ser") == ("SER202", None)


def test_empty_directory(tmp_path: Path) -> None:
    assert problem(tmp_path) == ("SER203", None)


@pytest.mark.parametrize(
    ("data", "span"),
    [
        (b"\xff", Span(1, 1, 1, 2)),
        (b"ab\n\xc3\xa4c\xe9", Span(2, 3, 2, 4)),
        (b"\xef\xbb\xbfa\n\xe9", Span(2, 1, 2, 2)),
        (b"a\xc3", Span(1, 2, 1, 3)),
    ],
)
def test_first_byte_that_is_not_utf8_has_a_place(data: bytes, span: Span, tmp_path: Path) -> None:
    (tmp_path / "a.ser").write_bytes(data)
    assert problem(tmp_path / "a.ser") == ("SER204", span)


def test_huge_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 10)
    (tmp_path / "small.ser").write_text("0123456789")
    (tmp_path / "huge.ser").write_text("0123456789a")
    assert read(InputFile(tmp_path / "small.ser"))[1] is None
    assert problem(tmp_path / "huge.ser") == ("SER205", None)


def test_file_whose_path_leads_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert problem(tmp_path / "file" / "a.ser") == ("SER206", None)


def test_no_terminal_obeys_the_name_of_a_file() -> None:
    assert display_path(Path("a\033[31m\n\u202e b.ser")) == "a\\x1b[31m\\n\\u202e b.ser"
    assert display_path(Path("été/日本.ser")) == "été/日本.ser"
