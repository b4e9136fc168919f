"""Parts of the conditions of a proof, for those who look for one and need not ask about everything."""

from collections.abc import Iterator

from seriatim.checking.sequentialization.assumptions import Condition
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.premises import Premise

EXCHANGE = frozenset((Premise.KEEPS_GATE, Premise.NO_REPAIR, Premise.COMMUTES))
"""The premises about two actions."""


def conditions_about(
    conditions: Conditions, premises: frozenset[Premise], actions: tuple[str, ...]
) -> list[Condition]:
    """The conditions of some premises; those that are about one moved action, for some actions."""

    def generate() -> Iterator[Condition]:
        if premises & {Premise.INITIAL, Premise.ALWAYS}:
            yield from conditions.initial()
        if Premise.ALWAYS in premises:
            yield from conditions.always()
        for action in actions:
            if Premise.ORDER in premises:
                yield from conditions.order(action)
            if premises & EXCHANGE:
                yield from conditions.exchanges(action)

    return [each for each in conditions.complete(generate()) if each.premise in premises]
