"""Where an extra is not installed, one sentence says so, and how to get it."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys; sys.modules[sys.argv.pop(1)] = None; from seriatim.cli.entry import run; run()"

SCRIPT = """\
create table t (id int primary key, n int not null);
insert into t values (1, 0);
-- transaction: add
update t set n = n + 1 where id = 1 returning n;
"""


@pytest.mark.parametrize(
    ("package", "name", "arguments", "hint"),
    [
        ("sqlglot", "add.sql", [], "pip install 'seriatim[sql]'"),
        ("pycparser", "add.c", ["--steps", "statement"], "pip install 'seriatim[c]'"),
    ],
)
def test_a_missing_extra_is_named(
    package: str, name: str, arguments: list[str], hint: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(SCRIPT if name.endswith(".sql") else "int main(void) { return 0; }\n")
    command = [sys.executable, "-c", RUN, package, "check", str(file), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2, done.stderr
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
