"""Loops for all sizes: iterations that touch different cells happen at once.

Claim. Let each iteration x write a component only at places whose p-th index is x + c, read what is written
there only at such places, and assign no local from outside. Then no iteration sees what another one does,
and the value of the component at a place j afterwards is the one after iteration j[p] - c alone, if that is
in the range, and the old one otherwise. Guards have to hold in all iterations. An assertion of iteration x
matters if the guards of the earlier iterations hold. A sum or count over cells that a loop writes is
unknown afterwards: some function of what the path chose before.
"""

from seriatim.actions.expressions import Number
from seriatim.actions.syntax import Either, For, If, Statement
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    Apply,
    Name,
    Sort,
    Term,
    add,
    at_most,
    between,
    both,
    choose,
    equal,
    for_all,
    fresh,
    implies,
    less,
    names_in,
    negate,
    number,
    subtract,
)
from seriatim.checking.sequentialization.branches import Path, Statements
from seriatim.checking.sequentialization.draws import Drain, drain_of, draw
from seriatim.checking.sequentialization.evaluation import Access
from seriatim.checking.sequentialization.events import Event, is_countable
from seriatim.checking.sequentialization.symbolic import Function, size_name, unsupported
from seriatim.frozen import replace

MAX_UNROLLED = 8


class Brancher(Statements):
    """Executes whole bodies."""

    def _for(self, statement: For, path: Path) -> list[Path]:
        low, high = statement.range.low, statement.range.high
        if isinstance(low, Number) and isinstance(high, Number) and high.value - low.value < MAX_UNROLLED:
            paths = [path]
            for value in range(low.value, high.value + 1):
                for each in paths:
                    each.variables[statement.name] = number(value)
                paths = self._block(statement.body, paths)
            return paths
        drain = drain_of(statement, self.program)
        if drain is None or any(each in path.variables for each in drain.received):
            self._at_once(statement, path)
        else:
            self._draw(statement, drain, path)
        return [path]

    def _draw(self, statement: For, drain: Drain, path: Path) -> None:
        self._no_choice_in_loop(statement)
        low, high = self._all((statement.range.low, statement.range.high), path, statement.span.line)
        whole = add(subtract(high, low), number(1))
        length = choose(at_most(number(0), whole), whole, number(0))
        bag = drain.target.name
        place = self._drained_place(drain, length, path)
        old, size = path.state[bag], path.state[size_name(bag)](*place)
        cells = self.evaluation.signature.components[bag].names()[len(place) :]
        extreme = None if drain.best is None else (path.variables[drain.best], drain.largest)
        tag = f"{path.tag}.draw {len(path.draws)}"
        found, best = draw(tag, cells, old(*place, *cells), size, length, extreme, statement.span)
        path.draws = (*path.draws, found)
        if drain.best is not None and best is not None:
            path.variables[drain.best] = best

        def left(*indices: Term) -> Term:
            here = both(*(equal(a, b) for a, b in zip(indices, place, strict=False)))
            taken = Apply(found.function, indices[len(place) :], Sort.INT)
            return subtract(old(*indices), choose(here, taken, number(0)))

        path.state[bag] = left
        self.write(path, size_name(bag), place, subtract(size, length))
        bound = ((fresh(statement.name), low, high),)
        path.transfers = (*path.transfers, Event(bag, place, -1, bound=bound))

    def _drained_place(self, drain: Drain, length: Term, path: Path) -> tuple[Term, ...]:
        """Where the bag is; its indices have to be in range if there is an iteration."""
        before = path.guard
        path.wait(less(number(0), length))
        place = self._place(drain.target, path)
        path.guard = before
        return place

    def _at_once(self, statement: For, path: Path) -> None:
        line = statement.span.line
        low, high = self._all((statement.range.low, statement.range.high), path, line)
        name = fresh(statement.name)
        kept = self._writes, self._reads, self._merging
        self._writes, self._reads, self._merging = [], [], True
        after = self._side(path, {statement.name: name}, statement.body)
        writes, reads = self._writes, self._reads
        self._writes, self._reads, self._merging = kept
        if self._writes is not None:
            self._writes += writes
        if self._reads is not None:
            self._reads += reads
        for local, value in path.variables.items():
            if after.variables[local] is not value:
                hint = "use sum, count or max over a range, or give --size to decide it at fixed sizes"
                raise unsupported(f"this loop accumulates in `{local}`", statement.span, hint)
        before = path.state
        path.state = dict(before)
        for component in dict.fromkeys(each for each, _ in writes):
            self._pointwise(statement, component, writes, reads, name, (low, high), before, after, path)
        self._conclude(statement, path, after, name, low, high)

    def _conclude(self, statement: For, path: Path, after: Path, name: Name, low: Term, high: Term) -> None:
        inside = between(low, name, high)
        guard = after.condition()
        earlier = fresh(statement.name)
        passed = for_all(
            [earlier],
            implies(
                both(at_most(low, earlier), at_most(add(earlier, number(1)), name)),
                substitute(guard, {name: earlier}),
            ),
        )
        for need, line in after.needs:
            path.require(for_all([name], implies(both(inside, passed), need)), line)
        path.wait(for_all([name], implies(inside, guard)))
        created = [replace(each, bound=((name, low, high), *each.bound)) for each in after.created]
        for event in created:
            if not is_countable(event):
                message = f"iterations of this loop may start the same instance of `{event.subject}`"
                raise unsupported(message, statement.span)
        path.created = (*path.created, *created)
        path.transfers = (
            *path.transfers,
            *(replace(each, bound=((name, low, high), *each.bound)) for each in after.transfers),
        )

    def _pointwise(
        self,
        statement: For,
        component: str,
        writes: list[Access],
        reads: list[Access],
        name: Name,
        range_: tuple[Term, Term],
        before: dict[str, Function],
        after: Path,
        path: Path,
    ) -> None:
        accesses = [place for each, place in (*writes, *reads) if each == component]
        if any(each.name == component for each in self.evaluation.signature.sums):
            if any(each == component for each, _ in reads):
                raise unsupported("this loop reads a sum that it changes", statement.span)
            unknown, chosen = fresh(component).name, tuple(each.name for each in path.choices)
            path.state[component] = lambda *indices: (
                Apply(unknown, (*indices, *chosen), Sort.INT)
                if indices or chosen
                else Name(unknown, Sort.INT)
            )
            return
        known = frozenset(each for value in path.variables.values() for each in names_in(value))
        found = own_index(accesses, name, known)
        if found is None:
            message = f"iterations of this loop may touch the same cells of `{component.split(' ')[0]}`"
            raise unsupported(message, statement.span)
        position, offset = found
        old, new = before[component], after.state[component]

        def everywhere(*indices: Term) -> Term:
            value = subtract(indices[position], offset)
            inside = between(range_[0], value, range_[1])
            return choose(inside, substitute(new(*indices), {name: value}), old(*indices))

        path.state[component] = everywhere

    def _side(self, path: Path, variables: dict[str, Term], block: tuple[Statement, ...]) -> Path:
        """What a block does by itself; its guard, needs and events are kept apart."""
        (after,) = self._block(block, [Path(dict(path.state), path.variables | variables, path.tag)])
        return after

    def _merge(self, statement: If | Either, path: Path) -> Path:
        """Both sides of an `if` inside a loop, as one."""
        if isinstance(statement, Either):
            self._no_choice_in_loop(statement)
            raise AssertionError
        test = self.evaluate(statement.condition, path, statement.span.line)
        sides = [(test, self._side(path, {}, statement.then))]
        sides.append((negate(test), self._side(path, {}, statement.otherwise)))
        (_, one), (_, other) = sides
        merged = path.copy()
        for component, function in path.state.items():
            if one.state[component] is not function or other.state[component] is not function:
                merged.state[component] = _chosen(test, one.state[component], other.state[component])
        common = one.variables.keys() & other.variables.keys()
        for local in common:
            first, second = one.variables[local], other.variables[local]
            merged.variables[local] = first if first is second else choose(test, first, second)
        for condition, side in sides:
            for need, line in side.needs:
                merged.require(implies(condition, need), line)
        for condition, side in sides:
            merged.wait(implies(condition, side.condition()))
            merged.created = (*merged.created, *(_under(condition, each) for each in side.created))
            merged.transfers = (*merged.transfers, *(_under(condition, each) for each in side.transfers))
        return merged


def own_index(
    accesses: list[tuple[Term, ...]], name: Name, known: frozenset[Name]
) -> tuple[int, Term] | None:
    """A position at which every access has the index `name + c`, with a c that is fixed before the loop."""
    for position in range(len(accesses[0])):
        offsets = {subtract(place[position], name) for place in accesses}
        offset = next(iter(offsets))
        inner = {each for each in names_in(offset) if "!" in each.name and each not in known}
        if len(offsets) == 1 and not inner:
            return position, offset
    return None


def _chosen(test: Term, one: Function, other: Function) -> Function:
    return lambda *indices: choose(test, one(*indices), other(*indices))


def _under(condition: Term, event: Event) -> Event:
    return replace(event, condition=both(condition, event.condition))
