"""A proof that no request is ever stuck: wherever requests are in flight, one of them can complete.

A request is *able* at a global state if it can complete by steps of its own, while requests may arrive
between them and run to their ends without interruption.

Claim: if in every reachable state with requests in flight one of them is able, then every request in
flight can complete. Why: let the able one complete, with the help of those who arrive and complete. This
is a run, so in the state that it leads to, with one request less in flight, somebody is able again. By
induction on their number, all of them complete, in one run.

A state contradicts that only if all its requests are not able. The closure says which locals can be at a
global state, and potentials say what the requests there weigh together (`seriatim.systems.potential`). If
no requests that are not able weigh just that, there is no such state. So a lock that is taken has a
holder, and it is enough that the holder is able.
"""

from collections.abc import Iterator

from seriatim.budget import Deadline
from seriatim.closure import closure
from seriatim.engines.stuck.search import can_answer
from seriatim.systems.closure import Coverage, bits
from seriatim.systems.from_input import Origin

Pair = tuple[int, int]
"""(local, global state)."""

MAX_SUMS = 5_000
"""How many sums of weights to look at for one global state."""


def never_stuck(origin: Origin, coverage: Coverage, deadline: Deadline) -> bool:
    """Whether the closure shows that in every state with requests in flight one of them is able."""
    able = _able(origin, coverage, deadline)
    for global_ in coverage.globals():
        deadline.check()
        unable = [local for local in bits(coverage.find_covered(global_)) if (local, global_) not in able]
        if unable and _can_be_all(unable, global_, coverage):
            return False
    return True


def _able(origin: Origin, coverage: Coverage, deadline: Deadline) -> set[Pair]:
    """The requests that can complete, for each global state."""
    helped_to: dict[int, set[int]] = {}
    """For each global state, those from which somebody who arrives and completes leads there."""
    before: dict[Pair, list[Pair]] = {}
    found: set[Pair] = set()
    for global_ in coverage.globals():
        deadline.check()
        for local in bits(coverage.find_covered(global_)):
            if can_answer(origin, local):
                found.add((local, global_))
            for target, after in origin.moves(local, global_):
                if target < 0:
                    found.add((local, global_))
                else:
                    before.setdefault((target, after), []).append((local, global_))
        for after in _after_one(origin, global_):
            helped_to.setdefault(after, set()).add(global_)

    def earlier(pair: Pair) -> Iterator[Pair]:
        local, global_ = pair
        helped = ((local, other) for other in helped_to.get(global_, ()))
        for able, there in (*before.get(pair, ()), *helped):
            if coverage.find_covered(there) >> able & 1:
                yield able, there

    return set(closure(found, earlier, deadline.check))


def _after_one(origin: Origin, global_: int) -> Iterator[int]:
    """The global states after one request has arrived and run to its end without interruption."""
    starts = {(start, global_) for start in origin.starts}
    met = closure(starts, lambda at: origin.moves(*at) if at[0] >= 0 else ())
    for target, after in (move for at in met if at[0] >= 0 for move in origin.moves(*at)):
        if target < 0 or can_answer(origin, target):
            yield after


def _can_be_all(locals_: list[int], global_: int, coverage: Coverage) -> bool:
    """Whether requests at some of these locals, one or more, can be all that are in flight, as far as
    potentials tell."""
    potentials = coverage.potentials
    if not potentials.candidates:
        return True
    room = potentials.room(global_)
    weights = {potentials.weights[local] for local in locals_}
    nothing = (0,) * len(room)
    seen = set(weights)
    pending = list(weights)
    while pending:
        total = pending.pop()
        if total == room:
            return True
        if len(seen) > MAX_SUMS:
            return True
        for weight in weights - {nothing}:
            more = tuple(a + b for a, b in zip(total, weight, strict=True))
            if more not in seen and all(a <= b for a, b in zip(more, room, strict=True)):
                seen.add(more)
                pending.append(more)
    return False
