"""The command as a whole: help, version, explanations, completion."""

from importlib import metadata
from pathlib import Path

import pytest
from click.exceptions import Exit
from click.testing import CliRunner, Result

import seriatim.cli
from seriatim.cli.main import COMMANDS, main, report_interruptions


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments, prog_name="ser")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_every_module_with_a_command_is_a_command() -> None:
    modules = Path(seriatim.cli.__file__).parent.glob("*.py")
    defined = [path.stem for path in modules if "\ndef command(" in path.read_text("utf-8")]
    assert sorted(COMMANDS) == sorted(defined)


def test_help_names_every_command_and_exit_code() -> None:
    text = ser("--help").stdout
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert all(f"\n    {code}  " in text for code in range(4))
    assert "..." not in text.partition("Commands:")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = ser(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: ser {name}")


def test_no_command_shows_the_help() -> None:
    assert "Usage: ser" in ser().output


def test_the_version_of_what_is_not_installed_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    result = ser("--version")
    assert (result.exit_code, result.stdout) == (0, "ser unknown\n")


@pytest.mark.parametrize(
    ("wrong", "meant"), [("chek", "check"), ("verfiy", "verify"), ("explian", "explain")]
)
def test_a_misspelt_command_is_recognised(wrong: str, meant: str) -> None:
    result = ser(wrong)
    assert result.exit_code == 2
    assert f"no such command: {wrong!r}. Did you mean {meant!r}?" in result.stderr


def test_a_word_like_no_command_is_only_refused() -> None:
    assert "no such command: 'frobnicate'.\n" in ser("frobnicate").stderr


@pytest.mark.parametrize("code", ["SER001", "ser001", "001"])
def test_explain_prints_the_section_of_a_code(code: str) -> None:
    result = ser("explain", code)
    assert result.exit_code == 0
    assert result.stdout.startswith("## SER001: ")


@pytest.mark.parametrize(
    ("code", "nearest"), [("SRE001", "SER001"), ("SER6", "SER006"), ("ser13", "SER013"), ("6", "SER006")]
)
def test_explain_proposes_codes_near_an_unknown_one(code: str, nearest: str) -> None:
    result = ser("explain", code)
    assert result.exit_code == 2
    assert f"Near it: {nearest}" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_ser(shell: str) -> None:
    result = ser("completion", shell)
    assert result.exit_code == 0
    assert "_SER_COMPLETE" in result.stdout


def test_unknown_shell_is_a_usage_error() -> None:
    assert ser("completion", "tcsh").exit_code == 2


def test_ctrl_c_while_a_module_is_loaded_is_ctrl_c() -> None:
    """Python 3.11 wraps what comes while a class is made."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(Exit) as ended, report_interruptions():
        type("Loaded", (), {"field": Named()})
    assert ended.value.exit_code == 130


def test_other_mistakes_are_not_taken_for_ctrl_c() -> None:
    with pytest.raises(RuntimeError, match="other"), report_interruptions():
        raise RuntimeError("other")
