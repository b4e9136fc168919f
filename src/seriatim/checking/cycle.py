"""Evidence of the kind `cycle`: a run, complete or not, and a cycle of conflicts in it.

*The run exists*, with the accesses that are claimed: as in `seriatim.checking.turns`, the joint local states
that the turns so far allow are the product of a set for each request. A turn with claimed accesses is an
action that is no wait step and has these accesses; others are any steps. Hence the run exists, with all of
these accesses, if and only if no set becomes empty on the way.

*The cycle.* Each conflict says of two requests that the first one has to come before the second in any order
that keeps conflicts as they are. Round the cycle, a request would have to come before itself.

Wait steps may be among the other turns. Without them the run is one as well, with the same other actions:
where somebody waits, it settles as before, and from where it settles it has the same actions
(`seriatim.program.actions`).
"""

from collections.abc import Iterator

from seriatim.certificate.cycle import Conflict, CycleEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.actions import Acts, acts_of
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.posing import Task
from seriatim.checking.reference import State
from seriatim.checking.turns import Replayed, after_turn, at_the_end, check_numbers, replay
from seriatim.checking.words import counted
from seriatim.program.actions import Accesses
from seriatim.program.state import GlobalState


def obligations(task: Task[CycleEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold, in this order; each relies on those before it."""
    evidence, turns = task.evidence, task.evidence.turns
    yield check_numbers(turns)
    broken = find_break(evidence)
    yield unless(
        broken,
        "each conflict is of two requests, one of which writes, and the next one begins where it ends",
        f"a cycle of {counted(len(evidence.conflicts), 'conflict')}",
        tuple(conflict_words(conflict, turns) for conflict in evidence.conflicts) if broken is None else (),
    )
    yield replay_with_accesses(acts_of(task), evidence, task.context.allowance).obligation(
        "every turn is a step of the input, with these accesses, and none of these steps only waits"
    )


def find_break(evidence: CycleEvidence) -> str | None:
    """Says why the conflicts are not a cycle; None if they are one."""
    turns, conflicts = evidence.turns, evidence.conflicts
    if not conflicts:
        return "there are no conflicts"
    for number, conflict in enumerate(conflicts, 1):
        if not 1 <= conflict.first < conflict.second <= len(turns):
            return f"conflict {number} is not between a turn and a later one"
        if turns[conflict.first - 1].request == turns[conflict.second - 1].request:
            return f"both turns of conflict {number} are of the same request"
        if "write" not in conflict.accesses:
            return f"neither turn of conflict {number} writes"
        following = conflicts[number % len(conflicts)]
        if not 1 <= following.first <= len(turns):
            return f"there is no turn {following.first}"
        if turns[conflict.second - 1].request != turns[following.first - 1].request:
            return f"conflict {number} ends at another request than the next one begins at"
    return None


def collect_accesses(conflicts: tuple[Conflict, ...]) -> dict[int, Accesses]:
    """Collects, for each turn, what the conflicts say that it reads and writes."""
    claimed: dict[int, Accesses] = {}
    for conflict in conflicts:
        for turn, access in zip((conflict.first, conflict.second), conflict.accesses, strict=True):
            known = claimed.get(turn, Accesses())
            name = frozenset({conflict.variable})
            claimed[turn] = (
                Accesses(known.reads | name, known.writes)
                if access == "read"
                else Accesses(known.reads, known.writes | name)
            )
    return claimed


def replay_with_accesses(acts: Acts[State], evidence: CycleEvidence, allowance: Allowance) -> Replayed[State]:
    """Replays the run; turns of conflicts have to be steps with the accesses that are claimed."""
    claimed = collect_accesses(evidence.conflicts)

    def after(number: int, turn: Turn, before: frozenset[State], global_: GlobalState) -> frozenset[State]:
        if number in claimed:
            return after_action(acts, before, global_, turn, claimed[number], allowance)
        return after_turn(acts.reference, before, global_, turn, allowance)

    return replay(acts.reference, evidence.turns, allowance, after)


def after_action(
    acts: Acts[State],
    before: frozenset[State],
    global_: GlobalState,
    turn: Turn,
    claimed: Accesses,
    allowance: Allowance,
) -> frozenset[State]:
    """The local states, from those before, in which a request can be after an action with these accesses."""
    moved: set[State] = set()
    for state in before:
        allowance.spend()
        moved.update(
            act.target
            for act in acts.of(state, global_)
            if act.after == turn.after
            and claimed.reads <= act.accesses.reads
            and claimed.writes <= act.accesses.writes
        )
    return at_the_end(acts.reference, turn, moved)


def conflict_words(conflict: Conflict, turns: tuple[Turn, ...]) -> str:
    first, second = (turns[number - 1].request for number in (conflict.first, conflict.second))
    does, then = (f"{access}s" for access in conflict.accesses)
    return (
        f"request {first} {does} {conflict.variable} in turn {conflict.first}, and request {second} {then} it"
        f" in turn {conflict.second}: request {first} comes before request {second}"
    )
