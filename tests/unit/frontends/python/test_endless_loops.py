"""Handlers that loop for ever: those that never end are refused, the others are replayed."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.source import InputError
from testkit.generators.services import analysed

ROOM = """from fastapi import FastAPI, WebSocket
app = FastAPI()
online = 0  # ser: 0..1

@app.websocket("/ws")
async def chat(websocket: WebSocket):
    global online
    if online == 1:
        return "full"
    online += 1
    try:
        while True:
            text = await websocket.receive_text()  # ser: opaque -> 0..1
            await websocket.send_text(text)  # ser: opaque
    finally:
        online -= 1
"""

ROUNDS = """from fastapi import FastAPI, WebSocket
app = FastAPI()
count = 0  # ser: 0..3

@app.websocket("/ws")
async def chat(websocket: WebSocket):  # ser: internal
    await websocket.accept()
    while True:
        await one_round(websocket)

async def one_round(websocket):  # ser: handler
    global count
    seen = count
    await websocket.send_text("seen")  # ser: opaque
    count = (seen + 1) % 4
    return seen
"""


def checked(folder: Path, text: str, *options: str) -> str:
    path = folder / "room.py"
    path.write_text(text)
    return " ".join(CliRunner().invoke(main, ["check", *options, str(path)]).output.split())


def test_a_loop_without_an_end_is_refused() -> None:
    with pytest.raises(InputError) as raised:
        analysed(ROOM)
    [found] = raised.value.diagnostics
    assert found.span is not None
    assert (found.span.line, found.code) == (12, "SER923")
    assert "raises WebSocketDisconnect" in (found.hint or "")


@pytest.mark.parametrize("imported", ["WebSocket", "WebSocket, WebSocketDisconnect"])
def test_a_loop_that_a_call_ends_is_replayed(tmp_path: Path, imported: str) -> None:
    text = ROOM.replace("opaque -> 0..1", "opaque -> 0..1 raises WebSocketDisconnect")
    shown = checked(tmp_path, text.replace("WebSocket\n", f"{imported}\n", 1))
    assert "NOT SERIALIZABLE (2 requests" in shown
    assert "the real code gives the same answers, and none of its one-at-a-time orders does in which" in shown


def test_a_loop_that_is_left_by_the_file_itself_is_replayed(tmp_path: Path) -> None:
    text = ROOM.replace(
        "            await", "            if text == 1:\n                break\n            await"
    )
    shown = checked(tmp_path, text)
    assert "NOT SERIALIZABLE (2 requests" in shown
    assert "Replayed on" in shown


def test_a_loop_ends_where_requests_are_cancelled(tmp_path: Path) -> None:
    shown = checked(tmp_path, ROOM, "--cancel")
    assert "NOT SERIALIZABLE (2 requests" in shown
    assert "Replayed on" in shown


def test_a_round_can_be_the_request(tmp_path: Path) -> None:
    shown = checked(tmp_path, ROUNDS)
    assert "NOT SERIALIZABLE (2 requests" in shown
    assert "`chat` changes nothing besides what the requests here do (# ser: internal)" in shown


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "d = {}  # ser: keys 0..1\nasync def f(k):  # ser: k in 0..2\n    d[k] = 1\n    return 1\n",
            "widen the scope of its keys, # ser: keys",
        ),
        (
            "import asyncio\nq = asyncio.Queue()  # ser: at most 1\nasync def f():\n    q.put_nowait(1)\n",
            "widen its scope, # ser: at most",
        ),
    ],
)
def test_the_hint_names_the_scope_that_is_left(tmp_path: Path, text: str, hint: str) -> None:
    marks = tmp_path / "marks.txt"
    marks.write_text("# no marks: the text is asked\n")
    shown = checked(tmp_path, text, "--scope", str(marks))
    assert "SER804" in shown
    assert hint in shown
