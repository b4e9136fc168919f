"""`ser fmt`: what it writes, what it leaves alone, and how it ends."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main

UNTIDY = "request a{\nx:=X; // größer\nx}\n"
TIDY = "request a {\n    x := X;  // größer\n    x\n}\n"
IN_LAYOUT = "request a:\n    x := X  // größer\n    x\n"
BROKEN = "request a{ x:=X yield }\n"

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"broken": BROKEN, "tidy": TIDY, "untidy": UNTIDY}.items():
        (tmp_path / f"{name}.ser").write_text(text, "utf-8")
    (tmp_path / "system.json").write_text("{}", "utf-8")
    return tmp_path


def ser(*arguments: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_files_are_formatted_in_place(folder: Path) -> None:
    result = ser("fmt", "untidy.ser", "tidy.ser")
    assert (result.exit_code, result.output) == (0, "formatted untidy.ser\n")
    assert (folder / "untidy.ser").read_text("utf-8") == TIDY
    assert sorted(path.name for path in folder.iterdir()) == [
        "broken.ser",
        "system.json",
        "tidy.ser",
        "untidy.ser",
    ]


def test_a_formatted_file_is_not_written(folder: Path) -> None:
    path = folder / "tidy.ser"
    before = path.stat().st_ino, path.stat().st_mtime_ns
    assert (ser("fmt", "tidy.ser").output, path.stat().st_ino, path.stat().st_mtime_ns) == ("", *before)


def test_the_style_can_be_changed(folder: Path) -> None:
    ser("fmt", "untidy.ser", "--style", "layout")
    assert (folder / "untidy.ser").read_text("utf-8") == IN_LAYOUT
    ser("fmt", "untidy.ser", "--style", "braces")
    assert (folder / "untidy.ser").read_text("utf-8") == TIDY


def test_check_names_what_would_change_and_changes_nothing(folder: Path) -> None:
    result = ser("fmt", "--check", "untidy.ser", "tidy.ser")
    assert (result.exit_code, result.output) == (1, "would format untidy.ser\n")
    assert (folder / "untidy.ser").read_text("utf-8") == UNTIDY
    assert ser("fmt", "--check", "tidy.ser").exit_code == 0


def test_diff_shows_what_would_change_and_changes_nothing(folder: Path) -> None:
    result = ser("fmt", "--diff", "untidy.ser", "tidy.ser")
    assert result.exit_code == 1
    assert result.output.startswith("--- untidy.ser\n+++ untidy.ser (formatted)\n")
    assert "-x:=X; // größer\n" in result.output
    assert "+    x := X;  // größer\n" in result.output
    assert "tidy.ser (formatted)\n" not in result.output.replace("untidy", "")
    assert (folder / "untidy.ser").read_text("utf-8") == UNTIDY


def test_a_file_with_mistakes_is_left_alone_and_the_others_are_formatted(folder: Path) -> None:
    result = ser("fmt", ".")
    assert (result.exit_code, result.stdout) == (2, "formatted untidy.ser\n")
    assert "broken.ser:1:16: error[SER006]" in result.stderr
    assert (folder / "broken.ser").read_text("utf-8") == BROKEN


def test_static_mistakes_count_too(folder: Path) -> None:
    (folder / "twice.ser").write_text("request a{1}\nrequest a{2}\n", "utf-8")
    assert "SER023" in ser("fmt", "twice.ser").stderr


def test_standard_input_goes_to_standard_output() -> None:
    assert ser("fmt", "-", stdin=UNTIDY).stdout == TIDY
    result = ser("fmt", "-", "--check", stdin=UNTIDY)
    assert (result.exit_code, result.stdout) == (1, "would format <stdin>\n")
    refused = ser("fmt", "-", stdin=BROKEN)
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_a_network_system_is_refused(folder: Path) -> None:
    result = ser("fmt", str(folder / "system.json"))
    assert (result.exit_code, "SER240" in result.stderr) == (2, True)


def test_the_examples_are_formatted() -> None:
    result = ser("fmt", "--check", str(EXAMPLES))
    assert (result.exit_code, result.output) == (0, "")
