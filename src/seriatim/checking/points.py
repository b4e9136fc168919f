"""Linearization points that a program marks with `@lp`: what steps pass them, and in which order.

A request takes effect in the step that passes a mark, or, if it passes none, in the step that answers it.
Claim of evidence of the kind `points`: there is a run in which everybody who has taken effect has been
answered, and no word that is allowed lists their completions in the order of their points. The checker
replays the run as in `seriatim.checking.turns`, with a set of possible local states for each request; a turn
that is said to be a point is a step that passes a mark, or one that answers a request all of whose turns
pass none; other turns are steps that pass no mark. Who can answer as it is needs no step for that.

Evidence of the kind `commit` is about these points if nobody commits before it is answered but by passing a
mark, and nobody passes a mark without committing.
"""

from collections.abc import Iterator
from itertools import pairwise

from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.cover import Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import DoesNotFollow, Obligation, unless
from seriatim.checking.posing import Task
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.checking.turns import Replayed, at_the_end, check_numbers, replay
from seriatim.checking.words import counted
from seriatim.program.actions import marked_steps
from seriatim.program.semantics import Unbounded
from seriatim.program.state import GlobalState
from seriatim.source import quote

AT_MARKS = (
    "requests take effect in the step that passes a mark, or in the step that answers if they pass none"
)


def steps_with_marks(
    reference: ProgramReference, state: ProgramState, global_: GlobalState, allowance: Allowance
) -> Iterator[tuple[ProgramState, GlobalState, bool]]:
    """The steps of a request, each with whether it passes a mark."""
    if isinstance(global_, str) or reference.is_final(state):
        return
    allowance.spend()
    part = reference.part(state, global_)
    try:
        ends = marked_steps(reference.configuration(state, part), check_stop=reference.check_stop)
    except Unbounded:
        raise GaveUp("one step of a handler takes too long") from None
    for end, is_marked in ends:
        target, after = reference.arrived(end, reference.touched(state))
        yield target, reference.with_part(state, global_, after), is_marked


def check_marks(reference: ProgramReference, evidence: CommitEvidence, allowance: Allowance) -> Obligation:
    """Checks that the steps that commit are those that pass marks."""
    flights = Flights(reference, allowance, evidence.committed)
    precision = Precision(evidence.level, evidence.invariants)
    cover = close_cover(flights, precision, is_serial=False, hopeful=None)
    for node in cover.nodes:
        number = node[0]
        for flight in flights.fresh.union(cover.at(node)):
            request, state = flights.known[flight]
            has_committed = flights.committed[flight] is not None
            for target, _, is_marked in steps_with_marks(
                reference, state, flights.globals[number], allowance
            ):
                if reference.is_final(target):
                    agrees = not (has_committed and is_marked)
                else:
                    is_committed = flights.committed[flights.number(request, target)] is not None
                    agrees = is_marked == (is_committed and not has_committed)
                if not agrees:
                    reason = "passes a mark without taking effect, or takes effect without one"
                    raise DoesNotFollow(f"{quote(request)} {reason}", AT_MARKS)
    return Obligation(AT_MARKS, True, f"{counted(len(flights.known), 'point')} at which requests can wait")


def obligations(task: Task[PointsEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of a run whose points are in no order that is allowed."""
    if task.program is None or not task.content.is_marked:
        raise DoesNotFollow("it marks none", "the program marks points")
    turns, points, allowed = task.evidence.turns, task.evidence.points, task.asked.effects
    yield check_numbers(turns)
    claim = "each answered request has one point, and no other has any"
    yield unless(misplaced_points(turns, points), claim, counted(len(points), "point"))
    yield replay_with_points(task.program, turns, points, task.context.allowance).obligation(
        "every turn is a step of the program, and points are where a mark is passed, or else an answer"
    )
    answers = {turn.request: turn.response for turn in turns if turn.response is not None}
    word = [(turns[number - 1].handler, answers[turns[number - 1].request]) for number in points]
    states = {allowed.initial}
    for handler, answer in word:
        states = {
            then for state in states for response, then in allowed.after(state, handler) if response == answer
        }
    listed = ", ".join(f"{handler}/{answer}" for handler, answer in word)
    yield Obligation(
        "the order of the points is not allowed", not states, listed if not states else f"{listed} is"
    )


def misplaced_points(turns: tuple[Turn, ...], points: tuple[int, ...]) -> str | None:
    if any(later <= earlier for earlier, later in pairwise(points)):
        return "the points are not in the order of their turns"
    if points and not 1 <= points[0] <= points[-1] <= len(turns):
        return f"there is no turn {points[-1]}"
    owners = [turns[number - 1].request for number in points]
    answered = [turn.request for turn in turns if turn.response is not None]
    if sorted(owners) != sorted(set(answered)):
        return "some request has none, or several, or is not answered"
    return None


def replay_with_points(
    reference: ProgramReference, turns: tuple[Turn, ...], points: tuple[int, ...], allowance: Allowance
) -> Replayed[ProgramState]:
    """Replays the run; a turn has to be a step that passes a mark if and only if it is a point."""

    def after(
        number: int, turn: Turn, before: frozenset[ProgramState], global_: GlobalState
    ) -> frozenset[ProgramState]:
        is_point = number in points
        moved = (
            target
            for state in before
            for target, left, is_marked in steps_with_marks(reference, state, global_, allowance)
            if left == turn.after and (is_marked == is_point or (is_point and turn.response is not None))
        )
        # A request that answers without a step passes no mark.
        return at_the_end(reference, turn, moved, before if turn.after == global_ else ())

    return replay(reference, turns, allowance, after)
