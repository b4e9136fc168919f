"""Violations are reported only if the real code shows them, and the real code is run safely."""

import importlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.python import replayer
from seriatim.frontends.reading import BadInput
from seriatim.testing import assert_requests_serializable, assert_serializable
from testkit.samples import deep

SHOP = """import asyncio
class Shop:
    def __init__(self):
        self.seats = 1
    async def buy(self):
        if self.seats == 0:
            return False
        await asyncio.sleep(0.1)
        self.seats -= 1
        return True
"""
FIXED = SHOP.replace("        self.seats -= 1\n", "").replace(
    "        await", "        self.seats -= 1\n        await"
)


BY_TEXT = ("--scope", "marks.txt")
"""Asks the text of a file, and repeats on the real code what it says: runs know no marks of other files."""


def ser(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "fixed.py").write_text(FIXED)
    (tmp_path / "marks.txt").write_text("# no marks\n")
    return tmp_path


def test_a_race_is_replayed_on_the_real_code(folder: Path) -> None:
    del folder
    seen = json.loads(ser("check", "shop.py", "--json")[1])
    assert (seen["verdict"], seen["replayed"]["confirmed"]) == ("not_serializable", True)
    code, output = ser("check", "shop.py", "--json", *BY_TEXT)
    found = json.loads(output)
    assert (code, found["verdict"], found["replayed"]["confirmed"]) == (1, "not_serializable", True)
    assert found["replayed"]["log"] == [
        "request 1 waits in line 8",
        "request 2 waits in line 8",
        "request 2 answers True",
        "request 1 answers True",
    ]


def test_without_a_replay_nothing_is_claimed(folder: Path) -> None:
    del folder
    code, output = ser("check", "shop.py", "--no-replay")
    assert code == 3
    told = " ".join(output.split())
    assert "possible violation with 2 requests was found, but not confirmed" in told
    assert "to have it repeated: `ser check shop.py`" in told
    assert "UNDECIDED: a violation is possible (2 requests," in told
    assert "POSSIBLE VIOLATION: at the start:" in told
    assert "the handlers of the model are not serializable" in told


def test_a_module_of_the_user_does_not_shadow_the_library(folder: Path) -> None:
    (folder / "token.py").write_text("raise RuntimeError('taken for the library')\n")
    (folder / "asyncio.py").write_text("raise RuntimeError('taken for the library')\n")
    assert ser("check", "shop.py", "--quiet")[0] == 1


def test_modules_beside_the_service_are_found(folder: Path) -> None:
    (folder / "pricing.py").write_text("PRICE = 3\n")
    (folder / "shop.py").write_text(f"from pricing import PRICE\nassert PRICE == 3\n{SHOP}")
    assert ser("check", "shop.py", "--quiet")[0] == 1


def test_code_that_cannot_be_run_confirms_nothing(folder: Path) -> None:
    (folder / "shop.py").write_text(f"raise RuntimeError('no display')\n{SHOP}")
    code, output = ser("check", "shop.py")
    assert code == 3
    assert "could not be run: RuntimeError: no display" in " ".join(output.split())


