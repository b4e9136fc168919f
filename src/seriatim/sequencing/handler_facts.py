"""Facts for a proof about handlers as actions, for any number of requests.

`always`: the states, where requests can rest, and which requests can rest together (`together`). `when`: in
the order "finish what has started", at most one request rests, and the states are those of serial runs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seriatim.actions.expressions import Cell, Expression, Pending
from seriatim.actions.syntax import Fact, When
from seriatim.sequencing.together import Together, exclusive_groups
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding
from seriatim.terms.expressions import Apply, Constant
from seriatim.terms.operators import Op


@dataclass(frozen=True, slots=True)
class HandlerNames:
    """Names of globals and actions for the states and places of handlers."""

    unfolding: ProgramUnfolding
    variables: tuple[str, ...]
    actions: Mapping[int, str]
    """The action for each place where requests rest."""
    fresh: str
    """The action of a fresh request."""

    def pending(self, place: int) -> Expression:
        return Pending(self.actions[place], ())

    def is_one_of(self, states: frozenset[int]) -> Expression:
        """The condition that the state is one of these: a range of each global if possible, else a list."""
        values = {self.unfolding.global_values[each] for each in states}
        columns = [sorted(set(column)) for column in zip(*values, strict=True)]
        product = 1
        for column in columns:
            product *= len(column)
        if product == len(values) and all(c[-1] - c[0] == len(c) - 1 for c in columns):
            pairs = zip(self.variables, columns, strict=True)
            return conjunction([_within(Cell(name), column) for name, column in pairs])
        return disjunction([self.is_state(each) for each in sorted(values)])

    def is_state(self, values: tuple[int, ...]) -> Expression:
        pairs = zip(self.variables, values, strict=True)
        return conjunction([_equal(Cell(name), value) for name, value in pairs])


def _equal(left: Expression, value: int) -> Expression:
    return Apply("==", (left, Constant(value)))


def _within(cell: Cell, values: list[int]) -> Expression:
    if len(values) == 1:
        return _equal(cell, values[0])
    low: Expression = Apply("<=", (Constant(values[0]), cell))
    high: Expression = Apply("<=", (cell, Constant(values[-1])))
    return Apply("&&", (low, high))


def _join(operator: Op, parts: list[Expression], none: bool) -> Expression:
    if not parts:
        return Constant(none)
    whole, *rest = parts
    for part in rest:
        whole = Apply(operator, (whole, part))
    return whole


def conjunction(parts: list[Expression]) -> Expression:
    return _join("&&", parts, True)


def disjunction(parts: list[Expression]) -> Expression:
    return _join("||", parts, False)


def _more(count: Expression, than: int) -> Expression:
    return Apply(">", (count, Constant(than)))


def always_facts(named: HandlerNames, together: Together) -> tuple[Fact, ...]:
    return tuple(map(Fact, _always(named, together)))


def _always(named: HandlerNames, together: Together) -> Iterator[Expression]:
    yield named.is_one_of(together.states)
    for group in exclusive_groups(together):
        counts = [named.pending(place) for place in group]
        if all(together.pairs[place, place] == frozenset() for place in group):
            total = _join("+", counts, True)
            yield Apply("<=", (total, Constant(1)))
        else:
            yield disjunction([_equal(count, 0) for count in counts])
    for place, states in together.resting.items():
        if states != together.states:
            there = _more(named.pending(place), 0)
            yield Apply("==>", (there, named.is_one_of(states)))
    for (one, other), states in together.pairs.items():
        if states and states != together.resting[one] & together.resting[other]:
            there = (
                _more(named.pending(one), 1)
                if one == other
                else conjunction([_more(named.pending(each), 0) for each in (one, other)])
            )
            yield Apply("==>", (there, named.is_one_of(states)))


def serial_facts(named: HandlerNames) -> tuple[When, ...]:
    """Facts about the states of serial runs: where a request rests, and where a fresh one comes next."""
    unfolding = named.unfolding
    between, resting = {INITIAL_GLOBAL}, dict[int, set[int]]()
    queue = [(start, INITIAL_GLOBAL) for start in unfolding.starts]
    while queue:
        place, state = queue.pop()
        for target, after in unfolding.moves(place, state):
            if target >= 0 and after not in resting.setdefault(target, set()):
                resting[target].add(after)
                queue.append((target, after))
            elif target < 0 and after not in between:
                between.add(after)
                queue += [(start, after) for start in unfolding.starts]
    none = [_equal(named.pending(place), 0) for place in named.actions]
    found = [
        When(named.fresh, (), condition)
        for condition in (named.is_one_of(frozenset(between)), conjunction(none))
    ]
    for place, states in resting.items():
        others = [_equal(named.pending(each), 0) for each in named.actions if each != place]
        alone = conjunction([_equal(named.pending(place), 1), *others])
        found += [When(named.actions[place], (), c) for c in (named.is_one_of(frozenset(states)), alone)]
    return tuple(found)
