"""The conditions of a proof for all sizes, generated from the program and the proof alone.

Conditions may say that an action fails where it does not, for example because a quantifier stops before it
reads a cell that does not exist. That does no harm where failures are covered: no run fails even so. With
`terminating`, nothing is assumed or shown about failures of the action that others are moved before, and
facts are kept by failing actions, too: a run that ends stays a run if failing assertions have no effect, and
exchanges lead through such runs. Runs in the order do not fail, by I1 and I3.
"""

from collections.abc import Iterator

from seriatim.actions.syntax import MAIN
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import Name, Term, both, conjuncts, either, for_all, negate
from seriatim.checking.sequentialization.assumptions import Condition, reachable_actions
from seriatim.checking.sequentialization.branches import Path
from seriatim.checking.sequentialization.evaluation import Scene
from seriatim.checking.sequentialization.exchanges import Exchanges
from seriatim.checking.sequentialization.premises import EXCHANGE, PROGRESS, Premise
from seriatim.checking.sequentialization.symbolic import State, unsupported
from seriatim.frozen import replace

__all__ = ["Condition", "Conditions", "reachable_actions"]


class Conditions(Exchanges):
    """All conditions of a program with a proof whose gates and measure are known."""

    def all(self) -> list[Condition]:
        return self.about(frozenset(Premise), self.ordered)

    def about(self, premises: frozenset[Premise], actions: tuple[str, ...]) -> list[Condition]:
        """The conditions of some premises; those that are about one moved action, for some actions."""
        found: list[Condition] = []
        if premises & {Premise.INITIAL, Premise.ALWAYS}:
            found += [*self._initial(), *self._always()]
        if Premise.ABSTRACTION in premises:
            found += self._abstractions()
        for action in actions:
            if Premise.ORDER in premises:
                found += self._order(action)
            if premises & EXCHANGE:
                found += self._exchanges(action)
            if premises & PROGRESS and not self.terminating:
                found += self._progress(action)
        if Premise.END in premises:
            found += self._end()
        found = [each for each in found if each.premise in premises]
        axioms = tuple(self._axioms())
        return [replace(each, hypotheses=(*axioms, *each.hypotheses)) for each in found]

    # --- the order, executed ------------------------------------------------------------------------------

    def _invariant(
        self, action: str | None, arguments: tuple[Term, ...], state: State, old: State
    ) -> Iterator[tuple[Term, int]]:
        """What is claimed where an action comes next, or where nothing does, with lines."""
        for when in self.proof.when:
            if when.action == action:
                scene = Scene(state, dict(zip(when.arguments, arguments, strict=True)), old)
                yield self.evaluation.of(when.condition, scene), when.span.line

    def _initial(self) -> Iterator[Condition]:
        start = self.signature.state("0")
        branches = self.moves.original(MAIN, start, (), "m")
        begin = self._start(start)
        for term, line in branches.gate:
            label = f"main does not fail in line {line}"
            yield Condition(Premise.INITIAL, MAIN, None, label, tuple(begin), term, line=line)
        for number_, path in enumerate(branches.paths):
            before = (*begin, *path.known())
            yield from self._entered(Premise.INITIAL, MAIN, number_, before, path.state, start)
            for fact in self.proof.always:
                label = f"line {fact.span.line} holds after main"
                goal = self._spec(fact.condition, path.state)
                yield Condition(Premise.ALWAYS, MAIN, None, label, before, goal, line=fact.span.line)

    def _entered(
        self, premise: Premise, action: str, path: int, before: tuple[Term, ...], state: State, old: State
    ) -> Iterator[Condition]:
        facts = self._facts(state)
        for target in dict.fromkeys(when.action for when in self.proof.when):
            names = () if target is None else self.moves.arguments(target, "n")
            case = self.moves.none_left(state) if target is None else self.moves.is_next(state, target, names)
            hypotheses = (*before, *facts, *conjuncts(case))
            for claim, line in self._invariant(target, names, state, old):
                label = f"branch {path + 1} leads to {target or 'the end'}: line {line}"
                yield Condition(premise, action, target, label, hypotheses, claim, line=line)

    def _order(self, action: str) -> Iterator[Condition]:
        start, state = self.signature.state("0"), self._state
        arguments = self.moves.arguments(action, "k")
        case = [
            *self._start(start),
            *self._known,
            *conjuncts(self.moves.is_next(state, action, arguments)),
            *(claim for claim, _ in self._invariant(action, arguments, state, start)),
        ]
        gate = self.moves.gate(action, state, arguments, "a")
        for each in gate:
            label = f"gate where it comes next: {each.label}"
            yield Condition(Premise.ORDER, action, None, label, tuple(case), each.term, line=each.line)
        before = (*case, *(each.term for each in gate))
        for number_, path in enumerate(self.moves.abstract(action, state, arguments, "a").paths):
            yield from self._entered(
                Premise.ORDER, action, number_, (*before, *path.known()), path.state, start
            )

    def _end(self) -> Iterator[Condition]:
        start, state = self.signature.state("0"), self._state
        case = [
            *self._start(start),
            *self._known,
            *conjuncts(self.moves.none_left(state)),
            *(claim for claim, _ in self._invariant(None, (), state, start)),
        ]
        for fact in self.proof.ensures:
            goal = self._spec(fact.condition, state, start)
            label = f"line {fact.span.line} is ensured"
            yield Condition(Premise.END, MAIN, None, label, tuple(case), goal, line=fact.span.line)
        for action in self.others:
            if action not in self.proof.actions:
                names = self.moves.arguments(action)
                goal = for_all(names, negate(self.moves.is_pending(state, action, names)))
                yield Condition(Premise.END, MAIN, action, f"no {action} is left", tuple(case), goal)

    # --- what always holds --------------------------------------------------------------------------------

    def _always(self) -> Iterator[Condition]:
        state = self._state
        for action in self.others:
            arguments = self.moves.arguments(action, "k")
            here = (
                *self._known,
                self.moves.typed(action, arguments),
                self.moves.is_pending(state, action, arguments),
            )
            branches = self.moves.original(action, state, arguments, "a")
            gate = () if self.terminating else tuple(term for term, _ in branches.gate)
            yield from self._kept(action, branches.paths, (*here, *gate), "")
            if self.proof.abstraction(action) is not None:
                full = tuple(each.term for each in self.moves.gate(action, state, arguments, "a"))
                paths = self.moves.abstract(action, state, arguments, "a").paths
                yield from self._kept(action, paths, (*here, *full), " of its abstraction")

    def _kept(
        self, action: str, paths: tuple[Path, ...], before: tuple[Term, ...], what: str
    ) -> Iterator[Condition]:
        for number_, path in enumerate(paths):
            for fact in self.proof.always:
                label = f"branch {number_ + 1}{what} keeps line {fact.span.line}"
                goal = self._spec(fact.condition, path.state)
                yield Condition(
                    Premise.ALWAYS, action, None, label, (*before, *path.known()), goal, line=fact.span.line
                )

    # --- abstractions -------------------------------------------------------------------------------------

    def _abstractions(self) -> Iterator[Condition]:
        state = self._state
        for action in self.ordered:
            if self.proof.abstraction(action) is None:
                continue
            arguments = self.moves.arguments(action, "k")
            gate = [each.term for each in self.moves.gate(action, state, arguments, "a")]
            here = (*self._known, self.moves.is_pending(state, action, arguments), *gate)
            wide = self.moves.abstract(action, state, arguments, "w").paths
            for number_, path in enumerate(self.moves.original(action, state, arguments, "a").paths):
                goal = either(*(self._covers(path, each) for each in wide))
                label = f"branch {number_ + 1} is a branch of the abstraction"
                hypotheses = (*here, self.moves.typed(action, arguments), *path.known())
                yield Condition(Premise.ABSTRACTION, action, None, label, hypotheses, goal)

    def _covers(self, path: Path, wide: Path) -> Term:
        """The abstraction can do the same, with choices that are read off what the action does."""
        for draw in (*path.draws, *wide.draws):
            message = "this loop has no form for all sizes in an action with an abstraction"
            raise unsupported(message, draw.span)
        witnesses: dict[Name, Term] = {}
        for choice in wide.choices:
            same = [each.name for each in path.choices if each.local == choice.local is not None]
            if same and same[0].sort is choice.name.sort:
                witnesses[choice.name] = same[0]
            elif choice.component is not None:
                witnesses[choice.name] = path.state[choice.component](*choice.place)
        whole = both(
            wide.condition(), self._same_state(path.state, wide.state), self._same_created(path, wide)
        )
        return substitute(whole, witnesses)
