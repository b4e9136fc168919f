"""What can be chosen about programs with threads."""

from typing import Literal

from seriatim.frozen import frozen

Algorithm = Literal[1, 2, 3]


@frozen
class ThreadOptions:
    algorithm: Algorithm = 1
    """Of the paper on petrification: in which order it asks for a bound and for safety."""
    width: bool = False
    """Whether to find out how many threads of a template there can be at a time."""
