"""Evidence of the kind `atomic`: no handler yields.

A big step ends at a `yield` or with an answer; without a `yield`, it ends with an answer. So each request
in a complete run is spawned, takes one step at most, and answers. Spawning and answering leave the global
state as it is, so they may as well happen right before and right after that step: the run is a serial one,
with the same outcome.
"""

from seriatim.checking.obligation import Obligation
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program, yields


def no_yield(content: Input) -> Obligation:
    claim = "no handler contains `yield`"
    if not isinstance(content, Program):
        return Obligation(claim, False, "the input is a network system, which has no text to show it")
    for handler in content.handlers:
        if yields(handler.body):
            return Obligation(claim, False, f"`{handler.name}` does")
    return Obligation(claim, True, "so every request is a single step")
