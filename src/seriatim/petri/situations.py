"""Situations: the control of a net, multiplied with what is known about the numbers of other tokens.

A situation is a control place together with the exact number of tokens on some of the other places. In a
list of situations, *forwards*: from each situation, each transition that can fire there leads to the first
one in the list that fits: the numbers that it knows are those after the firing. *Backwards* it is the
same with arcs reversed: what a transition gives it takes back, and one that leads to a situation comes from
the first one that fits.

Claim: if there is always one that fits, every complete run is a path of situations, and its counts of
firings are those of a complete run of the product, a net whose control are the situations. Forwards, the
path begins in the first situation, which fits the initial marking; backwards, it ends in the first one that
fits the final marking. Why: what a situation knows is right at the first (or last) marking, and stays so
from firing to firing; so whatever really fires can fire in the situation, too.

The product allows fewer counts than the net itself, since it knows which tokens cannot be there yet, or no
longer. `situations` finds a list in the manner of Karp and Miller, one that is finite and small: a number
that can grow for ever is no longer known.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from seriatim.closure import reached
from seriatim.petri.controlled_net import ControlledNet
from seriatim.petri.net import PetriNet, Transition

Numbers = tuple[int | None, ...]
"""For each place beyond the control the number of its tokens; None if it is not known."""


class Direction(StrEnum):
    BACKWARD = "backward"
    FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class Situation:
    control: int
    numbers: Numbers

    def fits(self, numbers: Numbers) -> bool:
        """Whether all that is known here is right, given what is known of the same control."""
        return all(own is None or own == n for own, n in zip(self.numbers, numbers, strict=True))


@dataclass(frozen=True, slots=True)
class _Arc:
    """A transition as it is walked along: what it takes and gives beyond the control, and where it leads."""

    transition: int
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    target: int

    def after(self, numbers: Numbers) -> Numbers | None:
        """Returns what is known afterwards; None if the transition can't fire."""
        if any(numbers[place] == 0 for place in self.takes):
            return None
        found = list(numbers)
        for places, change in ((self.takes, -1), (self.gives, 1)):
            for place in places:
                number = found[place]
                found[place] = None if number is None else number + change
        return tuple(found)


class SituationWalk:
    """A net, walked along in one direction."""

    def __init__(self, given: ControlledNet, direction: Direction) -> None:
        self.given = given
        self.direction = direction
        nothing = (0,) * (len(given.net.places) - given.control)
        first = [0] if direction is Direction.FORWARD else sorted(given.ends)
        self.roots = [Situation(place, nothing) for place in first]
        self.arcs: dict[int, list[_Arc]] = {}
        for index, transition in enumerate(given.net.transitions):
            before, takes = _split(transition.pre, given.control)
            after, gives = _split(transition.post, given.control)
            if direction is Direction.FORWARD:
                self.arcs.setdefault(before, []).append(_Arc(index, takes, gives, after))
            else:
                self.arcs.setdefault(after, []).append(_Arc(index, gives, takes, before))

    def following(self, situation: Situation) -> Iterator[tuple[int, int, Numbers]]:
        """(transition, control, numbers) for each transition that can fire."""
        for arc in self.arcs.get(situation.control, ()):
            numbers = arc.after(situation.numbers)
            if numbers is not None:
                yield arc.transition, arc.target, numbers


def _split(places: tuple[int, ...], control: int) -> tuple[int, tuple[int, ...]]:
    """The control place, and the others, counted from 0."""
    own = next(place for place in places if place < control)
    return own, tuple(place - control for place in places if place >= control)


