"""The engines for questions about all runs, complete or not, in the order that pays."""

from dataclasses import dataclass
from time import monotonic

from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.commits.engine import given_commit_points
from seriatim.engines.conflicts.proof import no_cycle
from seriatim.engines.conflicts.search import ConflictSearch
from seriatim.engines.points.marks import Unclear, marked_commits
from seriatim.engines.points.search import PointSearch
from seriatim.engines.shared.answer import (
    FoundCycle,
    FoundMisorder,
    GaveUp,
    ProvedAcyclic,
    ProvedAtomic,
    ProvedByCommits,
)
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program, yields
from seriatim.systems.actions import ProgramActions, SystemActions, action_system
from seriatim.systems.automaton import Automaton
from seriatim.systems.closure import closure
from seriatim.systems.from_input import explained
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.slicing import covered_system
from seriatim.systems.unfolding import ProgramUnfolding

SHORT_SEARCH = 300
LONG_SEARCH = 200_000
"""States."""

MAX_PROOF = 200_000
"""States of monitors."""


@dataclass(frozen=True, slots=True)
class ConflictConclusion:
    answer: FoundCycle | ProvedAcyclic | ProvedAtomic | GaveUp
    system: ProgramActions | SystemActions
    """What the numbers refer to."""
    clean_up_to: int
    """There is no violation with at most so many requests."""
    seconds: dict[str, float]
    """How long each stage took."""


def conclude_conflicts(content: Input, limits: Limits, deadline: Deadline) -> ConflictConclusion:
    """Decides whether an input is conflict-serializable, if it can within the limits and before the
    deadline."""
    system = action_system(content, limits, deadline)
    search = ConflictSearch(system)
    seconds: dict[str, float] = {}
    answer: FoundCycle | ProvedAcyclic | ProvedAtomic | None = None
    why = GaveUp("neither a violation nor a proof was found")
    if isinstance(content, Program) and not any(yields(handler.body) for handler in content.handlers):
        return ConflictConclusion(ProvedAtomic(), system, 0, seconds)
    try:
        answer = _searched(search, SHORT_SEARCH, deadline, seconds, "search")
        if answer is None:
            began = monotonic()
            try:
                answer = _proved(system, limits, deadline)
            except LimitReached as reached:
                why = GaveUp(reached.message, reached.hint)
            seconds["closure"] = monotonic() - began
        if answer is None:
            answer = _searched(search, LONG_SEARCH, deadline, seconds, "long search")
    except OutOfBudget as out:
        why = GaveUp(out.spent, out.hint)
    return ConflictConclusion(answer or why, system, 0 if search.is_cut else search.clean_up_to, seconds)


def conflicts_by_waiting(program: Program, limits: Limits, deadline: Deadline) -> bool:
    """Whether there soon is a cycle of conflicts if wait steps count as actions."""
    system = ProgramActions(program, limits, deadline, counts_waits=True)
    try:
        return ConflictSearch(system).advance(SHORT_SEARCH, deadline) is not None
    except OutOfBudget:
        return False


def _searched(
    search: ConflictSearch, states: int, deadline: Deadline, seconds: dict[str, float], stage: str
) -> FoundCycle | None:
    began = monotonic()
    try:
        run = search.advance(states, deadline)
    finally:
        seconds[stage] = monotonic() - began
    return None if run is None else FoundCycle(run, is_minimal=not search.is_cut)


def _proved(
    system: ProgramActions | SystemActions, limits: Limits, deadline: Deadline
) -> ProvedAcyclic | None:
    coverage = closure(system, limits, deadline, levels=(2,))
    return ProvedAcyclic(coverage) if no_cycle(system, coverage, MAX_PROOF, deadline) else None


@dataclass(frozen=True, slots=True)
class PointsConclusion:
    answer: FoundMisorder | ProvedByCommits | GaveUp
    clean_up_to: int
    seconds: dict[str, float]


def conclude_points(
    origin: ProgramUnfolding, specification: Automaton, limits: Limits, deadline: Deadline
) -> PointsConclusion:
    """Decides whether requests pass the points that a program marks in an order that the specification, over
    its completions, allows."""
    search: PointSearch | None = None
    seconds: dict[str, float] = {}
    began = monotonic()
    try:
        system = covered_system(origin, closure(origin, limits, deadline))
        committed = marked_commits(system, origin)
        search = PointSearch(origin, specification, committed)
        run = search.advance(SHORT_SEARCH, deadline)
        answer: FoundMisorder | ProvedByCommits | GaveUp
        if run is None:
            seconds["search"] = monotonic() - began
            answer = given_commit_points(system, specification, committed, limits, deadline)
            if isinstance(answer, ProvedByCommits):
                seconds["commit"] = monotonic() - began
                return PointsConclusion(answer, 0, seconds)
            run = search.advance(LONG_SEARCH, deadline)
        answer = (
            GaveUp("neither a violation nor a proof was found for these points")
            if run is None
            else FoundMisorder(run, search.points(run), is_minimal=not search.is_cut)
        )
    except Unclear as unclear:
        answer = GaveUp(f"the marks do not determine where requests take effect: {unclear}", MOVE_MARKS)
    except LimitReached as reached:
        reached = explained(reached, origin)
        answer = GaveUp(reached.message, reached.hint)
    except OutOfBudget as out:
        answer = GaveUp(out.spent, out.hint)
    seconds["search"] = monotonic() - began
    return PointsConclusion(answer, 0 if search is None else search.clean_up_to(), seconds)


MOVE_MARKS = "every request passes one mark, in a step after which only one answer is possible"
