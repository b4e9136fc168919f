"""Situations of small nets, and of the runs of random ones."""

from random import Random

import pytest

from seriatim.petri.controlled_net import ControlledNet
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.situations import Direction, Situation, product, situations

Arcs = tuple[tuple[int, ...], tuple[int, ...]]

MAX_EDGES = 300

directions = pytest.mark.parametrize("direction", Direction)


def controlled(control: int, places: int, *arcs: Arcs) -> ControlledNet:
    """The control first; every place of it is an end."""
    return ControlledNet(
        PetriNet(
            tuple(f"p{i}" for i in range(places)),
            tuple(Transition(f"t{i}", pre, post) for i, (pre, post) in enumerate(arcs)),
            tuple(int(i == 0) for i in range(places)),
        ),
        control,
        frozenset(range(control)),
        {0: tuple(i for i, (pre, post) in enumerate(arcs) if len(pre) > len(post))},
    )


ONE_WAY = controlled(2, 3, ((0,), (0, 2)), ((0,), (1,)), ((1, 2), (1,)))
"""Requests come as long as the control is in p0, and are answered once it is in p1."""


def test_a_number_that_can_grow_is_forgotten() -> None:
    assert situations(ONE_WAY, Direction.FORWARD, MAX_EDGES) == (
        Situation(0, (0,)),
        Situation(0, (None,)),
        Situation(1, (0,)),
        Situation(1, (None,)),
    )


def test_backwards_it_is_known_who_is_still_to_be_answered() -> None:
    found = situations(ONE_WAY, Direction.BACKWARD, MAX_EDGES)
    assert found is not None
    assert Situation(0, (0,)) in found
    assert Situation(1, (0,)) in found


def test_what_leads_nowhere_is_not_in_the_product() -> None:
    """A request is never answered, so complete runs contain none."""
    stuck = controlled(1, 2, ((0,), (0, 1)))
    found = situations(stuck, Direction.BACKWARD, MAX_EDGES)
    assert found == (Situation(0, (0,)),)
    assert [(t.pre, t.post) for t in product(stuck, Direction.BACKWARD, found).net.transitions] == [
        ((0,), (1,))
    ]


def test_too_many_edges_are_refused() -> None:
    assert situations(ONE_WAY, Direction.FORWARD, 2) is None


def random_net(random: Random) -> ControlledNet:
    control, others = 3, 3
    arcs: list[Arcs] = []
    for _ in range(random.randint(3, 7)):
        taken = [control + random.randrange(others)] if random.random() < 0.6 else []
        given = [control + random.randrange(others)] if random.random() < 0.6 else []
        arcs.append(((random.randrange(control), *taken), (random.randrange(control), *given)))
    return controlled(control, control + others, *arcs)


def complete_runs(given: ControlledNet, firings: int) -> set[tuple[int, ...]]:
    """How often each transition of a net fires, in all complete runs with few firings."""
    net = given.net
    found: set[tuple[int, ...]] = set()
    layer = {(net.initial, (0,) * len(net.transitions))}
    for _ in range(firings + 1):
        longer: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        for marking, counts in layer:
            if not any(marking[given.control :]) and any(marking[end] for end in given.ends):
                found.add(counts)
            for index, transition in enumerate(net.transitions):
                if all(marking[place] > 0 for place in transition.pre):
                    after = list(marking)
                    for place in transition.pre:
                        after[place] -= 1
                    for place in transition.post:
                        after[place] += 1
                    more = (*counts[:index], counts[index] + 1, *counts[index + 1 :])
                    longer.add((tuple(after), more))
        layer = longer
    return found


@directions
@pytest.mark.parametrize("seed", range(60))
def test_the_product_has_the_complete_runs_of_the_net(direction: Direction, seed: int) -> None:
    """By number of answers and of firings: the product has one more, which chooses where to start."""
    given = random_net(Random(seed))
    found = situations(given, direction, MAX_EDGES)
    if found is None:
        return
    multiplied = product(given, direction, found)
    assert outcomes(multiplied, 5, 1) == outcomes(given, 5, 0)


def outcomes(given: ControlledNet, firings: int, extra: int) -> set[tuple[int, int]]:
    """(firings, answers) of complete runs."""
    answering = given.answering[0]
    return {
        (sum(counts) - extra, sum(counts[t] for t in answering))
        for counts in complete_runs(given, firings + extra)
    }


def test_the_random_nets_are_not_vacuous() -> None:
    nets = [random_net(Random(seed)) for seed in range(60)]
    assert sum(len(outcomes(given, 5, 0)) > 3 for given in nets) > 10
    for direction in Direction:
        assert sum(situations(given, direction, MAX_EDGES) is not None for given in nets) > 30