def situations(given: ControlledNet, direction: Direction, max_edges: int) -> tuple[Situation, ...] | None:
    """A list in which there is always one that fits; None if it has too many edges."""
    walk = SituationWalk(given, direction)
    found: list[Situation] = []
    came_from: dict[Situation, Situation | None] = {}
    by_control: dict[int, list[Situation]] = {}

    def reach(situation: Situation, parent: Situation | None) -> None:
        known = by_control.setdefault(situation.control, [])
        if not any(other.fits(situation.numbers) for other in known):
            known.append(situation)
            found.append(situation)
            came_from[situation] = parent

    for root in walk.roots:
        reach(root, None)
    edges = 0
    for situation in found:  # grows while it is gone through
        for _, control, numbers in walk.following(situation):
            edges += 1
            reach(Situation(control, accelerate(control, numbers, situation, came_from)), situation)
        if edges > max_edges:
            return None
    return tuple(found)


def accelerate(
    control: int, numbers: Numbers, parent: Situation, came_from: dict[Situation, Situation | None]
) -> Numbers:
    """Forgets the numbers that have grown since the control was in the same place with no number larger: what
    happened since can happen again."""
    current: Situation | None = parent
    while current is not None:
        pairs = list(zip(current.numbers, numbers, strict=True))
        if current.control == control and all(
            now is None or (then is not None and then <= now) for then, now in pairs
        ):
            numbers = tuple(now if then == now else None for then, now in pairs)
        current = came_from[current]
    return numbers


def product(given: ControlledNet, direction: Direction, found: tuple[Situation, ...]) -> ControlledNet:
    """The net whose control are the situations: the first place is the start, situation i is place i + 1.

    From the start, a transition leads to each situation in which runs can begin. What is on no path from
    there to an end is left out.
    """
    edges = list(_edges(given, direction, found))
    empty = (0,) * (len(given.net.places) - given.control)
    forwards = direction is Direction.FORWARD
    roots = {_first(found, root.control, root.numbers) for root in SituationWalk(given, direction).roots}
    others = {
        index
        for index, situation in enumerate(found)
        if situation.fits(empty) and (situation.control in given.ends if forwards else situation.control == 0)
    }
    starts, ends = (roots, others) if forwards else (others, roots)
    useful = reached(starts, ((before, after) for before, _, after in edges))
    useful &= reached(ends, ((after, before) for before, _, after in edges))
    control = len(found) + 1
    transitions: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((0,), (start + 1,)) for start in sorted(starts & useful)
    ]
    kept = [(before, t, after) for before, t, after in edges if before in useful and after in useful]
    answering: dict[int, list[int]] = {completion: [] for completion in given.answering}
    completion_of = {t: completion for completion, ts in given.answering.items() for t in ts}
    for before, t, after in kept:
        if t in completion_of:
            answering[completion_of[t]].append(len(transitions))
        takes = _split(given.net.transitions[t].pre, given.control)[1]
        gives = _split(given.net.transitions[t].post, given.control)[1]
        transitions.append(
            ((before + 1, *(control + p for p in takes)), (after + 1, *(control + p for p in gives)))
        )
    places = ("start", *(f"s{index}" for index in range(len(found))), *given.net.places[given.control :])
    return ControlledNet(
        PetriNet(
            places,
            tuple(Transition(f"t{index}", pre, post) for index, (pre, post) in enumerate(transitions)),
            tuple(int(place == 0) for place in range(len(places))),
        ),
        control,
        frozenset(end + 1 for end in ends & useful),
        {completion: tuple(ts) for completion, ts in answering.items()},
    )


def _edges(
    given: ControlledNet, direction: Direction, found: tuple[Situation, ...]
) -> Iterator[tuple[int, int, int]]:
    """(situation before, transition, situation after), by number."""
    walk = SituationWalk(given, direction)
    for index, situation in enumerate(found):
        for t, control, numbers in walk.following(situation):
            other = _first(found, control, numbers)
            yield (index, t, other) if direction is Direction.FORWARD else (other, t, index)


def _first(found: tuple[Situation, ...], control: int, numbers: Numbers) -> int:
    return next(i for i, s in enumerate(found) if s.control == control and s.fits(numbers))
