"""Evaluates expressions to terms in a symbolic state, and collects what they need so as not to fail."""

from collections.abc import Iterator
from typing import assert_never

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Binder,
    Booleans,
    Cell,
    Copies,
    Domain,
    Expression,
    First,
    Fold,
    InMajority,
    Integers,
    Majorities,
    Members,
    Parameter,
    Pending,
    Quantified,
    Size,
    Symbol,
    Target,
)
from seriatim.actions.syntax import Collection, CollectionKind, MajorityType
from seriatim.actions.walk import globals_of, subexpressions
from seriatim.arithmetic.terms import (
    TRUE,
    ZERO,
    Apply,
    Name,
    Sort,
    Term,
    at_most,
    between,
    both,
    bracket,
    choose,
    either,
    equal,
    exists,
    for_all,
    fresh,
    implies,
    less,
    negate,
    number,
    quantify,
    subtract,
)
from seriatim.checking.sequentialization.symbolic import (
    Ghost,
    Signature,
    State,
    data_name,
    head_name,
    pending_name,
    size_name,
    tail_name,
    unsupported,
)
from seriatim.terms.expressions import Apply as Operation
from seriatim.terms.expressions import Constant, Variable
from seriatim.terms.logic import constant, make
from seriatim.terms.operators import Op

Need = tuple[Term, bool]
"""A condition, and whether it is exact: evaluation fails wherever it does not hold."""
Access = tuple[str, tuple[Term, ...]]
"""A component of a state, and the place where it is read or written."""


class Scene:
    """The state and the variables with which an expression is evaluated."""

    def __init__(self, state: State, variables: dict[str, Term], old: State | None = None) -> None:
        self.state = state
        self.variables = variables
        self.old = old
        self.needs: list[Need] | None = None
        """What has to hold so that evaluation does not fail; None: proofs read total functions."""
        self.reads: list[Access] | None = None

    def inside(self, variables: dict[str, Term]) -> "Scene":
        """Makes a scene with more variables, in which needs are collected apart."""
        scene = Scene(self.state, {**self.variables, **variables}, self.old)
        scene.needs = None if self.needs is None else []
        scene.reads = self.reads
        return scene

    def read(self, component: str, indices: tuple[Term, ...], old: bool = False) -> Term:
        if self.reads is not None and not old:
            self.reads.append((component, indices))
        state = (self.old or self.state) if old else self.state
        return state[component](*indices)

    def need(self, condition: Term, exact: bool = True) -> None:
        if self.needs is not None and condition != TRUE:
            self.needs.append((condition, exact))

    def take_needs(self, inner: "Scene", wrap: Term, bound: tuple[Name, ...] = ()) -> None:
        """Takes over what is needed inside. It is not exact if a quantifier may stop before it gets there."""
        for need, exact in inner.needs or ():
            self.need(for_all(bound, implies(wrap, need)), exact and not bound)