@deep
def test_code_that_computes_for_ever_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what it has computed, not by the clock: a busy machine confirms what an idle one does."""
    monkeypatch.setattr(replayer, "WORK", 1)
    (folder / "shop.py").write_text(f"{SHOP}if __name__ == 'shop':\n    while True: pass\n")
    code, output = ser("check", "shop.py")
    assert code == 3
    assert "could not be run: no result after 1 seconds of work" in " ".join(output.split())


def test_what_the_code_prints_does_not_matter(folder: Path) -> None:
    (folder / "shop.py").write_text(f"print('hello')\nimport os\nos.write(1, b'hello')\n{SHOP}")
    code, output = ser("check", "shop.py", "--quiet")
    assert (code, "hello" in output) == (1, False)


def test_a_hand_over_that_asyncio_does_not_make_is_not_claimed(folder: Path) -> None:
    """The lock goes to the first that waits; a model that lets another one go first sees more."""
    (folder / "shop.py").write_text(
        "import asyncio\n"
        "class Line:\n"
        "    def __init__(self):\n"
        "        self.come = 0  # ser: 0..3\n"
        "        self.lock = asyncio.Lock()\n"
        "        self.gone = 0  # ser: 0..3\n"
        "    async def wait(self):\n"
        "        if self.come == 3:\n"
        "            return None\n"
        "        self.come += 1\n"
        "        mine = self.come\n"
        "        async with self.lock:\n"
        "            await asyncio.sleep(0)\n"
        "            self.gone += 1\n"
        "            return self.gone == mine\n"
    )
    code, output = ser("check", "shop.py", "--timeout", "20")
    assert code == 3, output


def test_a_certificate_is_about_the_service_and_its_settings(folder: Path) -> None:
    (folder / "scope.txt").write_text("self.seats: 0..1\n")
    assert ser("check", "fixed.py", "--certificate", "c.json", "--scope", "scope.txt", "--quiet")[0] == 0
    translation = json.loads((folder / "c.json").read_text())["translation"]
    assert translation["settings"] == {"module": "fixed", "scope": "self.seats: 0..1\n"}
    assert ser("verify", "c.json", "fixed.py")[0] == 0
    (folder / "fixed.py").write_text(FIXED + "# a comment changes nothing\n")
    assert ser("verify", "c.json", "fixed.py")[0] == 0
    (folder / "fixed.py").write_text(SHOP)
    assert ser("verify", "c.json", "fixed.py")[0] == 1


def test_the_model_has_the_same_verdict(folder: Path) -> None:
    del folder
    assert ser("check", "shop.py", "--emit-model", "shop.ser", "--quiet")[0] == 1
    assert ser("check", "shop.ser", "--quiet")[0] == 1
    assert ser("check", "fixed.py", "--emit-model", "fixed.ser", "--quiet")[0] == 0
    assert ser("check", "fixed.ser", "--quiet")[0] == 0


def test_the_model_of_a_service_for_any_integers_is_about_any_integers(folder: Path) -> None:
    (folder / "till.py").write_text(
        "import asyncio\n\n\nclass Till:\n"
        "    def __init__(self):\n        self.cash = 0\n        self.lock = asyncio.Lock()\n\n"
        "    async def pay(self, amount: int) -> int:\n        async with self.lock:\n"
        "            before = self.cash\n            await asyncio.sleep(0)\n"
        "            self.cash = before + amount\n            return self.cash\n"
    )
    assert ser("check", "till.py", "--emit-model", "till.ser", "--quiet")[0] == 0
    assert "(amount: int) {" in (folder / "till.ser").read_text()
    code, output = ser("check", "till.ser")
    assert code == 0
    assert "any integers" in output


def test_an_emitted_test_fails_until_the_race_is_fixed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "tests").mkdir()
    path = folder / "tests" / "test_shop.py"
    assert ser("check", "shop.py", "--emit-test", "tests/test_shop.py", "--quiet")[0] == 1
    monkeypatch.chdir(folder / "tests")  # It finds the service from wherever it is run.
    names: dict[str, object] = {"__file__": str(path)}
    exec(path.read_text(), names)
    test = names["test_requests_answer_as_if_they_came_one_at_a_time"]
    assert callable(test)
    with pytest.raises(AssertionError, match="buy, buy together can answer"):
        test()
    (folder / "shop.py").write_text(FIXED)
    test()


def test_assertions_show_the_race(folder: Path) -> None:
    assert_serializable(folder / "fixed.py")
    with pytest.raises(AssertionError, match="NOT SERIALIZABLE"):
        assert_serializable(str(folder / "shop.py"))


def test_an_assertion_is_about_the_class_or_the_coroutine_that_it_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other classes of its file, or its routes, may be right: the one that is named is not."""
    monkeypatch.syspath_prepend(folder)
    text = SHOP.replace("class Shop", "class Racy") + FIXED.replace("class Shop", "class Right")
    text += "app = FastAPI()\n@app.get('/')\nasync def root():\n    return 1\nasync def other(): return 2\n"
    (folder / "racy_and_right.py").write_text(f"from fastapi_stub import FastAPI\n{text}")
    (folder / "fastapi_stub.py").write_text(
        "class FastAPI:\n    def get(self, path):\n        return lambda function: function\n"
    )
    module = importlib.import_module("racy_and_right")
    assert_serializable(module.Right)
    with pytest.raises(AssertionError, match="NOT SERIALIZABLE"):
        assert_serializable(module.Racy)
    assert_serializable(module.root)
    with pytest.raises(ValueError, match="other is no request of"):
        assert_serializable(module.other)
    with pytest.raises(BadInput, match="no class `Local` here"):
        assert_serializable(type("Local", (), {"__module__": "racy_and_right"}))


def test_requests_that_a_service_does_not_have_are_named(folder: Path) -> None:
    with pytest.raises(Exception, match="has no request `sell`"):
        assert_requests_serializable(folder / "shop.py", "sell")


def test_random_runs_are_followed_in_the_model(folder: Path) -> None:
    del folder
    assert ser("check", "shop.py", "--conformance", "20") == (
        0,
        "shop.py: the model allows all 133 turns of 20 random runs\n",
    )


def test_a_run_that_leaves_a_scope_is_followed_up_to_there(folder: Path) -> None:
    text = SHOP.replace("self.seats = 1", "self.seats = 1  # ser: 0..1").replace("True", "self.seats")
    (folder / "scoped.py").write_text(text)
    code, output = ser("check", "scoped.py", "--conformance", "10")
    assert (code, "leave a scope, and are followed up to there" in output) == (0, True), output


