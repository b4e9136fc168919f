"""The network system of a program: finite where its reachable part is, and numbered by the program alone."""

import os
import subprocess
import sys
from pathlib import Path

from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import Limits

LOCKED_COUNTER = """
request incr {
    while (LOCK == 1) { yield };
    LOCK := 1;
    yield;
    if (X < 3) { yield; X := X + 1 };
    yield;
    r := X;
    LOCK := 0;
    r
}
"""


def test_a_bounded_counter_under_a_lock_is_finite_although_the_full_product_is_not() -> None:
    """Who has tested X < 3 could add to any X, but only one at a time can have tested it."""
    system = network_system(parse(LOCKED_COUNTER), Limits(max_states=1_000), Deadline())
    assert {name for name in system.globals if "X=4" in name} == set()
    assert len(system.globals) == 8


def test_the_numbering_does_not_depend_on_hash_seeds(tmp_path: Path) -> None:
    program = tmp_path / "counter.ser"
    program.write_text(LOCKED_COUNTER, "utf-8")
    command = [sys.executable, "-c", "from seriatim.cli.main import main; main()"]
    outputs = {
        subprocess.run(
            [*command, "show", str(program), "--as", "delta", "--format", "json"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "17")
    }
    assert len(outputs) == 1
