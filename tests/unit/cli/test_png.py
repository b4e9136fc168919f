"""Pictures as PNG: what is written is one, and where the extra is missing the message says how to get it."""

import struct
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.report import png as pictures

RACING = "request incr { x := X; yield; X := (x + 1) % 3; X }\n"

COMMANDS = [
    ("check", "racing.ser", "--diagram", "picture.png"),
    ("show", "racing.ser", "--format", "png", "--output", "picture.png"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("racing.ser").write_text(RACING)


def ser(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_picture_is_a_png_with_a_size(command: tuple[str, ...]) -> None:
    assert ser(*command).stderr == ""
    data = Path("picture.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert min(width, height) > 100


@pytest.mark.parametrize("command", COMMANDS)
def test_without_the_extra_nothing_is_written(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    result = ser(*command)
    assert result.exit_code == 2
    assert "SER211" in result.stderr
    assert "pip install 'seriatim[png]'" in result.stderr
    assert not Path("picture.png").exists()


def test_png_is_not_for_a_terminal() -> None:
    result = ser("show", "racing.ser", "--format", "png")
    assert result.exit_code == 2
    assert "--output" in result.stderr


def test_tables_have_no_picture() -> None:
    result = ser("show", "racing.ser", "--as", "stats", "--format", "png", "--output", "picture.png")
    assert result.exit_code == 2
    assert "not as png" in result.stderr
