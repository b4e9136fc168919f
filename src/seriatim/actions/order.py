"""The order of a proof: which of two instances comes first. It is strict and total.

Instances compare by their keys, lexicographically, where a key that ends early comes first (as if padded with
−∞); then by the rank of their names; then by their arguments. So two different instances are never equal, and
every set of instances has a least one.
"""

from seriatim.actions.meaning import Environment, Meanings
from seriatim.actions.syntax import Key, Proof
from seriatim.actions.values import GlobalState, Instance, Value

Place = tuple[tuple[Value, ...], int, tuple[Value, ...]]


class Ordering:
    """The order of a proof in runs from one initial state; keys read only globals that never change."""

    def __init__(self, proof: Proof, meanings: Meanings) -> None:
        self.proof = proof
        self._meanings = meanings
        self._keys: dict[str, Key] = {key.action: key for key in proof.keys}
        self._ranks = {name: rank for rank, name in enumerate(proof.order.names)}

    def place(self, instance: Instance, initial: GlobalState) -> Place:
        """The place of an instance in the order; smaller places come first."""
        name, arguments = instance
        rank, key = self._ranks[name], self._keys.get(name)
        if key is not None:
            environment = Environment(initial, dict(zip(key.arguments, arguments, strict=True)))
            parts: tuple[Value, ...] = self._meanings.tuple_of(key.parts)(environment)
        elif self.proof.order.by_index:
            parts = (arguments[0], rank, *arguments[1:])
        else:
            parts = (rank, *arguments)
        return parts, rank, arguments

    def is_ordered(self, instance: Instance) -> bool:
        return instance[0] in self._ranks

    def least(self, pending: tuple[Instance, ...], initial: GlobalState) -> Instance | None:
        """The next instance to execute; None if no ordered one is pending."""
        ordered = [each for each in pending if each[0] in self._ranks]
        return min(ordered, key=lambda each: self.place(each, initial)) if ordered else None
