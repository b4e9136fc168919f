"""Time and memory that the options allow are kept, whatever the input: every command ends soon after."""

import gc
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import process_time

import pytest
from click.testing import CliRunner

from seriatim import api
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.cli.main import main
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.properties.safe import SAFETY
from testkit.samples import sample, sampled

SECONDS = 0.02
SLACK = 1.4
"""CPU seconds: one pass in the C code of the interpreter, and a busy machine."""


@pytest.fixture(autouse=True)
def no_callbacks() -> Iterator[None]:
    """Hypothesis has one when garbage is collected; an interrupt there reaches nobody, and comes again.

    What all tests before have left in this process is set aside: to go through it takes seconds.
    """
    before = gc.callbacks[:]
    gc.callbacks.clear()
    gc.freeze()
    yield
    gc.callbacks[:] = before


def nested(levels: int, calls: int) -> str:
    """Functions that call one another: short, and huge when written out."""
    lines = ["fun f0(a) { X := X + a; X }"]
    lines += [
        f"fun f{level}(a) {{ {'; '.join([f'f{level - 1}(a)'] * calls)} }}" for level in range(1, levels + 1)
    ]
    return "X := 0\n" + "\n".join(lines) + f"\nrequest a {{ f{levels}(1); X }}\n"


MANY = "; ".join(f"x{place} := ?" for place in range(40))
SUM = " + ".join(f"x{place}" for place in range(40))
HUNGRY = {
    "two choices in one step": (
        "request a { x := choose(0..9999); y := choose(0..9999); yield; X := x + y; X }\n"
    ),
    "forty choices in one step": f"request a {{ {MANY}; yield; X := {SUM}; X }}\n",
    "forty choices in a later step": f"request a {{ yield; {MANY}; X := X + {SUM}; yield; X }}\n",
    "many ways to go on": (
        "request a { x := choose(0..299); y := choose(0..299); yield; X := x + 300 * y; yield; X }\n"
    ),
    "six nested functions": nested(6, 9),
    "four nested functions": nested(4, 9),
    "a thousand yields": "request a { " + "; ".join(["X := X + 1; yield"] * 1_000) + "; X }\n",
    "a loop that never hands over": "request a { while (1) { X := X + 1 }; X }\n",
    "a long loop of choices": "request a { while (x < 99999) { x := x + 1 + ? }; yield; X := x; X }\n",
}
COMMANDS = (
    ("check",),
    ("check", "--property", "strict"),
    ("check", "--property", "conflict-serializable"),
    ("check", "--property", "safe"),
    ("check", "--method", "paper"),
    ("fix",),
    ("show", "--as", "ns"),
    ("show", "--as", "run"),
    ("show", "--as", "serial"),
    ("run", "--requests", "4", "--seed", "1"),
    ("export", "--to", "pnml"),
)


def ser(*arguments: str | Path) -> int:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code


def seconds_for(command: tuple[str, ...], file: Path) -> tuple[float, int]:
    began = process_time()
    code = ser(command[0], file, *command[1:], "--timeout", str(SECONDS))
    return process_time() - began, code


@pytest.mark.parametrize("place", sample(len(HUNGRY), 3), ids=sampled(list(HUNGRY), 3))
def test_every_command_ends_in_time(place: int, tmp_path: Path) -> None:
    """Each input meets a third of the commands, each command a third of the inputs."""
    file = tmp_path / "hungry.ser"
    file.write_text(list(HUNGRY.values())[place])
    for command in COMMANDS[place % 3 :: 3]:
        seconds, code = seconds_for(command, file)
        assert seconds < SECONDS + SLACK, command
        assert code in (0, 3), command


def test_formatting_ends_in_time(tmp_path: Path) -> None:
    file = tmp_path / "long.ser"
    file.write_text("request a {\n" + "X := X + 1;\n" * 50_000 + "X }\n")
    seconds, code = seconds_for(("fmt", "--check"), file)
    assert seconds < SECONDS + SLACK
    assert code == 3


def failing(name: str) -> str:
    """The same with a step that can fail; without one, the text alone shows that none fails."""
    return HUNGRY[name].replace("; X }", "; assert X < 9; X }")


FORGED = ("two choices in one step", "forty choices in one step", "a long loop of choices")


@pytest.mark.parametrize("name", FORGED)
def test_checking_a_forged_certificate_ends_in_time(name: str, tmp_path: Path) -> None:
    file, saved = tmp_path / "hungry.ser", tmp_path / "forged.json"
    file.write_text(failing(name))
    evidence = NoFaultEvidence(1, ())
    saved.write_text(write(Certificate(digest(parse(failing(name))), "safe", evidence, SAFETY)))
    began = process_time()
    assert ser("verify", saved, file, "--timeout", str(SECONDS)) == 3
    assert process_time() - began < SECONDS + SLACK


@pytest.mark.parametrize("name", FORGED)
def test_the_memory_allowed_is_kept(name: str, tmp_path: Path) -> None:
    file = tmp_path / "hungry.ser"
    file.write_text(HUNGRY[name])
    result = CliRunner().invoke(main, ["check", str(file), "--max-memory", "1KB"])
    assert result.exit_code == 3
    assert "The memory limit is reached" in result.output


@pytest.mark.parametrize("name", ["forty choices in one step", "a long loop of choices"])
def test_steps_look_at_the_clock_themselves(name: str) -> None:
    """No timer interrupts a thread, so here only the looks of the loops count."""
    told: list[object] = []
    evidence = NoFaultEvidence(1, ())
    certificate = Certificate(digest(parse(failing(name))), "safe", evidence, SAFETY)

    def work() -> None:
        told.append(api.check(failing(name), timeout=SECONDS))
        try:
            api.verify(certificate, failing(name), timeout=SECONDS)
        except GaveUp as gave_up:
            told.append(gave_up)

    thread = Thread(target=work)
    began = process_time()
    thread.start()
    thread.join()
    assert process_time() - began < 2 * SECONDS + SLACK
    assert isinstance(told[0], api.Unknown)
    assert isinstance(told[1], GaveUp)
