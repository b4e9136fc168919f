"""The search for repairs: candidates, the smallest change first, each decided by the whole pipeline.

A repair is proposed only if its verdict is "serializable", with evidence that the checker has accepted, and
if nobody can spin for ever in a loop that has lost its yields. The budget is a number of decisions, so that
the same program always has the same repairs; time only ends the search early, and the result says so.
"""

from collections.abc import Iterator, Set
from itertools import combinations

from seriatim.answer import THE_ANSWER_ALONE
from seriatim.budget import Deadline, OutOfBudget
from seriatim.frozen import replace
from seriatim.pipeline import Options, decide
from seriatim.program.syntax import Program
from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.locks import locked
from seriatim.repair.repairs import MAX_DROPPED, Repairs
from seriatim.repair.yields import Place, dropped, moved, places
from seriatim.result import Holds
from seriatim.systems.closure import bits, closure
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding

MAX_CANDIDATES = 40
"""Decided unless somebody wants more or fewer."""

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
) -> Repairs:
    """Repairs of a program that is not serializable and whose text this is, by such changes."""
    deadline = Deadline(options.timeout, options.max_memory)
    limits = Limits(
        min(options.limits.max_states, CANDIDATE_STATES), min(options.limits.max_value, CANDIDATE_VALUE)
    )
    options = replace(options, limits=limits, wants=THE_ANSWER_ALONE)
    all_yields = places(program, text)
    found: list[Candidate] = []
    decided = 0
    is_cut = False
    for candidate in candidates(program, text, all_yields, found):
        if candidate.change not in changes:
            continue
        if decided == max_candidates or deadline.remaining() == 0:
            is_cut = True
            break
        decided += 1
        if is_repair(candidate, options, deadline):
            found.append(candidate)
    return Repairs(tuple(found), all_yields, decided, is_cut)


def candidates(
    program: Program, text: str, all_yields: tuple[Place, ...], found: list[Candidate]
) -> Iterator[Candidate]:
    """All candidates in order; `found` are those that turned out well so far.

    To drop still more is no news then, nor to move a yield still further.
    """
    for size in range(1, min(MAX_DROPPED, len(all_yields)) + 1):
        for chosen in combinations(all_yields, size):
            numbers = {place.number for place in chosen}
            if any(repair.change is Change.DROP and numbers >= set(repair.yields) for repair in found):
                continue
            candidate = dropped(program, text, chosen)
            if candidate is not None:
                yield candidate
        if size == 1:
            moves = sorted(moved(program, text, all_yields), key=lambda move: move[0])
            for _, candidate in moves[:MAX_MOVES]:
                if not any(
                    repair.change is Change.MOVE and repair.yields == candidate.yields for repair in found
                ):
                    yield candidate
            yield from locked(program, text)


def is_repair(candidate: Candidate, options: Options, deadline: Deadline) -> bool:
    try:
        if candidate.may_spin and may_spin(candidate.program, options.limits, deadline):
            return False
    except OutOfBudget:
        return False
    result = decide(candidate.program, replace(options, timeout=deadline.remaining()))
    return isinstance(result.answer, Holds)


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
            for local in bits(coverage.covered(global_))
        )
    except LimitReached:
        return True
