"""The graph of a thread under construction: steps, atomic sections, and what is left of them at the end.

Actions on locals wait for the next access to something shared and become one step with it: nobody can see
them, and a step that fails on the way fails at once. Atomic sections are found on the graph, whatever the
nesting of the text: each way through one becomes one step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seriatim.frontends.c.refusing import refuse
from seriatim.program.threads.syntax import FINISHED, Action, Assign, Assume, Edge, Fork, Join, writes
from seriatim.source import Span
from seriatim.terms.expressions import FALSE, Constant, Expression, Variable, negation

MAX_PATHS = 256
MANY = 8


@dataclass(frozen=True, slots=True)
class Draft:
    """A step, or a mark: where an atomic section begins (+1) or ends (-1)."""

    source: int
    target: int
    actions: tuple[Action, ...]
    span: Span
    text: str = ""
    mark: int = 0
    atomic: bool = False
    by_chance: bool = False
    is_weak: bool = False


class Graph:
    def __init__(self) -> None:
        self.places = 0
        self.here: int | None = self.place()
        """None where control does not come."""
        self.waiting: list[Action] = []
        self.drafts: list[Draft] = []
        self.assumes_inside = False
        """Whether an atomic section makes an assumption, which may mean that it waits."""

    def place(self) -> int:
        self.places += 1
        return self.places - 1

    # Building

    def locally(self, action: Action) -> None:
        """An action that nobody else can see."""
        if self.here is not None:
            self.waiting.append(action)

    def constant(self, expression: Expression) -> Constant | None:
        """The value of an expression, if it is a constant or a local that was just set to one."""
        if isinstance(expression, Constant):
            return expression
        if not isinstance(expression, Variable):
            return None
        for action in reversed(self.waiting):
            if expression.name in writes(action):
                match action:
                    case Assign(targets=(_,), values=(Constant() as value,)):
                        return value
                    case _:
                        return None
        return None

    def shared(self, actions: tuple[Action, ...], span: Span, text: str) -> None:
        """A step that others can see, or that depends on them."""
        self.step((*self.waiting, *actions), self.place(), span, text)

    def split(
        self,
        ways: Sequence[tuple[Action, ...]],
        span: Span,
        text: str,
        atomic: bool = False,
        is_weak: bool = False,
    ) -> None:
        """One of several steps, all of which lead to the same place."""
        if self.here is not None:
            target = self.place()
            first = len(self.drafts)
            self.ways([(way, target) for way in ways], span, text, atomic)
            if is_weak:
                self.drafts[first:] = [
                    replace(each, is_weak=each.target == target) for each in self.drafts[first:]
                ]
            self.here = target

    def ways(
        self,
        ways: Sequence[tuple[tuple[Action, ...], int]],
        span: Span,
        text: str,
        atomic: bool = False,
    ) -> None:
        """One of several steps, each of which leads somewhere."""
        if len(ways) > MANY:  # What waits would be copied into each.
            self.settle(span, text)
        if self.here is None:
            return
        for actions, target in ways:
            self.drafts.append(Draft(self.here, target, (*self.waiting, *actions), span, text, atomic=atomic))
        self.here = None
        self.waiting = []

    def way(
        self, actions: tuple[Action, ...], target: int, span: Span, text: str, by_chance: bool = False
    ) -> None:
        """One of several steps from here; nothing waits to be one."""
        assert not self.waiting, "it was settled"
        if self.here is not None:
            self.drafts.append(Draft(self.here, target, actions, span, text, by_chance=by_chance))

    def step(self, actions: tuple[Action, ...], target: int, span: Span, text: str, mark: int = 0) -> None:
        if self.here is None:
            return
        self.drafts.append(Draft(self.here, target, actions, span, text, mark))
        self.waiting = []
        self.here = target

    def settle(self, span: Span, text: str = "") -> None:
        """What waits becomes a step."""
        if self.waiting:
            self.step(tuple(self.waiting), self.place(), span, text)

    def go(self, target: int, span: Span, text: str = "") -> None:
        """Control goes on somewhere else."""
        self.step(tuple(self.waiting), target, span, text)
        self.here = None
        self.waiting = []

    def join_at(self, target: int, span: Span) -> None:
        """Control comes to a place, from here and from elsewhere."""
        if self.here is not None:
            self.go(target, span)
        self.here = target

    def is_atomic_here(self) -> bool:
        """Whether control is in an atomic section, as far as the steps that are known say so."""
        marks = {draft.target: draft for draft in self.drafts}
        place, depth, seen = self.here, 0, set[int]()
        while place is not None and place in marks and place not in seen:
            seen.add(place)
            depth += marks[place].mark
            place = marks[place].source
        return place == 0 and depth > 0

    def come_to(self, target: int) -> bool:
        """Goes on at a place to which only steps lead that are known by now; whether there are any."""
        is_entered = any(draft.target == target for draft in self.drafts)
        self.here = target if is_entered else None
        return is_entered

    def branch(self, condition: Expression | None, yes: int, no: int, span: Span, text: str) -> None:
        """Control goes to one of two places; without a condition, to any."""
        if self.here is None:
            return
        here, waiting = self.here, tuple(self.waiting)
        for target, is_met in ((yes, True), (no, False)):
            test: tuple[Action, ...] = ()
            if condition is not None:
                test = (Assume(condition if is_met else negation(condition), span),)
            word = "yes" if is_met else "no"
            self.drafts.append(Draft(here, target, (*waiting, *test), span, f"{text}: {word}"))
        self.here = None
        self.waiting = []

    def stop(self, span: Span, text: str) -> None:
        """The thread does nothing any more, and is not finished."""
        self.go(self.place(), span, text)

    def mark(self, mark: int, span: Span) -> None:
        """An atomic section begins or ends."""
        self.settle(span)
        self.step((), self.place(), span, "", mark)

    # The finished graph

    def edges(self) -> tuple[int, list[Edge]]:
        """The entry and the steps. Raises `InputError` where an atomic section cannot be one step."""
        depths = self.depths()
        following: dict[int, list[Draft]] = {}
        for draft in self.drafts:
            following.setdefault(draft.source, []).append(draft)
        found: list[Edge] = []
        for place in sorted(depths):
            if depths[place] == 0 and place != FINISHED:
                for draft in following.get(place, []):
                    found.extend(self.paths(draft, depths, following))
        return 0, found

    def depths(self) -> dict[int, int]:
        """How many atomic sections each place is in, of those to which control comes."""
        following: dict[int, list[Draft]] = {}
        for draft in self.drafts:
            following.setdefault(draft.source, []).append(draft)
        depths = {0: 0}
        pending = [0]
        while pending:
            place = pending.pop()
            for draft in following.get(place, []):
                depth = depths[place] + draft.mark
                if draft.target == FINISHED:
                    continue
                if depth < 0:
                    refuse("an atomic section that ends without having begun", draft.span, "begin it before")
                if draft.target not in depths:
                    depths[draft.target] = depth
                    pending.append(draft.target)
                elif depths[draft.target] != depth:
                    remedy = "begin and end it on every way through the code"
                    refuse("an atomic section that only some ways enter or leave", draft.span, remedy)
        return depths

    def paths(self, first: Draft, depths: dict[int, int], following: dict[int, list[Draft]]) -> list[Edge]:
        """The step that a draft is, or all ways through the atomic section that it begins."""
        found: list[Edge] = []
        pending: list[tuple[Draft, tuple[Action, ...], tuple[int, ...], str, bool]]
        pending = [(first, (), (), "", False)]
        while pending:
            draft, before, seen, text, by_chance = pending.pop()
            by_chance |= draft.by_chance
            actions = before + draft.actions
            told = "; ".join(each for each in (text, draft.text) if each)
            is_outside = draft.target == FINISHED or depths[draft.target] == 0
            is_stuck = not is_outside and not following.get(draft.target)
            if is_stuck:  # The section never ends, so nobody sees what it has done; it may have failed.
                actions += (Assume(FALSE, draft.span),)
            if is_outside or is_stuck:
                self.check(actions, first.span)
                shown = f"atomic {{ {told} }}" if seen else told
                is_atomic = bool(seen) or draft.atomic
                self.assumes_inside |= bool(seen) and any(
                    isinstance(each, Assume) and each.is_given for each in actions
                )
                edge = Edge(first.source, draft.target, actions, first.span, shown, is_atomic, by_chance)
                found.append(replace(edge, is_section=bool(seen), is_weak=draft.is_weak))
                if len(found) > MAX_PATHS:
                    refuse(
                        f"an atomic section with more than {MAX_PATHS} ways through it",
                        first.span,
                        "make it smaller",
                    )
                continue
            if draft.target in seen:
                refuse("a loop in an atomic section", draft.span, "write the loop around the section")
            inside = (*seen, draft.target)
            pending.extend((each, actions, inside, told, by_chance) for each in following[draft.target])
        return found

    def check(self, actions: tuple[Action, ...], span: Span) -> None:
        if sum(isinstance(action, Fork | Join) for action in actions) > 1:
            refuse("an atomic section that starts or joins two threads", span, "start or join one at a time")
