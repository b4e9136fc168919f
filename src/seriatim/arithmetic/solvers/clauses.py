"""Clauses over Boolean variables: the first assignment that satisfies them all.

Variables are nonnegative integers; the literal v says that v is true, ~v that it is false. Assignments are in
the order of dictionaries, false before true, small variables first.

Claim: `first_model` finds the first one that satisfies all clauses. Why: it decides the variables in order,
false first, and looks at true only after all assignments with false have been excluded. A literal that it
propagates is the last one of a clause whose others are false already, so it only skips assignments that break
that clause.
"""

from collections.abc import Iterable, Sequence

from seriatim.budget import Deadline

Clause = frozenset[int]
"""Literals, one of which has to hold."""

MAX_CONFLICTS = 10_000


def first_model(variables: Iterable[int], clauses: Sequence[Clause], deadline: Deadline) -> set[int] | None:
    """The variables that are true in the first model; None if there is none, or it takes too long to find."""
    refuted_by: dict[int, list[Clause]] = {}
    """For each literal, the clauses that contain the opposite one."""
    for clause in clauses:
        for literal in clause:
            refuted_by.setdefault(~literal, []).append(clause)
    order = sorted(variables)
    trail: list[int] = []
    holds: set[int] = set()
    decisions: list[int] = []
    """How long the trail was before each variable that may still become true was set to false."""

    def follow(literals: Sequence[int]) -> bool:
        """Makes these literals true, and all that follows; false if that breaks a clause."""
        pending = list(literals)
        while pending:
            literal = pending.pop()
            if literal in holds:
                continue
            if ~literal in holds:
                return False
            holds.add(literal)
            trail.append(literal)
            for clause in refuted_by.get(literal, ()):
                if clause.isdisjoint(holds):
                    left = [other for other in clause if ~other not in holds]
                    if not left:
                        return False
                    if len(left) == 1:
                        pending.append(left[0])
        return True

    if not all(clauses):
        return None
    is_consistent = follow([literal for clause in clauses if len(clause) == 1 for literal in clause])
    for _ in range(MAX_CONFLICTS):
        while is_consistent:
            deadline.check()
            free = next((v for v in order if v not in holds and ~v not in holds), None)
            if free is None:
                return {literal for literal in holds if literal >= 0}
            decisions.append(len(trail))
            is_consistent = follow((~free,))
        if not decisions:
            return None
        length = decisions.pop()
        refuted = trail[length]
        holds.difference_update(trail[length:])
        del trail[length:]
        is_consistent = follow((~refuted,))
    return None
