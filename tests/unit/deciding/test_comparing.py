"""Runs of the file have the last word: a proof that they contradict is not printed."""

from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation
from seriatim.frontends.all import translate
from seriatim.frontends.protocol import Translation
from seriatim.frontends.python.race_system import race_system
from seriatim.frontends.python.service_runs import Race, SeenRun, Turn
from seriatim.result import Holds, Result, Undecided, Violated
from seriatim.source import SourceText

RUN = {"run": "yes"}

DROPPED_CONSTRUCTOR = '''
"""The translation drops what a constructor of the file does."""

import asyncio


class Taken:
    def __init__(self, shop):
        shop.stock -= 1


class Shop:
    def __init__(self):
        self.stock = 1  # ser: 0..1

    async def buy(self) -> bool:
        if self.stock == 0:
            return False
        await asyncio.sleep(0)
        Taken(self)
        return True
'''

MARKED = """
import asyncio


class Counter:
    def __init__(self):
        self.n = 0  # ser: 0..2
        self.lock = asyncio.Lock()

    async def next(self) -> int:
        async with self.lock:
            mine = self.n
            await asyncio.sleep(0)
            self.n = (mine + 1) % 3
            return mine
"""


def decide(folder: Path, text: str, settings: dict[str, str]) -> Result:
    file = folder / "service.py"
    file.write_text(text)
    source = SourceText(str(file), text)
    translation = translate(source, settings)
    assert isinstance(translation, Translation)
    return decide_translation(
        translation, source, Options(timeout=60.0), None, Deadline(60.0), replay=True, is_default=True
    )[0]


def test_a_proof_says_how_many_runs_agree(tmp_path: Path) -> None:
    result = decide(tmp_path, MARKED, RUN)
    assert isinstance(result.answer, Holds)
    assert any("fresh runs" in each.sentence for each in result.approximations)


def test_without_permission_nothing_is_run(tmp_path: Path) -> None:
    result = decide(tmp_path, MARKED, {})
    assert isinstance(result.answer, Holds)
    assert not any("runs of the file itself" in each.sentence for each in result.approximations)


def test_other_questions_are_about_the_text_and_compared_with_runs(tmp_path: Path) -> None:
    result = decide(tmp_path, MARKED, {"run": "after the text"})
    assert isinstance(result.answer, Holds)
    assert any("runs of the file itself" in each.sentence for each in result.approximations)


BANK = """
import asyncio


class Bank:
    def __init__(self):
        self.balance = 100
        self.lock = asyncio.Lock()

    async def withdraw(self, amount: int) -> str:
        async with self.lock:
            if self.balance < amount:
                raise ValueError(f"only {self.balance} left")
            await asyncio.sleep(0.01)
            self.balance -= amount
            return f"{self.balance} left"
"""


def test_runs_prove_it_for_any_amount(tmp_path: Path) -> None:
    result = decide(tmp_path, BANK, RUN)
    assert isinstance(result.answer, Holds)
    provenance = result.answer.certificate.provenance
    assert provenance is not None
    assert dict(provenance.settings) == {"run": "any integers"}
    again = translate(SourceText(str(tmp_path / "service.py"), BANK), dict(provenance.settings))
    assert again.content.unbounded_handlers
    assert verify(result.answer.certificate, again.content).accepted


def test_what_is_not_proved_for_all_integers_is_decided_for_some(tmp_path: Path) -> None:
    """The product of two amounts is no term."""
    text = BANK.replace("self.balance -= amount", "self.balance = (self.balance + amount * amount) % 4")
    result = decide(tmp_path, text, RUN)
    assert isinstance(result.answer, Holds)
    assert any("withdraw(51)" in each.sentence for each in result.approximations)


def test_a_race_that_the_text_hides_is_found(tmp_path: Path) -> None:
    result = decide(tmp_path, DROPPED_CONSTRUCTOR, RUN)
    assert isinstance(result.answer, Violated)
    assert result.confirmation is not None
    assert result.confirmation.confirmed


def test_runs_are_asked_where_the_text_leaves_the_question_open(tmp_path: Path) -> None:
    text = """
import asyncio


class Bank:
    def __init__(self):
        self.balance = 100

    async def withdraw(self, amount: int) -> bool:
        if self.balance < amount:
            return False
        await asyncio.sleep(0.01)
        self.balance -= amount
        return True
"""
    assert isinstance(decide(tmp_path, text, {}).answer, Undecided)
    result = decide(tmp_path, text, RUN)
    assert isinstance(result.answer, Violated)
    assert result.answer.run.timeline.handlers() == ("withdraw(51)", "withdraw(51)")


def test_a_proof_is_withheld_where_the_file_cannot_be_run(tmp_path: Path) -> None:
    result = decide(tmp_path, MARKED + "\nif __name__ != 'x':\n    raise SystemExit\n", RUN)
    assert isinstance(result.answer, Undecided)
    assert "cannot be run" in result.answer.reason


def test_a_file_without_marks_gets_an_answer(tmp_path: Path) -> None:
    text = (
        MARKED.replace("  # ser: 0..2", "").replace("-> int", "").replace("async with self.lock", "if True")
    )
    result = decide(tmp_path, text.replace("self.n = (mine + 1) % 3", "self.n = len([mine]) + mine"), RUN)
    assert isinstance(result.answer, Violated)
    assert [turn.request for turn in result.answer.run.timeline.turns][:2] == [1, 2]


def test_no_race_leaves_the_question_open(tmp_path: Path) -> None:
    text = "import asyncio\nxs = {}\nlock = asyncio.Lock()\nasync def put(*args):\n    async with lock:\n"
    text += "        n = len(xs)\n        await asyncio.sleep(0)\n        xs[n] = 1\n        return n\n"
    result = decide(tmp_path, text, RUN)
    assert isinstance(result.answer, Undecided)
    assert result.answer.clean_up_to == 3


@pytest.mark.parametrize("sees_state", [False, True])
def test_the_system_of_a_race_has_its_outcome_and_the_serial_ones(sees_state: bool) -> None:
    """Followed by hand, move by move: the race is one chain, each serial run another."""

    def seen(answers: tuple[str, ...], final: str, order: tuple[int, ...]) -> SeenRun:
        turns = tuple(Turn(each, (), (("n", final),), None) for each in order)
        return SeenRun(("a", "b"), answers, turns, (("n", final),))

    race = Race(seen(("0", "0"), "1", (0, 1, 0, 1)), (seen(("0", "1"), "2", (0, 1)),), sees_state)
    system = race_system(race, (("n", "0"),))
    extra = 1 if sees_state else 0
    assert len(system.requests) == 2 + extra
    assert len(system.delta) == 2 + 4 + 2 + 2 * extra
    answered = {(system.locals[local].name, system.responses[answer]) for local, answer in system.resp}
    assert {("a has answered 0", "0"), ("b has answered 0", "0"), ("b has answered 1", "1")} <= answered


def test_a_race_of_other_integers_is_a_violation(tmp_path: Path) -> None:
    """One amount races that was not tried at first; a test of the code tells which."""
    text = """
import asyncio


class Bank:
    def __init__(self):
        self.balance = 3

    async def put(self, n: int) -> int:
        if n * 3 == 300:
            seen = self.balance
            await asyncio.sleep(0)
            self.balance = seen + 1
            return seen
        self.balance = (self.balance + n) % 7
        return self.balance
"""
    result = decide(tmp_path, text, RUN)
    assert isinstance(result.answer, Violated)
    assert "put(100)" in repr(result.answer)
