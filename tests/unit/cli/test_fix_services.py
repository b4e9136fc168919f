"""`ser fix service.py`: changes are shown as differences and written when asked for; JSON fits its schema."""

import json
from pathlib import Path

from click.testing import CliRunner
from jsonschema import validate

import seriatim.report
from seriatim.cli.main import main

SERVICE = """\
import asyncio

class Counter:
    def __init__(self):
        self.n = 0

    async def add(self):
        seen = self.n
        await asyncio.sleep(0)
        self.n = seen + 1
        return seen
"""


def test_a_repair_is_shown_and_written(tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(SERVICE)
    shown = CliRunner().invoke(main, ["fix", str(path)])
    assert shown.exit_code == 0
    assert "1. Move line 10 before the pause in line 9" in shown.output
    assert "2. Hold a lock in lines 8 to 10" in shown.output
    assert "+         self._lock = asyncio.Lock()" in shown.output
    assert path.read_text() == SERVICE
    written = CliRunner().invoke(main, ["fix", str(path), "--write", "--pick", "2"])
    assert written.exit_code == 0
    assert "async with self._lock:" in path.read_text()
    again = CliRunner().invoke(main, ["fix", str(path)])
    assert again.exit_code == 0
    assert "nothing to fix" in again.output


def test_json_fits_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(SERVICE)
    found = json.loads(CliRunner().invoke(main, ["fix", str(path), "--json"]).output)
    schema = Path(seriatim.report.__file__).parent / "repairs.schema.json"
    validate(found, json.loads(schema.read_text("utf-8")))
    assert [each["change"] for each in found["repairs"]] == ["write-earlier", "lock"]


def test_a_file_that_cannot_run_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import asyncio\nraise SystemError('no')\n")
    result = CliRunner().invoke(main, ["fix", str(path)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
