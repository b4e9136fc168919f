"""Cancellation, limits of time, failures and calls: choices and outcomes that only the user asks for."""

from pathlib import Path

import pytest

from seriatim.frontends.python.frontend import translate
from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.frontends.python.stand_ins import WORLD, StandInModule
from seriatim.frontends.python.wishes import NO_WISHES, Wishes, wishes_of
from seriatim.source import SourceText

FLIGHT = """import asyncio
class S:
    def __init__(self): self.flight = None
    async def _load(self):
        await asyncio.sleep(0)
        return 1
    async def get(self):
        if self.flight is None:
            self.flight = asyncio.ensure_future(self._load())
            self.flight.add_done_callback(lambda _: setattr(self, "flight", None))
        return await {flight}
"""

LOCK = """import asyncio
class S:
    def __init__(self): self.n, self.lock = 0, asyncio.Lock()
    async def a(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = t + 1
            return t
"""

IMPATIENT = """import asyncio
class S:
    def __init__(self): self.n, self.lock = 0, asyncio.Lock()
    async def a(self):
        try: await asyncio.wait_for(self.lock.acquire(), 1)
        except asyncio.TimeoutError: pass
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        if self.lock.locked(): self.lock.release()
        return t
"""

SEAT = """
class S:
    def __init__(self, bank): self.bank, self.seats = bank, 1
    async def buy(self):
        if self.seats == 0: return "sold out"
        self.seats -= 1
        try: await self.bank.charge()
        except Exception:
            self.seats += 1
            return "failed"
        return "yours"
"""

TILL = """
class Till:
    def __init__(self, bank): self.bank, self.paid = bank, set()
    async def pay(self, order: str):
        if order not in self.paid:
            {body}
        return "paid"
"""
CHARGED_TWICE = TILL.format(body="await self.bank.charge(order); self.paid.add(order)")
CHARGED_ONCE = TILL.format(body="self.paid.add(order); await self.bank.charge(order)")

SEEN_ONLY = {
    "a task that others wait for is cancelled": (FLIGHT.format(flight="self.flight"), Wishes(cancels=True)),
    "who gives up goes on without the lock": (IMPATIENT, Wishes(timeouts=True)),
    "a seat that comes back": (SEAT, Wishes(failures=True)),
    "a charge that is made twice": (CHARGED_TWICE, Wishes(calls=True)),
}  # fmt: skip

NEVER_SEEN = {
    "a task that is shielded": (
        FLIGHT.format(flight="asyncio.shield(self.flight)"), Wishes(cancels=True),
    ),
    "waiting for a lock is no answer": (LOCK, Wishes(cancels=True)),
    "a charge that is made once": (CHARGED_ONCE, Wishes(calls=True)),
    "a lock, whatever fails": (LOCK, Wishes(timeouts=True, failures=True)),
}  # fmt: skip


def run(folder: Path, text: str, wishes: Wishes) -> ServiceRuns:
    file = folder / "service.py"
    file.write_text(text)
    (found,) = run_file(SourceText(str(file), text), proves=False, wishes=wishes).services
    return found


@pytest.mark.parametrize("name", SEEN_ONLY)
def test_a_race_is_seen_only_if_it_is_asked_for(name: str, tmp_path: Path) -> None:
    text, wishes = SEEN_ONLY[name]
    without, found = run(tmp_path, text, NO_WISHES), run(tmp_path, text, wishes)
    assert without.race is None
    assert without.explored >= 2
    assert found.race is not None
    assert found.race.serial


@pytest.mark.parametrize("name", NEVER_SEEN)
def test_no_race_is_seen_where_there_is_none(name: str, tmp_path: Path) -> None:
    text, wishes = NEVER_SEEN[name]
    found = run(tmp_path, text, wishes)
    assert (found.race, found.doubt, found.refusal) == (None, None, None)
    assert found.explored >= 2


def test_calls_are_told_as_a_part_of_the_state(tmp_path: Path) -> None:
    found = run(tmp_path, CHARGED_TWICE, Wishes(calls=True))
    assert found.race is not None
    assert found.race.sees_state
    assert found.race.run.final is not None
    assert dict(found.race.run.final)["the calls outside"] == "bank.charge('a') ×2"
    assert all(dict(each.final or ())["the calls outside"].count("×1") == 1 for each in found.race.serial)


def test_a_failure_is_caught_as_an_exception_of_its_package() -> None:
    module = StandInModule("remote.errors", frozenset())
    kind = module.RemoteError
    assert isinstance(WORLD.make_failure("remote.Client().get('x')"), kind)
    assert isinstance(WORLD.make_failure("answer 1 of remote.connect()"), kind)
    assert not isinstance(WORLD.make_failure("bank.charge()"), kind)
    assert isinstance(WORLD.make_failure("bank.charge()"), ConnectionError)


def test_settings_are_wishes() -> None:
    assert wishes_of({"cancel": "yes", "run": "yes"}) == Wishes(cancels=True)
    assert wishes_of({"timeouts": "yes", "failures": "yes", "calls": "yes"}) == Wishes(
        False, True, True, True
    )
    assert wishes_of({}) == NO_WISHES


def test_without_permission_to_run_nothing_is_known() -> None:
    found = translate(SourceText("service.py", LOCK), {"failures": "yes"})
    assert found.tried is not None
    assert "not allowed here" in found.tried.reason
