"""Siphon and trap cuts: what the state equation forgets about order, one set of places at a time.

Let Q be a set of places. A transition *enters* Q if it gives to Q and takes nothing from it, and *leaves* Q
if it takes from Q and gives nothing to it.

Siphon cut, for Q without tokens at the start: no transition that takes from Q is used, or some transition
that enters Q is. Why: the first transition that takes from Q needs a token there; the firing that brought
the first token into Q took nothing from it.

Trap cut: Q has no token at the start and no transition that gives to Q is used, or Q has a token at the
end, or some transition that leaves Q is used. Why: otherwise Q had a token at some time, and each firing
that took one from it has given one back.

Both hold for the counts of every run, whatever Q is, so that Q may come from anywhere. `broken_cuts` looks
for cuts that given counts break. *Forwards*: fire whatever is used, as if counts were unlimited; if
something never gets enabled, the places that never get a token are a Q whose siphon cut is broken.
*Backwards*, from the final marking and with arcs reversed, the same gives a trap cut.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from seriatim.arithmetic.formula import Clause, at_least, at_most, combination, total
from seriatim.petri.net import PetriNet
from seriatim.petri.state_equation import final_marking


class CutKind(StrEnum):
    SIPHON = "siphon"
    TRAP = "trap"


@dataclass(frozen=True, slots=True)
class Cut:
    kind: CutKind
    places: frozenset[int]


def clause(net: PetriNet, cut: Cut) -> Clause:
    """Returns what the cut says about the counts of firings; variable t is the count of transition t."""
    taking: list[int] = []
    giving: list[int] = []
    for index, transition in enumerate(net.transitions):
        if not cut.places.isdisjoint(transition.pre):
            taking.append(index)
        if not cut.places.isdisjoint(transition.post):
            giving.append(index)
    is_marked = any(net.initial[place] for place in cut.places)
    match cut.kind:
        case CutKind.SIPHON:
            if is_marked:
                raise ValueError("a siphon cut is about places without tokens at the start")
            entering = total(t for t in giving if t not in set(taking))
            return at_most(total(taking), 0), at_least(entering, 1)
        case CutKind.TRAP:
            leaving = total(t for t in taking if t not in set(giving))
            marking = final_marking(net)
            at_end = combination((1, marking[place]) for place in sorted(cut.places))
            escapes = (at_least(at_end, 1), at_least(leaving, 1))
            return escapes if is_marked else (at_most(total(giving), 0), *escapes)


def broken_cuts(net: PetriNet, counts: Sequence[int]) -> Iterator[Cut]:
    """At most one cut of each kind that these counts break."""
    used = [(t.pre, t.post) for t, count in zip(net.transitions, counts, strict=False) if count > 0]
    start = [place for place, tokens in enumerate(net.initial) if tokens > 0]
    end = [place for place, form in enumerate(final_marking(net)) if form.value(counts) > 0]
    everywhere = frozenset(range(len(net.places)))
    forwards = spread(start, used)
    if any(not forwards.issuperset(pre) for pre, _ in used):
        yield Cut(CutKind.SIPHON, everywhere - forwards)
    backwards = spread(end, [(post, pre) for pre, post in used])
    if any(not backwards.issuperset(post) for _, post in used) or not backwards.issuperset(start):
        yield Cut(CutKind.TRAP, everywhere - backwards)


def spread(marked: Iterable[int], arcs: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> frozenset[int]:
    """The places that get a token when everything that is enabled fires, and nothing is used up."""
    reached = set(marked)
    waiting = arcs
    while True:
        enabled = [post for pre, post in waiting if reached.issuperset(pre)]
        if not enabled:
            return frozenset(reached)
        waiting = [arc for arc in waiting if not reached.issuperset(arc[0])]
        for post in enabled:
            reached.update(post)
