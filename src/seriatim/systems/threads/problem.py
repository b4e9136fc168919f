"""What engines are asked about threads."""

from typing import Literal

from seriatim.frozen import frozen
from seriatim.program.threads.syntax import ThreadProgram


@frozen
class ThreadProblem:
    """Can a step of a thread program fail?"""

    program: ThreadProgram
    algorithm: Literal[1, 2, 3] = 1
    """Of the paper on petrification: in which order it asks for a bound and for safety."""
