"""The command as a whole: help, version, explanations, completion."""

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import COMMANDS, main


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments, prog_name="ser")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


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


@pytest.mark.parametrize("code", ["SER001", "ser001", "001"])
def test_explain_prints_the_section_of_a_code(code: str) -> None:
    result = ser("explain", code)
    assert result.exit_code == 0
    assert result.stdout.startswith("## SER001: ")


def test_explain_proposes_codes_near_an_unknown_one() -> None:
    result = ser("explain", "SRE001")
    assert result.exit_code == 2
    assert "SER001" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_ser(shell: str) -> None:
    result = ser("completion", shell)
    assert result.exit_code == 0
    assert "_SER_COMPLETE" in result.stdout


def test_unknown_shell_is_a_usage_error() -> None:
    assert ser("completion", "tcsh").exit_code == 2
