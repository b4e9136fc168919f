"""Potential invariants: globals that count the requests in flight.

For a global variable v, a sign s = ±1 and weights w(ℓ) ≥ 0, zero for fresh and answered requests, the
invariant is

    s · (v − its initial value) = the sum of w(ℓ) over all requests in flight.

A lock has w = 1 for its holder, a semaphore that counts down has s = −1. The equation holds initially
(nobody is in flight), and a step (ℓ, g) → (ℓ', g') keeps it iff w(ℓ') − w(ℓ) = s · (v(g') − v(g)). So
weights are learned: ℓ' gets its weight from the step that first finds it, and every other explored step
must agree; if one does not, the candidate is `Broken`, and exploring starts over without it. If an
exploration ends without breaking a candidate, then by induction over runs the equation holds in every
reachable state, provided that the exploration left out only states that contradict the equation. That is
what `companions` is for: at g, requests at ℓ₁, …, ℓₖ and m can be in flight together only if w(ℓ₁) + … +
w(ℓₖ) + w(m) ≤ s · (v(g) − its initial value).
"""

from collections.abc import Iterable

from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding

Candidate = tuple[int, int]
"""(index of a variable, sign)."""

Weights = tuple[int, ...]
"""The weight for each candidate; empty without candidates."""

EVERYONE = -1
"""The mask of all locals."""

MAX_WEIGHT = 63
"""A candidate that needs larger weights counts something else than requests."""


class Broken(Exception):
    """A step contradicts these candidates."""

    def __init__(self, candidates: frozenset[Candidate]) -> None:
        super().__init__(candidates)
        self.candidates = candidates


class Potentials:
    """The weights learned so far for some candidates."""

    def __init__(self, unfolding: Unfolding, candidates: Iterable[Candidate]) -> None:
        self.candidates = tuple(candidates)
        self.global_values = unfolding.global_values
        self.weights: dict[int, Weights] = {}
        self.at_most: list[list[int]] = [[0] for _ in self.candidates]
        """For each candidate, for each bound: the mask of locals whose weight is at most that."""
        self._masks: dict[tuple[int, ...], int] = {}
        for start in unfolding.starts:
            self._learn(start, (0,) * len(self.candidates))

    def room(self, global_: int) -> tuple[int, ...]:
        """For each candidate: the weight that all requests in flight have together in this global state."""
        values, initial = self.global_values[global_], self.global_values[INITIAL_GLOBAL]
        return tuple([sign * (values[v] - initial[v]) for v, sign in self.candidates])

    def step(self, local: int, global_: int, target: int, after: int) -> None:
        """Records an explored step; raises `Broken` if it contradicts what is known."""
        before, now = self.global_values[global_], self.global_values[after]
        weight = tuple(
            [
                old + sign * (now[v] - before[v])
                for old, (v, sign) in zip(self.weights[local], self.candidates, strict=True)
            ]
        )
        if target < 0:
            known: tuple[int, ...] | None = (0,) * len(weight)
        else:
            known = self.weights.get(target)
        if known is None:
            self._learn(target, weight)
        elif known != weight:
            self._break(known, weight)

    def _break(self, known: tuple[int, ...], weight: tuple[int, ...]) -> None:
        pairs = zip(self.candidates, known, weight, strict=True)
        raise Broken(frozenset(candidate for candidate, old, new in pairs if old != new))

    def _learn(self, local: int, weight: tuple[int, ...]) -> None:
        bad = [c for c, w in zip(self.candidates, weight, strict=True) if not 0 <= w <= MAX_WEIGHT]
        if bad:
            raise Broken(frozenset(bad))
        self.weights[local] = weight
        self._masks.clear()
        bit = 1 << local
        for masks, own in zip(self.at_most, weight, strict=True):
            while len(masks) <= own:
                masks.append(masks[-1])
            for bound in range(own, len(masks)):
                masks[bound] |= bit

    def companions(self, global_: int, *together: int) -> int:
        """The mask of locals that may be in flight beside these requests in this global state."""
        if not self.candidates:
            return EVERYONE
        return self.companions_of(global_, *[self.weights[local] for local in together])

    def companions_of(self, global_: int, *weights: Weights) -> int:
        """The mask of locals that may be in flight beside requests of these weights."""
        if not self.candidates:
            return EVERYONE
        left = self.room(global_)
        for weight in weights:
            left = tuple([room - own for room, own in zip(left, weight, strict=True)])
        mask = self._masks.get(left)
        if mask is None:
            mask = EVERYONE
            for masks, room in zip(self.at_most, left, strict=True):
                if room < 0:
                    mask = 0
                elif room < len(masks):
                    mask &= masks[room]
            self._masks[left] = mask
        return mask


def candidates(unfolding: Unfolding, cap: int = 2000) -> frozenset[Candidate]:
    """The candidates that survive some serial runs: one request at a time, `cap` steps in all.

    Alone in flight, a request at ℓ has all the weight: v − its initial value is s · w(ℓ), a function of ℓ
    alone.
    """
    initial = unfolding.global_values[INITIAL_GLOBAL]
    alive = set(range(len(initial)))
    offsets: dict[int, tuple[int, ...]] = {}
    quiet = [INITIAL_GLOBAL]
    seen_quiet = {INITIAL_GLOBAL}
    steps = 0
    while quiet and alive and steps < cap:
        between = quiet.pop()
        pending = [(start, between) for start in unfolding.starts]
        seen = set(pending)
        while pending and steps < cap:
            local, global_ = pending.pop()
            for move in unfolding.moves(local, global_):
                target, after = move
                steps += 1
                values = unfolding.global_values[after]
                offset = tuple([value - first for value, first in zip(values, initial, strict=True)])
                expected = (0,) * len(initial) if target < 0 else offsets.setdefault(target, offset)
                alive -= {v for v in alive if offset[v] != expected[v]}
                if target < 0:
                    if after not in seen_quiet:
                        seen_quiet.add(after)
                        quiet.append(after)
                elif move not in seen:
                    seen.add(move)
                    pending.append(move)
    found: set[Candidate] = set()
    for v in alive:
        taken = {offset[v] for offset in offsets.values()}
        if any(taken) and all(value >= 0 for value in taken):
            found.add((v, 1))
        elif any(taken) and all(value <= 0 for value in taken):
            found.add((v, -1))
    return frozenset(found)
