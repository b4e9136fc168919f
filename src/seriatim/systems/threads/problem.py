"""What engines are asked about threads."""

from seriatim.frozen import frozen
from seriatim.method import Algorithm
from seriatim.program.threads.syntax import ThreadProgram


@frozen
class ThreadProblem:
    """Can a step of a thread program fail?"""

    program: ThreadProgram
    algorithm: Algorithm = 1
    """Of the paper on petrification."""
