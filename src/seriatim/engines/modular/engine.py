"""Proof by reduction, handler by handler: requests can be pulled together until each runs alone.

Steps here are steps of views (`seriatim.reductions.projection`): (ℓ, v) → (ℓ', v'). A step that changes no
variable may be *dropped* if whatever ℓ' can do by other steps, ℓ can do as well: a request that never takes
it, and waits at ℓ instead, can still take all the others. The rest is *kept*.

A handler *acts at its end* if its steps change no variable until one that answers, and whatever answer its
requests can get with some values of the variables, a request that runs alone from these values can get as
well, with the same values after it. Then each complete run can be changed so that its requests do all at
once when they are answered: what they did before changed nothing for anybody. So all that is kept of such a
handler are whole runs, as single steps of fresh requests. Optimistic transactions are like that: an attempt
that fails changes nothing.

A kept step of one request is a *right mover* if it can be exchanged with any kept step of another request
that follows it at once, and a *left mover* if it can be exchanged with any that precedes it at once: the
same two steps in the other order, to the same state. Suppose that some locals are *late*, none of them
fresh, and

  (a) a kept step from a local that is not late to one that is not late is a right mover;
  (b) a kept step from a late local is a left mover, and leads to a late local or to an answer.

Claim: then the system is serializable. Why: take a complete run. Without the dropped steps it is a complete
run with the same outcome. Each of its requests has one step that takes it to a late local or, if it never
gets there, to its answer; order the requests by these steps. As long as the run is not serial in this
order, it has two steps next to each other, a of a request p and then b of a request q, with q before p in
the order. If a came no earlier than p's own step of the order, and b no later than q's, q's would be later
than p's. So a is one of those in (a), or b is one of those in (b), and they can be exchanged: another
complete run with the same outcome, in the same order, with one pair less out of order. When none is left,
the run is serial.

Exchanging steps of requests of h and h' concerns only the variables that h or h' name, so views of the two
that agree on what both name are all that has to be looked at.
"""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.closure import closure
from seriatim.engines.stage import GaveUp
from seriatim.program.syntax import Program
from seriatim.reductions.projection import Projection, Values
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.potential import Broken, candidates
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import Move, ProgramUnfolding

View = tuple[int, int]
"""A pair (local, global)."""

Step = tuple[int, int, int, int]
"""A step (local, global, target, global after)."""


@dataclass(frozen=True, slots=True)
class ProvedByReduction:
    """Serializable, because requests can be pulled together until each runs alone:
    `seriatim.engines.modular.engine`."""

    views: ProgramUnfolding
    """The unfolding of the numbers: the program as each handler sees it."""
    invariants: tuple[tuple[int, int], ...]
    """Pairs (variable, sign), as in `seriatim.systems.potential`."""
    late: frozenset[int]
    """The locals of requests that have taken effect and are not answered yet."""


def modular(program: Program, limits: Limits, deadline: Deadline) -> ProvedByReduction | GaveUp:
    """Looks for late locals with (a) and (b)."""
    if program.can_fail:
        return GaveUp("handlers are not decided one by one if a step can fail")
    try:
        projection = project(ProgramUnfolding(program, limits, deadline), limits.max_states, deadline)
    except LimitReached:
        return GaveUp("the handlers have too many states, even one by one")
    unfolding = projection.unfolding
    movers = HandlerMovers(projection, deadline)
    late: set[int] = set()
    for request, name in enumerate(unfolding.requests):
        own = movers.late_locals(request)
        if unfolding.starts[request] in own or not all(
            movers.moves_left(request, step) for step in movers.steps[request] if step[0] in own
        ):
            return GaveUp(f"steps of `{name}` do not commute with steps of others")
        late |= own
    return ProvedByReduction(unfolding, projection.candidates, frozenset(late))


def project(unfolding: ProgramUnfolding, max_views: int, deadline: Deadline) -> Projection:
    """The views, with all invariants that hold; raises `LimitReached`."""
    alive = candidates(unfolding)
    while True:
        try:
            return Projection(unfolding, sorted(alive), max_views, deadline)
        except Broken as broken:
            alive -= broken.candidates


