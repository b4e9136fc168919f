"""`ser sequentialize --write` puts the proof that was found into the file, which then needs no search."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.frontends.actions.parser import parse
from seriatim.sequencing import decide
from seriatim.source import SourceText

HANDSHAKE = """\
// Everybody is prepared before the end.
param N >= 1
sequential_runs: int := 0
ready[1..N]: bool := false

action main():
    for i in 1..N:
        async prepare(i)
    async finish()

action prepare(i):
    ready[i] := true

action finish():
    await all i in 1..N: ready[i]
    sequential_runs := N
"""
ENSURED = """
sequential:
    order prepare, finish
    ensures sequential_runs == N  // what matters
"""
SEARCHES = ("find_orders", "find_facts", "find_measure", "plain_gates", "waiting_gates")


def ser(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def forbid(name: str) -> Callable[..., None]:
    def search(*_: object, **__: object) -> None:
        raise AssertionError(f"{name} was called")

    return search


@pytest.mark.parametrize("block", ["", ENSURED], ids=["nothing", "an order"])
def test_what_was_found_is_written_and_proved_without_a_search(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "handshake.actions"
    path.write_text(HANDSHAKE + block)
    first = ser("sequentialize", str(path), "--write")
    assert first.exit_code == 0, first.output
    written = path.read_text()
    assert written.startswith(HANDSHAKE)
    proof = parse(SourceText(path.name, written)).proof
    assert proof is not None
    assert proof.when
    assert proof.gates
    assert proof.measure
    assert len(proof.ensures) == (1 if block else 0)
    for name in SEARCHES:
        monkeypatch.setattr(decide, name, forbid(name))
    certificate = tmp_path / "c.json"
    again = ser("sequentialize", str(path), "--write", "--certificate", str(certificate))
    assert again.exit_code == 0, again.output
    assert path.read_text() == written
    verified = ser("verify", str(certificate), str(path))
    assert verified.exit_code == 0, verified.output


def test_the_searches_are_those_that_a_bare_file_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without what is written, each of the first four is called: forbidding them means something."""
    path = tmp_path / "handshake.actions"
    path.write_text(HANDSHAKE)
    for name in SEARCHES[:4]:
        with monkeypatch.context() as patch:
            patch.setattr(decide, name, forbid(name))
            result = ser("sequentialize", str(path))
            assert isinstance(result.exception, AssertionError), (name, result.output)


def test_nothing_is_written_about_a_program_that_breaks(tmp_path: Path) -> None:
    path = tmp_path / "broken.actions"
    text = HANDSHAKE + ENSURED.replace("== N", "== N + 1")
    path.write_text(text)
    result = ser("sequentialize", str(path), "--write")
    assert result.exit_code == 1, result.output
    assert path.read_text() == text
