"""What C programs without threads compute: as an executable of gcc, and as Seriatim reads them."""

import subprocess
from pathlib import Path

from seriatim.budget import Deadline
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem

UNDEFINED = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")


def computed(compiler: str, program: str, final: str, folder: Path) -> int | None:
    """The value that the executable prints; None if the program does what C leaves undefined, such as an
    overflow of signed integers. `program` lacks its end."""
    source, executable = folder / "random.c", folder / "random"
    text = f'#include <stdio.h>\n{program}printf("%d", {final}); return 0; }}\n'
    source.write_text(text, "utf-8")
    options = ["-w", "-O0", *UNDEFINED, "-o", str(executable)]
    subprocess.run([compiler, *options, str(source)], check=True, timeout=60)
    run = subprocess.run([str(executable)], check=False, timeout=60, capture_output=True, text=True)
    return int(run.stdout) if run.returncode == 0 else None


def fails(text: str) -> bool | None:
    """Whether an assertion of a program can fail; None if that is not seen within some thousand steps."""
    program = read_c_threads(SourceText("random.c", text))
    system = FiniteSystem(program, Deadline(20))
    found = Search(system, Deadline(20)).advance(3_000)
    assert system.inexact is None
    return isinstance(found, Failing) if isinstance(found, Failing | Exhausted) else None
