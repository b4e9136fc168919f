"""Repairs of services: what is shown has no race in runs of the copy; what races still is not shown."""

from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.python.service_runs import run_file
from seriatim.repair.services import repair_service
from seriatim.source import SourceText
from testkit.samples import deep

LOCKED_TWICE = """
import asyncio

class S:
    def __init__(self):
        self.n = 0
        self.lock = asyncio.Lock()

    async def add(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = t + 1
            return t

    async def twice(self):
        async with self.lock:
            await self.add()
            return await self.add()
"""
"""The change that must not be shown."""

GALLERY = Path(__file__).parents[3] / "examples" / "bugs"


def source_of(name: str) -> SourceText:
    path = GALLERY / f"{name}.py"
    return SourceText(str(path), path.read_text("utf-8"))


def test_a_token_is_refreshed_under_a_lock() -> None:
    found = repair_service(source_of("refreshed_twice"), "", Deadline(60.0, None), 30)
    assert [each.change.title for each in found.found] == ["hold a lock in lines 25 to 26"]
    assert found.tried == 2


def test_a_file_without_a_race_has_nothing_to_fix() -> None:
    found = repair_service(source_of("refreshed_twice_fixed"), "", Deadline(60.0, None), 30)
    assert not found.has_race
    assert found.explored == 3


HIDDEN = """
import asyncio


class Box:
    def __init__(self) -> None:
        self.total = 0

    async def put(self, n: int) -> int:
        if 3 * n == 300:
            old = self.total
            await asyncio.sleep(0)
            self.total = old + n
        else:
            self.total += n
        return self.total
"""


def test_a_race_with_integers_that_only_a_test_tells_is_repaired(tmp_path: Path) -> None:
    """The copies are compared with the same integers: a lock that only the others need is no repair."""
    (tmp_path / "box.py").write_text(HIDDEN)
    source = SourceText(str(tmp_path / "box.py"), HIDDEN)
    found = repair_service(source, "", Deadline(120.0, None), 30)
    assert found.has_race
    assert found.found
    for each in found.found:
        (after,) = run_file(SourceText(source.name, each.change.text)).services
        assert after.race is None
        assert {"100", "200"} <= set(dict(after.answers)["put"])


def test_a_second_lock_inside_the_first_is_no_repair(tmp_path: Path) -> None:
    """Two handlers, one of which calls the other: a lock in both would wait for itself."""
    path = tmp_path / "nested.py"
    path.write_text(
        "import asyncio\nclass S:\n    def __init__(self):\n        self.n = 0\n"
        "    async def add(self):\n        t = self.n\n        await asyncio.sleep(0)\n"
        "        self.n = t + 1\n        return t\n"
        "    async def twice(self):\n        await self.add()\n        return await self.add()\n"
    )
    found = repair_service(SourceText(str(path), path.read_text()), "", Deadline(60.0, None), 12)
    assert found.has_race
    assert found.tried >= 5
    for each in found.found:
        seen = run_file(SourceText(str(path), each.change.text), "", 20.0, proves=False)
        assert not any(service.hangs or service.race for service in seen.services)
    seen = run_file(SourceText(str(path), LOCKED_TWICE), "", 20.0, proves=False)
    assert any(service.hangs for service in seen.services)


@deep
@pytest.mark.parametrize("name", ["oversold_tickets", "initialised_twice", "name_taken_twice"])
def test_what_is_shown_has_no_race(name: str) -> None:
    source = source_of(name)
    found = repair_service(source, "", Deadline(120.0, None), 30)
    assert found.found
    for each in found.found:
        after = run_file(SourceText(source.name, each.change.text), "", 20.0, proves=False)
        assert all(service.race is None and service.doubt is None for service in after.services)
