"""Evidence of the kind `never-stuck`: wherever requests are in flight, one of them can complete.

*By the text.* A program without loops cannot keep a request: each of its steps ends, since no step fails,
which is shown besides, and leaves less to do. So every request can complete by itself.

*By a cover.* A flight is *able* at a global state if it can complete by its own steps, while others may
arrive between them and run to their ends without interruption. Claim: if in every reachable state with
requests in flight one of them is able, every request in flight can complete. Why: let the able one
complete, with the help of those who arrive and complete. This is a run, so in the state that it leads to,
with one request less in flight, somebody is able again. By induction on their number, all of them
complete.

A cover under all steps holds for all runs (`seriatim.checking.cover`). It says which flights can be at a
global state, and invariants say what all of them weigh together. If no flights that are not able, one or
more of them, weigh just that, then in every state there one of those in flight is able. A request that
arrives is in flight before its first step, so fresh flights are among those looked at.
"""

from collections.abc import Iterable, Iterator

from seriatim.certificate.never_stuck import NeverStuckEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Cover, Precision, close_cover, looks
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import members
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.reference import State
from seriatim.checking.weights import Weight
from seriatim.closure import closure

CLAIM = "wherever requests are in flight, one of them can complete"

Pair = tuple[int, int]
"""(flight, global state)."""


def obligations(task: Task[NeverStuckEvidence]) -> Iterator[Obligation]:
    """Lists what evidence of this kind has to show."""
    evidence, allowance = task.evidence, task.context.allowance
    if not task.content.may_wait:
        yield Obligation(CLAIM, True, "no handler loops, so each request ends by itself")
        return
    flights = Flights(task.reference, allowance)
    precision = Precision(evidence.level, evidence.invariants)
    cover = close_cover(flights, precision, is_serial=False, hopeful=None)
    able = Able(flights, cover)
    for (global_, _), here in cover.nodes.items():
        allowance.spend()
        unable = [each for each in (*flights.fresh, *members(here)) if (each, global_) not in able.pairs]
        if can_be_all(unable, global_, cover, allowance):
            names = sorted({flights.known[flight][0] for flight in unable})
            waiting = ", ".join(f"`{name}`" for name in names)
            yield Obligation(CLAIM, False, f"perhaps not where all of them are requests of {waiting}")
            return
    yield Obligation(CLAIM, True, f"requests looked at {looks(evidence.level)}")


class Able:
    """The flights of a cover that can complete by themselves, helped by others that arrive and complete."""

    def __init__(self, flights: Flights[State], cover: Cover[State]) -> None:
        able: set[Pair] = set()
        before: dict[Pair, list[Pair]] = {}
        helped_to: dict[int, set[int]] = {}
        here_at: dict[int, set[int]] = {}
        for (global_, _), here in cover.nodes.items():
            here_at.setdefault(global_, set()).update(flights.fresh, members(here))
        for global_, all_here in here_at.items():
            for flight in all_here:
                if flights.reference.answers(flights.known[flight][1]):
                    able.add((flight, global_))
                for target, after in flights.steps(flight, global_):
                    if isinstance(target, str):
                        able.add((flight, global_))
                    else:
                        before.setdefault((target, after), []).append((flight, global_))
            for after in after_one(flights, global_):
                helped_to.setdefault(after, set()).add(global_)

        def earlier(pair: Pair) -> list[Pair]:
            flight, global_ = pair
            helped = [(flight, other) for other in helped_to.get(global_, ()) if flight in here_at[other]]
            return [*before.get(pair, ()), *helped]

        self.pairs = closure(able, earlier, flights.allowance.spend).keys()


def after_one(flights: Flights[State], global_: int) -> Iterable[int]:
    """The global states after one request has arrived and run to its end without interruption."""
    pending = [(flight, global_) for flight in flights.fresh]
    seen = set(pending)
    ends: set[int] = set()
    while pending:
        flights.allowance.spend()
        for target, after in flights.steps(*pending.pop()):
            if isinstance(target, str):
                ends.add(after)
            elif (target, after) not in seen:
                seen.add((target, after))
                pending.append((target, after))
    return ends


def can_be_all(unable: list[int], global_: int, cover: Cover[State], allowance: Allowance) -> bool:
    """Whether some of these flights, one or more, can be all that are in flight, as far as weights tell."""
    room = cover.room(global_)
    weights = {cover.weights[flight] for flight in unable}
    heavy = [weight for weight in weights if any(weight)]
    seen: set[Weight] = set(weights)
    pending = list(weights)
    while pending:
        allowance.spend()
        total = pending.pop()
        if total == room:
            return True
        for weight in heavy:
            more = tuple([a + b for a, b in zip(total, weight, strict=True)])
            if more not in seen and all(a <= b for a, b in zip(more, room, strict=True)):
                seen.add(more)
                pending.append(more)
    return False
