"""Freedom from deadlocks: can every request in flight still complete, whatever the others have done?"""

from dataclasses import dataclass

from seriatim.properties.property import Property
from seriatim.properties.statement import NeverStuck

OF_THREADS = (
    "Looked for: hangs, in which no thread can go on, although some have not ended; and threads that "
    "wait for ever."
)
"""The sentence about the question for programs with threads."""


@dataclass(frozen=True, slots=True)
class DeadlockFreedom(Property):
    name = "deadlock-free"
    verdicts = ("deadlock_free", "not_deadlock_free")

    def states(self) -> NeverStuck:
        return NeverStuck()

    def asked(self) -> str:
        return "Looked for: requests that wait for ever, whatever requests still arrive."

    def refusal(self) -> str:
        return "Requests are in flight that can never complete, whatever arrives"


DEADLOCK_FREEDOM = DeadlockFreedom()
