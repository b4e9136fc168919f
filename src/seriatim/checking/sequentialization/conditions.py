"""The conditions of a proof for all sizes, generated from the program and the proof alone.

Gates may say that an action fails where it does not, for example because a quantifier stops before it reads
a cell that does not exist. That does no harm where failures are covered: no run fails even so. Otherwise,
with `terminating`, it has to be shown that an action does not fail where it is moved to; and of a step it is
known only what its own path has asserted: another path may fail there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from seriatim.actions.syntax import MAIN
from seriatim.actions.syntax import Term as MeasureTerm
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    FALSE,
    ZERO,
    Name,
    Term,
    add,
    at_most,
    both,
    conjuncts,
    either,
    equal,
    for_all,
    implies,
    less,
    names_in,
    negate,
    number,
)
from seriatim.checking.sequentialization.assumptions import Assumptions, Condition
from seriatim.checking.sequentialization.branches import Branches, Path
from seriatim.checking.sequentialization.evaluation import Scene
from seriatim.checking.sequentialization.events import count_all, count_at
from seriatim.checking.sequentialization.premises import Premise
from seriatim.checking.sequentialization.symbolic import (
    Component,
    State,
    head_name,
    same,
    tail_name,
    unsupported,
)


class Conditions(Assumptions):
    """All conditions of a program with a proof whose gates and measure are known."""

    def all(self) -> list[Condition]:
        found = [*self.initial(), *self.always()]
        for action in self.ordered:
            found += [*self.abstraction(action), *self.order(action), *self.exchanges(action)]
            if not self.terminating:
                found += self.progress(action)
        return self.complete([*found, *self.end()])

    def complete(self, found: Iterable[Condition]) -> list[Condition]:
        """Conditions with the axioms of the program; maxima have axioms once a condition reads them."""
        conditions = list(found)
        axioms = tuple(self._axioms())
        return [replace(each, hypotheses=(*axioms, *each.hypotheses)) for each in conditions]

    def _pending(self, action: str, arguments: tuple[Name, ...]) -> tuple[Term, ...]:
        """Collects what is known where an instance is pending."""
        typed = self.moves.typed(action, arguments)
        return (*self._known, typed, self.moves.is_pending(self._state, action, arguments))

    def _moved(self, action: str) -> tuple[tuple[Name, ...], tuple[Term, ...]]:
        """The arguments of an instance that is moved, and what is known there: its gate holds."""
        arguments = self.moves.arguments(action, "k")
        gate = self.moves.gate(action, self._state, arguments, "a")
        return arguments, (*self._pending(action, arguments), *(each.term for each in gate))

    def _runs(self, branches: Branches, path: Path) -> tuple[Term, ...]:
        """Collects what is known where an action, as it is written, takes a path. It does not fail, or, if
        failures are not covered, at least not on this path."""
        passed = path.passed if self.terminating else (each.term for each in branches.gate)
        return (*passed, *path.known())

    # --- the order, executed: I1, I3, I2 ------------------------------------------------------------------

    def _claims(
        self, action: str | None, arguments: tuple[Term, ...], state: State, old: State
    ) -> Iterator[tuple[Term, int]]:
        """The facts of the proof about the moment before an action, or about the end, each with its line."""
        for when in self.proof.when:
            if when.action == action:
                scene = Scene(state, dict(zip(when.arguments, arguments, strict=True)), old)
                yield self.evaluation.of(when.condition, scene), when.span.line

    def initial(self) -> Iterator[Condition]:
        """I1, and J after `main`."""
        start = self.signature.state("0")
        branches = self.moves.original(MAIN, start, (), "m")
        begin = tuple(self._start(start))
        for each in branches.gate:
            yield Condition(Premise.INITIAL, MAIN, None, f"main: {each.label}", begin, each.term, each.line)
        for at, path in enumerate(branches.paths, 1):
            before = (*begin, *path.known())
            yield from self._entered(Premise.INITIAL, MAIN, at, before, path.state, start)
            yield from self._kept(MAIN, f"branch {at}", before, path.state)

    def begins_everywhere(self) -> Condition:
        """`main` can do a step in every initial state. No premise needs that: a run that never begins ends
        nowhere."""
        start = self.signature.state("0")
        branches = self.moves.original(MAIN, start, (), "m")
        begin, goal = tuple(self._start(start)), self.moves.can_step(branches)
        found = Condition(Premise.NOT_BLOCKED, MAIN, None, "main can do a step", begin, goal)
        return self.complete([found])[0]

    def _entered(
        self, premise: Premise, action: str, at: int, before: tuple[Term, ...], state: State, old: State
    ) -> Iterator[Condition]:
        """After a branch, what is claimed about the action that comes next holds."""
        facts = self._facts(state)
        for target in dict.fromkeys(when.action for when in self.proof.when):
            names = () if target is None else self.moves.arguments(target, "n")
            case = self.moves.none_left(state) if target is None else self.moves.is_next(state, target, names)
            hypotheses = (*before, *facts, *conjuncts(case))
            for claim, line in self._claims(target, names, state, old):
                label = f"branch {at} leads to {target or 'the end'}: line {line}"
                yield Condition(premise, action, target, label, hypotheses, claim, line)

    def _claimed(self, action: str | None, arguments: tuple[Term, ...], case: Term) -> tuple[Term, ...]:
        """All that is known where an action comes next, or where nothing does."""
        start = self.signature.state("0")
        claims = (claim for claim, _ in self._claims(action, arguments, self._state, start))
        return (*self._start(start), *self._known, *conjuncts(case), *claims)

    def order(self, action: str) -> Iterator[Condition]:
        """I3: where an action comes next, its gate holds, and its branches lead to what is claimed."""
        start, state = self.signature.state("0"), self._state
        arguments = self.moves.arguments(action, "k")
        case = self._claimed(action, arguments, self.moves.is_next(state, action, arguments))
        gate = self.moves.gate(action, state, arguments, "a")
        for each in gate:
            label = f"gate where it comes next: {each.label}"
            yield Condition(Premise.ORDER, action, None, label, case, each.term, each.line)
        before = (*case, *(each.term for each in gate))
        for at, path in enumerate(self.moves.abstract(action, state, arguments, "a").paths, 1):
            yield from self._entered(Premise.ORDER, action, at, (*before, *path.known()), path.state, start)

    def end(self) -> Iterator[Condition]:
        """I2: where no ordered action is left, nothing is, and what is ensured holds."""
        start, state = self.signature.state("0"), self._state
        case = self._claimed(None, (), self.moves.none_left(state))
        for fact in self.proof.ensures:
            goal = self._spec(fact.condition, state, start)
            label = f"line {fact.span.line} is ensured"
            yield Condition(Premise.END, MAIN, None, label, case, goal, fact.span.line)
        for action in self.others:
            if action not in self.proof.actions:
                goal = self.moves.none_pending(state, action)
                yield Condition(Premise.END, MAIN, action, f"no {action} is left", case, goal)

    # --- what always holds: J -----------------------------------------------------------------------------

    def always(self) -> Iterator[Condition]:
        """J: every action, and every abstraction, keeps what always holds."""
        for action in self.others:
            arguments = self.moves.arguments(action, "k")
            branches = self.moves.original(action, self._state, arguments, "a")
            here = self._pending(action, arguments)
            for at, path in enumerate(branches.paths, 1):
                before = (*here, *self._runs(branches, path))
                yield from self._kept(action, f"branch {at}", before, path.state)
            if self.proof.abstraction(action) is not None:
                arguments, full = self._moved(action)
                wide = self.moves.abstract(action, self._state, arguments, "a").paths
                for at, path in enumerate(wide, 1):
                    who = f"branch {at} of its abstraction"
                    yield from self._kept(action, who, (*full, *path.known()), path.state)

    def _kept(self, action: str, branch: str, before: tuple[Term, ...], state: State) -> Iterator[Condition]:
        for fact in self.proof.lasting:
            label, line = f"line {fact.span.line} holds after {branch}", fact.span.line
            goal = self._spec(fact.condition, state)
            yield Condition(Premise.ALWAYS, action, None, label, before, goal, line)

    # --- abstractions: AB ---------------------------------------------------------------------------------

    def abstraction(self, action: str) -> Iterator[Condition]:
        """AB: where the gate holds, each branch of an action is one of its abstraction."""
        if self.proof.abstraction(action) is None:
            return
        arguments, here = self._moved(action)
        wide = self.moves.abstract(action, self._state, arguments, "w").paths
        for at, path in enumerate(self.moves.original(action, self._state, arguments, "a").paths, 1):
            goal = either(*(self._covers(path, each) for each in wide))
            label = f"branch {at} is a branch of the abstraction"
            yield Condition(Premise.ABSTRACTION, action, None, label, (*here, *path.known()), goal)

    def _covers(self, path: Path, wide: Path) -> Term:
        """The abstraction can do the same, with choices that are read off what the action does."""
        for draw in (*path.draws, *wide.draws):
            message = "this loop has no form for all sizes in an action with an abstraction"
            raise unsupported(message, draw.span)
        witnesses: dict[Name, Term] = {}
        for choice in wide.choices:
            alike = [each.name for each in path.choices if each.local == choice.local is not None]
            if alike and alike[0].sort is choice.name.sort:
                witnesses[choice.name] = alike[0]
            elif choice.component is not None:
                witnesses[choice.name] = path.state[choice.component](*choice.place)
        end = self._same_state(path.state, wide.state)
        return substitute(both(wide.condition(), end, self._same_created(path, wide)), witnesses)

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
        equals = equal(one[component.name](*names), other[component.name](*names))
        if component.queue is None:
            return for_all(names, equals)
        ends = one[head_name(component.queue)](*names[:-1]), one[tail_name(component.queue)](*names[:-1])
        return for_all(names, implies(both(at_most(ends[0], names[-1]), less(names[-1], ends[1])), equals))

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

    # --- exchanges: LM1, LM2, LM3 -------------------------------------------------------------------------

    def exchanges(self, action: str) -> Iterator[Condition]:
        """LM1 to LM3: an action can be moved before each other one."""
        for other in self.others:
            yield from self._exchange(action, other)

    def _exchange(self, action: str, other: str) -> Iterator[Condition]:
        state = self._state
        mine, here = self._moved(action)
        theirs = self.moves.arguments(other, "m")
        here = (*here, self.moves.typed(other, theirs), self.moves.is_pending(state, other, theirs))
        if action == other:  # the first of two equal instances to run is the one that is moved
            here = (*here, negate(same(mine, theirs)))
        early = self.moves.abstract(action, state, mine, "a").paths
        afterwards = [self.moves.original(other, path.state, theirs, "x") for path in early]
        swapped = list(zip(early, afterwards, strict=True))
        branches = self.moves.original(other, state, theirs, "x")
        if not self.terminating:
            for at, (path, after) in enumerate(swapped, 1):
                before = (*here, *path.known(), *(each.term for each in after.gate))
                for each in branches.gate:
                    label = f"branch {at} repairs no failure of {other} in line {each.line}"
                    yield Condition(Premise.NO_REPAIR, action, other, label, before, each.term, each.line)
        for number_, path in enumerate(branches.paths):
            before = (*here, *self._runs(branches, path))
            for each in self.moves.gate(action, path.state, mine, "a"):
                label = f"branch {number_ + 1} of {other} keeps the gate: {each.label}"
                yield Condition(Premise.KEEPS_GATE, action, other, label, before, each.term, each.line)
            for at, late in enumerate(self.moves.abstract(action, path.state, mine, "a").paths):
                reorders = partial(self._reorders, path, late)
                any_way = partial(reorders, swapped, range(len(branches.paths)))
                label = f"branch {at + 1} of {action} after branch {number_ + 1} of {other}"
                hypotheses, goal = (*before, *late.known()), reorders(swapped[at : at + 1], (number_,))
                yield Condition(Premise.COMMUTES, action, other, label, hypotheses, goal, weaker=any_way)

    def _reorders(
        self,
        path: Path,
        late: Path,
        swapped: Iterable[tuple[Path, Branches]],
        branches: Sequence[int],
    ) -> Term:
        """The same end with the action first: a branch of it, then one of these branches of the other one."""
        found: list[Term] = []
        for first, after in swapped:
            gate = [each.term for each in after.gate] if self.terminating else []
            for then in (after.paths[at] for at in branches):
                created = self._same_created(late, first), self._same_created(path, then)
                end = self._same_state(late.state, then.state)
                found.append(both(first.condition(), then.condition(), *created, end, *gate))
        return either(*found)

    # --- progress: LM4, CO --------------------------------------------------------------------------------

    def progress(self, action: str) -> Iterator[Condition]:
        """LM4 and CO: an action that is moved can do a step, and one that lowers the measure."""
        arguments, here = self._moved(action)
        branches = self.moves.abstract(action, self._state, arguments, "b")
        goal = self.moves.can_step(branches)
        yield Condition(Premise.NOT_BLOCKED, action, None, "some branch can be taken", here, goal)
        lowers = partial(self._lowers, action, measure=self.proof.measure or ())
        label, goal = (
            "some branch that can be taken lowers the measure",
            self.moves.can_step(branches, lowers),
        )
        yield Condition(Premise.COOPERATION, action, None, label, here, goal)

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
        found = [count_all(event) for event in events if event.subject == term.name]
        executed = number(-1) if term.is_action and term.name == action else ZERO
        return add(executed, *(each for each, _ in found)), both(*(known for _, known in found))
