"""Bidirectional slicing (paper, Appendix H): what can have a share in a run to some target markings.

*Forwards*: a place can hold a token only if it has one at the start, or if some transition gives it one all
of whose inputs can hold tokens. *Backwards*: a token can be on its way to a target marking only if its place
may hold tokens there, or if some transition takes it all of whose outputs can. Places that fail one of the
two are left out, together with all transitions at them; that may make others fail, so both are repeated
until nothing changes.

Claim: a target marking can be reached in the net if and only if it can in the slice, and if a place is left
out that holds a token at the start, no target marking can be reached. Why: no run to a target marking ever
has a token on a place that is left out, so it is a run of the slice.

Each round is also a cut of the whole net (`seriatim.petri.cuts`), about all places left out so far. Forwards
it is a siphon: without tokens at the start, and no transition that stays enters it; so whatever takes from
it cannot be used. Backwards it is a trap: empty in all target markings, and no transition that stays leaves
it. The state equation with these cuts knows everything that slicing knows.
"""

from collections.abc import Set
from dataclasses import dataclass

from seriatim.petri.cuts import Cut, CutKind, spread
from seriatim.petri.net import PetriNet, Transition


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a net, by the numbers of what stays."""

    places: tuple[int, ...]
    transitions: tuple[int, ...]
    cuts: tuple[Cut, ...]
    """Why nothing else is needed."""
    is_reachable: bool
    """False if a place is left out that holds a token at the start."""

    def net(self, whole: PetriNet) -> PetriNet:
        number = {place: index for index, place in enumerate(self.places)}

        def renumber(places: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(number[place] for place in places)

        kept = (whole.transitions[index] for index in self.transitions)
        return PetriNet(
            tuple(whole.places[place] for place in self.places),
            tuple(Transition(t.name, renumber(t.pre), renumber(t.post)) for t in kept),
            tuple(whole.initial[place] for place in self.places),
        )


def whole_slice(net: PetriNet) -> Slice:
    """The one that leaves nothing out."""
    return Slice(tuple(range(len(net.places))), tuple(range(len(net.transitions))), (), True)


def bidirectional_slice(net: PetriNet, may_hold_tokens: Set[int]) -> Slice:
    """The slice for target markings that have tokens on these places only."""
    start = frozenset(place for place, tokens in enumerate(net.initial) if tokens)
    everywhere = frozenset(range(len(net.places)))
    places = everywhere
    transitions = list(range(len(net.transitions)))
    cuts: list[Cut] = []
    while True:
        arcs = [(net.transitions[index].pre, net.transitions[index].post) for index in transitions]
        forwards = spread(start & places, arcs) & places
        arcs = [arc for arc in arcs if forwards.issuperset(arc[0])]
        backwards = spread(may_hold_tokens & forwards, [(post, pre) for pre, post in arcs]) & forwards
        if forwards < places:
            cuts.append(Cut(CutKind.SIPHON, everywhere - forwards))
        if backwards < forwards:
            cuts.append(Cut(CutKind.TRAP, everywhere - backwards))
        is_done = backwards == places
        places = backwards
        transitions = [index for index in transitions if _is_within(net.transitions[index], places)]
        if is_done or not start <= places:
            return Slice(tuple(sorted(places)), tuple(transitions), tuple(cuts), start <= places)


def _is_within(transition: Transition, places: frozenset[int]) -> bool:
    return places.issuperset(transition.pre) and places.issuperset(transition.post)
