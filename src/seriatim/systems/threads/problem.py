"""What engines are asked about threads."""

from dataclasses import dataclass

from seriatim.method import Algorithm
from seriatim.program.threads.syntax import ThreadProgram


@dataclass(frozen=True, slots=True)
class ThreadProblem:
    """Can a step of a thread program fail?"""

    program: ThreadProgram
    algorithm: Algorithm = 1
    """Of the paper on petrification."""
