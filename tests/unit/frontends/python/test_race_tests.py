"""Assertions and emitted tests: they fail until a race of the named requests is fixed."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
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
LATE = (
    "import asyncio\nclass S:\n    def __init__(self):\n        self.x = 0\n"
    "    async def f(self):\n        old = self.x\n        try:\n            await asyncio.sleep(1)\n"
    "        except asyncio.CancelledError:\n            self.x = (old + 1) % 4\n            return old\n"
    "        return 'in time', self.x\n"
)


def ser(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "fixed.py").write_text(FIXED)
    return tmp_path


def test_an_emitted_test_fails_until_the_race_is_fixed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "tests").mkdir()
    path = folder / "tests" / "test_shop.py"
    assert ser("check", "shop.py", "--emit-test", "tests/test_shop.py", "--quiet")[0] == 1
    monkeypatch.chdir(folder / "tests")  # It finds the service from wherever it is run.
    test = read_test(path)
    with pytest.raises(AssertionError, match=r"buy\(\), buy\(\) together can answer\n  True, True\nOne at"):
        test()
    (folder / "shop.py").write_text(FIXED)
    test()


def read_test(path: Path) -> Callable[[], None]:
    names: dict[str, object] = {"__file__": str(path)}
    exec(path.read_text(), names)
    test = names["test_requests_answer_as_if_they_came_one_at_a_time"]
    assert callable(test)
    return test


@deep
def test_an_emitted_test_cancels_as_the_check_did(folder: Path) -> None:
    (folder / "late.py").write_text(LATE)
    if ser("check", "late.py", "--cancel", "--emit-test", "test_late.py", "--quiet")[0] == 1:
        assert "cancel=True" in (folder / "test_late.py").read_text()
        with pytest.raises(AssertionError):
            read_test(folder / "test_late.py")()


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
    (folder / "racy_and_right.py").write_text(text)
    module = importlib.import_module("racy_and_right")
    assert_serializable(module.Right)
    with pytest.raises(AssertionError, match="NOT SERIALIZABLE"):
        assert_serializable(module.Racy)
    with pytest.raises(BadInput, match="no class `Local`"):
        assert_serializable(type("Local", (), {"__module__": "racy_and_right"}))


def test_requests_that_a_service_does_not_have_are_named(folder: Path) -> None:
    with pytest.raises(Exception, match=r"has no request `sell\(\)`"):
        assert_requests_serializable(folder / "shop.py", "sell()")


def test_code_that_cannot_be_loaded_is_refused(folder: Path) -> None:
    (folder / "shop.py").write_text(f"raise RuntimeError('no display')\n{SHOP}")
    code, output = ser("check", "shop.py")
    assert code == 2
    assert "importing the file fails: RuntimeError: no display" in " ".join(output.split())


def test_without_permission_nothing_is_claimed(folder: Path) -> None:
    (folder / "shop.py").write_text(f"open('made', 'w')\n{SHOP}")
    for option in ("--no-run", "--no-replay"):
        code, output = ser("check", "shop.py", option)
        assert code == 3
        assert "decided by running it, which is not allowed here" in " ".join(output.split())
    assert not (folder / "made").exists()


def test_other_properties_are_refused_by_name(folder: Path) -> None:
    del folder
    code, output = ser("check", "shop.py", "--property", "safe")
    assert (code, "you can only ask serializable" in output) == (2, True)


def test_a_certificate_is_about_the_service_and_its_settings(folder: Path) -> None:
    (folder / "scope.txt").write_text("call bank.charge: opaque\n")
    assert ser("check", "fixed.py", "--certificate", "c.json", "--scope", "scope.txt", "--quiet")[0] == 0
    translation = json.loads((folder / "c.json").read_text())["translation"]
    assert translation["settings"] == {"run": "tried integers", "scope": "call bank.charge: opaque\n"}
    assert ser("verify", "c.json", "fixed.py")[0] == 0
    (folder / "fixed.py").write_text(SHOP)
    assert ser("verify", "c.json", "fixed.py")[0] != 0


def test_the_model_of_a_service_has_all_of_its_states(folder: Path) -> None:
    del folder
    assert ser("check", "fixed.py", "--emit-model", "fixed.json", "--quiet")[0] == 0
    assert ser("check", "fixed.json", "--quiet")[0] == 0


def test_options_for_services_are_for_services(folder: Path) -> None:
    (folder / "a.ser").write_text("request a { 1 }\n")
    assert "SER920" in ser("check", "a.ser", "--cancel")[1]
