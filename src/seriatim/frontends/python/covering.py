"""Which states of requests can occur together, for any number of requests, as far as their moves are known.

A moment is a shared state with a count of requests in each local state. `cover` finds finitely many moments,
some counts of which are unbounded, such that each moment that can occur is below one of them (the
coverability tree of Karp and Miller). `is_closed` checks that without knowing how they were found.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

ANY = 1_000_000
"""A count without bound."""

MOST_MOMENTS = 4_000

Pair = tuple[str, str]
Counts = Mapping[str, int]


class TooManyMoments(Exception):
    """There are more moments than are tried."""


@dataclass(frozen=True)
class Moves:
    """What is known: the targets of each pair, the states before arrival, and those that are over."""

    targets: Mapping[Pair, tuple[Pair, ...]]
    starts: tuple[str, ...]
    over: Callable[[str], bool]
    alone: bool = False
    """Whether a request arrives only if no other one is in flight."""

    def requests(self, counts: Counts) -> tuple[str, ...]:
        """The requests that may move."""
        return tuple(counts) if self.alone and counts else (*self.starts, *counts)


def is_below(one: Counts, other: Counts) -> bool:
    return all(other.get(local, 0) >= count for local, count in one.items())


def after(moves: Moves, counts: Counts, local: str, target: str) -> dict[str, int]:
    """The counts after a request has moved."""
    found = dict(counts)
    if local in found and found[local] != ANY:
        found[local] -= 1
        if not found[local]:
            del found[local]
    if not moves.over(target) and found.get(target) != ANY:
        found[target] = found.get(target, 0) + 1
    return found


@dataclass(frozen=True)
class Node:
    state: str
    counts: Counts
    parent: "Node | None"


def cover(moves: Moves, first: str, check_time: Callable[[], None] = lambda: None) -> dict[str, list[Counts]]:
    """For each shared state, the largest counts of requests that can occur with it."""
    root = Node(first, {}, None)
    best: dict[str, list[Counts]] = {first: [root.counts]}
    todo, seen = [root], 0
    while todo:
        node = todo.pop()
        if not any(each is node.counts for each in best[node.state]):
            continue
        seen += 1
        check_time()
        if seen > MOST_MOMENTS:
            raise TooManyMoments
        for local in moves.requests(node.counts):
            for target, state in moves.targets.get((local, node.state), ()):
                counts = after(moves, node.counts, local, target)
                if not moves.alone:  # Else a request that is in flight keeps others from arriving.
                    counts = _accelerated(node, state, counts)
                known = best.setdefault(state, [])
                if any(is_below(counts, each) for each in known):
                    continue
                known[:] = [*(each for each in known if not is_below(each, counts)), counts]
                todo.append(Node(state, counts, node))
    return best


def _accelerated(node: Node, state: str, counts: dict[str, int]) -> dict[str, int]:
    """Counts that grow on a way that can be repeated have no bound."""
    above: Node | None = node
    while above is not None:
        if above.state == state and is_below(above.counts, counts):
            for local, count in counts.items():
                if count > above.counts.get(local, 0):
                    counts[local] = ANY
        above = above.parent
    return counts


def is_closed(moves: Moves, first: str, found: Mapping[str, list[Counts]]) -> bool:
    """Whether moments are closed: the first one is among them, and each move of one leads to a moment that
    another one covers."""
    return first in found and all(
        any(is_below(after(moves, counts, local, target), each) for each in found.get(new, ()))
        for state, all_counts in found.items()
        for counts in all_counts
        for local in moves.requests(counts)
        for target, new in moves.targets.get((local, state), ())
    )


def unknown_pairs(moves: Moves, found: Mapping[str, list[Counts]]) -> set[Pair]:
    """The pairs that can occur together, and whose moves are not known."""
    return {
        (local, state)
        for state, all_counts in found.items()
        for counts in all_counts
        for local in moves.requests(counts)
        if (local, state) not in moves.targets
    }


Step = tuple[str, str, int]
"""A request in a state moves in a shared state, by the move of this number."""

Need = tuple[str, tuple[str, ...]]
"""A shared state, and states in which requests have to be there, sorted."""


def witnesses(
    moves: Moves,
    first: str,
    wanted: set[Pair],
    can_occur: Callable[[Need], bool],
    most_requests: int,
    most_needs: int,
) -> Iterator[tuple[Pair, list[Step]]]:
    """Ways to moments in which wanted pairs occur, with few requests: each pair once, if a way is found.

    It goes backwards, from the pair to the first state without requests: before a move that leads to what is
    needed, the request that moves is needed instead of where it has gone. Requests that have not begun are
    always there. So no moment is met with requests in it that nobody needs.
    """
    into: dict[str, list[tuple[str, str, int, str]]] = {}
    for (local, state), targets in moves.targets.items():
        for number, (target, new) in enumerate(targets):
            into.setdefault(new, []).append((local, state, number, target))
    for pair in sorted(wanted):
        way = _way_to(pair, moves, first, into, can_occur, most_requests, most_needs)
        if way is not None:
            yield pair, way


def _way_to(
    pair: Pair,
    moves: Moves,
    first: str,
    into: Mapping[str, list[tuple[str, str, int, str]]],
    can_occur: Callable[[Need], bool],
    most_requests: int,
    most_needs: int,
) -> list[Step] | None:
    """A way to a moment in which a pair occurs; None if none is found.

    Whatever is needed on top of something else that is needed in the same shared state is left out: the
    shorter way would do.
    """
    root: Need = (pair[1], () if pair[0] in moves.starts else (pair[0],))
    follows: dict[Need, tuple[Need, Step] | None] = {root: None}
    smallest: dict[str, list[Counts]] = {root[0]: [Counter(root[1])]}
    todo = deque([root])
    while todo and len(follows) < most_needs:
        need = todo.popleft()
        if need == (first, ()):
            return _way_from(follows, need)
        for local, before, number, target in into.get(need[0], ()):
            rest = list(need[1])
            if target in rest:
                rest.remove(target)
            if local not in moves.starts:
                rest.append(local)
            earlier, counts = (before, tuple(sorted(rest))), Counter(rest)
            known = smallest.setdefault(before, [])
            if len(rest) > most_requests or any(is_below(each, counts) for each in known):
                continue
            if can_occur(earlier):
                known.append(counts)
                follows[earlier] = (need, (local, before, number))
                todo.append(earlier)
    return None


def _way_from(follows: Mapping[Need, tuple[Need, Step] | None], need: Need) -> list[Step]:
    steps: list[Step] = []
    while (following := follows[need]) is not None:
        need, step = following
        steps.append(step)
    return steps


def is_covered(found: Mapping[str, list[Counts]], need: Need) -> bool:
    """Whether a moment below the largest ones has all that is needed."""
    state, locals_ = need
    counts = Counter(locals_)
    return any(is_below(counts, each) for each in found.get(state, ()))


Outcome = tuple[str, ...]


def outcomes(
    moves: Moves, first: str, group: tuple[str, ...], answer: Callable[[str], str], *, one_at_a_time: bool
) -> set[Outcome]:
    """The answers that some requests can give together, or one at a time in any order."""
    none: tuple[str, ...] = ()
    root = (first, none, tuple(sorted(group)), none)
    seen, todo = {root}, [root]
    found: set[Outcome] = set()
    while todo:
        state, in_flight, waiting, given = todo.pop()
        if not in_flight and not waiting:
            found.add(given)
        arrivals = () if one_at_a_time and in_flight else dict.fromkeys(waiting)
        for local in (*arrivals, *dict.fromkeys(in_flight)):
            is_new = local in arrivals and local in moves.starts
            for target, new in moves.targets.get((local, state), ()):
                flight, rest, answers = list(in_flight), list(waiting), given
                (rest if is_new else flight).remove(local)
                if moves.over(target):
                    answers = tuple(sorted((*given, answer(target))))
                else:
                    flight.append(target)
                following = (new, tuple(sorted(flight)), tuple(rest), answers)
                if following not in seen:
                    if len(seen) > MOST_MOMENTS:
                        raise TooManyMoments
                    seen.add(following)
                    todo.append(following)
    return found


def depends_on_loose(moves: Moves, first: str, loose: set[tuple[str, str, str, str]]) -> bool:
    """Whether a request that runs alone can come to its end by a loose wake-up."""
    states, todo = {first}, [first]
    while todo:
        state = todo.pop()
        for start in moves.starts:
            seen: set[tuple[str, str, bool]] = {(start, state, False)}
            ways = list(seen)
            while ways:
                local, now, was_loose = ways.pop()
                for target, new in moves.targets.get((local, now), ()):
                    is_loose = was_loose or (local, now, target, new) in loose
                    if moves.over(target):
                        if is_loose:
                            return True
                        if new not in states:
                            states.add(new)
                            todo.append(new)
                    elif (target, new, is_loose) not in seen:
                        seen.add((target, new, is_loose))
                        ways.append((target, new, is_loose))
    return False
