"""ARCHITECTURE.md is a true picture of the packages."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_says_what_the_docstrings_say() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "architecture.py"))
    assert (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8") == script["page"](), (
        "run `make architecture`"
    )


def test_every_module_has_a_row() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    modules = [path for path in (ROOT / "src" / "seriatim").rglob("*.py") if path.name != "__init__.py"]
    assert page.count("\n| `") == len(modules)
