"""Looks for sums of variables and weights of requests that no step changes, by linear algebra.

Each step gives equations for factors and weights. What it does to variables is a sum of constants and of
terms that are not known; those have to cancel out, or are made up for by weights that the request has where
it was and where it comes to: numbers, and multiples of its own numbers, such as permits that it has taken.
Solutions in which none of these is negative are a cone; its rays are tried. A step that sets a variable of
two values, such as a lock, may be taken to change it.

Of arrays, a step is looked at from each cell that it uses, as if all of these were different ones. Requests
weigh something for the cell whose index they have.

Nothing here is trusted: whether no step changes a sum, `seriatim.engines.shared.houdini` and the checker find
out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from seriatim.arithmetic.cones import Row, nonnegative, null_space, small_integers
from seriatim.arithmetic.substitution import rebuild, substitute
from seriatim.arithmetic.sums import sum_up
from seriatim.arithmetic.terms import (
    ONE,
    ZERO,
    Compound,
    Constant,
    Name,
    Op,
    Sort,
    Term,
    add,
    at_most,
    choose,
    conjuncts,
    equal,
    names_in,
    select,
    subtract,
    times,
)
from seriatim.certificate.simulation import RequestFlow
from seriatim.engines.shared.houdini import Facts
from seriatim.engines.shared.lock_facts import index_locals
from seriatim.program.state import is_array
from seriatim.program.symbolic.flows import INDEX, Flow
from seriatim.program.symbolic.invariant import View
from seriatim.program.symbolic.model import Model, global_name, local_name, other_name, serial_name
from seriatim.program.symbolic.moves import Move, Policy, Resting

MAX_FLOWS = 12
MAX_OWN_FLOWS = 8
"""The most sums in which requests have weights from their own values."""
MAX_ROWS = 2_000
MAX_SLOTS = 60


@dataclass(frozen=True, slots=True)
class Slot:
    """A multiple of this is a part of the weight at a point: 1 or a local; for one cell or for no cell."""

    point: int
    index: str | None
    own: str | None

    @property
    def weight(self) -> Term:
        base = ONE if self.own is None else other_name(0, self.own)
        return base if self.index is None else choose(equal(other_name(0, self.index), INDEX), base, ZERO)


@dataclass(frozen=True, slots=True)
class WeightChange:
    """What a request does, and where it comes from; nowhere if it begins."""

    before: Resting | None
    move: Move
    known: Mapping[Name, Term]
    """The values of names that its condition implies."""


def find_flows(policy: Policy) -> tuple[Flow, ...]:
    """At first those that need nothing about variables of two values, nor about numbers of requests."""
    search = _Scalars(policy)
    found = {flow: None for flips in (False, True) for flow in search.flows(search.plain, flips)}
    own: dict[Flow, None] = {}
    if len(search.slots) > len(search.plain):
        own = {flow: None for flips in (False, True) for flow in search.flows(search.slots, flips)}
    kept = dict.fromkeys((*tuple(found)[:MAX_FLOWS], *[each for each in own if each not in found]))
    cells = _Cells(policy)
    return (*tuple(kept)[: MAX_FLOWS + MAX_OWN_FLOWS], *tuple(cells.flows(cells.slots))[:MAX_FLOWS])


def flow_facts(policy: Policy, flows: tuple[Flow, ...], facts: Facts) -> None:
    """Adds what may hold so that sums are of use: variables in them, and numbers that requests weigh, are
    from 0 or 1 on, wherever requests know these."""
    points = policy.model.points
    variables = dict.fromkeys(name for flow in flows for name, _ in flow.factors)
    own: dict[int, set[str]] = {}
    for flow in flows:
        for point, weight in enumerate(flow.weights):
            weighed = {
                name.name.removeprefix("0.") for part, _ in sum_up(weight)[0] for name in _find_weighed(part)
            }
            own.setdefault(points[point].handler, set()).update(weighed)
    _add(facts, (), [name for name in variables if name.sort is Sort.INT], ZERO)
    for point, here in enumerate(points):
        known = [other_name(0, name) for name in policy.names(point) if name in own.get(here.handler, ())]
        indices = [other_name(0, name) for name in index_locals(policy.model, point)]
        arrays = [name for name in variables if name.sort is Sort.CELLS]
        cells = [select(name, index) for name in arrays for index in indices]
        _add(facts, (point,), [*known, *cells], ZERO)
        _add(facts, (point,), known, ONE)


def _add(facts: Facts, view: View, terms: Sequence[Term], least: Term) -> None:
    facts[view] += [fact for term in terms if (fact := at_most(least, term)) not in facts[view]]


def _find_weighed(part: Term) -> Iterator[Name]:
    match part:
        case Compound(op=Op.IF, arguments=(_, Name() as name, _)) | (Name() as name):
            yield name


def evidence_of(model: Model, flows: tuple[Flow, ...]) -> tuple[RequestFlow, ...]:
    """Sums in the format of certificates."""
    return tuple(
        RequestFlow(
            tuple(sorted((name.name, factor) for name, factor in flow.factors)),
            flow.weights,
            flow.total(model),
        )
        for flow in flows
    )


class _FlowSearch:
    """Sums of some variables; subclasses say from where a step is looked at."""

    def __init__(self, policy: Policy, has_cells: bool) -> None:
        model = policy.model
        self.policy = policy
        self.model = model
        self.names = [global_name(name) for name in model.variables if is_array(name) is has_cells]
        self.names += [serial_name(name) for name in policy.variables if is_array(name) is has_cells]
        self.changes = [
            WeightChange(None, move, _equations(move.condition))
            for handler in range(len(model.routines))
            for move in policy.begin(handler).moves
        ]
        for point in range(len(model.points)):
            before = Resting(point, {name: local_name(name) for name in policy.names(point)})
            self.changes += [
                WeightChange(before, move, _equations(move.condition)) for move in policy.go_on(point).moves
            ]

    def solve(self, rows: list[Row], slots: list[Slot]) -> Iterator[Flow]:
        unique = list(map(list, dict.fromkeys(map(tuple, rows))))
        if len(unique) > MAX_ROWS or not self.names:
            return
        width = len(self.names) + len(slots)
        for ray in nonnegative(null_space(unique, width), list(range(len(self.names), width))):
            numbers = small_integers(ray)
            factors = tuple(
                (name, factor) for name, factor in zip(self.names, numbers, strict=False) if factor
            )
            if factors:
                yield Flow(factors, self._weights(slots, numbers[len(self.names) :]))

    def _weights(self, slots: list[Slot], numbers: list[int]) -> tuple[Term, ...]:
        parts: list[list[Term]] = [[] for _ in self.model.points]
        for slot, factor in zip(slots, numbers, strict=True):
            if factor:
                parts[slot.point].append(times(factor, slot.weight))
        return tuple(add(*each) for each in parts)

    def rows(
        self, differences: list[Term], slots: list[Slot], change: WeightChange, cell: Term | None
    ) -> list[Row]:
        """An equation for the constants, and one for each term that has to cancel out."""
        width = len(self.names) + len(slots)
        constants = [Fraction(0)] * width
        others: dict[Term, Row] = {}
        weights = [_difference(slot, change, cell) for slot in slots]
        for column, term in enumerate((*differences, *weights)):
            factors, constant = sum_up(substitute(term, change.known))
            constants[column] += constant
            for each, factor in factors:
                others.setdefault(each, [Fraction(0)] * width)[column] += factor
        return [constants, *others.values()]

    def own_numbers(self, differences: Mapping[int, list[Term]]) -> list[set[str]]:
        """Of each handler, the names of numbers that its requests add to variables, or that become such."""
        found: list[set[str]] = [set() for _ in self.model.routines]
        for place, terms in differences.items():
            handler = self._handler(self.changes[place])
            if handler is not None:
                found[handler] |= {name for term in terms for name in _own_names(term)}
        is_new = True
        while is_new:
            before = [len(names) for names in found]
            for change in self.changes:
                after = change.move.after
                if after is not None:
                    names = found[self.model.points[after.point].handler]
                    values = [after.values[name] for name in sorted(names) if name in after.values]
                    names |= {name for value in values for name in _own_names(value)}
            is_new = before != [len(names) for names in found]
        return found

    def _handler(self, change: WeightChange) -> int | None:
        point = change.before or change.move.after
        return None if point is None else self.model.points[point.point].handler


class _Scalars(_FlowSearch):
    """Sums of variables that are numbers."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy, has_cells=False)
        self.pairs = self._of_two_values()
        self.plain = [Slot(point, None, None) for point in range(len(self.model.points))]

    @cached_property
    def slots(self) -> list[Slot]:
        """Slots, also with the values of requests."""
        differences = {
            place: [self._difference(name, change, False) for name in self.names]
            for place, change in enumerate(self.changes)
        }
        names = self.own_numbers(differences)
        own = [
            Slot(point, None, name)
            for point, here in enumerate(self.model.points)
            for name in self.policy.names(point)
            if name in names[here.handler]
        ]
        return [*self.plain, *own][:MAX_SLOTS]

    def _of_two_values(self) -> dict[Name, frozenset[int]]:
        """Variables that have two values, if they are given constants only."""
        initial: dict[Name, Term] = {}
        for variable in self.model.variables:
            initial[global_name(variable)] = initial[serial_name(variable)] = self.model.initial[variable]
        found: dict[Name, frozenset[int]] = {}
        for name in self.names:
            given = {_after(change.move)[name] for change in self.changes} - {name} | {initial[name]}
            values = frozenset(int(each.value) for each in given if isinstance(each, Constant))
            if len(values) == len(given) == 2:
                found[name] = values
        return found

    def flows(self, slots: list[Slot], flips: bool) -> Iterator[Flow]:
        rows: list[Row] = []
        for change in self.changes:
            differences = [self._difference(name, change, flips) for name in self.names]
            rows += self.rows(differences, slots, change, None)
        yield from self.solve(rows, slots)

    def _difference(self, name: Name, change: WeightChange, flips: bool) -> Term:
        after = _after(change.move)[name]
        if flips and name not in change.known and isinstance(after, Constant) and name in self.pairs:
            (before,) = self.pairs[name] - {int(after.value)}
            return Constant(int(after.value) - before, Sort.INT)
        return substitute(subtract(after, name), change.known)


