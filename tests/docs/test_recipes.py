"""The recipes of CONTRIBUTING are true: what they name exists, and what they promise holds for all."""

import re
from pathlib import Path

import pytest

from seriatim.certificate.all import KINDS, class_of, module_of
from seriatim.frontends import languages
from seriatim.frontends.languages import SOURCES, Language
from seriatim.properties.all import ALL

ROOT = Path(__file__).parents[2]
RECIPES = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Recipes")[2]
PATHS = sorted(set(re.findall(r"`((?:src|docs|tests|examples|editors|reliability)/[\w./-]+)`", RECIPES)))
CODE = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))


@pytest.mark.parametrize("path", PATHS)
def test_what_a_recipe_names_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_name_in_a_recipe_is_defined() -> None:
    names = set(re.findall(r"`([A-Z]\w+)(?:\(.*?\))?`", RECIPES))
    assert len(names) > 15
    unknown = {name for name in names if not re.search(rf"^\s*(class )?{name}\b", CODE, re.MULTILINE)}
    assert unknown == set()


def test_a_property_is_a_module_a_line_and_a_page() -> None:
    page = (ROOT / "docs" / "properties.md").read_text("utf-8")
    for each in ALL:
        assert each.__module__ == f"seriatim.properties.{each.name.replace('-', '_')}"
        assert f"`{each.name}`" in page, each.name


def test_a_kind_of_evidence_is_a_module_of_its_name_and_a_checker() -> None:
    page = (ROOT / "docs" / "certificates.md").read_text("utf-8")
    for kind in KINDS:
        assert class_of(kind).__module__ == module_of(kind).__name__
        assert f"`{kind}`" in page, kind


def test_a_front_end_is_a_folder_that_one_value_names() -> None:
    folders = {path.parent.name for path in (ROOT / "src/seriatim/frontends").glob("*/frontend.py")}
    assert folders == {each.folder for each in SOURCES}
    listed = {id(each) for each in languages.KINDS}
    assert {id(each) for each in vars(languages).values() if isinstance(each, Language)} == listed
