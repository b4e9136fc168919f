"""Evidence of the kind `atomic`: no handler yields.

A big step ends at a `yield` or with an answer; without a `yield`, it ends with an answer. So each request
in a complete run is spawned, takes one step at most, and answers. Spawning and answering leave the global
state as it is, so they may as well happen right before and right after that step: the run is a serial one,
with the same outcome.

Where arguments may be any integers, this is about the handlers that have them: an example of arguments may
never come to a `yield` that others come to.
"""

from collections.abc import Iterator

from seriatim.certificate.atomic import AtomicEvidence
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.program.syntax import yields


def obligations(task: Task[AtomicEvidence]) -> Iterator[Obligation]:
    examples, unbounded = task.needs_program().handlers, task.content.unbounded_handlers
    yielding = [each.name for each in examples if yields(each.body)]
    yielding += [each.name for each in unbounded if yields(each.body)]
    detail = f"`{yielding[0]}` does" if yielding else "so every request is a single step"
    yield Obligation("no handler contains `yield`", not yielding, detail)
