"""Workers are kept, replaced when they tire, and stopped when nobody waits for them."""

from itertools import count
from multiprocessing import active_children
from time import monotonic

import anyio
import pytest

from seriatim.budget import Observer
from seriatim.engines.stage import Progress
from seriatim.source import SourceText
from seriatim.web.pool import Job, Pool, do
from seriatim.web.questions import Check, Format, Question, Room
from testkit.running.web_clients import ENDLESS
from testkit.samples import deep

EASY = Format(SourceText("a.ser", "request a{1}"))
HARD = Check(SourceText("a.ser", ENDLESS), None, {}, 120, 300_000)


@deep
def test_one_process_answers_again_and_again_until_it_is_tired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seriatim.web.pool.TIRED_AFTER", 2)

    async def go() -> list[int | None]:
        pool, seen = Pool(1, Room()), []
        for _ in range(3):
            async for kind, found in pool.answer(EASY):
                seen.append(next(iter(active_children())).pid)
                assert (kind, found) == ("answer", {"text": "request a { 1 }\n"})
        pool.close()
        return seen

    first, second, third = anyio.run(go)
    assert first == second != third
    assert not active_children()


@deep
def test_to_hang_up_stops_the_work_and_frees_the_place() -> None:
    async def go() -> float:
        pool = Pool(1, Room())
        began = monotonic()
        told = pool.answer(HARD)
        assert (await anext(told))[0] == "progress"
        await told.aclose()
        async for _, found in pool.answer(EASY):
            assert found == {"text": "request a { 1 }\n"}
        pool.close()
        return monotonic() - began

    assert anyio.run(go) < 90  # and not the 120 seconds that the work would have taken
    assert not active_children()


def test_words_of_progress_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often an engine tells how far it is, one word is sent each tenth of a second."""
    clock = count(0, 0.01)
    monkeypatch.setattr("seriatim.web.pool.monotonic", lambda: next(clock))
    monkeypatch.setattr("seriatim.web.pool.TELL_EVERY", 0.095)

    def answer_after_many_words(_: Question, __: Room, observe: Observer[Progress]) -> dict[str, object]:
        for states in range(1_000):
            observe(Progress("search", states, 0))
        return {"verdict": "unknown"}

    monkeypatch.setattr("seriatim.web.pool.answer_question", answer_after_many_words)
    told: list[object] = []
    answered = do(Job(EASY, Room()), told.append)
    assert 90 <= len(told) <= 110
    assert answered.answer == {"verdict": "unknown"}
