"""What engines are asked about threads."""

from seriatim.frozen import frozen
from seriatim.program.threads.syntax import ThreadProgram


@frozen
class ThreadProblem:
    """Can a step of a thread program fail?"""

    program: ThreadProgram
