"""Asking about known vulnerabilities: no answer is never taken for a good one."""

import json
import sys
from pathlib import Path

import pytest

from supply.audit import main

CLEAN = {"name": "click", "version": "8.5.1", "vulns": []}
SKIPPED = {"name": "z3-solver", "skip_reason": "Dependency not found"}
VULNERABLE = {
    "name": "old",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1", "2.0"]}, {"id": "PYSEC-2", "fix_versions": []}],
}
NOT_KNOWN = "Whether there are known vulnerabilities is not known: "


def answer(*dependencies: object) -> str:
    return f"print({json.dumps({'dependencies': dependencies})!r})"


UNREACHABLE = "import sys; sys.exit('Traceback …\\nConnectionError: no route to host')"

CASES = {
    answer(CLEAN): (0, "No known vulnerabilities.\n", ""),
    answer(CLEAN, VULNERABLE): (
        1,
        "old 1.0: PYSEC-1, fixed in 1.1, 2.0\nold 1.0: PYSEC-2, fixed in no version yet\n",
        "",
    ),
    answer(CLEAN, SKIPPED): (
        2,
        "",
        f"{NOT_KNOWN}pip-audit got no answer about 1 of 2 distributions, z3-solver for one\n",
    ),
    UNREACHABLE: (
        2,
        "",
        f"{NOT_KNOWN}pip-audit could not ask its service: ConnectionError: no route to host\n",
    ),
    "pass": (2, "", f"{NOT_KNOWN}pip-audit could not ask its service: it ended with 0\n"),
}


@pytest.mark.parametrize("code", CASES)
def test_what_pip_audit_hears_is_told(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code, and what is said on both outputs."""
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\n{code}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (main(["some.lock"]), *capsys.readouterr()) == CASES[code]


def test_without_pip_audit_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["some.lock"]) == 2
    assert "there is no pip-audit on the path" in capsys.readouterr().err
