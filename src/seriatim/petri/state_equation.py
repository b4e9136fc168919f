"""The state equation of a net: what counts of firings do to a marking, forgetting their order.

If transitions fire x₀, x₁, … times in all, in whatever order, place p ends with M₀(p) + Σ xₜ·(post − pre)(p)
tokens. Variable t of the forms in here is the count xₜ of transition t.
"""

from seriatim.arithmetic.formula import Form, combination, total
from seriatim.petri.net import PetriNet


def final_marking(net: PetriNet) -> tuple[Form, ...]:
    """For each place the number of tokens after the firings."""
    given: list[list[int]] = [[] for _ in net.places]
    taken: list[list[int]] = [[] for _ in net.places]
    for index, transition in enumerate(net.transitions):
        for place in transition.post:
            given[place].append(index)
        for place in transition.pre:
            taken[place].append(index)
    return tuple(
        combination([(1, total(given[place])), (-1, total(taken[place]))], net.initial[place])
        for place in range(len(net.places))
    )
