"""The page on continuous integration is true, and so are the action and the hook that it speaks of."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from testkit.running.console_pages import CHECKOUT, assert_console_is_true
from testkit.running.markdown_blocks import blocks

PAGE = CHECKOUT / "docs" / "ci.md"
ACTION = yaml.safe_load((CHECKOUT / "action.yml").read_text("utf-8"))
HOOKS = yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_text("utf-8"))

SCRIPTS = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""Where `ser` is, first of all."""


def step(name: str) -> Any:
    (found,) = (step for step in ACTION["runs"]["steps"] if step["name"] == name)
    return found


def run_check(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The script of the action's last step, with its inputs and otherwise their defaults."""
    check = step("Check")
    values = {name: given["default"] for name, given in ACTION["inputs"].items()} | inputs
    variables = {
        variable: values[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
        for variable, expression in check["env"].items()
    }
    environment = {"PATH": SCRIPTS} | variables
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", check["run"]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_console_is_true(PAGE, tmp_path, monkeypatch)


def test_the_workflow_of_the_page_gives_the_action_inputs_that_it_has() -> None:
    (workflow,) = (
        yaml.safe_load(block.text)
        for block in blocks(PAGE)
        if block.language == "yaml" and "jobs:" in block.text
    )
    (use,) = (step for step in workflow["jobs"]["serializability"]["steps"] if "seriatim@" in step["uses"])
    assert use["with"].keys() <= ACTION["inputs"].keys()


def test_the_hooks_of_the_page_exist() -> None:
    (configuration,) = (
        yaml.safe_load(block.text)
        for block in blocks(PAGE)
        if block.language == "yaml" and "repos:" in block.text
    )
    wanted = [hook["id"] for repository in configuration["repos"] for hook in repository["hooks"]]
    assert wanted == [hook["id"] for hook in HOOKS]


def test_the_action_is_composite_and_every_script_has_a_shell() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all(step.keys() >= {"shell"} for step in ACTION["runs"]["steps"] if "run" in step)


def test_no_input_of_the_action_is_put_into_a_script() -> None:
    assert not [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")]


@pytest.mark.parametrize(("example", "exit_code"), [("lost_update.ser", 1), ("spin_lock.ser", 0)])
def test_the_action_ends_as_the_check_does(example: str, exit_code: int, tmp_path: Path) -> None:
    result = run_check(
        CHECKOUT,
        paths=f"examples/{example}",
        arguments="--quiet --timeout 30",
        sarif=str(tmp_path / "a.sarif"),
        junit=str(tmp_path / "a.xml"),
    )
    assert result.returncode == exit_code, result.stderr
    assert (tmp_path / "a.sarif").exists()
    assert (tmp_path / "a.xml").exists()


def test_the_action_does_not_run_its_inputs(tmp_path: Path) -> None:
    result = run_check(tmp_path, paths="$(touch evil) ; touch evil")
    assert result.returncode == 2
    assert list(tmp_path.iterdir()) == []


def run_hook(name: str, folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    (entry,) = (hook["entry"] for hook in HOOKS if hook["id"] == name)
    command = [*shlex.split(entry), *files]
    return subprocess.run(
        command, cwd=folder, env={"PATH": SCRIPTS}, capture_output=True, text=True, check=False
    )


def test_the_hook_that_formats_changes_files(tmp_path: Path) -> None:
    untidy = tmp_path / "untidy.ser"
    untidy.write_text("request a{X}  # é\n", "utf-8")
    assert run_hook("ser-fmt", tmp_path, "untidy.ser").returncode == 0
    assert untidy.read_text("utf-8") == "request a { X }  # é\n"


def test_the_hook_that_checks_runs_on_programs() -> None:
    result = run_hook("seriatim", CHECKOUT, "examples/lost_update.ser", "examples/spin_lock.ser")
    assert result.returncode == 1
    assert "lost_update.ser: NOT SERIALIZABLE" in result.stdout
