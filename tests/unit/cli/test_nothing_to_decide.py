"""What shares nothing or cannot fail gets its verdict; an input that says nothing is an error."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main

NOTHING = {
    "pure.ser": ("request ask { x := 1; yield; x }", "serializable"),
    "silent.ser": ("request touch { X := 1; yield; X := 2 }", "serializable"),
    "no_requests.json": (
        '{"initial_global": "g", "requests": [], "responses": [], "transitions": []}',
        "serializable",
    ),
    "one_thread.conc": ("global x: int = 0;\nthread main() { x := 1; }\n", "safe"),
    "no_assertion.conc": (
        "global x: int = 0;\nthread main() { fork 1 w(); join 1; }\nthread w() { x := 2; }\n",
        "safe",
    ),
    "one_thread.c": ("int x;\nint main(void) { x = 1; return 0; }\n", "safe"),
    "reading.sql": (
        "CREATE TABLE t (id int PRIMARY KEY, v int);\nINSERT INTO t VALUES (1, 5);\n\n"
        "-- transaction: look\nBEGIN;\nSELECT v FROM t WHERE id = 1;\nCOMMIT;\n",
        "serializable",
    ),
    "only_main.actions": ("x: int := 0\n\naction main():\n    x := 1\n    assert x == 1\n", "sequential"),
    "skip.actions": ("action main():\n    skip\n", "sequential"),
}
"""Programs in which nothing can go wrong, and what is said of them."""

SAYING_NOTHING = {
    "empty.ser": "",
    "comment.ser": "// later\n",
    "empty.json": "",
    "empty.conc": "",
    "empty.jsonl": "",
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_to_decide_is_an_answer(name: str, tmp_path: Path) -> None:
    text, verdict = NOTHING[name]
    file = tmp_path / name
    file.write_text(text)
    if name.endswith(".c") and shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    arguments = ["--compare", "none"] if name.endswith(".sql") else []
    result = CliRunner().invoke(main, ["check", str(file), "--json", *arguments])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["verdict"] == verdict
    assert told["reason"]


@pytest.mark.parametrize("name", SAYING_NOTHING)
def test_an_input_that_says_nothing_is_an_error(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(SAYING_NOTHING[name])
    result = CliRunner().invoke(main, ["check", str(file)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "error[SER" in result.stderr


def test_an_empty_log_and_an_empty_folder_are_errors(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("")
    assert CliRunner().invoke(main, ["history", str(log)]).exit_code == 2
    (tmp_path / "folder").mkdir()
    assert CliRunner().invoke(main, ["check", str(tmp_path / "folder")]).exit_code == 2


def test_a_run_of_no_requests_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "no_requests.json"
    file.write_text(NOTHING[file.name][0])
    result = CliRunner().invoke(main, ["run", str(file)])
    assert result.exit_code == 2
    assert "there is nothing to run" in result.stderr


def test_a_protocol_of_main_alone_keeps_its_proof(tmp_path: Path) -> None:
    file, proof = tmp_path / "skip.actions", tmp_path / "proof.json"
    file.write_text(NOTHING[file.name][0])
    told = CliRunner().invoke(main, ["check", str(file), "--certificate", str(proof)])
    assert "`main` is the only action" in told.stdout
    assert CliRunner().invoke(main, ["verify", str(proof), str(file)]).exit_code == 0
