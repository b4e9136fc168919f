"""ARCHITECTURE.md is a true picture of the packages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "seriatim"


def modules_described() -> set[str]:
    """The modules that the page names, by path below the package."""
    found: set[str] = set()
    folder = ""
    for line in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines():
        heading = re.match(r"### `([^`]+)`", line)
        row = re.match(r"\| `([^`]+\.py)` \|", line)
        if heading:
            folder = heading[1]
            found |= {folder} if folder.endswith(".py") else set()
        elif row:
            found.add(folder + row[1])
    return found


def test_every_module_has_a_line_and_every_line_a_module() -> None:
    modules = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    assert modules_described() == {module for module in modules if not module.endswith("__init__.py")}
