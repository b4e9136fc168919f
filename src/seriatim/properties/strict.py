"""Strict serializability: is every complete run explained by a serial one that respects real time?"""

from dataclasses import dataclass

from seriatim.properties.property import BARRIERS, Property
from seriatim.properties.statement import Outcomes, Time


@dataclass(frozen=True, slots=True)
class StrictSerializability(Property):
    name = "strict"
    verdicts = ("strictly_serializable", "not_strictly_serializable")
    takes = (BARRIERS,)

    barriers: int = 1
    """How many barriers of real time an order has to respect."""

    def states(self) -> Outcomes:
        return Outcomes(Time(self.barriers, pending=False))

    def asked(self) -> str:
        return f"Observed: the answers{time_words(self.barriers)}."

    def refusal(self) -> str:
        order = "order that respects time" if self.barriers else "order"
        return f"No one-at-a-time {order} gives these answers"


def time_words(barriers: int) -> str:
    """Describes the times of an outcome, as the end of a list."""
    if barriers == 0:
        return ", whatever the time"
    count = f"{barriers} barrier{'' if barriers == 1 else 's'}"
    return f", and which requests ended before others began, up to {count} of time"
