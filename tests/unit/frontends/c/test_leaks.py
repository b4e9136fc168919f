"""Memory that a program never frees: a note of those who ask about memory."""

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.properties.memory_safe import MEMORY_SAFETY
from seriatim.properties.property import Property
from seriatim.properties.safe import SAFETY
from seriatim.source import SourceText

TEXT = "#include <stdlib.h>\nint main() {\n  int *p = malloc(sizeof(int));\n  *p = 1;\n  END\n}"


@pytest.mark.parametrize(
    ("question", "end", "lines"),
    [(MEMORY_SAFETY, "return 0;", [3]), (MEMORY_SAFETY, "free(p);", []), (SAFETY, "return 0;", [])],
)
def test_memory_that_is_never_freed_is_noted(question: Property, end: str, lines: list[int]) -> None:
    program = read_c_threads(SourceText("t.c", TEXT.replace("END", end)))
    notes = decide_threads(program, Options(timeout=30.0, question=question)).warnings
    assert [each.span.line for each in notes if each.code == "SER726" and each.span is not None] == lines
