"""The desk answers as the command line does, whatever is asked, and never with an exception."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.source import InputError
from seriatim.systems.from_program import BEYOND
from seriatim.web.answers import answer, answer_text
from seriatim.web.questions import Room
from testkit.running.web_clients import LOST_UPDATE
from testkit.samples import deep, sampled

EXAMPLES = Path(__file__).parents[3] / "examples"
ROOM = Room(seconds=20, max_memory=None)  # This process has the memory of all tests before.

INPUTS = [
    *sorted(EXAMPLES.glob("*.ser")),
    *sorted(EXAMPLES.glob("properties/*.ser")),
    *sorted(EXAMPLES.glob("services/*.py")),
]


def ask(kind: str, text: str = LOST_UPDATE, name: str = "a.ser", **others: object) -> dict[str, Any]:
    return answer(kind, {"name": name, "text": text, **others}, ROOM)


@pytest.mark.parametrize("path", sampled(INPUTS, 23), ids=lambda path: path.name)
def test_verdicts_are_those_of_ser_check(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    told = json.loads(CliRunner().invoke(main, ["check", "--json", "--no-replay", path.name]).stdout)
    found = answer("check", {"name": path.name, "text": path.read_text("utf-8")}, ROOM)
    for each in (told, found):
        for name in ("seconds", "stages", "source", "page", "assumed"):
            each.pop(name, None)
    assert found == told


def test_a_violation_has_its_run_and_why_as_parts_of_a_page() -> None:
    page = ask("check")["page"]
    assert page["badge"] == '<span class="badge bad">not serializable</span>'
    assert page["size"] == "2 requests, 4 steps"
    assert "No one-at-a-time order gives these answers" in page["why"]
    (run,) = page["runs"]
    assert run["table"].startswith('<table class="run"')
    assert (run["answers"], run["interrupted"]) == ("inc/0 ×2", [2])


def test_texts_of_programs_cannot_become_markup() -> None:
    found = ask("check", "request a { <img src=x onerror=alert(1)> }")
    assert "<img" not in json.dumps(found["page"])
    assert "<img" not in json.dumps(ask("check", name="<img>.ser")["page"])


def test_mistakes_come_with_their_places() -> None:
    found = ask("check", "request a { X ++ }")
    assert found["verdict"] == "error"
    assert {each["line"] for each in found["diagnostics"]} == {1}


def test_programs_with_threads_are_asked_whether_they_are_safe() -> None:
    text = (EXAMPLES / "threads" / "lost_update.conc").read_text("utf-8")
    found = ask("check", text, "a.conc")
    assert (found["verdict"], found["actor"]) == ("unsafe", "thread")
    refused = ask("check", text, "a.conc", property="serializable")
    assert [each["code"] for each in refused["diagnostics"]] == ["SER214"]


def test_users_python_is_not_executed_unless_that_is_allowed(tmp_path: Path) -> None:
    text = (EXAMPLES / "services" / "visit_counter.py").read_text("utf-8")
    trap = tmp_path / "trap"
    armed = f"{text}\nopen({str(trap)!r}, 'w').close()\n"
    ask("check", armed, "visit_counter.py")
    assert not trap.exists()
    found = ask("check", text, "visit_counter.py")
    assert "replayed" not in found
    assert (found["verdict"], found["page"]["runs"]) == ("unknown", [])
    assert "not allowed here" in found["page"]["why"]


BANK = """
import asyncio


class Bank:
    def __init__(self):
        self.balance = 100

    async def withdraw(self, amount):
        if self.balance < amount:
            return False
        await asyncio.sleep(0.01)
        self.balance -= amount
        return True
"""


def test_a_service_is_run_once_that_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is, also where no such file is on disk; and its fixes are those of `ser fix`."""
    monkeypatch.chdir(tmp_path)
    room = Room(60, max_memory=None, may_run=True)
    asked = {"name": "bank.py", "text": BANK, "run": True}
    found = answer("check", asked, room)
    assert (found["verdict"], found["page"]["size"]) == ("not_serializable", "2 requests, 4 steps")
    with pytest.raises(InputError, match="nothing is executed here"):
        answer("check", asked, ROOM)


@deep
def test_fixes_of_a_service_are_tried_by_running_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    room = Room(120, max_memory=None, may_run=True)
    found = answer("fix", {"name": "bank.py", "text": BANK, "run": True}, room)
    assert "repeat the test" in found["repairs"][0]["title"]
    assert "were tried by running changed copies" in found["remarks"][0]


@pytest.mark.parametrize(
    ("name", "settings", "verdict"),
    [
        ("write_skew.edn", {}, "not_isolated"),
        ("stale_read.jsonl", {"model": "register"}, "inexplicable"),
        ("register.jsonl", {"model": "register"}, "explicable"),
    ],
)
def test_logs_are_decided(name: str, settings: dict[str, str], verdict: str) -> None:
    text = (EXAMPLES / "histories" / name).read_text("utf-8")
    found = ask("check", text, name, settings=settings)
    assert found["verdict"] == verdict
    assert (verdict == "explicable") != ("<svg" in found["page"]["why"])


