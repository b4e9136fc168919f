"""The server streams answers, refuses what is no question, and stops work that nobody wants any more."""

import json
from collections.abc import Iterator
from multiprocessing import active_children
from time import monotonic, sleep

import anyio
import httpx
import pytest

from seriatim.web.questions import Room
from testkit.running.web_clients import ENDLESS, LOST_UPDATE, asked, client
from testkit.samples import deep

QUESTION = {"name": "a.ser", "text": LOST_UPDATE}


@pytest.fixture(autouse=True)
def _nobody_left_behind() -> Iterator[None]:
    yield
    ends = monotonic() + 60
    while active_children() and monotonic() < ends:
        sleep(0.02)
    assert not active_children()


def test_an_answer_comes_alone_or_as_the_last_event() -> None:
    async def work(client: httpx.AsyncClient) -> tuple[httpx.Response, httpx.Response]:
        streamed = {"accept": "text/event-stream"}
        return await client.post("/api/check", json=QUESTION), await client.post(
            "/api/check", json=QUESTION, headers=streamed
        )

    alone, stream = asked(work)
    assert alone.headers["content-type"] == "application/json"
    assert stream.headers["content-type"].startswith("text/event-stream")
    *_, last, end = stream.text.split("\n\n")
    assert end == ""
    assert last.startswith("event: answer\ndata: ")
    told = json.loads(last.partition("data: ")[2])
    assert told["verdict"] == alone.json()["verdict"] == "not_serializable"


@deep
def test_progress_is_told_while_the_work_goes_on() -> None:
    async def work(client: httpx.AsyncClient) -> str:
        question = {"name": "a.ser", "text": ENDLESS, "seconds": 1}
        found = await client.post("/api/check", json=question, headers={"accept": "text/event-stream"})
        return found.text

    events = [each.split("\n") for each in asked(work).split("\n\n") if each]
    kinds = [kind for kind, _ in events]
    assert kinds[:2] == ["event: progress", "event: progress"]
    assert kinds[-1] == "event: answer"
    assert json.loads(events[0][1].removeprefix("data: "))["stage"]
    assert json.loads(events[-1][1].removeprefix("data: "))["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"{", 422, "SER401"),
        (b"[]", 422, "SER405"),
        (b"\xff", 422, "SER975"),
        (b'{"name":"a"}', 422, "SER404"),
    ],
)
def test_what_is_no_question_is_refused_with_a_diagnostic(content: bytes, status: int, code: str) -> None:
    async def work(client: httpx.AsyncClient) -> httpx.Response:
        headers = {"content-type": "application/json"}
        return await client.post("/api/check", content=content, headers=headers)

    found = asked(work)
    assert (found.status_code, found.json()["error"][0]["code"]) == (status, code)


def test_a_question_has_a_size() -> None:
    async def work(client: httpx.AsyncClient) -> int:
        headers = {"content-type": "application/json"}
        return (await client.post("/api/check", content=b" " * 20_000_000, headers=headers)).status_code

    assert asked(work) == 413


@deep
def test_more_questions_than_can_wait_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seriatim.web.pool.MAX_WAITING", 2)
    codes: list[int] = []

    async def ask(client: httpx.AsyncClient, delay: float) -> None:
        await anyio.sleep(delay)
        question = {"name": "a.ser", "text": ENDLESS, "seconds": 1}
        codes.append((await client.post("/api/check", json=question)).status_code)

    async def go() -> None:
        async with client(Room(), workers=1) as found, anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(ask, found, number * 0.05)

    anyio.run(go)
    assert sorted(codes) == [200, 200, 200, 503, 503]


@deep
def test_a_process_that_dies_is_told_and_replaced() -> None:
    async def work(client: httpx.AsyncClient) -> tuple[str, str]:
        async def kill() -> None:
            while not active_children():
                await anyio.sleep(0.05)
            await anyio.sleep(0.5)
            for child in active_children():
                child.kill()

        async with anyio.create_task_group() as group:
            group.start_soon(kill)
            lost = (await client.post("/api/check", json={"name": "a.ser", "text": ENDLESS})).json()
        again = (await client.post("/api/check", json=QUESTION)).json()
        return lost["error"][0]["code"], again["verdict"]

    assert asked(work) == ("SER974", "not_serializable")