class Evaluation:
    """Evaluates expressions of one program."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.program = signature.program
        self.maxima: dict[Aggregate, Name] = {}

    def of(self, expression: Expression, scene: Scene) -> Term:
        match expression:
            case Constant(value=value):
                return constant(value)
            case Symbol(index=index):
                return number(index)
            case Variable(name=name):
                return scene.variables[name]
            case Parameter(name=name):
                return Name(name, Sort.INT)
            case Cell(name=name, indices=indices, old=old):
                return scene.read(name, self.place(name, indices, scene), old)
            case Operation(op="?", arguments=(condition, one, other)):
                test = self.of(condition, scene)
                then, otherwise = scene.inside({}), scene.inside({})
                found = choose(test, self.of(one, then), self.of(other, otherwise))
                scene.take_needs(then, test)
                scene.take_needs(otherwise, negate(test))
                return found
            case Operation(op="&&" | "||" | "==>" as op, arguments=(left, right)):
                return self._connect(op, self.of(left, scene), right, scene)
            case Operation(op=op, arguments=arguments):
                return make(op, self.all_of(arguments, scene))
            case _:
                return self._collective(expression, scene)

    def all_of(self, expressions: tuple[Expression, ...], scene: Scene) -> tuple[Term, ...]:
        return tuple(self.of(each, scene) for each in expressions)

    def place(self, name: str, indices: tuple[Expression, ...], scene: Scene) -> tuple[Term, ...]:
        """Evaluates indices, and needs them to be in their ranges."""
        found = self.all_of(indices, scene)
        for term, range_ in zip(found, self.program.variable(name).ranges, strict=True):
            scene.need(self.in_range(term, range_, scene))
        return found

    def in_range(self, term: Term, range_: Between, scene: Scene) -> Term:
        return between(self.of(range_.low, scene), term, self.of(range_.high, scene))

    def _connect(self, op: Op, left: Term, right: Expression, scene: Scene) -> Term:
        """Connects two sides; what the right one needs is needed only where it is evaluated."""
        inner = scene.inside({})
        other = self.of(right, inner)
        scene.take_needs(inner, negate(left) if op == "||" else left)
        if op == "&&":
            return both(left, other)
        return either(left, other) if op == "||" else implies(left, other)

    def _collective(self, expression: Expression, scene: Scene) -> Term:
        match expression:
            case Quantified():
                return self._quantified(expression, scene)
            case Aggregate():
                return self._aggregate(expression, scene)
            case Size(target=target):
                return self._size(target, scene)
            case Copies(message=message, target=target):
                place = (*self.place(target.name, target.indices, scene), *self.all_of(message, scene))
                found = scene.read(target.name, place, target.old)
                return bracket(found) if found.sort is Sort.BOOL else found
            case First(target=target):
                place = self.place(target.name, target.indices, scene)
                head = scene.read(head_name(target.name), place)
                scene.need(less(head, scene.read(tail_name(target.name), place)))
                return scene.read(data_name(target.name, 0), (*place, head))
            case InMajority(member=member, majority=majority):
                family = self._family(majority)
                return Apply(f"in {family}", (self.of(majority, scene), self.of(member, scene)), Sort.BOOL)
            case Pending(action=action, arguments=arguments):
                return scene.read(pending_name(action), self.all_of(arguments, scene))
            case _:
                raise AssertionError(expression)

    def _family(self, majority: Expression) -> str:
        if isinstance(majority, Cell):
            type_ = self.program.variable(majority.name).type
            assert isinstance(type_, MajorityType)
            return type_.family
        if len(self.program.families) == 1:
            return self.program.families[0].name
        raise unsupported("several families of quorums in one program", majority.span, "keep one of them")

    def _size(self, target: Target, scene: Scene) -> Term:
        place = self.place(target.name, target.indices, scene)
        type_ = self.program.variable(target.name).type
        if isinstance(type_, Collection) and type_.kind is CollectionKind.QUEUE:
            tail = scene.read(tail_name(target.name), place, target.old)
            return subtract(tail, scene.read(head_name(target.name), place, target.old))
        return scene.read(size_name(target.name), place, target.old)

    # --- quantifiers --------------------------------------------------------------------------------------

    def bind(self, binders: tuple[Binder, ...], scene: Scene) -> tuple[tuple[Name, ...], Term, Scene]:
        """Returns names for bound variables, what they have to satisfy, and the scene inside.

        The cells that a range reads have to exist, for all values of the variables before.
        """
        names: tuple[Name, ...] = ()
        condition: Term = TRUE
        inner = scene
        for binder in binders:
            name = fresh(binder.name, Sort.BOOL if isinstance(binder.domain, Booleans) else Sort.INT)
            ends, inner = inner, inner.inside({binder.name: name})
            inside = self.in_domain(name, binder.domain, ends)
            if ends is not scene:
                scene.take_needs(ends, condition, names)
            names, condition = (*names, name), both(condition, inside)
        return names, condition, inner

    def in_domain(self, term: Term, domain: Domain, scene: Scene) -> Term:
        match domain:
            case Between():
                return self.in_range(term, domain, scene)
            case Members(size=size):
                return between(ZERO, term, number(size - 1))
            case Majorities() | Integers() | Booleans():
                return TRUE
            case _:
                assert_never(domain)

    def _quantified(self, expression: Quantified, scene: Scene) -> Term:
        names, condition, inner = self.bind(expression.binders, scene)
        body = self.of(expression.body, inner)
        scene.take_needs(inner, condition, names)
        case = implies(condition, body) if expression.for_all else both(condition, body)
        return quantify(expression.for_all, names, case)

    # --- sums, counts, maxima -----------------------------------------------------------------------------

    def _aggregate(self, expression: Aggregate, scene: Scene) -> Term:
        if expression.fold is Fold.MAX:
            return self._maximum(expression, scene)
        ghost = self.signature.ghosts[expression]
        ranges = self.program.variable(ghost.cell.name).ranges
        others: list[Term] = []
        for at, (index, range_) in enumerate(zip(ghost.cell.indices, ranges, strict=True)):
            if at != ghost.position:
                others.append(self.of(index, scene))
                scene.need(self.in_range(others[-1], range_, scene), exact=False)
        return scene.read(ghost.name, tuple(others), ghost.cell.old)

    def _maximum(self, expression: Aggregate, scene: Scene) -> Term:
        others = {each for each in subexpressions(expression) if isinstance(each, Variable | Pending)}
        if globals_of(expression) & self.signature.changing or others - {Variable(expression.binder.name)}:
            hint = "a maximum for all sizes is over globals that stay the same"
            raise unsupported("this maximum has no form for all sizes", expression.span, hint)
        names, inside, inner = self.bind((expression.binder,), scene)
        self.of(expression.body, inner)
        scene.take_needs(inner, inside, names)
        if expression not in self.maxima:
            self.maxima[expression] = Name(f"maximum {len(self.maxima)}", Sort.INT)
        return self.maxima[expression]

    def maximum_axioms(self, state: State) -> Iterator[Term]:
        """Defines the maxima that were met: the largest value, or 0 of no values."""
        for expression, name in self.maxima.items():
            names, inside, inner = self.bind((expression.binder,), Scene(state, {}))
            value = self.of(expression.body, inner)
            yield for_all(names, implies(inside, at_most(value, name)))
            reached = exists(names, both(inside, equal(value, name)))
            yield either(reached, both(for_all(names, negate(inside)), equal(name, ZERO)))

    def summand(self, ghost: Ghost, value: Term) -> Term:
        """Evaluates what a cell with this value adds to a sum or count."""
        state: State = {ghost.cell.name: lambda *_: value}
        variables = (each for each in subexpressions(ghost.cell) if isinstance(each, Variable))
        indices: dict[str, Term] = {each.name: ZERO for each in variables}
        found = self.of(ghost.body, Scene(state, indices))
        return bracket(found) if ghost.fold is Fold.COUNT else found