def test_what_the_page_does_not_read_names_the_command_that_does() -> None:
    (found,) = ask("check", "net n\n", "a.net")["diagnostics"]
    assert (found["code"], "ser net" in found["hint"]) == ("SER240", True)


def test_a_certificate_is_accepted_for_its_program_and_refused_for_another() -> None:
    certificate = json.dumps(ask("check")["evidence"])
    assert ask("verify", certificate=certificate)["result"] == "valid"
    assert ask("verify", "request inc { 0 }\n", certificate=certificate)["result"] == "refused"
    assert ask("verify", certificate="{}")["result"] == "error"


def test_fixes_are_those_of_ser_fix() -> None:
    text = "X in 0..1 := 0\nrequest flip { x := X; yield; X := 1 - x; x }\n"
    found = ask("fix", text)
    assert [repair["change"] for repair in found["repairs"]][:2] == ["lock", "retry"]
    assert found["remarks"][0].endswith("proved serializable for any number of requests.")
    assert ask("fix", "request a { 1 }\n")["error"][0]["message"].startswith("there is nothing to fix")
    assert ask("fix", "", "a.json")["error"][0]["code"] == "SER210"


def test_pictures_are_drawn_if_they_are_small_enough() -> None:
    small = ask("draw", "X in 0..1 := 0\nrequest flip { x := X; yield; X := 1 - x; x }\n")["pictures"]
    assert [each["title"] for each in small] == [
        "The network system",
        "The serial automaton",
        "The Petri net",
    ]
    assert all(each["svg"].startswith("<svg") and each["nodes"] > 0 for each in small)
    assert {each["left_out"] for each in small} == {None}


def test_a_part_of_a_system_without_bound_is_drawn() -> None:
    parts = ask("draw")["pictures"]
    assert {each["left_out"] for each in parts} == {
        "there are more than 5,000 states: `X` keeps growing (line 2)"
    }
    assert all(f">{BEYOND}<" in each["svg"] for each in parts)


def test_exploring_follows_moves_and_tells_what_explains_them() -> None:
    found = ask("explore", moves=[0, 1, 0, 0])
    assert (found["explicability"], found["unexplained_since"], found["complete"]) == ("unexplained", 4, True)
    assert found["run"]["answers"] == "inc/0 ×2"
    found = ask("explore", moves=[0])
    assert found["state"] == "X = 0"
    assert [(each["handler"], each["request"], each["new"]) for each in found["choices"]] == [
        ("inc", 1, False),
        ("inc", 2, True),
    ]
    assert found["choices"][0]["changes"] == ["X = 1"]
    assert found["explaining"] == [
        {"state": "X = 0", "order": [], "current": True},
        {"state": "X = 1", "order": [["inc", "0"]], "current": False},
    ]


def test_transactions_and_threads_are_not_explored() -> None:
    sql = (EXAMPLES / "sql" / "on_call.sql").read_text("utf-8")
    settings = {"isolation": "repeatable-read"}
    assert ask("explore", sql, "a.sql", settings=settings)["error"][0]["code"] == "SER970"
    found = ask("check", sql, "a.sql", settings=settings)
    assert (found["verdict"], found["page"]["name"]) == ("not_serializable", "write skew")
    assert ask("explore", "", "a.conc")["error"][0]["code"] == "SER213"


def test_formatting_keeps_what_is_wrong_as_it_is() -> None:
    assert ask("format", "request a{1}")["text"] == "request a { 1 }\n"
    assert ask("format", "request {")["error"]


def test_from_text_to_text_for_a_page_without_a_server() -> None:
    told: list[str] = []
    source = json.dumps({"name": "a.ser", "text": LOST_UPDATE})
    assert json.loads(answer_text("check", source, 5, told.append))["verdict"] == "not_serializable"
    assert json.loads(answer_text("check", "{}", 5, told.append))["error"][0]["code"] == "SER404"
    assert all(json.loads(each)["stage"] for each in told)


def test_packet_programs_are_decided_without_permission_to_execute() -> None:
    """Our own interpreter repeats their violations."""
    found = answer(
        "check", {"name": "s.p4", "text": (EXAMPLES / "p4/sequence_numbers.p4").read_text("utf-8")}, ROOM
    )
    assert found["verdict"] == "not_serializable"


@pytest.mark.parametrize(
    ("name", "settings", "title"),
    [
        ("sql/report.sql", {"isolation": "repeatable-read"}, "add FOR UPDATE to the SELECT in line 9"),
        ("threads/account_race.c", {}, "put a mutex around lines 8 to 11"),
    ],
)
def test_other_languages_have_fixes(name: str, settings: dict[str, str], title: str) -> None:
    path = EXAMPLES / name
    question = {"name": path.name, "text": path.read_text("utf-8"), "settings": settings}
    found = answer("fix", question, ROOM)
    assert found["repairs"][0]["title"] == title
    mended = answer("check", question | {"text": found["repairs"][0]["text"]}, ROOM)
    assert mended["verdict"] in ("serializable", "safe")
    assert (
        "nothing to fix"
        in answer("fix", question | {"text": found["repairs"][0]["text"]}, ROOM)["error"][0]["message"]
    )
