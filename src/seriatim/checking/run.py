"""Evidence of the kind `run`: a run, and nothing with its outcome that is allowed.

*The run exists.* A turn records a request, the global state that it leaves and the answer, but no local
state. The checker keeps, for each request, the set of all local states in which it can be. Claim: the joint
local states that the turns so far allow are exactly the product of these sets. It holds before the first
turn. A turn moves one request, and what that request can do depends on its own local state and on the global
state, which is recorded, but on no other local state; so its set becomes the image of itself under such
steps, and the other sets stay. Hence the run exists if and only if no set becomes empty on the way.

*Nothing that is allowed has its outcome.* The outcome is the multiset of (request, response), perhaps with
more that was observed. What is allowed, such as serial runs, are the words of a specification
(`seriatim.checking.allowed`). One with this outcome is a path from (initial state, outcome) to (some state,
nothing), on which each edge takes a completion from the multiset that may come next. All edges are explored.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from seriatim.certificate.format import GlobalState, RunEvidence, Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import Reference, State
from seriatim.checking.words import turn_words
from seriatim.language.lexer import quote

Completion = tuple[str, str]
"""(request, response)."""


@dataclass(frozen=True, slots=True)
class AskedOfRuns:
    """What makes a run a violation."""

    allowed: Allowed
    """Nothing of this has the outcome."""
    claim: str
    """Says so, up to the outcome."""
    outcome: Callable[[RunEvidence], Counter[Completion]]
    barriers: int = 0
    """How many there may be."""
    pending: bool = False
    """Whether requests may be in flight at the end."""


def answers(evidence: RunEvidence) -> Counter[Completion]:
    """How often each completion occurs."""
    return Counter((turn.handler, turn.response) for turn in evidence.turns if turn.response is not None)


def run_obligations(
    reference: Reference[State], evidence: RunEvidence, asked: AskedOfRuns, allowance: Allowance
) -> Iterator[Obligation]:
    """What has to hold of a run, in this order; each relies on those before it."""
    turns = evidence.turns
    misnamed = misnamed_turn(turns)
    yield Obligation(
        "requests are numbered by their first turns, and none changes its handler",
        misnamed is None,
        misnamed or f"{counted(len(turns), 'turn')} of {counted(len({t.request for t in turns}), 'request')}",
    )
    impossible = impossible_turn(reference, turns, allowance)
    replayed = tuple(map(turn_words, turns))
    yield Obligation(
        "every turn is a step of the input", impossible is None, impossible or "replayed", replayed
    )
    unanswered = {turn.request for turn in turns} - {t.request for t in turns if t.response is not None}
    if not asked.pending:
        yield Obligation(
            "everybody is answered",
            not unanswered,
            f"request {min(unanswered)} is not"
            if unanswered
            else counted(answers(evidence).total(), "answer"),
        )
    if evidence.barriers:
        yield Obligation(
            f"there are at most {asked.barriers} barriers",
            len(evidence.barriers) <= asked.barriers,
            f"after turns {', '.join(map(str, evidence.barriers))}",
        )
    outcome = asked.outcome(evidence)
    search = word_search(asked.allowed, outcome, allowance)
    yield Obligation(
        f"{asked.claim} {{{counts(outcome)}}}",
        search.order is None,
        f"{counted(search.explored, 'serial state')} explored"
        if search.order is None
        else f"this one has: {shown(search.order) or 'nobody at all'}",
    )


def misnamed_turn(turns: tuple[Turn, ...]) -> str | None:
    """A turn whose request has a number out of order, or a handler other than before."""
    handlers: dict[int, str] = {}
    for number, turn in enumerate(turns, 1):
        if turn.request not in handlers and turn.request != len(handlers) + 1:
            return f"turn {number}: request {turn.request} should be request {len(handlers) + 1}"
        if handlers.setdefault(turn.request, turn.handler) != turn.handler:
            return f"turn {number}: request {turn.request} was {quote(handlers[turn.request])} before"
    return None


def impossible_turn(reference: Reference[State], turns: tuple[Turn, ...], allowance: Allowance) -> str | None:
    """The first turn that is no step from any local state in which its request can be."""
    global_ = reference.initial
    places: dict[int, frozenset[State]] = {}
    for number, turn in enumerate(turns, 1):
        before = places.get(turn.request)
        if before is None:
            before = reference.fresh(turn.handler)
        possible = after_turn(reference, before, global_, turn, allowance)
        if not possible:
            does = "pause" if turn.response is None else f"answer {quote(turn.response)}"
            who = f"request {turn.request}, {quote(turn.handler)},"
            return f"turn {number}: {who} cannot {does} there and leave such a global state"
        # An answered request is nowhere, so that it can take no further turn.
        places[turn.request] = possible if turn.response is None else frozenset()
        global_ = turn.after
    return None


def after_turn(
    reference: Reference[State],
    before: frozenset[State],
    global_: GlobalState,
    turn: Turn,
    allowance: Allowance,
) -> frozenset[State]:
    """The local states, from those before, in which the request can be at the end of its turn.

    A turn is a step, after which the request may answer. One that can answer as it is may do so without.
    """
    moved: set[State] = set()
    for state in before:
        allowance.spend()
        moved.update(target for target, after in reference.steps(state, global_) if after == turn.after)
    if turn.response is None:
        return frozenset(moved)
    if turn.after == global_:
        moved.update(before)
    return frozenset(state for state in moved if turn.response in reference.answers(state))


@dataclass(frozen=True, slots=True)
class WordSearch:
    """An allowed order with a given outcome, or None if all were explored and there is none."""

    order: tuple[Completion, ...] | None
    explored: int
    """How many (state, completions left) were."""


def word_search(allowed: Allowed, outcome: Counter[Completion], allowance: Allowance) -> WordSearch:
    """Looks through all that is allowed for something with this outcome."""
    completions = sorted(outcome)
    start = (allowed.initial, tuple(outcome[completion] for completion in completions))
    seen = {start}
    pending: list[tuple[GlobalState, tuple[int, ...], tuple[Completion, ...]]] = [(*start, ())]
    while pending:
        state, left, order = pending.pop()
        allowance.spend()
        if not any(left):
            return WordSearch(order, len(seen))
        for index, (request, response) in enumerate(completions):
            if left[index] == 0:
                continue
            fewer = (*left[:index], left[index] - 1, *left[index + 1 :])
            for answer, after in allowed.after(state, request):
                if answer == response and (after, fewer) not in seen:
                    seen.add((after, fewer))
                    pending.append((after, fewer, (*order, completions[index])))
    return WordSearch(None, len(seen))


def counts(outcome: Counter[Completion]) -> str:
    """A multiset: `incr/1 ×2, get/0`."""
    return ", ".join(
        f"{request}/{response}" + (f" ×{count}" if count > 1 else "")
        for (request, response), count in sorted(outcome.items())
    )


def shown(completions: Iterable[Completion]) -> str:
    return ", ".join(f"{request}/{response}" for request, response in completions)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
