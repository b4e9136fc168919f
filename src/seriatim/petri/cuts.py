"""Cuts: what the state equation forgets about order, one set of places and one stage of the run at a time.

A *stage* is a part of the run: the firings of some transitions, `within` it, that come after all firings of
others, `before` it, and before all of the rest. The whole run is a stage, with nothing before it. Let Q be
a set of places. A transition *enters* Q if it gives to Q and takes nothing from it, and *leaves* Q if it
takes from Q and gives nothing to it. In each stage the following hold for every run, whatever Q is:

- siphon cut: Q has a token when the stage begins, or no transition within it that takes from Q is used, or
  some transition within it that enters Q is. Why: the first transition that takes from Q needs a token
  there; the firing that brought the first token into an empty Q took nothing from it.
- trap cut: Q has no token when the stage begins and no transition within it that gives to Q is used, or Q
  has a token when the stage ends, or some transition within it that leaves Q is used. Why: otherwise Q had
  a token at some time, and each firing that took one from it has given one back.
- balance: when the stage begins, no place has less than 0 tokens.

How many tokens there are when a stage begins or ends is a linear form, since the firings before it are
known by their transitions.

`broken_cuts` looks for cuts that given counts break. *Forwards*: from the places with tokens at the
beginning of a stage, fire whatever is used within it, as if counts were unlimited; if something never gets
enabled, the places that never get a token are a Q whose siphon cut is broken. *Backwards*, from the end of
the stage and with arcs reversed, the same gives a trap cut.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from seriatim.formula import Clause, Form, at_least, at_most, combination, total
from seriatim.petri.net import PetriNet


class CutKind(StrEnum):
    SIPHON = "siphon"
    TRAP = "trap"
    BALANCE = "balance"


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of every run; see the module."""

    before: frozenset[int]
    within: frozenset[int]


@dataclass(frozen=True, slots=True)
class Cut:
    kind: CutKind
    places: frozenset[int]
    stage: Stage


def whole_run(net: PetriNet) -> Stage:
    return Stage(frozenset(), frozenset(range(len(net.transitions))))


def clause(net: PetriNet, cut: Cut) -> Clause:
    """What the cut says about the counts of firings; variable t is the count of transition t."""
    at_start = tokens(net, cut.places, cut.stage.before)
    taking = {t for t in cut.stage.within if not cut.places.isdisjoint(net.transitions[t].pre)}
    giving = {t for t in cut.stage.within if not cut.places.isdisjoint(net.transitions[t].post)}
    match cut.kind:
        case CutKind.SIPHON:
            entering = total(giving - taking)
            return at_least(at_start, 1), at_most(total(taking), 0), at_least(entering, 1)
        case CutKind.TRAP:
            at_end = tokens(net, cut.places, cut.stage.before | cut.stage.within)
            ever = combination([(1, at_start), (1, total(giving))])
            return at_most(ever, 0), at_least(at_end, 1), at_least(total(taking - giving), 1)
        case CutKind.BALANCE:
            return (at_least(at_start, 0),)
        case _:
            assert_never(cut.kind)


def tokens(net: PetriNet, places: Set[int], fired: Iterable[int]) -> Form:
    """How many tokens some places have together after all firings of some transitions."""
    changes = [
        (sum(place in places for place in post) - sum(place in places for place in pre), total([t]))
        for t in fired
        for pre, post in [(net.transitions[t].pre, net.transitions[t].post)]
    ]
    return combination(changes, sum(net.initial[place] for place in places))


def broken_cuts(net: PetriNet, counts: Sequence[int], stage: Stage) -> Iterator[Cut]:
    """Cuts of this stage that these counts break: at most one siphon and one trap, or balances."""
    start = marking(net, counts, stage.before)
    end = marking(net, counts, stage.before | stage.within)
    negative = [place for place, count in enumerate(start) if count < 0]
    negative_end = [place for place, count in enumerate(end) if count < 0]
    if negative or negative_end:
        over = Stage(stage.before | stage.within, frozenset())
        yield from (Cut(CutKind.BALANCE, frozenset({place}), Stage(stage.before, frozenset())) for place in negative)
        yield from (Cut(CutKind.BALANCE, frozenset({place}), over) for place in negative_end)
        return
    used = [
        (net.transitions[t].pre, net.transitions[t].post) for t in sorted(stage.within) if counts[t] > 0
    ]
    everywhere = frozenset(range(len(net.places)))
    forwards = _spread(start, used)
    if any(not forwards.issuperset(pre) for pre, _ in used):
        yield Cut(CutKind.SIPHON, everywhere - forwards, stage)
    backwards = _spread(end, [(post, pre) for pre, post in used])
    marked = {place for place, count in enumerate(start) if count > 0}
    if any(not backwards.issuperset(post) for _, post in used) or not backwards.issuperset(marked):
        yield Cut(CutKind.TRAP, everywhere - backwards, stage)


def marking(net: PetriNet, counts: Sequence[int], fired: Iterable[int]) -> list[int]:
    """The tokens on each place after all firings of some transitions."""
    found = list(net.initial)
    for t in fired:
        for place in net.transitions[t].pre:
            found[place] -= counts[t]
        for place in net.transitions[t].post:
            found[place] += counts[t]
    return found


def _spread(
    start: Sequence[int], arcs: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> frozenset[int]:
    """The places that get a token when everything that is enabled fires, and nothing is used up."""
    reached = {place for place, count in enumerate(start) if count > 0}
    waiting = arcs
    while True:
        enabled = [post for pre, post in waiting if reached.issuperset(pre)]
        if not enabled:
            return frozenset(reached)
        waiting = [arc for arc in waiting if not reached.issuperset(arc[0])]
        for post in enabled:
            reached.update(post)