def test_an_integer_without_bounds_may_be_part_of_an_answer(folder: Path) -> None:
    text = (
        "import asyncio\ncount = 0\n\n\nasync def visit():\n    global count\n    count += 1\n"
        "    await asyncio.sleep(1)\n    return {'count': count}\n"
    )
    (folder / "visits.py").write_text(text)
    race = CliRunner().invoke(main, ["check", "visits.py", *BY_TEXT])
    words = " ".join(race.output.split())
    assert race.exit_code == 1, race.output
    assert "answers: visit/{'count': 2} ×2" in words
    assert "After each turn, state, line and answer are the same." in words
    seen = CliRunner().invoke(main, ["check", "visits.py"])
    assert seen.exit_code == 1
    assert "answers: visit()/{'count': 2} ×2" in " ".join(seen.output.split())
    (folder / "visits.py").write_text(text.replace("    await asyncio.sleep(1)\n", ""))
    assert CliRunner().invoke(main, ["check", "visits.py", "--quiet"]).exit_code == 0
    (folder / "visits.py").write_text(
        text.replace("    return {", "    if count > 5:\n        return {'time': 0}\n    return {")
    )
    refused = CliRunner().invoke(main, ["check", "visits.py", "--no-run"])
    assert "a part of this answer can be any integer" in refused.output
    assert CliRunner().invoke(main, ["check", "visits.py", "--quiet"]).exit_code == 1


@deep
def test_a_cancelled_request_with_tasks_is_replayed(folder: Path) -> None:
    (folder / "late.py").write_text(
        "import asyncio\nclass S:\n    def __init__(self):\n        self.x = 0  # ser: 0..3\n"
        "    async def f(self):\n        old = self.x\n        try:\n"
        "            task = asyncio.create_task(self._wait())\n            await task\n"
        "        except asyncio.CancelledError:\n            self.x = (old + 1) % 4\n            return old\n"
        "        return 'in time'\n"
        "    async def _wait(self):\n        await asyncio.sleep(1)\n"
    )
    assert CliRunner().invoke(main, ["check", "late.py", "--quiet"]).exit_code == 0
    race = CliRunner().invoke(main, ["check", "late.py", "--cancel"])
    assert race.exit_code == 1, race.output
    assert "After each turn, state, line and answer are the same." in " ".join(race.output.split())


def test_options_for_services_are_for_services(folder: Path) -> None:
    (folder / "a.ser").write_text("request a { 1 }\n")
    assert "SER920" in ser("check", "a.ser", "--cancel")[1]
    assert "SER920" in ser("check", "a.ser", "--conformance", "3")[1]


def test_requests_that_wait_for_ever_are_replayed(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "import asyncio\n"
        "class Two:\n"
        "    def __init__(self):\n"
        "        self.a = asyncio.Lock()\n"
        "        self.b = asyncio.Lock()\n"
        "    async def ab(self):\n"
        "        async with self.a:\n"
        "            await asyncio.sleep(1)\n"
        "            async with self.b:\n"
        "                return 1\n"
        "    async def ba(self):\n"
        "        async with self.b:\n"
        "            await asyncio.sleep(1)\n"
        "            async with self.a:\n"
        "                return 2\n"
    )
    code, output = ser("check", "shop.py", "--property", "deadlock-free")
    assert code == 1
    told = " ".join(output.split())
    assert "the real code waits for ever, request 1 in line 9, request 2 in line 14" in told
    by_text = " ".join(ser("check", "shop.py", *BY_TEXT)[1].split())
    assert "Replayed on shop.py: the real code waits for ever" in by_text
    assert "`ab`, `ba` may wait for ever; such runs are not compared" in " ".join(
        ser("check", "shop.py")[1].split()
    )


def test_a_violation_inside_of_the_scope_comes_before_a_fault(folder: Path) -> None:
    """An oversold counter leaves every finite range: the fault must not hide the race."""
    text = SHOP.replace("self.seats = 1", "self.seats = 2  # ser: 0..2").replace(
        "return True", "return self.seats"
    )
    racy = text.replace("        self.seats -= 1\n", "        self.seats = left - 1\n").replace(
        "        await", "        left = self.seats\n        await"
    )
    leaving = "    async def waste(self):\n        self.seats -= 1\n        return 'gone'\n"
    (folder / "scoped.py").write_text(racy + leaving)
    for asked in ((), BY_TEXT):
        code, output = ser("check", "scoped.py", "--json", *asked)
        assert (code, json.loads(output)["verdict"]) == (1, "not_serializable")
    (folder / "fine.py").write_text(racy.replace("        await asyncio.sleep(0.1)\n", "") + leaving)
    code, output = ser("check", "fine.py", "--json", *BY_TEXT)
    assert "SER804" in output
    # Runs know no scope: each request is a single turn, for any number of seats.
    code, output = ser("check", "fine.py", "--json")
    assert (code, json.loads(output)["verdict"]) == (0, "serializable")
