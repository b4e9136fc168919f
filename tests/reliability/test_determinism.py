"""The same input gives the same bytes: run after run, whatever the hash seed, however many jobs at a time."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from testkit.samples import IS_DEEP, deep

EXAMPLES = Path(__file__).parents[2] / "examples"
INPUTS = (
    "lost_update.ser",
    "spin_lock.ser",
    "without_report.ser",  # counted, by a solver
    "write_skew.ser",
    "paper/b2_printer.json",
    "paper/f9_unreliable_badge.ser",
)
EVERYTHING = (
    *(
        "check",
        "inputs",
        "--json",
        "--certificate",
        "certificates",
        "--itf",
        "traces",
        "--diagram",
        "diagrams",
    ),
    *("--sarif", "all.sarif", "--junit", "all.xml", "--html", "all.html"),
)
TIMES = re.compile(rb'"(seconds|stages)": ?(\{[^}]*\}|[0-9.e-]+)|time="[0-9.]+"')
"""What the formats say of the time that something took."""


def written(folder: Path, hash_seed: str, *arguments: str) -> dict[str, bytes]:
    """What a command prints and writes in a folder of its own, by name; times are left out."""
    (folder / "inputs").mkdir(parents=True)
    for name in INPUTS:
        shutil.copy(EXAMPLES / name, folder / "inputs")
    result = subprocess.run(
        [Path(sys.executable).with_name("ser"), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=False,
    )
    assert result.stderr == b""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    return {name: TIMES.sub(b"", content) for name, content in {**files, "printed": result.stdout}.items()}


CHECKED = [("1",), ("2", "--jobs", "3")] if IS_DEEP else [("2", "--jobs", "3")]
"""Seeds of hashes, and further arguments, that change nothing."""


@deep
@pytest.mark.parametrize(
    ("arguments", "others", "files"),
    [
        pytest.param(EVERYTHING, CHECKED, 19, id="check"),
        pytest.param(("check", "inputs", "--explain"), [("1",)], 6, id="explain", marks=deep),
        pytest.param(
            ("check", "inputs/b2_printer.json", "--method", "paper", "--save", "steps"),
            [("1",)],
            10,
            id="paper",
            marks=deep,
        ),
        pytest.param(("export", "inputs/spin_lock.ser", "--to", "pnml"), [("1",)], 6, id="export"),
        pytest.param(("fix", "inputs/lost_update.ser", "--json"), [("1",)], 6, id="fix", marks=deep),
    ],
)
def test_the_same_bytes_come_out(
    arguments: tuple[str, ...], others: list[tuple[str, ...]], files: int, tmp_path: Path
) -> None:
    first = written(tmp_path / "first", "0", *arguments)
    assert len(first) > files
    assert first["printed"]
    for number, (hash_seed, *more) in enumerate(others):
        other = written(tmp_path / str(number), hash_seed, *arguments, *more)
        assert other.keys() == first.keys()
        assert [name for name in first if first[name] != other[name]] == []
