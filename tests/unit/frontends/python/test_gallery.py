"""The gallery of real bugs: each is found in a file without marks, and none after its fix."""

import re
from pathlib import Path

import pytest

from seriatim.frontends.python.service_runs import run_file
from seriatim.source import SourceText
from testkit.samples import seldom

GALLERY = Path(__file__).parents[4] / "examples" / "bugs"
BUGS = sorted(path.stem for path in GALLERY.glob("*.py") if not path.stem.endswith("_fixed"))


def test_each_bug_has_its_fix() -> None:
    fixes = {path.stem for path in GALLERY.glob("*_fixed.py")}
    assert len(BUGS) >= 10
    assert fixes == {f"{name}_fixed" for name in BUGS}


@pytest.mark.parametrize("name", seldom(BUGS, 4))
def test_the_bug_is_found_and_not_after_its_fix(name: str) -> None:
    before, after = (
        run_file(SourceText(str(path), path.read_text("utf-8")), "", 30.0, proves=False).services
        for path in (GALLERY / f"{name}.py", GALLERY / f"{name}_fixed.py")
    )
    assert any(each.race is not None for each in before)
    for service in after:
        assert service.race is None
        assert service.doubt is None
        assert service.refusal is None
        assert service.explored >= 2


SERVICES = Path(__file__).parents[4] / "examples" / "services"
ANSWERS = Path(__file__).parents[3] / "golden" / "services"


@pytest.mark.parametrize("path", seldom(sorted(SERVICES.glob("*.py")), 6), ids=lambda path: path.stem)
def test_services_need_no_marks(path: Path, tmp_path: Path) -> None:
    known = (ANSWERS / f"{path.stem}.txt").read_text("utf-8")
    bare = tmp_path / path.name
    bare.write_text(re.sub(r" *# ser:.*", "", path.read_text("utf-8")))
    found = run_file(SourceText(str(bare), bare.read_text("utf-8")), "", 30.0, proves=False).services
    assert any(each.race is not None for each in found) == ("NOT SERIALIZABLE" in known)
    assert all(each.race is not None or each.explored == 3 for each in found)
