"""Conflict serializability: can steps without conflicts be exchanged until requests run one by one?"""

from dataclasses import dataclass

from seriatim.properties.property import Property
from seriatim.properties.statement import NoCycle


@dataclass(frozen=True, slots=True)
class ConflictSerializability(Property):
    name = "conflict-serializable"
    verdicts = ("conflict_serializable", "not_conflict_serializable")

    def states(self) -> NoCycle:
        return NoCycle()

    def asked(self) -> str:
        return "Observed: the order in which requests read and write each variable."

    def refusal(self) -> str:
        return "No one-at-a-time order keeps all conflicts in their order"
