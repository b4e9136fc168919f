"""On random traces: cycles are as short as the theory says, and monitors close exactly where there is one."""

from itertools import permutations
from random import Random

import pytest

from seriatim.engines.conflicts.monitor import STRANGER, Monitor, Part, following, monitor
from seriatim.systems.actions import NOTHING, Label

Trace = list[tuple[int, Label]]
"""(request, accesses), in time order."""


def random_trace(random: Random, variables: int) -> Trace:
    """Accesses of one or two variables, as writes or as reads."""
    trace: Trace = []
    for _ in range(random.randint(4, 10)):
        reads = writes = 0
        for _ in range(random.choice((1, 1, 1, 2))):
            bit = 1 << random.randrange(variables)
            if random.random() < 0.5:
                reads |= bit
            else:
                writes |= bit
        trace.append((random.randrange(5), Label(reads, writes)))
    return trace


def edges(trace: Trace) -> set[tuple[int, int]]:
    return {
        (first, second)
        for index, (first, label) in enumerate(trace)
        for second, later in trace[index + 1 :]
        if first != second and label.conflicts(later)
    }


def shortest_cycle(trace: Trace) -> int | None:
    """The number of requests in a shortest cycle, by trying all."""
    found = edges(trace)
    requests = sorted({request for request, _ in trace})
    for length in range(2, len(requests) + 1):
        for chosen in permutations(requests, length):
            if all(pair in found for pair in zip(chosen, (*chosen[1:], chosen[0]), strict=True)):
                return length
    return None


def bound(trace: Trace) -> int:
    """max(3, v + r): variables that are written, and those among them that some action only reads."""
    written = only_read = 0
    for _, label in trace:
        written |= label.writes
    for _, label in trace:
        only_read |= label.reads & ~label.writes & written
    return max(3, written.bit_count() + only_read.bit_count())


def closes(trace: Trace, backward: int) -> bool:
    """Whether a monitor can close, if it guesses right; requests are the locals that it tracks."""
    last = {request: index for index, (request, _) in enumerate(trace)}
    states: set[tuple[Monitor, tuple[tuple[int, Part], ...]]] = {(monitor(backward), ())}
    for index, (request, label) in enumerate(trace):
        target = request if last[request] > index else -1
        reached = set()
        for state, parts in states:
            part = dict(parts).get(request, STRANGER)
            for after, then in following(state, part, label, target):
                others = tuple(each for each in parts if each[0] != request)
                own = () if then == STRANGER else ((request, then),)
                reached.add((after, tuple(sorted((*others, *own), key=repr))))
        states = reached
    return any(state.is_closed for state, _ in states)


@pytest.mark.parametrize("variables", [1, 2, 3])
def test_a_shortest_cycle_is_no_longer_than_the_bound(variables: int) -> None:
    lengths = []
    for seed in range(1_500):
        trace = random_trace(Random(seed), variables)
        length = shortest_cycle(trace)
        if length is not None:
            assert length <= bound(trace)
            lengths.append(length)
    assert max(lengths) >= min(3, variables + 1)


@pytest.mark.parametrize("variables", [1, 2, 3])
def test_some_monitor_closes_if_and_only_if_there_is_a_cycle(variables: int) -> None:
    counts = {True: 0, False: 0}
    needed: set[int] = set()
    for seed in range(150):
        trace = random_trace(Random(seed), variables)
        closing = [count for count in range(1, 4) if closes(trace, count)]
        has_cycle = shortest_cycle(trace) is not None
        assert bool(closing) == has_cycle
        needed |= {closing[0]} if closing else set()
        counts[has_cycle] += 1
    assert min(counts.values()) > 10
    assert 1 in needed


def test_two_backward_requests_may_be_needed() -> None:
    """Write skew: both read before either writes."""
    x, y = 1, 2
    skew = [(0, Label(x, 0)), (1, Label(y, 0)), (0, Label(0, y)), (1, Label(0, x))]
    assert not closes(skew, 1)
    assert closes(skew, 2)
    assert not closes(skew, 3)


def test_three_backward_requests_may_be_needed() -> None:
    trace = [(r, Label(1 << r, 0)) for r in range(3)] + [(r, Label(0, 1 << (r + 1) % 3)) for r in range(3)]
    assert [count for count in (1, 2, 3) if closes(trace, count)] == [3]


def test_a_request_does_not_conflict_with_itself() -> None:
    assert not closes([(0, Label(1, 0)), (0, Label(0, 1)), (0, Label(1, 1))], 1)


def test_an_action_without_accesses_begins_nothing() -> None:
    (only,) = following(monitor(1), STRANGER, NOTHING, 0)
    assert only == (monitor(1), STRANGER)
