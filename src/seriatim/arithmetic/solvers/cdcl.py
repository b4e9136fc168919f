"""Clauses that come one after the other, over variables 1, 2, …: a model near a guess, or a proof of none.

The literal v says that variable v is true, -v that it is false. Conflict-driven clause learning with watched
literals (Marques-Silva and Sakallah; Moskewicz et al.). Phases stay what the caller set, so a model differs
from the guess only where clauses demand it.

Each learned clause remembers the clauses that it was resolved from. So once the clauses have no model, `core`
lists those that matter, and the learned clauses between them, each of which follows from what comes before
it by unit propagation (RUP).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seriatim.budget import Deadline

CHECK_EVERY = 512


@dataclass(frozen=True, slots=True)
class Core:
    """Clauses without a model: those that were given, by number, and those that were learned from them."""

    given: tuple[int, ...]
    learned: tuple[tuple[int, ...], ...]


class _Clause(list[int]):
    """Literals, the two watched ones first; and what the clause is."""

    __slots__ = ("number", "origins")

    def __init__(self, literals: Iterable[int], number: int, origins: tuple["_Clause", ...]) -> None:
        super().__init__(literals)
        self.number = number
        self.origins = origins
        """Empty if the clause was given."""


class ClauseStore:
    """Clauses, and the search for a model of all of them."""

    def __init__(self) -> None:
        self._value: list[int] = [0]
        self._level: list[int] = [0]
        self._reason: list[_Clause | None] = [None]
        self._phase: list[bool] = [False]
        self._watch: dict[int, list[_Clause]] = {}
        self._trail: list[int] = []
        self._limits: list[int] = []
        self._head = 0
        self._recent: list[int] = []
        self._given = 0
        self._learned = 0
        self._conflict: _Clause | None = None
        """The clause that shows that there is no model."""

    def _grow(self, variable: int) -> None:
        while len(self._value) <= variable:
            new = len(self._value)
            self._value.append(0)
            self._level.append(0)
            self._reason.append(None)
            self._phase.append(False)
            self._watch[new] = []
            self._watch[-new] = []

    def _sign(self, literal: int) -> int:
        return self._value[literal] if literal > 0 else -self._value[-literal]

    def add(self, literals: Iterable[int]) -> None:
        """Adds a clause; clauses are numbered from 0."""
        self._back(0)
        clause = _Clause(sorted(set(literals), key=abs), self._given, ())
        self._given += 1
        if clause:
            self._grow(max(map(abs, clause)))
        if self._conflict is not None or any(-each in clause for each in clause):
            return
        clause.sort(key=self._sign, reverse=True)
        if not clause or self._sign(clause[0]) < 0:
            self._conflict = clause
            return
        if len(clause) > 1:
            self._attach(clause)
        if self._sign(clause[0]) == 0 and (len(clause) == 1 or self._sign(clause[1]) < 0):
            self._assign(clause[0], clause)
            self._conflict = self._propagate()

    def prefer(self, literals: Iterable[int]) -> None:
        """Sets the phases of variables."""
        for literal in literals:
            self._grow(abs(literal))
            self._phase[abs(literal)] = literal > 0

    def solve(self, deadline: Deadline) -> list[bool] | None:
        """The values of variables, at their numbers, in a model; None if there is none."""
        self._back(0)
        pointer, conflicts = 1, 0
        while self._conflict is None:
            conflict = self._propagate()
            if conflict is not None:
                conflicts += 1
                if conflicts % CHECK_EVERY == 0:
                    deadline.check()
                if not self._limits:
                    self._conflict = conflict
                    break
                self._learn(conflict)
                pointer = 1
                continue
            choice = next((v for v in self._recent if not self._value[v]), 0)
            if not choice:
                while pointer < len(self._value) and self._value[pointer]:
                    pointer += 1
                if pointer == len(self._value):
                    return [value > 0 for value in self._value]
                choice = pointer
            self._limits.append(len(self._trail))
            self._assign(choice if self._phase[choice] else -choice, None)
        return None

    def core(self) -> Core:
        """The clauses that have no model, after `solve` has found that out."""
        assert self._conflict is not None
        needed: dict[int, _Clause] = {}
        pending = [self._conflict, *self._reasons_at_start(self._conflict)]
        while pending:
            clause = pending.pop()
            if id(clause) not in needed:
                needed[id(clause)] = clause
                pending += clause.origins
        given = sorted(clause.number for clause in needed.values() if not clause.origins)
        learned = sorted((c for c in needed.values() if c.origins), key=lambda c: c.number)
        return Core(tuple(given), tuple(tuple(clause) for clause in learned))

    def _reasons_at_start(self, clause: Sequence[int]) -> list[_Clause]:
        """The clauses that made the literals of a clause false before any choice."""
        found: list[_Clause] = []
        seen: set[int] = set()
        pending = [abs(each) for each in clause]
        while pending:
            variable = pending.pop()
            if variable in seen or self._level[variable] or not self._value[variable]:
                continue
            seen.add(variable)
            reason = self._reason[variable]
            if reason is not None:
                found.append(reason)
                pending += [abs(each) for each in reason]
        return found

    def _attach(self, clause: _Clause) -> None:
        self._watch[clause[0]].append(clause)
        self._watch[clause[1]].append(clause)

    def _assign(self, literal: int, reason: _Clause | None) -> None:
        variable = abs(literal)
        self._value[variable] = 1 if literal > 0 else -1
        self._level[variable] = len(self._limits)
        self._reason[variable] = reason
        self._trail.append(literal)

    def _back(self, level: int) -> None:
        if len(self._limits) > level:
            at = self._limits[level]
            for literal in self._trail[at:]:
                self._value[abs(literal)] = 0
            del self._trail[at:], self._limits[level:]
            self._head = at

    def _propagate(self) -> _Clause | None:
        """Assigns what follows; a clause without a true or open literal, if there is one."""
        while self._head < len(self._trail):
            false = -self._trail[self._head]
            self._head += 1
            old = self._watch[false]
            kept: list[_Clause] = []
            self._watch[false] = kept
            for at, clause in enumerate(old):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                sign = self._sign(clause[0])
                if sign > 0 or not self._rewatch(clause, false):
                    kept.append(clause)
                    if sign < 0:
                        kept += old[at + 1 :]
                        return clause
                    if sign == 0:
                        self._assign(clause[0], clause)
        return None

    def _rewatch(self, clause: _Clause, false: int) -> bool:
        """Watches another literal that is not false, if there is one."""
        for at in range(2, len(clause)):
            if self._sign(clause[at]) >= 0:
                clause[1], clause[at] = clause[at], false
                self._watch[clause[1]].append(clause)
                return True
        return False

    def _learn(self, conflict: _Clause) -> None:
        """Resolves to the first point through which the conflict must pass, learns that, and goes back."""
        here = len(self._limits)
        seen: set[int] = set()
        rest: list[int] = []
        origins: list[_Clause] = []
        start: list[int] = []
        count, at, clause, pivot = 0, len(self._trail) - 1, conflict, 0
        while True:
            origins.append(clause)
            for literal in clause:
                variable = abs(literal)
                if literal == pivot or variable in seen:
                    continue
                seen.add(variable)
                if self._level[variable] == 0:
                    start.append(literal)
                elif self._level[variable] == here:
                    count += 1
                else:
                    rest.append(literal)
            while abs(self._trail[at]) not in seen:
                at -= 1
            pivot = self._trail[at]
            at -= 1
            count -= 1
            if not count:
                break
            reason = self._reason[abs(pivot)]
            assert reason is not None
            clause = reason
        rest.sort(key=lambda literal: -self._level[abs(literal)])
        origins += self._reasons_at_start(start)
        self._learned += 1
        learned = _Clause([-pivot, *rest], self._learned, tuple(origins))
        self._back(self._level[abs(rest[0])] if rest else 0)
        if rest:
            self._attach(learned)
        self._assign(-pivot, learned)
        self._recent = [abs(each) for each in learned[:8]] + self._recent[:40]
