"""ARCHITECTURE.md and the page of modules are a true picture of the package."""

import re
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


PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\| ((?:\*[a-z ]+\*(?:, )?)+) \|", PAGE, re.MULTILINE)


def test_each_term_of_the_glossary_is_defined_once_and_used() -> None:
    terms = [term for row in TERMS for term in re.findall(r"\*([a-z ]+)\*", row)]
    assert len(terms) > 35
    assert len(terms) == len(set(terms))
    assert sorted(TERMS) == TERMS
    text = "\n".join(
        path.read_text(encoding="utf-8").lower() for path in (ROOT / "src" / "seriatim").rglob("*.py")
    )
    assert [term for term in terms if text.count(term) < 20] == []


def test_the_reading_route_names_what_exists() -> None:
    route = PAGE.partition("## A reading route")[2].partition("## Glossary")[0]
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", route)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / "src" / "seriatim" / name).exists()] == []
