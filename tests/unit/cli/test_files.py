"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from seriatim.cli.files import input_files, write_whole
from seriatim.source import InputError


def test_files_about_an_input_are_named_after_it() -> None:
    names = ["a/flip.ser", "b.json", "c", "-"]
    assert [file.stem for file in input_files(names)] == ["flip", "b", "c", "stdin"]


def test_a_folder_means_services_but_no_scripts(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text("async def f():\n    return 1\n")
    (tmp_path / "setup.py").write_text("print('hello')\n")
    assert [file.path for file in input_files([str(tmp_path)])] == [tmp_path / "service.py"]


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
