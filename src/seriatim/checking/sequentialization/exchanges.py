"""The conditions about two actions, exchanges, and about progress: LM1 to LM4 and CO."""

from collections.abc import Iterator
from functools import partial

from seriatim.actions.syntax import Term as MeasureTerm
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Name,
    Term,
    add,
    at_most,
    both,
    either,
    equal,
    exists,
    for_all,
    fresh,
    implies,
    less,
    names_in,
    negate,
    number,
)
from seriatim.checking.sequentialization.assumptions import Assumptions, Condition
from seriatim.checking.sequentialization.branches import Path
from seriatim.checking.sequentialization.events import count_at, total
from seriatim.checking.sequentialization.premises import Premise
from seriatim.checking.sequentialization.symbolic import Component, State, head_name, tail_name


class Exchanges(Assumptions):
    """Conditions under which an action can be moved before others."""

    # --- equality -----------------------------------------------------------------------------------------

    def _same_state(self, one: State, other: State) -> Term:
        """Equal globals. Ghosts follow from globals, and what is pending from what was created."""
        return both(
            *(
                self._same(component, one, other)
                for component in self.signature.components.values()
                if not component.is_ghost
                and not component.name.startswith("pending ")
                and one[component.name] is not other[component.name]
            )
        )

    def _same(self, component: Component, one: State, other: State) -> Term:
        names = component.names()
        same = equal(one[component.name](*names), other[component.name](*names))
        if component.queue is None:
            return for_all(names, same)
        ends = one[head_name(component.queue)](*names[:-1]), one[tail_name(component.queue)](*names[:-1])
        return for_all(names, implies(both(at_most(ends[0], names[-1]), less(names[-1], ends[1])), same))

    def _same_created(self, one: Path, other: Path) -> Term:
        found: list[Term] = []
        for action in dict.fromkeys(event.subject for event in (*one.created, *other.created)):
            names = self.moves.arguments(action)
            counts = [
                add(ZERO, *(count_at(event, names) for event in path.created if event.subject == action))
                for path in (one, other)
            ]
            found.append(for_all(names, equal(*counts)))
        return both(*found)

    # --- exchanges ----------------------------------------------------------------------------------------

    def _exchanges(self, action: str) -> Iterator[Condition]:
        for other in self.others:
            yield from self._exchange(action, other)

    def _pair(
        self, action: str, other: str, state: State
    ) -> tuple[list[Term], tuple[Name, ...], tuple[Name, ...]]:
        """Both are pending, and they differ: the first of two equal instances to run is the one moved."""
        mine, theirs = self.moves.arguments(action, "k"), self.moves.arguments(other, "m")
        found = [
            *self._known,
            self.moves.typed(action, mine),
            self.moves.typed(other, theirs),
            self.moves.is_pending(state, action, mine),
            self.moves.is_pending(state, other, theirs),
        ]
        if action == other:
            same = both(*(equal(a, b) for a, b in zip(mine, theirs, strict=True)))
            found.append(negate(same))
        return [each for each in found if each != TRUE], mine, theirs

    def _exchange(self, action: str, other: str) -> Iterator[Condition]:
        state = self._state
        here, mine, theirs = self._pair(action, other, state)
        here += [each.term for each in self.moves.gate(action, state, mine, "a")]
        early = self.moves.abstract(action, state, mine, "a")
        branches = self.moves.original(other, state, theirs, "x")
        if not self.terminating:
            yield from self._repairs(action, other, tuple(here), early.paths, theirs, branches.gate)
            here += [term for term, _ in branches.gate]
        for number_, path in enumerate(branches.paths):
            before = (*here, *path.known())
            for each in self.moves.gate(action, path.state, mine, "a"):
                label = f"branch {number_ + 1} of {other} keeps the gate: {each.label}"
                yield Condition(Premise.KEEPS_GATE, action, other, label, before, each.term, line=each.line)
            late = self.moves.abstract(action, path.state, mine, "a").paths
            for at, after in enumerate(late):
                reorders = partial(self._reorders, path, after, early.paths, other, theirs)
                same = reorders(((at, number_),))
                pairs = tuple((a, x) for a in range(len(early.paths)) for x in range(len(branches.paths)))
                label = f"branch {at + 1} of {action} after branch {number_ + 1} of {other}"
                hypotheses, any_way = (*before, *after.known()), partial(reorders, pairs)
                yield Condition(Premise.COMMUTES, action, other, label, hypotheses, same, any_way)

    def _reorders(
        self,
        path: Path,
        after: Path,
        early: tuple[Path, ...],
        other: str,
        theirs: tuple[Name, ...],
        pairs: tuple[tuple[int, int], ...],
    ) -> Term:
        """The same end with the action first: one of its branches, then a branch of the other one."""
        found: list[Term] = []
        for first_at, then_at in pairs:
            first = early[first_at]
            then = self.moves.original(other, first.state, theirs, "x").paths[then_at]
            found.append(
                both(
                    first.condition(),
                    then.condition(),
                    self._same_created(after, first),
                    self._same_created(path, then),
                    self._same_state(after.state, then.state),
                )
            )
        return either(*found)

    def _repairs(
        self,
        action: str,
        other: str,
        here: tuple[Term, ...],
        early: tuple[Path, ...],
        theirs: tuple[Name, ...],
        gate: tuple[tuple[Term, int], ...],
    ) -> Iterator[Condition]:
        for number_, path in enumerate(early):
            after = self.moves.original(other, path.state, theirs, "x").gate
            before = (*here, *path.known(), *(term for term, _ in after))
            for term, line in gate:
                label = f"branch {number_ + 1} repairs no failure of {other} in line {line}"
                yield Condition(Premise.NO_REPAIR, action, other, label, before, term, line=line)

    # --- progress -----------------------------------------------------------------------------------------

    def _progress(self, action: str) -> Iterator[Condition]:
        state = self._state
        arguments = self.moves.arguments(action, "k")
        here = (
            *self._known,
            self.moves.typed(action, arguments),
            self.moves.is_pending(state, action, arguments),
            *(each.term for each in self.moves.gate(action, state, arguments, "a")),
        )
        branches = self.moves.abstract(action, state, arguments, "b")
        goal = self.moves.can_step(branches)
        yield Condition(Premise.NOT_BLOCKED, action, None, "some branch can be taken", here, goal)
        ways: list[Term] = []
        for path in branches.paths:
            lowered = path.possible(self._lowers(action, path, self.proof.measure or ()))
            renamed = {each.name: fresh("e", each.name.sort) for each in path.choices}
            ways.append(exists(renamed.values(), substitute(lowered, renamed)))
        label = "some branch that can be taken lowers the measure"
        yield Condition(Premise.COOPERATION, action, None, label, here, either(*ways))

    def _lowers(self, action: str, path: Path, measure: tuple[MeasureTerm, ...]) -> Term:
        if not measure:
            return FALSE
        change, known = self._change(action, path, measure[0])
        rest = self._lowers(action, path, measure[1:])
        lowered = either(less(change, ZERO), both(equal(change, ZERO), rest))
        unknown = [each for each in names_in(known) if each.name.startswith("total!")]
        return for_all(unknown, implies(known, lowered))

    def _change(self, action: str, path: Path, term: MeasureTerm) -> tuple[Term, Term]:
        """The amount by which a branch changes a component of the measure, and facts about that amount."""
        events = path.created if term.is_action else path.transfers
        found = [total(event) for event in events if event.subject == term.name]
        executed = number(-1) if term.is_action and term.name == action else ZERO
        return add(executed, *(each for each, _ in found)), both(*(known for _, known in found))
