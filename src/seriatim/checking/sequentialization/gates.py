"""Gates: what has to hold where an ordered action is moved to the front.

The gate of A* is the gate of A (no assertion fails), the assertions of its abstraction, and conjuncts from
a menu: nothing earlier is pending; some branch can be taken; no other pending instance of B can do a step.
"""

from collections.abc import Callable

from seriatim.actions.syntax import EnumType, Gate, GateKind, Proof
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Name,
    Sort,
    Term,
    between,
    both,
    bracket,
    either,
    equal,
    exists,
    for_all,
    fresh,
    implies,
    less,
    negate,
    number,
)
from seriatim.checking.sequentialization.branches import Branches, Conjunct, Path
from seriatim.checking.sequentialization.evaluation import Evaluation, Scene
from seriatim.checking.sequentialization.loops import Brancher
from seriatim.checking.sequentialization.symbolic import State, pending_name, same, sort_of

NO_EARLIER = "no earlier"


class Moves:
    """Actions of a program as a proof moves them."""

    def __init__(self, proof: Proof, evaluation: Evaluation) -> None:
        self.proof = proof
        self.program = evaluation.program
        self.evaluation = evaluation
        self.brancher = Brancher(evaluation)
        self._keys = {key.action: key for key in proof.keys}

    # --- instances ----------------------------------------------------------------------------------------

    def arguments(self, action: str, hint: str | None = None) -> tuple[Name, ...]:
        """Names the arguments of an instance: with fresh names, or with the same ones for the same hint."""
        types = [sort_of(each.type) for each in self.program.action(action).arguments]
        if hint is None:
            return tuple(fresh(action, sort) for sort in types)
        return tuple(Name(f"{hint}#{number}", sort) for number, sort in enumerate(types))

    def typed(self, action: str, arguments: tuple[Term, ...]) -> Term:
        """Says that arguments have values of their types."""
        found = [
            between(ZERO, term, number(len(each.type.members) - 1))
            for term, each in zip(arguments, self.program.action(action).arguments, strict=True)
            if isinstance(each.type, EnumType)
        ]
        return both(*found)

    def is_pending(self, state: State, action: str, arguments: tuple[Term, ...]) -> Term:
        return less(ZERO, state[pending_name(action)](*arguments))

    def original(self, action: str, state: State, arguments: tuple[Term, ...], tag: str) -> Branches:
        return self.brancher.execute(self.program.action(action), state, arguments, tag)

    def abstract(self, action: str, state: State, arguments: tuple[Term, ...], tag: str) -> Branches:
        body = self.proof.abstraction(action) or self.program.action(action)
        return self.brancher.execute(body, state, arguments, tag)

    # --- the order ----------------------------------------------------------------------------------------

    def key(self, action: str, arguments: tuple[Term, ...], state: State) -> tuple[Term, ...]:
        numbers = tuple(map(_count, arguments))
        given, rank = self._keys.get(action), number(self.proof.rank(action))
        if given is not None:
            scene = Scene(state, dict(zip(given.arguments, arguments, strict=True)))
            return self.evaluation.all_of(given.parts, scene)
        if self.proof.order.by_index:
            return (numbers[0], rank, *numbers[1:])
        return (rank, *numbers)

    def precedes(
        self, one: str, first: tuple[Term, ...], other: str, second: tuple[Term, ...], state: State
    ) -> Term:
        """Says that an instance comes before another one; see `seriatim.actions.order`."""
        ranks = self.proof.rank(one), self.proof.rank(other)
        if ranks[0] != ranks[1]:
            tie: Term = TRUE if ranks[0] < ranks[1] else FALSE
        else:
            tie = _compare(tuple(map(_count, first)), tuple(map(_count, second)), FALSE)
        return _compare(self.key(one, first, state), self.key(other, second, state), tie)

    def nothing_earlier(self, state: State, action: str, arguments: tuple[Term, ...], than: str) -> Term:
        """Says that no instance of `than` is pending that comes before this one."""
        others = self.arguments(than)
        earlier = self.precedes(than, others, action, arguments, state)
        pending = self.is_pending(state, than, others)
        return for_all(others, implies(both(self.typed(than, others), pending), negate(earlier)))

    def is_next(self, state: State, action: str, arguments: tuple[Term, ...]) -> Term:
        return both(
            self.typed(action, arguments),
            self.is_pending(state, action, arguments),
            *(self.nothing_earlier(state, action, arguments, each) for each in self.proof.actions),
        )

    def none_left(self, state: State) -> Term:
        return both(*(self.none_pending(state, action) for action in self.proof.actions))

    def none_pending(self, state: State, action: str) -> Term:
        names = self.arguments(action)
        return for_all(names, negate(self.is_pending(state, action, names)))

    # --- gates --------------------------------------------------------------------------------------------

    def can_step(self, branches: Branches, also: Callable[[Path], Term] = lambda _: TRUE) -> Term:
        """Says that some branch can be taken, with some choices, and that something else is true of it."""
        return either(*(_close(path, path.possible(also(path))) for path in branches.paths))

    def gate(self, action: str, state: State, arguments: tuple[Term, ...], tag: str) -> list[Conjunct]:
        """Lists the conjuncts of the gate of A*."""
        found = [*self.original(action, state, arguments, f"{tag}o").gate]
        abstract = self.abstract(action, state, arguments, tag)
        if self.proof.abstraction(action) is not None:
            found += abstract.gate
        for gate in self.proof.gates or ():
            if gate.action == action:
                found += self._conjuncts(gate, state, arguments, abstract, tag)
        return [each for each in found if each.term != TRUE]

    def _conjuncts(
        self, gate: Gate, state: State, arguments: tuple[Term, ...], abstract: Branches, tag: str
    ) -> list[Conjunct]:
        match gate.kind:
            case GateKind.EARLIEST:
                earlier = (
                    (each, self.nothing_earlier(state, gate.action, arguments, each))
                    for each in self.proof.actions
                )
                return [Conjunct(f"{NO_EARLIER} {each}", term) for each, term in earlier]
            case GateKind.ENABLED:
                return [Conjunct("enabled", self.can_step(abstract))]
            case GateKind.WAITS:
                assert gate.other is not None
                return [Conjunct(f"{gate.other} waits", self._waits(gate, state, arguments, tag))]

    def _waits(self, gate: Gate, state: State, arguments: tuple[Term, ...], tag: str) -> Term:
        other = gate.other or gate.action
        names = self.arguments(other)
        stuck = negate(self.can_step(self.original(other, state, names, f"{tag}w")))
        here = both(self.typed(other, names), self.is_pending(state, other, names))
        if other == gate.action:
            here = both(here, negate(same(names, arguments)))
        return for_all(names, implies(here, stuck))


def _close(path: Path, condition: Term) -> Term:
    """Says that the condition holds for some choices of a path."""
    renamed = {each.name: fresh("e", each.name.sort) for each in path.choices}
    return exists(renamed.values(), substitute(condition, renamed))


def _count(term: Term) -> Term:
    return bracket(term) if term.sort is Sort.BOOL else term


def _compare(one: tuple[Term, ...], other: tuple[Term, ...], tie: Term) -> Term:
    """Says that a tuple comes first, lexicographically; one that ends early comes before longer ones."""
    if not one:
        return TRUE if other else tie
    if not other:
        return FALSE
    return either(less(one[0], other[0]), both(equal(one[0], other[0]), _compare(one[1:], other[1:], tie)))
