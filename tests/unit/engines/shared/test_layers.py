"""Searches by layers: compared with a shortest-path search that is written out, on random graphs."""

from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.engines.shared.layers import Layers, beside, movers

Edge = tuple[int, int, bool]
NODES = 14


def random_edges(seed: int) -> list[Edge]:
    random = Random(seed)
    return [
        (random.randrange(NODES), random.randrange(NODES), random.random() < 0.4)
        for _ in range(random.randint(10, 30))
    ]


def fewest_requests(edges: list[Edge]) -> dict[int, int]:
    """For each node the fewest requests, by relaxing edges until nothing changes."""
    found = {0: 0}
    for _ in range(NODES):
        for before, after, spawns in edges:
            if before in found:
                found[after] = min(found.get(after, NODES), found[before] + spawns)
    return found


def search(edges: list[Edge], bad: set[int], slices: int) -> tuple[Layers[int, Edge], int | None, list[int]]:
    """Explore some nodes at a time, until a bad one is met or all are visited."""
    layers: Layers[int, Edge] = Layers(0)
    visited: list[int] = []

    def visit(node: int) -> int | None:
        visited.append(node)
        if node in bad:
            return node
        for edge in edges:
            if edge[0] == node:
                layers.reach(node, edge, edge[1], edge[2])
        return None

    found = None
    while found is None and not layers.is_exhausted:
        found = layers.advance(slices, Deadline(), visit)
    return layers, found, visited


@pytest.mark.parametrize("seed", range(30))
def test_nodes_are_visited_once_in_the_order_of_requests(seed: int) -> None:
    edges = random_edges(seed)
    fewest = fewest_requests(edges)
    layers, found, visited = search(edges, set(), 1 + seed % 5)
    assert found is None
    assert sorted(visited) == sorted(fewest)
    assert [fewest[node] for node in visited] == sorted(fewest.values())
    assert {node: layers.count_requests(node) for node in visited} == fewest
    for node in visited:
        at = 0
        for before, after, _ in layers.path(node):
            assert before == at
            at = after
        assert at == node
        assert sum(spawns for _, _, spawns in layers.path(node)) == fewest[node]


@pytest.mark.parametrize("seed", range(30))
def test_the_first_bad_node_has_the_fewest_requests(seed: int) -> None:
    edges = random_edges(seed)
    fewest = fewest_requests(edges)
    bad = set(Random(seed).sample(range(1, NODES), 3))
    layers, found, _ = search(edges, bad, 3)
    least = min((fewest[node] for node in bad if node in fewest), default=None)
    assert (None if found is None else fewest[found]) == least
    if found is None:
        assert layers.clean_up_to() == max(fewest.values())
    else:
        assert layers.clean_up_to() == max(0, fewest[found] - 1)
        layers.is_cut = True
        assert layers.clean_up_to() == 0


def test_a_bound_leaves_later_layers_and_a_dropped_state_is_never_visited() -> None:
    layers: Layers[int, str] = Layers(0)
    visited: list[int] = []

    def visit(node: int) -> None:
        visited.append(node)
        layers.reach(node, "next", node + 1, spawns=True)
        layers.drop(-node)
        layers.reach(node, "dropped", -node, spawns=False)

    assert layers.advance(100, Deadline(), visit, most=3) is None
    assert visited == [0, 1, 2, 3]
    assert not layers.is_exhausted
    layers.advance(2, Deadline(), visit)
    assert visited == [0, 1, 2, 3, 4, 5]


def test_who_can_move() -> None:
    assert list(movers((3, 3, 5), (7,))) == [(3, False, [3, 5]), (5, False, [3, 3]), (7, True, [3, 3, 5])]
    assert beside([3, 5], 4) == (3, 4, 5)
    assert beside([3, 5], -1) == (3, 5)
