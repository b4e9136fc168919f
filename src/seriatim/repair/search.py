"""The search for repairs: candidates, in the order of what they cost, each decided by the whole pipeline.

A repair is proposed only if its verdict is "serializable", with evidence that the checker has accepted, if
nobody can spin for ever in a loop that has lost its yields, and if it lets no request wait for ever, unless
the program did so before. The budget is a number of decisions, so that the same program always has the same
repairs; time only ends the search early, and the result says so.
"""

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from itertools import combinations

from seriatim.budget import Deadline, OutOfBudget
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse_surface
from seriatim.program.syntax import Program
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.locks import add_locks
from seriatim.repair.repairs import MAX_DROPPED, Open, Repairs
from seriatim.repair.retry import add_retries
from seriatim.repair.yields import YieldPlace, drop_yields, move_yields, places
from seriatim.result import Holds, Result, Undecided, Violated
from seriatim.systems.closure import bits, closure
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding

Ask = Callable[[Program, Options], Result]
"""Decides about a program, with evidence that the checker has accepted."""

MAX_CANDIDATES = 40
"""How many changes are decided by default."""

MAX_MOVES = 12

CANDIDATE_STATES = 3_000
CANDIDATE_VALUE = 1_000
"""How far to look at one candidate; one that takes more is not proposed."""


def repairs(
    program: Program,
    text: str,
    options: Options,
    max_candidates: int = MAX_CANDIDATES,
    changes: Set[Change] = frozenset(Change),
    observer: Callable[[int, Candidate], None] | None = None,
    *,
    hangs: bool = False,
    ask: Ask = decide,
) -> Repairs:
    """Repairs of a program that is not serializable and whose text this is, by such changes.

    `hangs` says that its requests may wait for ever anyway; the observer is told what is decided next; `ask`
    decides about a changed program.
    """
    deadline = Deadline(options.timeout, options.max_memory)
    options = options_for_candidates(options)
    all_yields = places(program, text)
    found: list[Candidate] = []
    undecided: dict[str, Open] = {}
    decided = 0
    is_cut = False
    for candidate in candidates(program, text, all_yields, changes, found):
        if decided == max_candidates or deadline.remaining() == 0:
            is_cut = True
            break
        decided += 1
        if observer is not None:
            observer(decided, candidate)
        result = decide_change(candidate, options, deadline, ask)
        if result is None:
            continue
        if isinstance(result.answer, Holds):
            good = candidate if hangs else exclude_hanging(candidate, result, options, deadline, ask)
            found += [] if good is None else [good]
        elif isinstance(result.answer, Undecided):
            undecided.setdefault(candidate.family or candidate.title, Open(candidate, result.answer.reason))
    families = {repair.family for repair in found if repair.family}
    still_open = tuple(each for family, each in undecided.items() if family not in families)
    return Repairs(tuple(found), all_yields, decided, is_cut, still_open, hangs)


def options_for_candidates(options: Options) -> Options:
    """How far to look at each change."""
    limits = Limits(
        min(options.limits.max_states, CANDIDATE_STATES), min(options.limits.max_value, CANDIDATE_VALUE)
    )
    return replace(options, limits=limits, wants=THE_ANSWER_ALONE)


def candidates(
    program: Program,
    text: str,
    all_yields: tuple[YieldPlace, ...],
    changes: Set[Change],
    found: list[Candidate],
) -> Iterator[Candidate]:
    """All candidates in order, those first that keep all yields; `found` are those that turned out well so
    far.

    To lock still more is no news then, nor to drop still more, nor to move a yield still further.
    """
    if Change.LOCK in changes or Change.RETRY in changes:
        surface = parse_surface(text)
        for kept in (*add_locks(surface, text), *add_retries(surface, text)):
            if kept.change in changes and not any(repair.family == kept.family for repair in found):
                yield kept
    for size in range(1, min(MAX_DROPPED, len(all_yields)) + 1):
        if Change.DROP in changes:
            yield from _drop_yields(program, text, all_yields, size, found)
        if size == 1 and Change.MOVE in changes:
            yield from _move_yields(program, text, all_yields, found)


def _drop_yields(
    program: Program, text: str, all_yields: tuple[YieldPlace, ...], size: int, found: list[Candidate]
) -> Iterator[Candidate]:
    """Changes that remove `size` yields."""
    for chosen in combinations(all_yields, size):
        numbers = {place.number for place in chosen}
        if any(repair.change is Change.DROP and numbers >= set(repair.yields) for repair in found):
            continue
        candidate = drop_yields(program, text, chosen)
        if candidate is not None:
            yield candidate


def _move_yields(
    program: Program, text: str, all_yields: tuple[YieldPlace, ...], found: list[Candidate]
) -> Iterator[Candidate]:
    """Changes that move one yield, nearer places first."""
    moves = sorted(move_yields(program, text, all_yields), key=lambda move: move[0])
    for _, candidate in moves[:MAX_MOVES]:
        if not any(repair.change is Change.MOVE and repair.yields == candidate.yields for repair in found):
            yield candidate


def decide_change(
    candidate: Candidate, options: Options, deadline: Deadline, ask: Ask = decide
) -> Result | None:
    """The decision about the changed program; None if a request may spin in it for ever."""
    try:
        if candidate.may_spin and may_spin(candidate.program, options.limits, deadline):
            return None
    except OutOfBudget:
        return None
    return ask(candidate.program, replace(options, timeout=deadline.remaining()))


def exclude_hanging(
    candidate: Candidate, result: Result, options: Options, deadline: Deadline, ask: Ask = decide
) -> Candidate | None:
    """The candidate, unless a run is known after which some request can never complete.

    To drop or move a yield takes no lock, so nobody waits who did not wait before.
    """
    if may_hang(result):
        return None
    if not candidate.change.keeps_yields:
        return candidate
    asked = replace(options, question=DEADLOCK_FREEDOM, timeout=deadline.remaining())
    answer = ask(candidate.program, asked).answer
    if isinstance(answer, Violated):
        return None
    return replace(candidate, never_hangs=isinstance(answer, Holds))


def may_hang(result: Result) -> bool:
    """Whether a run is known after which some request can never complete."""
    return result.stuck is not None


def may_spin(program: Program, limits: Limits, deadline: Deadline) -> bool:
    """Whether some request may never hand over again; also if that cannot be excluded within the limits.

    A step that can end nowhere is one that never ends. All situations that can occur are looked at.
    """
    unfolding = ProgramUnfolding(program, limits, deadline)
    try:
        coverage = closure(unfolding, limits, deadline)
        return any(
            not unfolding.steps.outcomes(*unfolding.local_states[local], unfolding.global_values[global_])
            for global_ in coverage.globals()
            for local in bits(coverage.find_covered(global_))
        )
    except LimitReached:
        return True
