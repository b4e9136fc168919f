"""Verdicts of earlier runs: found again, re-checked, and never believed."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from seriatim import cache
from seriatim.cache import Cache, CacheKey, default_cache, plain
from seriatim.cli.main import main
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation
from seriatim.method import Method
from seriatim.systems.limits import Limits

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with inputs; and a cache that is empty."""
    (tmp_path / "racing.ser").write_text(RACING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SERIATIM_NO_CACHE")
    monkeypatch.setenv("SERIATIM_CACHE", str(tmp_path / "cache"))
    return tmp_path


def ser(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def objects(result: Result) -> list[dict[str, Any]]:
    """Without times."""
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return [{key: value for key, value in each.items() if key not in ("seconds", "stages")} for each in found]


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "cache").rglob("*.result.json"))


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is decided from now on, and not recalled."""
    names: list[str] = []

    def count(translation: Any, source: Any, *arguments: Any, **options: Any) -> Any:
        names.append(source.name)
        return decide_translation(translation, source, *arguments, **options)

    monkeypatch.setattr("seriatim.cli.one_check.decide_translation", count)
    return names


@pytest.mark.parametrize("property_", ["serializable", "strict", "safe", "deadlock-free"])
def test_the_second_run_says_the_same_and_decides_nothing(
    folder: Path, decided: list[str], property_: str
) -> None:
    first = ser("check", "racing.ser", "--json", "--property", property_)
    assert decided == ["racing.ser"]
    second = ser("check", "racing.ser", "--json", "--property", property_)
    assert decided == ["racing.ser"]
    assert second.exit_code == first.exit_code
    assert objects(second) == objects(first)
    assert json.loads(second.stdout)["stages"].keys() == {"re-check"}
    assert len(entries(folder)) == 1


def test_another_question_is_another_entry(folder: Path, decided: list[str]) -> None:
    ways = [(), ("--observe", "all"), ("--property", "strict"), ("--method", "search"), ("--max-value", "7")]
    for way in ways:
        ser("check", "racing.ser", *way)
    assert len(decided) == len(entries(folder)) == len(ways)
    for way in ways:
        ser("check", "racing.ser", *way)
    assert len(decided) == len(ways)


def test_a_change_of_the_text_is_another_entry(folder: Path, decided: list[str]) -> None:
    ser("check", "racing.ser")
    (folder / "racing.ser").write_text(RACING.replace("yield; ", ""))
    assert ser("check", "racing.ser", "-q").stdout == "racing.ser: serializable for any number of requests\n"
    assert len(decided) == 2


def test_another_version_decides_again(
    folder: Path, decided: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ser("check", "racing.ser")
    monkeypatch.setattr(cache, "installed_version", lambda: "9.9")
    ser("check", "racing.ser")
    assert len(decided) == len(entries(folder)) == 2


def test_without_a_cache_nothing_is_recalled_or_kept(folder: Path, decided: list[str]) -> None:
    for _ in range(2):
        ser("check", "racing.ser", "--no-cache")
    assert len(decided) == 2
    assert not entries(folder)


def test_certificates_are_saved_from_the_cache_byte_for_byte(folder: Path, decided: list[str]) -> None:
    ser("check", "racing.ser", "--certificate", "first.json")
    ser("check", "racing.ser", "--certificate", "second.json")
    assert len(decided) == 1
    assert (folder / "first.json").read_bytes() == (folder / "second.json").read_bytes()


def edited(text: str, **changes: object) -> str:
    """An entry with other evidence."""
    found = json.loads(text)
    return json.dumps(found | {"evidence": found["evidence"] | changes})


DAMAGE: dict[str, Callable[[str], str]] = {
    "no JSON": lambda text: text[:-20],
    "no result": lambda _: "[]",
    "another verdict": lambda text: edited(text, verdict="serializable"),
    "another question": lambda text: edited(text, question="conflict-serializable"),
    "another input": lambda text: edited(text, input_sha256="0" * 64),
    "another run": lambda text: edited(text, turns=[]),
    "another source": lambda text: text.replace("N := 1 - x", "N := 2 - x"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_an_entry_that_does_not_hold_is_as_good_as_none(
    folder: Path, decided: list[str], damage: str
) -> None:
    first = ser("check", "racing.ser", "--json")
    (entry,) = entries(folder)
    text = entry.read_text("utf-8")
    changed = DAMAGE[damage](text)
    assert changed != text
    entry.write_text(changed, "utf-8")
    second = ser("check", "racing.ser", "--json")
    assert objects(second) == objects(first)
    assert len(decided) == 2


def test_a_forged_proof_is_not_believed(folder: Path, decided: list[str]) -> None:
    """The verdict of another program, under the name of this one."""
    (folder / "atomic.ser").write_text(RACING.replace("yield; ", ""))
    ser("check", "atomic.ser")
    (good,) = entries(folder)
    forged = good.read_text("utf-8")
    ser("check", "racing.ser")
    entry = next(each for each in entries(folder) if each != good)
    found = json.loads(forged) | {"file": "racing.ser", "source": RACING}
    entry.write_text(json.dumps(found), "utf-8")
    assert "NOT SERIALIZABLE" in ser("check", "racing.ser", "-q").stdout
    assert len(decided) == 3


def test_undecided_inputs_are_not_kept(folder: Path) -> None:
    (folder / "open.ser").write_text("request up { X := X + 1; yield; X := X * X; X }\n")
    ser("check", "open.ser", "--max-states", "10", "--max-value", "5", "--timeout", "0.5")
    assert not entries(folder)


def test_a_folder_that_cannot_be_written_to_costs_nothing(
    folder: Path, decided: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").touch()
    monkeypatch.setenv("SERIATIM_CACHE", "")
    monkeypatch.setattr(cache, "default_cache", lambda: Cache(folder / "file" / "below", 0.0))
    assert ser("check", "racing.ser").exit_code == 1
    assert decided


def test_by_default_only_what_took_long_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERIATIM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    assert default_cache().folder == folder / "seriatim"
    ser("check", "racing.ser")
    assert not (folder / "seriatim").exists()
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0.0)
    ser("check", "racing.ser")
    assert list((folder / "seriatim").rglob("*.result.json"))


def test_what_nobody_uses_goes_after_a_while(folder: Path) -> None:
    ser("check", "racing.ser")
    (entry,) = entries(folder)
    old = entry.with_name("0" * 64 + cache.SUFFIX)
    old.write_text("{}")
    os.utime(old, (0, 0))
    entry.unlink()
    ser("check", "racing.ser")
    assert entries(folder) == [entry]


def test_keys_are_of_plain_data() -> None:
    same = CacheKey("text", (Limits(1, 2), Method.AUTO, {"b": "x", "a": "y"}, frozenset({1, 2})))
    other = CacheKey("text", (Limits(1, 2), Method.AUTO, {"a": "y", "b": "x"}, frozenset({2, 1})))
    assert same.name() == other.name()
    assert CacheKey("text", (Limits(1, 3),)).name() != CacheKey("text", (Limits(1, 2),)).name()
    assert plain(Options().threads) == ["ThreadOptions", {"algorithm": 1, "width": False}]
    with pytest.raises(TypeError, match="object is not plain data"):
        plain(object())
