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
    """The variables that are true in the first model; None if it has none, or takes too long."""
    if not all(clauses):
        return None
    trail = Trail(clauses)
    order = sorted(variables)
    decisions: list[int] = []
    """How long the trail was before each variable that may still become true was set to false."""
    is_consistent = trail.follow([literal for clause in clauses if len(clause) == 1 for literal in clause])
    for _ in range(MAX_CONFLICTS):
        while is_consistent:
            deadline.check()
            free = next((v for v in order if v not in trail.holds and ~v not in trail.holds), None)
            if free is None:
                return {literal for literal in trail.holds if literal >= 0}
            decisions.append(len(trail.literals))
            is_consistent = trail.follow((~free,))
        if not decisions:
            return None
        is_consistent = trail.follow((~trail.cut(decisions.pop()),))
    return None


class Trail:
    """The literals that are true so far, in the order in which they became true."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.literals: list[int] = []
        self.holds: set[int] = set()
        self.refuted_by: dict[int, list[Clause]] = {}
        """For each literal, the clauses that contain the opposite one."""
        for clause in clauses:
            for literal in clause:
                self.refuted_by.setdefault(~literal, []).append(clause)

    def follow(self, literals: Sequence[int]) -> bool:
        """Makes these literals true, and all that follows; false if that breaks a clause."""
        pending = list(literals)
        while pending:
            literal = pending.pop()
            if literal in self.holds:
                continue
            if ~literal in self.holds:
                return False
            self.holds.add(literal)
            self.literals.append(literal)
            for clause in self.refuted_by.get(literal, ()):
                if clause.isdisjoint(self.holds):
                    left = [other for other in clause if ~other not in self.holds]
                    if not left:
                        return False
                    if len(left) == 1:
                        pending.append(left[0])
        return True

    def cut(self, length: int) -> int:
        """Forgets all but the first literals, and returns the first one that it forgets."""
        forgotten = self.literals[length:]
        self.holds.difference_update(forgotten)
        del self.literals[length:]
        return forgotten[0]
