"""What README and docs/certificates.md say about the size of what is trusted is true, to a tenth."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "trusted.py"))
ROW = re.compile(r"^\| `([a-z-]+)` \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_the_table_of_kinds_is_right() -> None:
    page = (ROOT / "docs" / "certificates.md").read_text("utf-8")
    said = {kind: (number(own), number(shared)) for kind, own, shared in ROW.findall(page)}
    counted = SCRIPT["trusted"]()
    assert said.keys() == counted.keys()
    for kind, sizes in counted.items():
        assert said[kind] == pytest.approx(sizes, rel=0.1), kind


def test_readme_says_how_much_one_certificate_needs() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    found = re.search(
        r"([\d,]+) to ([\d,]+) lines of the checker, and ([\d,]+) to ([\d,]+) shared ones", text
    )
    assert found is not None
    own, shared = zip(*SCRIPT["trusted"]().values(), strict=True)
    expected = [min(own), max(own), min(shared), max(shared)]
    assert [number(size) for size in found.groups()] == pytest.approx(expected, rel=0.1)


def test_what_checks_a_kind_is_small() -> None:
    """Except for `chains` and `sequentialization`, whose proofs have many rules and need a solver."""
    sizes = {kind: own for kind, (own, _) in SCRIPT["trusted"]().items()}
    assert sizes.pop("chains") < 3_000
    assert sizes.pop("sequentialization") < 3_300
    assert max(sizes.values()) < 2_600


def test_a_kind_of_evidence_reaches_its_own_checker_alone() -> None:
    reached = SCRIPT["reached"]
    kinds = SCRIPT["kinds"]()
    assert "seriatim.checking.chains" not in reached([SCRIPT["DISPATCH"], *kinds["commit"]])
    assert "seriatim.checking.cover" in reached([SCRIPT["DISPATCH"], *kinds["commit"]])
    assert not any(".engines." in module for own in kinds.values() for module in reached(own))
