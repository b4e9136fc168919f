"""Ways and runs through structures: what is counted comes out; what is said to be a run can be replayed."""

from collections import Counter
from random import Random

import pytest

from seriatim.certificate.chains import ListedMove
from seriatim.engines.chains.runs import Stretch, is_run
from seriatim.petri.even_ways import even_way
from seriatim.petri.structures import MoveTable, Structure, StructureEdge

PLACES = 3


def random_structure(random: Random) -> Structure:
    """Four nodes, all on a cycle, with random moves of requests between three places."""
    moves = tuple(
        ListedMove(0, random.choice([None, 0, 1, 2]), 0, random.choice([None, 0, 1, 2]), None)
        for _ in range(6)
    )
    ring = [(node, (node + 1) % 4) for node in range(4)]
    pairs = [*ring, *((random.randrange(4), random.randrange(4)) for _ in range(5))]
    edges = tuple(StructureEdge(*pair, random.choice([None, *range(6)])) for pair in pairs)
    return Structure(MoveTable(moves, 1, PLACES, ()), 4, edges, 0, 0)


def random_walk(random: Random, given: Structure, length: int) -> list[int]:
    node, way = given.start, []
    for _ in range(length):
        edge = random.choice([n for n, e in enumerate(given.edges) if e.source == node])
        way.append(edge)
        node = given.edges[edge].target
    return way


@pytest.mark.parametrize("seed", range(100))
def test_an_even_way_takes_each_edge_as_often_as_it_should(seed: int) -> None:
    random = Random(seed)
    given = random_structure(random)
    walk = random_walk(random, given, random.randint(1, 60))
    end = given.edges[walk[-1]].target
    way = even_way(given, Counter(walk), given.start, end)
    assert Counter(way) == Counter(walk)
    node = given.start
    for edge in way:
        assert given.edges[edge].source == node
        node = given.edges[edge].target
    assert node == end


def replayed(given: Structure, stretches: tuple[Stretch, ...]) -> bool:
    """Step by step: each request that moves is there, and none is left at the end."""
    numbers = [0] * PLACES
    for stretch in stretches:
        for edge in stretch.edges * stretch.times:
            taken, put = given.find_taken(given.edges[edge]), given.find_given(given.edges[edge])
            if taken is not None:
                numbers[taken] -= 1
                if numbers[taken] < 0:
                    return False
            if put is not None:
                numbers[put] += 1
    return not any(numbers)


def test_looking_at_the_first_and_the_last_time_is_enough() -> None:
    """On random stretches."""
    outcomes: Counter[bool] = Counter()
    for seed in range(3_000):
        random = Random(seed)
        given = random_structure(random)
        stretches = []
        for _ in range(random.randint(1, 4)):
            edges = tuple(random.randrange(len(given.edges)) for _ in range(random.randint(1, 3)))
            stretches.append(Stretch(edges, random.randint(1, 5)))
        found = is_run(given, tuple(stretches))
        assert found == replayed(given, tuple(stretches))
        outcomes[found] += 1
    assert min(outcomes.values()) > 50
