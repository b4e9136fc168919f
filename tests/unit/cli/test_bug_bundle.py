"""A faulty engine, planted: no verdict, a loud message, a bundle that shows it and nothing else."""

import json
import os
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result

from seriatim.certificate.atomic import AtomicEvidence
from seriatim.checking.verify import verify
from seriatim.cli import bug_bundle
from seriatim.cli.main import main
from seriatim.deciding import pipeline
from seriatim.engines.portfolio import Conclusion
from seriatim.engines.stage import Facts, Proof
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.method import Method
from seriatim.source import SourceText

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program that is not serializable; and an engine that proves anything."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "racing.ser").write_text(RACING)
    faulty = Conclusion(Proof(AtomicEvidence(), ""), Method.ATOMIC, 0, {"atomic": 0.0}, Facts(), None)
    monkeypatch.setattr(pipeline, "conclude", lambda *_: faulty)
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    return tmp_path


def check(*options: str) -> Result:
    result = CliRunner().invoke(main, ["check", "private/racing.ser", *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def bundle(folder: Path) -> dict[str, str]:
    (path,) = folder.glob("*.zip")
    with ZipFile(path) as content:
        return {name: content.read(name).decode() for name in content.namelist()}


def test_what_fails_our_own_check_is_no_verdict(folder: Path) -> None:
    result = check()
    assert result.exit_code == 3
    assert "serializable" not in result.stdout.lower()
    assert "NO VERDICT" in result.stdout
    assert "SER601" in result.stderr
    assert "A BUG IN SERIATIM" in result.stderr
    assert next(folder.glob("*.zip")).name in result.stderr


def test_as_json_it_is_unknown(folder: Path) -> None:
    result = check("--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["verdict"] == "unknown"
    assert "no handler contains `yield`" in found["reason"]
    assert found["bug_bundle"] == next(folder.glob("*.zip")).name
    assert "A BUG IN SERIATIM" in result.stderr


def test_refused_evidence_is_not_saved_as_a_certificate(folder: Path) -> None:
    assert check("--certificate", "racing.cert.json").exit_code == 3
    assert not (folder / "racing.cert.json").exists()


def test_the_bundle_shows_what_happened(folder: Path) -> None:
    check("--max-states", "77")
    files = bundle(folder)
    assert set(files) == {"about.json", "input.txt", "certificate.json", "report.json"}
    content = read_input(SourceText("-", files["input.txt"]))
    assert files["input.txt"] == RACING
    assert not verify(read_certificate(files["certificate.json"]), content).accepted
    assert json.loads(files["report.json"])["result"] == "refused"
    about = json.loads(files["about.json"])
    assert "ser check racing.ser" in about["command"]
    assert "--max-states 77" in about["command"]
    assert about["seriatim"]


def test_the_bundle_contains_nothing_else(folder: Path) -> None:
    check()
    everything = "".join(bundle(folder).values())
    for secret in ("hunter2", "private", str(folder), os.getcwd(), str(Path.home())):
        assert secret not in everything


def test_another_try_replaces_the_bundle(folder: Path) -> None:
    check()
    before = next(folder.glob("*.zip")).read_bytes()
    check()
    assert [path.read_bytes() for path in folder.glob("*.zip")] == [before]


def name_in_the_way(folder: Path) -> Path:
    """A folder where the bundle should be."""
    check()
    (path,) = folder.glob("*.zip")
    path.unlink()
    path.mkdir()
    return path


def test_if_it_can_not_be_saved_here_it_goes_to_a_folder_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = name_in_the_way(folder)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(bug_bundle, "mkdtemp", lambda **_: str(elsewhere))
    assert str(elsewhere) in check().stderr.replace("\n", "")
    assert (elsewhere / path.name).is_file()


def test_if_it_can_be_saved_nowhere_the_alarm_is_given_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_in_the_way(folder)
    monkeypatch.setattr(bug_bundle, "mkdtemp", lambda **_: str(folder / "missing"))
    result = check()
    assert result.exit_code == 3
    assert "A BUG IN SERIATIM" in result.stderr
