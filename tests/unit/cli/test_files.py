"""Files that cannot be read say why, and where; files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from seriatim.cli import files
from seriatim.cli.files import InputFile, input_files, read, write_whole
from seriatim.source import InputError, Span


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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(tmp_path: Path) -> None:
    (tmp_path / "secret.ser").touch(0)
    assert problem(tmp_path / "secret.ser") == ("SER202", None)


def test_no_permission_is_told_from_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(_: InputFile) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "_bytes", refuse)
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
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    (tmp_path / "small.ser").write_text("0123456789")
    (tmp_path / "huge.ser").write_text("0123456789a")
    assert read(InputFile(tmp_path / "small.ser"))[1] is None
    assert problem(tmp_path / "huge.ser") == ("SER205", None)


def test_file_whose_path_leads_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert problem(tmp_path / "file" / "a.ser") == ("SER206", None)


def test_files_about_an_input_are_named_after_it() -> None:
    names = ["a/flip.ser", "b.json", "c", "-"]
    assert [file.stem for file in input_files(names)] == ["flip", "b", "c", "stdin"]


def test_writing_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("a long old text")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_failed_write_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_link_still_leads_to_the_file_that_was_written(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_whole(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"
