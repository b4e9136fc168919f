"""How many tokens can some places of a net have together at most?

The answer is exact: a run to that many tokens, and evidence that no run leads to more. Or the tokens grow
without a bound, which a pump shows. More and more tokens are asked for, twice as many more each time, and
then the gap between what is reached and what is excluded is halved.
"""

from dataclasses import dataclass

from seriatim.arithmetic.formula import Constraint, Form, at_least, combination
from seriatim.budget import Deadline
from seriatim.petri.answering import FIRST_MARKINGS, Found, find
from seriatim.petri.boundedness import Pump, find_weights, search
from seriatim.petri.net import Marking, PetriNet, after_firings
from seriatim.petri.reachability import Open, Reached
from seriatim.petri.search import Exhausted, run_to


@dataclass(frozen=True, slots=True)
class Maximum:
    """The most tokens, a run to them, and why there are never more."""

    tokens: int
    run: tuple[int, ...]
    above: Found
    """The answer to whether one more can be reached."""


@dataclass(frozen=True, slots=True)
class Between:
    """So many tokens are reached; whether there can be more is open."""

    tokens: int
    run: tuple[int, ...]
    why: str


def more_than(places: Form, tokens: int) -> Constraint:
    """More tokens than these in the places that a form adds up."""
    return at_least(combination([(1, places)], -tokens), 1)


def find_maximum(
    net: PetriNet, places: Form, max_markings: int, deadline: Deadline
) -> Maximum | Pump | Between:
    """Finds the most tokens that the places have together; a form may count a place several times."""
    best = places.value(net.initial)
    run: tuple[int, ...] = ()

    def see(marking: Marking) -> bool:
        nonlocal best
        best = max(best, places.value(marking))
        return False

    quick = run_to(net, see, min(FIRST_MARKINGS, max_markings), deadline)
    wanted = best
    found = run_to(
        net, lambda marking: places.value(marking) >= wanted, min(FIRST_MARKINGS, max_markings), deadline
    )
    if isinstance(found, tuple):
        run = found
    if isinstance(quick, Exhausted):
        return Maximum(best, run, quick)
    counted = frozenset(place for place, _ in places.terms)
    if find_weights(net, counted, deadline) is None:
        pump = search(net, max_markings, deadline, is_deep=False, places=counted)
        if isinstance(pump, Pump):
            return pump
    excluded: tuple[int, Found] | None = None
    step = 1
    while excluded is None or excluded[0] > best + 1:
        least = best + step if excluded is None else (best + excluded[0] + 1) // 2
        answer = find(net, more_than(places, least - 1), max_markings, deadline)
        if isinstance(answer, Open):
            return Between(best, run, answer.why)
        if isinstance(answer, Reached):
            run = answer.firings
            best = places.value(after_firings(net, run) or net.initial)
            step = 2 * step
        else:
            excluded = least, answer
    return Maximum(best, run, excluded[1])
