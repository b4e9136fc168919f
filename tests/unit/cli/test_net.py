"""`ser net`: certificates are written, checked, and refused for other nets."""

import json
from pathlib import Path

import pytest

from testkit.running.ser_processes import ser

INPUTS = Path(__file__).parents[2] / "golden" / "net" / "inputs"


@pytest.mark.parametrize(
    ("command", "net", "code"),
    [
        (["cover"], "lock.spec", 1),
        (["cover", "--target", "P1 >= 3"], "toy.net", 0),
        (["bound"], "toy.net", 1),
        (["reach", "--formula", str(INPUTS / "toy.xml")], "toy.net", 1),
        (["reach", "--formula", str(INPUTS / "bounds.xml")], "toy.net", 0),
    ],
)
def test_answers_are_written_with_evidence_that_is_confirmed(
    tmp_path: Path, command: list[str], net: str, code: int
) -> None:
    kept = tmp_path / "kept.json"
    asked = ser("net", command[0], str(INPUTS / net), *command[1:], "--certificate", str(kept))
    assert asked.returncode == code, asked.stderr
    checked = ser("net", "verify", str(INPUTS / net), str(kept))
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count("confirmed") == len(json.loads(kept.read_text())["claims"])
    content = json.loads(kept.read_text())
    content["claims"][0]["holds"] = not content["claims"][0]["holds"]
    kept.write_text(json.dumps(content))
    refused = ser("net", "verify", str(INPUTS / net), str(kept))
    assert (refused.returncode, refused.stdout.split(":")[0]) == (1, "REFUSED")
    other = ser("net", "verify", str(INPUTS / "entity.pnml"), str(kept))
    assert other.returncode == 2
    assert "SER" in other.stderr


def test_a_certificate_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    found = ser(
        "net", "bound", str(INPUTS / "toy.net"), "--certificate", str(tmp_path / "no" / "folder.json")
    )
    assert found.returncode == 2
    assert "cannot write" in found.stderr


def test_a_hard_net_obeys_the_time(tmp_path: Path) -> None:
    """Twelve counters that carry over: neither a run nor a barrier is found in a moment."""
    places = " ".join(f"b{i} n{i}" for i in range(60))
    rules = ["n0 >= 1 -> n0' = n0 - 1, b0' = b0 + 1;"]
    for i in range(1, 60):
        guard = ", ".join(f"b{j} >= 1" for j in range(i)) + f", n{i} >= 1"
        moves = ", ".join(f"b{j}' = b{j} - 1, n{j}' = n{j} + 1" for j in range(i))
        rules.append(f"{guard} -> {moves}, n{i}' = n{i} - 1, b{i}' = b{i} + 1;")
    start = ", ".join(f"b{i} = 0, n{i} = 1" for i in range(60))
    text = "vars\n{}\nrules\n{}\ninit\n{}\ntarget\nb59 >= 1, b58 >= 1, b57 >= 1\n"
    (tmp_path / "count.spec").write_text(text.format(places, "\n".join(rules), start))
    found = ser("net", "cover", str(tmp_path / "count.spec"), "--timeout", "2")
    assert found.returncode == 3, found.stdout
    assert "time limit" in found.stderr
