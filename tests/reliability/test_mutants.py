"""Mutation testing itself: what the tests of a module do not notice is told, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mutants.mutation import mutants
from testkit.samples import deep

ROOT = Path(__file__).parents[2]

SOURCE = """
class Scale:
    @property
    def limit(self):
        return 3

    def fits(self, weight: int | None = 2) -> bool:
        '''Not 4.'''
        if weight < self.limit:
            return True
        raise ValueError(f"{weight + 1} is too much")


def sizes(items):
    for item in items:
        while True:
            if item > 1 and item != 7 or not item:
                yield item
            break
"""

TESTS = """
import pytest
from scales import Scale, sizes

def test_two_fit():
    assert Scale().fits(2)

def test_nine_do_not():
    with pytest.raises(ValueError):
        Scale().fits(9)

def test_sizes():
    assert list(sizes([0, 1, 2])) == [0, 2]
"""


WANTED = "item > 1 and item != 7 or not item"


def test_what_is_for_machines_is_changed_and_what_is_for_people_is_not() -> None:
    found = {(each.function, each.before, each.after) for each in mutants("scales", SOURCE, "scales.py")}
    assert found == {
        ("Scale.limit", "3", "4"),
        ("Scale.fits", "weight < self.limit", "weight <= self.limit"),
        ("Scale.fits", "if weight < self.limit", "if not weight < self.limit"),
        ("Scale.fits", "True", "False"),
        ("Scale.fits", "raise ValueError(f'{weight + 1} is too much')", "pass"),
        ("sizes", f"if {WANTED}", f"if not ({WANTED})"),
        ("sizes", WANTED, "(item > 1 and item != 7) and (not item)"),
        ("sizes", WANTED, "item > 1 and item != 7"),
        ("sizes", WANTED, "not item"),
        ("sizes", "item > 1 and item != 7", "item > 1 or item != 7"),
        ("sizes", "item > 1 and item != 7", "item > 1"),
        ("sizes", "item > 1 and item != 7", "item != 7"),
        ("sizes", "item > 1", "item >= 1"),
        ("sizes", "item != 7", "item == 7"),
        ("sizes", "not item", "item"),
        ("sizes", "1", "2"),
        ("sizes", "7", "8"),
        ("sizes", "True", "False"),
        ("sizes", "yield item", "pass"),
        ("sizes", "break", "pass"),
    }


@deep
@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="mutants run in forked processes, which this system lacks"
)
def test_survivors_are_told_and_what_hangs_does_not_survive(tmp_path: Path) -> None:
    """`limit` may be 4, and `<` be `<=`, for all that these tests know; a loop without its `break` hangs."""
    (tmp_path / "scales.py").write_text(SOURCE)
    (tmp_path / "test_scales.py").write_text(TESTS)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "mutants.plugin", "--slower", "1", "--mutate", "scales"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'reliability'}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    told = [line.partition("survives: ")[2] for line in result.stdout.splitlines() if "survives" in line]
    assert told == [
        "scales:5 scales.Scale.limit: 3 ➜ 4",
        "scales:9 scales.Scale.fits: weight < self.limit ➜ weight <= self.limit",
        "scales:17 scales.sizes: item > 1 and item != 7 ➜ item > 1",
        "scales:17 scales.sizes: 7 ➜ 8",
    ]
    assert result.returncode == 1
