"""ARCHITECTURE.md and the page of modules are a true picture of the package."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_pages_say_what_the_docstrings_say() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "architecture.py"))
    for page, content in script["pages"]().items():
        assert page.read_text(encoding="utf-8") == content, "run `make architecture`"


def test_every_module_has_a_row() -> None:
    page = (ROOT / "docs" / "modules.md").read_text(encoding="utf-8")
    modules = [path for path in (ROOT / "src" / "seriatim").rglob("*.py") if path.name != "__init__.py"]
    assert page.count("\n| `") == len(modules)
