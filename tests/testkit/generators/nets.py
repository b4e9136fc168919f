"""Random small nets, and what exploring them finds."""

from collections import deque

from hypothesis import strategies as st

from seriatim.petri.net import Marking, PetriNet, Transition, fire

MAX_PLACES = 4


@st.composite
def nets(draw: st.DrawFn) -> PetriNet:
    """Nets with few places, of which some can hold any number of tokens."""
    places = draw(st.integers(1, MAX_PLACES))
    some = st.lists(st.integers(0, places - 1), max_size=2).map(lambda found: tuple(sorted(found)))
    arcs = draw(st.lists(st.tuples(some, some), max_size=5))
    initial = draw(st.tuples(*[st.integers(0, 2)] * places))
    return PetriNet(
        tuple(f"p{place}" for place in range(places)),
        tuple(Transition(f"t{index}", pre, post) for index, (pre, post) in enumerate(arcs)),
        initial,
    )


def explored(net: PetriNet, max_markings: int = 300) -> dict[Marking, tuple[int, ...]]:
    """Markings that can be reached, breadth first, each with a shortest run to it."""
    found: dict[Marking, tuple[int, ...]] = {net.initial: ()}
    queue = deque([net.initial])
    while queue and len(found) < max_markings:
        marking = queue.popleft()
        for index, transition in enumerate(net.transitions):
            after = fire(marking, transition)
            if after is not None and after not in found:
                found[after] = (*found[marking], index)
                queue.append(after)
    return found


TOY = PetriNet(
    ("P1", "P2", "P3", "P4", "P5", "P6"),
    (
        Transition("t1", (), (0,)),
        Transition("t2", (0, 1), (2,)),
        Transition("t3", (1,), (3,)),
        Transition("t4", (2,), (4, 5)),
        Transition("t5", (3,), (2,)),
    ),
    (0, 1, 0, 0, 0, 0),
)
"""The paper's Appendix B."""