class _Cells(_FlowSearch):
    """Sums of arrays, cell by cell."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy, has_cells=True)

    @cached_property
    def slots(self) -> list[Slot]:
        differences = {
            place: [each for cell in self._cells(change) for each in self._differences(change, cell)]
            for place, change in enumerate(self.changes)
        }
        names = self.own_numbers(differences)
        found: list[Slot] = []
        for point, here in enumerate(self.model.points):
            for index in index_locals(self.model, point):
                found.append(Slot(point, index, None))
                own = [name for name in self.policy.names(point) if name in names[here.handler]]
                found += [Slot(point, index, name) for name in own]
        return found[:MAX_SLOTS]

    def flows(self, slots: list[Slot]) -> Iterator[Flow]:
        rows: list[Row] = []
        for change in self.changes if self.names else []:
            for cell in self._cells(change):
                rows += self.rows(self._differences(change, cell), slots, change, cell)
        yield from self.solve(rows, slots)

    def _cells(self, change: WeightChange) -> list[Term]:
        """The indices that a step uses, or a request has before or after it."""
        found: dict[Term, None] = {}
        for name in self.names:
            cells = _after(change.move)[name]
            while isinstance(cells, Compound) and cells.op is Op.STORE:
                cells, index, _ = cells.arguments
                found[index] = None
        for request in (change.before, change.move.after):
            if request is not None:
                own = index_locals(self.model, request.point)
                found |= {request.values[name]: None for name in own}
        return list(found)

    def _differences(self, change: WeightChange, cell: Term) -> list[Term]:
        after = _after(change.move)
        return [subtract(_apart(select(after[name], cell)), select(name, cell)) for name in self.names]


def _apart(term: Term) -> Term:
    """Indices that are written differently are taken to be different."""
    match term:
        case Compound(op=Op.IF, arguments=(Compound(op=Op.EQUAL, arguments=(one, other)), _, otherwise)):
            if isinstance(one, Name) and isinstance(other, Name):
                return _apart(otherwise)
            return term
        case Compound(op=Op.ADD | Op.TIMES, arguments=arguments):
            return rebuild(term.op, tuple(map(_apart, arguments)))
        case _:
            return term


def _difference(slot: Slot, change: WeightChange, cell: Term | None) -> Term:
    """Returns what a request weighs more after a step than before, as far as one part of its weight goes."""
    parts: list[Term] = []
    for request, factor in ((change.before, -1), (change.move.after, 1)):
        if request is None or request.point != slot.point:
            continue
        if slot.index is None or request.values[slot.index] == cell:
            parts.append(times(factor, ONE if slot.own is None else request.values[slot.own]))
    return add(*parts)


def _own_names(term: Term) -> Iterator[str]:
    """The locals and arguments that are parts of a sum."""
    for part, _ in sum_up(term)[0]:
        if isinstance(part, Name):
            whose, _, name = part.name.partition(".")
            if whose in ("l", "a"):
                yield name


def _after(move: Move) -> dict[Name, Term]:
    found: dict[Name, Term] = {global_name(name): value for name, value in move.globals.items()}
    return found | {serial_name(name): value for name, value in move.serial.items()}


def _equations(condition: Term) -> dict[Name, Term]:
    """The values of names that a condition implies."""
    found: dict[Name, Term] = {}
    for part in conjuncts(condition):
        match part:
            case Compound(op=Op.EQUAL, arguments=(left, right)) if left.sort is Sort.INT:
                left, right = substitute(left, found), substitute(right, found)
                for one, other in ((left, right), (right, left)):
                    if isinstance(one, Name) and one not in names_in(other):
                        found = {name: substitute(value, {one: other}) for name, value in found.items()}
                        found[one] = other
                        break
    return found
