"""Closure: everything that is reached, each by a step from what it came from, near items first."""

from random import Random

import pytest

from seriatim.closure import closure, reached


@pytest.mark.parametrize("seed", range(20))
def test_a_closure_is_what_longer_and_longer_paths_reach(seed: int) -> None:
    random = Random(seed)
    edges = [(random.randrange(12), random.randrange(12)) for _ in range(14)]
    start = {random.randrange(12), random.randrange(12)}
    near = [set(start)]
    while (after := {b for a, b in edges if a in near[-1]} | near[-1]) != near[-1]:
        near.append(after)
    found = closure(sorted(start), lambda item: [b for a, b in edges if a == item])
    assert set(found) == near[-1] == reached(start, edges)
    assert {item for item, before in found.items() if before is None} == start
    assert all((before, item) in edges for item, before in found.items() if before is not None)
    steps = {item: next(n for n, them in enumerate(near) if item in them) for item in found}
    assert list(found) == sorted(found, key=steps.__getitem__)
    assert all(steps[item] == steps[before] + 1 for item, before in found.items() if before is not None)


def test_each_item_ticks_once_and_a_tick_can_end_it() -> None:
    ticks: list[None] = []
    found = closure([0], lambda n: [n + 1, n // 2] if n < 9 else [], lambda: ticks.append(None))
    assert len(ticks) == len(found) == 10

    class Over(Exception):
        pass

    def tick() -> None:
        ticks.append(None)
        if len(ticks) > 100:
            raise Over

    with pytest.raises(Over):
        closure([0], lambda n: [n + 1], tick)
