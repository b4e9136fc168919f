"""`ser export`, of programs whose states have no bound."""

from pathlib import Path

from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.petri.tina import read_tina
from seriatim.systems.from_program import BEYOND

UNBOUNDED = "request main { X := X + 1; yield; X }\n"


def export(folder: Path, *options: str) -> tuple[int, str]:
    file = folder / "counter.ser"
    file.write_text(UNBOUNDED)
    ended = CliRunner().invoke(main, ["export", str(file), "--max-states", "100", *options])
    return ended.exit_code, ended.output


def test_a_system_without_bound_is_refused_with_a_way_out(tmp_path: Path) -> None:
    code, told = export(tmp_path, "--to", "net")
    assert code == 3
    assert "`X` keeps growing" in told
    assert "--part" in told


def test_a_part_is_written_if_the_user_asks_for_it(tmp_path: Path) -> None:
    code, text = export(tmp_path, "--to", "net", "--part")
    assert code == 0
    assert BEYOND in text
    assert len(read_tina(text).transitions) > 5


def test_a_part_answers_no_question(tmp_path: Path) -> None:
    for options in (("--to", "xml"), ("--to", "smt2"), ("--to", "json"), ("--to", "net", "--for-query")):
        code, told = export(tmp_path, *options, "--part")
        assert code == 2
        assert "--part is for --to net and --to pnml" in told
