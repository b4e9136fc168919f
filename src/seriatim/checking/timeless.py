"""Evidence of the kind `timeless`: a serial order can be sorted by time.

Let A be the automaton of serial runs. A pair (c, d) of different completions is *fixed* if from some state
s of A, running c and then d can lead where running d and then c cannot. Let S be the first completions of
fixed pairs, T the second ones.

Claim: if the input is serializable, and no run has a request that begins after an answer of T and is
answered by S, then each complete run has a serial order that respects time: who was answered before another
one began comes before it.

Why: take a serial order w of the completions of a run. Keep the order of fixed pairs in w, and ask for the
order of time. If these contradicted each other, there would be a cycle; w and time have none by themselves,
so there would be a stretch of time from p to q with a fixed pair that ends at p and one that begins at q: p
is in T, q in S, and p was answered before q began. So there is an order w' with both. Exchanging neighbours
of w that stand otherwise in w', which are no fixed pair, never takes away an end of a serial run; so w' is
serial.

Who begins after an answer of T begins in a global state that can follow one. The cover says which ones
follow each other in any run; all that such a request can do there is followed, whatever the others do.
"""

from collections.abc import Iterator

from seriatim.certificate.timeless import TimelessEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion, SerialRuns
from seriatim.checking.cover import Cover, Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import members
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.reference import Reference, State
from seriatim.checking.words import counted
from seriatim.closure import reached
from seriatim.program.state import GlobalState

NEVER_LATE = "no request that begins after an answer has to come before it in the order"

Ends = dict[Completion, set[GlobalState]]


def obligations(task: Task[TimelessEvidence]) -> Iterator[Obligation]:
    """Shows that time never stands in the way; that a serial order exists is shown besides."""
    reference, evidence, allowance = task.reference, task.evidence, task.context.allowance
    first, second = fixed_completions(reference, allowance)
    flights = Flights(reference, allowance)
    precision = Precision(evidence.level, evidence.invariants)
    cover = close_cover(flights, precision, is_serial=False, hopeful=None)
    late = late_answer(cover, first, second, allowance)
    detail = f"{counted(len(first), 'completion')} before {len(second)}, in an order that is kept"
    yield Obligation(
        NEVER_LATE, late is None, detail if late is None else f"`{late[0]}` may answer {late[1]}"
    )


def fixed_completions(
    reference: Reference[State], allowance: Allowance
) -> tuple[set[Completion], set[Completion]]:
    """Finds S and T: the first and the second completions of fixed pairs."""
    serial = SerialRuns(reference, allowance)
    after: dict[GlobalState, Ends] = {}
    pending = [serial.initial]
    while pending:
        state = pending.pop()
        if state not in after:
            ends: Ends = {}
            for request in reference.requests:
                for response, then in serial.after(state, request):
                    ends.setdefault((request, response), set()).add(then)
                    pending.append(then)
            after[state] = ends
    first: set[Completion] = set()
    second: set[Completion] = set()
    for ends in after.values():
        for c, middle in ends.items():
            for d in {each for state in middle for each in after[state]} - {c}:
                allowance.spend()
                together = {end for state in middle for end in after[state].get(d, ())}
                exchanged = {end for state in ends.get(d, ()) for end in after[state].get(c, ())}
                if not together <= exchanged:
                    first.add(c)
                    second.add(d)
    return first, second


def late_answer(
    cover: Cover[State], first: set[Completion], second: set[Completion], allowance: Allowance
) -> Completion | None:
    """A completion of S by a request that may have begun after an answer of T; None if no such completion
    exists."""
    flights = cover.flights
    answers = (
        (flights.known[flight][0], target)
        for flight, global_ in late_flights(cover, second, allowance)
        for target, _ in flights.steps(flight, global_)
        if isinstance(target, str)
    )
    return next((completion for completion in answers if completion in first), None)


def late_flights(cover: Cover[State], second: set[Completion], allowance: Allowance) -> list[tuple[int, int]]:
    """Where requests can be that begin after an answer of T, and in which global state; sorted."""
    flights = cover.flights
    edges: dict[int, set[int]] = {}
    after: set[int] = set()
    for node, here in cover.nodes.items():
        for flight in (*members(here), *flights.fresh):
            for target, then in flights.steps(flight, node[0]):
                edges.setdefault(node[0], set()).add(then)
                if isinstance(target, str) and (flights.known[flight][0], target) in second:
                    after.add(then)
    ever = reached(after, ((before, then) for before, them in edges.items() for then in them))
    late = {(flight, global_) for flight in flights.fresh for global_ in ever}
    waiting = sorted(late)
    while waiting:
        allowance.spend()
        flight, global_ = waiting.pop()
        following = {(flight, then) for then in edges.get(global_, ())}
        following |= {(to, then) for to, then in flights.steps(flight, global_) if isinstance(to, int)}
        waiting.extend(sorted(following - late))
        late |= following
    return sorted(late)
