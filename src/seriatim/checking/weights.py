"""Invariants: by how much a variable has changed is the sum of the weights of all requests in flight.

An invariant says that s · (v − initial v) = Σ w(flight), with w ≥ 0, and 0 for fresh and answered flights. So
flights that weigh more than the left side, the *room*, cannot be together. Weights are learned from the first
step to each flight; that every other step keeps the equation is verified, and an invariant that some step
breaks is not used.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from seriatim.certificate.in_flight import Invariant
from seriatim.program.state import GlobalState

Weight = tuple[int, ...]
"""A weight for each invariant."""

Flight = TypeVar("Flight", bound=Hashable)
Found = TypeVar("Found")


class Broken(Exception):
    """A step does not keep these invariants."""

    def __init__(self, invariants: set[Invariant]) -> None:
        super().__init__()
        self.invariants = invariants


def with_unbroken(
    invariants: Iterable[Invariant], names: Collection[str], find: Callable[[tuple[Invariant, ...]], Found]
) -> Found:
    """Returns what is found with the invariants about these variables, but for those that turn out to be
    broken."""
    kept = {invariant for invariant in invariants if invariant.variable in names}
    while True:
        try:
            return find(tuple(sorted(kept)))
        except Broken as broken:
            kept -= broken.invariants


def values_of(state: GlobalState) -> dict[str, int]:
    """The values of variables; the state of a network system has none."""
    return {} if isinstance(state, str) else dict(state)


class Weights(Generic[Flight]):
    """What each flight weighs, as far as steps have shown."""

    def __init__(
        self, invariants: tuple[Invariant, ...], initial: Mapping[str, int], fresh: Iterable[Flight]
    ) -> None:
        self.invariants = invariants
        self.initial = initial
        self.nothing: Weight = (0,) * len(invariants)
        self.of: dict[Flight, Weight] = dict.fromkeys(fresh, self.nothing)

    def room(self, values: Mapping[str, int]) -> Weight:
        """Returns what all flights together weigh, where globals have these values."""
        return tuple([i.sign * (values[i.variable] - self.initial[i.variable]) for i in self.invariants])

    def step(self, flight: Flight, target: Flight | None, before: Weight, after: Weight) -> None:
        """A step from one room to another, to a flight or to an answer. Raises `Broken`."""
        weight = tuple([w + now - then for w, now, then in zip(self.of[flight], after, before, strict=True)])
        expected = self.nothing if target is None else self.of.setdefault(target, weight)
        each = zip(self.invariants, weight, expected, strict=True)
        broken = {invariant for invariant, own, other in each if own != other or own < 0}
        if broken:
            raise Broken(broken)
