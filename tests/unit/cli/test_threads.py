"""Commands on programs with threads: exit codes, and what they print."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.petri.pnml import read_pnml
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json

EXAMPLES = Path(__file__).parents[3] / "examples" / "threads"


def ser(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="ser")


def example(name: str) -> str:
    return str(EXAMPLES / name)


def test_a_program_that_hangs_before_its_first_step_is_told(tmp_path: Path) -> None:
    program = tmp_path / "stuck.conc"
    program.write_text("global go: bool = false;\n\nthread main() {\n  assume go;\n}\n")
    found = ser("check", str(program), "--property", "deadlock-free")
    assert found.exit_code == 1
    assert "In line 4, no thread can go on" in found.stdout


@pytest.mark.parametrize(
    ("name", "exit_code"), [("lost_update.conc", 1), ("spin_lock.conc", 0), ("account_race.c", 1)]
)
def test_check_saves_evidence_that_verify_accepts_and_json_that_reads_back(
    name: str, exit_code: int, tmp_path: Path
) -> None:
    saved = str(tmp_path / "saved.cert.json")
    result = ser("check", example(name), "--json", "--certificate", saved)
    assert result.exit_code == exit_code
    told = json.loads(result.stdout)
    assert told["verdict"] == ("unsafe" if exit_code else "safe")
    again = result_json(result_from_json(result.stdout), saved)
    assert again == told
    assert ser("verify", saved, example(name)).exit_code == 0
    assert ser("replay", saved, example(name)).exit_code == (0 if exit_code else 2)


def test_statements_as_steps_are_recorded_in_the_certificate(tmp_path: Path) -> None:
    saved = str(tmp_path / "saved.cert.json")
    assert (
        ser("check", example("account_race.c"), "--steps", "statement", "--certificate", saved).exit_code == 1
    )
    assert ser("verify", saved, example("account_race.c")).exit_code == 0


FLAGS = """
#include <pthread.h>
#include <assert.h>
int x, y, a, b;
void *left(void *p) { x = 1; FENCE a = y; return 0; }
void *right(void *p) { y = 1; FENCE b = x; return 0; }
int main(void) {
  pthread_t t, u; pthread_create(&t, 0, left, 0); pthread_create(&u, 0, right, 0);
  pthread_join(t, 0); pthread_join(u, 0); assert(a || b); }
"""


@pytest.mark.parametrize("fence", ["", "__sync_synchronize();"])
def test_store_buffers_are_recorded_in_the_certificate(fence: str, tmp_path: Path) -> None:
    saved, source = str(tmp_path / "saved.cert.json"), tmp_path / "flags.c"
    source.write_text(FLAGS.replace("FENCE", fence))
    assert ser("check", str(source), "--property", "safe").exit_code == 0
    found = ser("check", str(source), "--memory", "tso", "--certificate", saved)
    assert found.exit_code == (0 if fence else 1)
    assert "data races" not in found.stdout
    verified = ser("verify", saved, str(source))
    assert verified.exit_code == 0
    assert "memory = tso" in verified.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "account_race.c", "--memory", "tso", "--property", "race-free"), "SER214"),
        (("check", "account_race.c", "--memory", "tso", "--steps", "statement"), "SER214"),
        (("check", "lost_update.conc", "--memory", "tso"), "SER920"),
        (("check", "lost_update.conc", "--property", "serializable"), "SER214"),
        (("check", "lost_update.conc", "--steps", "statement"), "SER920"),
        (("fix", "lost_update.conc"), "SER240"),
        (("show", "lost_update.conc", "--as", "stats"), "SER216"),
    ],
)
def test_what_is_not_for_threads_is_refused(arguments: tuple[str, ...], code: str) -> None:
    command, name, *options = arguments
    result = ser(command, example(name), *options)
    assert result.exit_code == 2
    assert code in result.output


def test_run_shows_the_same_run_for_the_same_seed() -> None:
    first, second = (ser("run", example("spin_lock.conc"), "--seed", "3") for _ in range(2))
    assert first.exit_code == 0
    assert first.output == second.output
    assert "worker#1" in first.output


def test_show_writes_graphs_and_the_petrified_net() -> None:
    assert "fork i worker()" in ser("show", example("figure1.conc")).output
    for form, start in (("dot", "digraph {"), ("mermaid", "flowchart LR"), ("svg", "<svg ")):
        drawn = ser("show", example("figure1.conc"), "--format", form).output
        assert drawn.startswith(start)
        assert "worker" in drawn
    net = read_pnml(ser("show", example("figure1.conc"), "--as", "net", "--threads", "2").output)
    assert "worker insufficient" in {name.replace("_x20_", " ") for name in net.places}


def test_fmt_leaves_laid_out_programs_alone() -> None:
    assert ser("fmt", "--check", str(EXAMPLES)).exit_code == 0


def test_width_is_told_in_a_note() -> None:
    result = ser("check", example("pool.conc"), "--width")
    assert "the thread width is 3" in result.output


def test_a_program_without_assertions_is_said_to_have_none(tmp_path: Path) -> None:
    file = tmp_path / "idle.c"
    file.write_text("int x;\nint main() { x = 1; return 0; }\n", "utf-8")
    assert "SER724" in ser("check", str(file)).output
    file.write_text("int x;\nint main() { x = 1; assert(x == 1); return 0; }\n", "utf-8")
    assert "SER724" not in ser("check", str(file)).output


def test_macros_are_given_and_recorded_in_the_certificate(tmp_path: Path) -> None:
    program, certificate = tmp_path / "limit.c", tmp_path / "limit.cert.json"
    program.write_text("#include <assert.h>\nint main(void) { assert(LIMIT == 3); return 0; }", "utf-8")
    asked = ("check", str(program), "--property", "safe", "--quiet")
    assert ser(*asked, "-D", "LIMIT=2").exit_code == 1
    assert ser(*asked, "-D", "LIMIT=3", "--certificate", str(certificate)).exit_code == 0
    assert ser("verify", str(certificate), str(program)).exit_code == 0
    wrong = ser(*asked, "-D", "3=LIMIT")
    assert wrong.exit_code == 2
    assert "NAME=VALUE" in wrong.output


def test_a_read_is_told_where_another_thread_comes_between_it_and_its_line() -> None:
    """`balance -= 80` reads and writes in one go here, but for the run in which somebody comes between."""
    told = ser("check", "--no-run", example("account_race.c")).stdout.splitlines()
    reads = [at for at, line in enumerate(told) if "reads balance" in line]
    assert len(reads) == 1
    assert "switch" in told[reads[0] + 1]
