"""What is imported late can be imported first: no module needs another one to have come before it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import seriatim
from seriatim.cli.main import COMMANDS
from testkit.samples import deep, sampled

PACKAGE = Path(seriatim.__file__).parent

EACH_ALONE = """
import json, os, re, sys, xml.sax.saxutils  # some of what most of them need: once for all
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        __import__(name)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(name)
"""


def imported_late() -> Iterator[str]:
    """The modules that some function imports."""
    for path in PACKAGE.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.ImportFrom) and str(node.module).startswith("seriatim."):
                        yield str(node.module)


@deep
def test_modules_that_functions_import_can_come_first() -> None:
    names = sorted({*imported_late(), *(f"seriatim.cli.{command}" for command in COMMANDS)})
    assert "seriatim.report.sequence" in names
    finished = subprocess.run(
        [sys.executable, "-c", EACH_ALONE, *sampled(names, 40)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