class HandlerMovers:
    """The kept steps of all handlers, and which of them can be exchanged with those of others."""

    def __init__(self, projection: Projection, deadline: Deadline) -> None:
        self.projection = projection
        self.deadline = deadline
        self.kept: dict[View, set[Move]] = {}
        for request in range(len(projection.views)):
            self.kept.update(self.keep_moves(request))
        self.steps = [
            [
                (local, global_, target, after)
                for global_, locals_ in views.items()
                for local in sorted(locals_)
                for target, after in sorted(self.kept[local, global_])
            ]
            for views in projection.views
        ]
        self._views: dict[tuple[int, int], dict[Values, list[View]]] = {}
        self._steps_to: dict[tuple[int, int], dict[Values, list[Step]]] = {}

    def keep_moves(self, request: int) -> dict[View, set[Move]]:
        """The moves of each view without those that may be dropped: what must stay is found first."""
        whole = self.in_one_go(request)
        if whole is not None:
            return whole
        views = self.projection.views[request]
        moves = self.projection.unfolding.moves
        dropped = {
            (local, global_, target)
            for global_, locals_ in views.items()
            for local in locals_
            for target, after in moves(local, global_)
            if target >= 0 and after == global_
        }

        def keep(local: int, global_: int) -> set[Move]:
            return {
                (target, after)
                for target, after in moves(local, global_)
                if after != global_ or (local, global_, target) not in dropped
            }

        where: dict[int, set[int]] = {}
        for global_, locals_ in views.items():
            for local in locals_:
                where.setdefault(local, set()).add(global_)
        while True:
            self.deadline.check()
            # A step back from ℓ' to ℓ is one that a request that is still at ℓ need not take.
            needed = {
                (local, target)
                for local, target in {(local, target) for local, _, target in dropped}
                if not where[target] <= where[local]
                or not all(keep(target, g) - {(local, g)} <= keep(local, g) for g in where[target])
            }
            if not needed:
                return {(local, g): keep(local, g) for g, locals_ in views.items() for local in locals_}
            dropped = {step for step in dropped if (step[0], step[2]) not in needed}

    def in_one_go(self, request: int) -> dict[View, set[Move]] | None:
        """The kept moves of each view of a handler that acts at its end; None for another one."""
        views, moves = self.projection.views[request], self.projection.unfolding.moves
        start = self.projection.unfolding.starts[request]
        kept: dict[View, set[Move]] = {}
        for global_, locals_ in views.items():
            self.deadline.check()
            answers: set[Move] = set()
            for local in locals_:
                for target, after in moves(local, global_):
                    if target < 0:
                        answers.add((target, after))
                    elif after != global_:
                        return None
                kept[local, global_] = set()
            if not answers <= self.alone(start, global_):
                return None
            kept[start, global_] = answers
        return kept

    def alone(self, start: int, global_: int) -> set[Move]:
        """The answers of a request that runs alone and changes nothing before it is answered."""
        moves = self.projection.unfolding.moves
        met = closure([(start, global_)], lambda move: moves(move[0], global_) if move[0] >= 0 else ())
        return {move for move in met if move[0] < 0}

    def late_locals(self, request: int) -> set[int]:
        """The fewest locals with (a): those that follow a step that is no right mover, and those that cannot
        be told apart from them by what is left to do."""
        first = {
            target
            for local, global_, target, after in self.steps[request]
            if target >= 0 and not self.moves_right(request, (local, global_, target, after))
        }
        following: dict[int, set[int]] = {}
        for local, _, target, _ in self.steps[request]:
            if target >= 0:
                following.setdefault(local, set()).add(target)
        alike: dict[object, set[int]] = {}
        for local in set().union(*self.projection.views[request].values()):
            alike.setdefault(self.left_to_do(local), set()).add(local)
        return set(closure(first, lambda local: following.get(local, set()) | alike[self.left_to_do(local)]))

    def left_to_do(self, local: int) -> tuple[str | None, tuple[tuple[str, int], ...]]:
        state = local_state(self.projection.unfolding, local)
        return state.code, state.values

    def moves_right(self, request: int, step: Step) -> bool:
        """Whether the step can be exchanged with any step of another request that follows it."""
        local, global_, target, after = step
        fit, values, replaced = self.projection.fit, self.projection.values, self.projection.with_values
        for other in self.projection.neighbours[request]:
            self.deadline.check()
            shared = self.projection.shared[request, other]
            now, then = values(global_, shared), values(after, shared)
            for other_local, before in self.views_with(other, request, now):
                if not fit(local, other_local, shared, now):
                    continue
                if target >= 0 and not fit(target, other_local, shared, then):
                    continue
                between = replaced(before, shared, then)
                for other_target, end in self.kept.get((other_local, between), ()):
                    last = values(end, shared)
                    if not any(
                        other_target == early_target
                        and replaced(early, shared, last) == end
                        and (target, replaced(after, shared, last))
                        in self.kept.get((local, replaced(global_, shared, values(early, shared))), ())
                        for early_target, early in self.kept[other_local, before]
                    ):
                        return False
        return True

    def moves_left(self, request: int, step: Step) -> bool:
        """Whether the step can be exchanged with any step of another request that precedes it."""
        local, global_, target, after = step
        fit, values, replaced = self.projection.fit, self.projection.values, self.projection.with_values
        for other in self.projection.neighbours[request]:
            self.deadline.check()
            shared = self.projection.shared[request, other]
            now, last = values(global_, shared), values(after, shared)
            for other_local, before, other_target, between in self.steps_to(other, request, now):
                first = values(before, shared)
                start = replaced(global_, shared, first)
                if (local, start) not in self.kept or not fit(local, other_local, shared, first):
                    continue
                if other_target >= 0 and not fit(local, other_target, shared, now):
                    continue
                if not any(
                    target == early_target
                    and replaced(early, shared, last) == after
                    and (other_target, replaced(between, shared, last))
                    in self.kept.get((other_local, replaced(before, shared, values(early, shared))), ())
                    for early_target, early in self.kept[local, start]
                ):
                    return False
        return True

    def views_with(self, request: int, other: int, values: Values) -> list[View]:
        """Returns the views of a request in which the variables that another names as well have these
        values."""
        if (request, other) not in self._views:
            found: dict[Values, list[View]] = {}
            shared = self.projection.shared[request, other]
            for global_, locals_ in self.projection.views[request].items():
                views = found.setdefault(self.projection.values(global_, shared), [])
                views.extend((local, global_) for local in sorted(locals_))
            self._views[request, other] = found
        return self._views[request, other].get(values, [])

    def steps_to(self, request: int, other: int, values: Values) -> list[Step]:
        """The kept steps of a request after which what it shares with another has these values."""
        if (request, other) not in self._steps_to:
            found: dict[Values, list[Step]] = {}
            shared = self.projection.shared[request, other]
            for step in self.steps[request]:
                found.setdefault(self.projection.values(step[3], shared), []).append(step)
            self._steps_to[request, other] = found
        return self._steps_to[request, other].get(values, [])
