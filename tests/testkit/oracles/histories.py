"""Brute force about real time: all histories of a few requests, and whether any order explains them.

A history is what a clock sees: who was called, who returned with which answer, one after the other. It is
judged by the definition: choose moments, see who returned before one after which another was called, and try
all orders of the requests. Nothing is fused, annotated or left out.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, permutations

from testkit.oracles.brute_force import Completion, Rules, TooLarge

Event = tuple[int, str | None]
"""(which request, its answer or None if it is called)."""

History = tuple[tuple[str, ...], tuple[Event, ...]]
"""(the requests by the order of their calls, events)."""

Following = Callable[[object, str], Iterable[tuple[str, object]]]
"""From a state and a request to (answer, next state): what is allowed, one request after the other."""


def histories(rules: Rules, requests: int, pending: bool, max_states: int = 20_000) -> frozenset[History]:
    """Of complete runs with at most so many requests, or of all runs."""
    start: tuple[int, tuple[tuple[int, int], ...], History] = (rules.initial, (), ((), ()))
    seen = {start}
    waiting = [start]
    found: set[History] = set()
    while waiting:
        g, flight, (names, events) = waiting.pop()
        if pending or not flight:
            found.add((names, events))
        following = []
        if len(names) < requests:
            for name, local in rules.req:
                called = ((*names, name), (*events, (len(names), None)))
                following.append((g, (*flight, (len(names), local)), called))
        for index, (who, local) in enumerate(flight):
            others = flight[:index] + flight[index + 1 :]
            following += [
                (after, tuple(sorted((*others, (who, target)))), (names, events))
                for target, after in rules.steps(local, g)
            ]
            following += [(g, others, (names, (*events, (who, answer)))) for answer in rules.responses(local)]
        for state in following:
            if state not in seen:
                seen.add(state)
                waiting.append(state)
        if len(seen) > max_states:
            raise TooLarge
    return frozenset(found)


def alone(rules: Rules) -> Following:
    """What is allowed are serial runs; states are global states."""

    @cache
    def following(state: object, request: str) -> tuple[tuple[str, object], ...]:
        assert isinstance(state, int)
        waiting = [(local, state) for name, local in rules.req if name == request]
        seen = set(waiting)
        ends: set[tuple[str, int]] = set()
        while waiting:
            local, g = waiting.pop()
            ends.update((answer, g) for answer in rules.responses(local))
            for step in rules.steps(local, g):
                if step not in seen:
                    seen.add(step)
                    waiting.append(step)
        return tuple(sorted(ends))

    return following


def is_explained(history: History, barriers: int, initial: object, following: Following) -> bool:
    """Whether, for each choice of moments, some order of the requests is allowed and respects them."""
    names, events = history
    moments = range(1, len(events))
    return all(
        any(
            is_allowed(names, answers(events), order, initial, following)
            for order in orders(names, events)
            if respects(order, events, chosen)
        )
        for chosen in combinations(moments, min(barriers, len(moments)))
    )


def answers(events: tuple[Event, ...]) -> dict[int, str]:
    return {who: answer for who, answer in events if answer is not None}


def orders(names: tuple[str, ...], events: tuple[Event, ...]) -> Iterator[tuple[int, ...]]:
    """All orders of those who returned and of some of the others."""
    returned = set(answers(events))
    others = [who for who in range(len(names)) if who not in returned]
    for count in range(len(others) + 1):
        for some in combinations(others, count):
            yield from permutations(sorted((*returned, *some)))


def respects(order: tuple[int, ...], events: tuple[Event, ...], moments: tuple[int, ...]) -> bool:
    """Whether nobody comes after one who was called after a moment before which it returned."""
    for moment in moments:
        early = {who for who, answer in events[:moment] if answer is not None}
        late = {who for who, answer in events[moment:] if answer is None}
        if any(a in late and b in early for index, a in enumerate(order) for b in order[index:]):
            return False
    return True


def is_allowed(
    names: tuple[str, ...],
    given: dict[int, str],
    order: tuple[int, ...],
    initial: object,
    following: Following,
) -> bool:
    """Whether requests may be answered so in this order; who has not returned may be answered anyhow."""
    states = {initial}
    for who in order:
        states = {
            after
            for state in states
            for answer, after in following(state, names[who])
            if given.get(who, answer) == answer
        }
    return bool(states)


def fewest_unexplained(
    found: frozenset[History], barriers: int, initial: object, following: Following
) -> int | None:
    """How many requests the smallest history has that is not explained."""
    bad = (h for h in found if not is_explained(h, barriers, initial, following))
    return min((len(names) for names, _ in bad), default=None)


def completions(found: frozenset[History]) -> tuple[Completion, ...]:
    """All requests with their answers."""
    return tuple(sorted({(names[who], a) for names, events in found for who, a in answers(events).items()}))
