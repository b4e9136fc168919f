"""Loops for all sizes: iterations that touch different cells happen at once.

Claim. Let each iteration x write a component only at places whose p-th index is x + c, read what is written
there only at such places, and assign no local from outside. Then no iteration sees what another one does,
and the value of the component at a place j afterwards is the one after iteration j[p] - c alone, if that is
in the range, and the old one otherwise. Guards have to hold in all iterations. An assertion of iteration x
matters if the guards of the earlier iterations hold. A sum or count over cells that a loop writes is
unknown afterwards: some function of what the path chose before.
"""

from dataclasses import replace

from seriatim.actions.syntax import Block, Either, For, If
from seriatim.arithmetic.substitution import substitute
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
    choose,
    for_all,
    fresh,
    implies,
    less,
    names_in,
    negate,
    number,
    subtract,
)
from seriatim.checking.sequentialization.branches import Accesses, Path, Statements
from seriatim.checking.sequentialization.draws import Drain, draw, find_drain
from seriatim.checking.sequentialization.events import Bound, Event, is_countable
from seriatim.checking.sequentialization.symbolic import (
    Function,
    declare,
    length,
    same,
    size_name,
    unsupported,
)
from seriatim.terms.expressions import Constant

MAX_UNROLLED = 8


class Brancher(Statements):
    """Executes whole bodies, with their loops and cases."""

    def _compound(self, statement: For | If | Either, path: Path) -> list[Path]:
        if isinstance(statement, For):
            return self._for(statement, path)
        if isinstance(statement, Either):
            self._no_choice_in_loop(statement)
            sides: list[tuple[Term, Block]] = [(TRUE, block) for block in statement.blocks]
        else:
            test = self.evaluate(statement.condition, path, statement.span.line)
            if self._loop is not None:
                return [self._merge(test, statement, path)]
            sides = [(test, statement.then), (negate(test), statement.otherwise)]
        found: list[Path] = []
        for condition, block in sides:
            side = path.copy()
            side.wait(condition)
            found += self._block(block, [side])
        return found

    def _for(self, statement: For, path: Path) -> list[Path]:
        low, high = statement.range.low, statement.range.high
        if isinstance(low, Constant) and isinstance(high, Constant) and high.value - low.value < MAX_UNROLLED:
            paths = [path]
            for value in range(low.value, high.value + 1):
                for each in paths:
                    each.variables[statement.name] = number(value)
                paths = self._block(statement.body, paths)
            return paths
        drain = find_drain(statement, self.program)
        if drain is None or any(each in path.variables for each in drain.received):
            self._at_once(statement, path)
        else:
            self._draw(statement, drain, path)
        return [path]

    def _draw(self, statement: For, drain: Drain, path: Path) -> None:
        self._no_choice_in_loop(statement)
        low, high = self._all((statement.range.low, statement.range.high), path, statement.span.line)
        turns = length(low, high)
        bag = drain.target.name
        place = self._drained_place(drain, turns, path)
        old, size = path.state[bag], path.state[size_name(bag)](*place)
        cells = self.evaluation.signature.components[bag].names()[len(place) :]
        extreme = None if drain.best is None else (path.variables[drain.best], drain.largest)
        tag = f"{path.tag}.draw {len(path.draws)}"
        found, best = draw(tag, cells, old(*place, *cells), size, turns, extreme, statement.span)
        path.draws = (*path.draws, found)
        if drain.best is not None and best is not None:
            path.variables[drain.best] = best

        def left(*indices: Term) -> Term:
            here = same(indices[: len(place)], place)
            taken = Apply(found.function, indices[len(place) :], Sort.INT)
            return subtract(old(*indices), choose(here, taken, ZERO))

        path.state[bag] = left
        self.write(path, size_name(bag), place, subtract(size, turns))
        bound = ((fresh(statement.name), low, high),)
        path.transfers = (*path.transfers, Event(bag, place, -1, bound=bound))

    def _drained_place(self, drain: Drain, turns: Term, path: Path) -> tuple[Term, ...]:
        """Finds the place of the bag. Its indices have to be in range if there is an iteration."""
        before = path.guard
        path.wait(less(ZERO, turns))
        place = self._place(drain.target, path)
        path.guard = before
        return place

    def _at_once(self, statement: For, path: Path) -> None:
        low, high = self._all((statement.range.low, statement.range.high), path, statement.span.line)
        name = fresh(statement.name)
        outer, self._loop = self._loop, Accesses()
        after = self._side(path, {statement.name: name}, statement.body)
        inner, self._loop = self._loop, outer
        if outer is not None:
            outer.reads += inner.reads
            outer.writes += inner.writes
        for local, value in path.variables.items():
            if after.variables[local] is not value:
                hint = "use sum, count or max over a range, or give --size to decide it at fixed sizes"
                raise unsupported(f"this loop accumulates in `{local}`", statement.span, hint)
        before, path.state = path.state, dict(path.state)
        for component in dict.fromkeys(each for each, _ in inner.writes):
            if any(each.name == component for each in self.evaluation.signature.sums):
                if any(each == component for each, _ in inner.reads):
                    raise unsupported("this loop reads a sum that it changes", statement.span)
                chosen = (each.name for each in path.choices)
                path.state[component] = declare(fresh(component).name, Sort.INT, *chosen)
                continue
            accesses = [place for each, place in (*inner.writes, *inner.reads) if each == component]
            known = frozenset(each for value in path.variables.values() for each in names_in(value))
            found = find_own_index(accesses, name, known)
            if found is None:
                message = f"iterations of this loop may touch the same cells of `{component.split(' ')[0]}`"
                raise unsupported(message, statement.span)
            changed = before[component], after.state[component]
            path.state[component] = _join(*changed, *found, (name, low, high))
        self._conclude(statement, path, after, (name, low, high))

    def _conclude(self, statement: For, path: Path, after: Path, bound: Bound) -> None:
        """Adds the guards, needs and events of all iterations, from those of one."""
        name, low, high = bound
        inside, guard, earlier = between(low, name, high), after.condition(), fresh(statement.name)
        before = both(at_most(low, earlier), less(earlier, name))
        passed = for_all([earlier], implies(before, substitute(guard, {name: earlier})))
        for need in after.needs:
            condition = for_all([name], implies(both(inside, passed), need.term))
            path.require(condition, need.line, need.exact)
        path.wait(for_all([name], implies(inside, guard)))
        created = tuple(replace(each, bound=(bound, *each.bound)) for each in after.created)
        for event in created:
            if not is_countable(event):
                message = f"iterations of this loop may start the same instance of `{event.subject}`"
                raise unsupported(message, statement.span)
        path.created = (*path.created, *created)
        transfers = (replace(each, bound=(bound, *each.bound)) for each in after.transfers)
        path.transfers = (*path.transfers, *transfers)

    def _side(self, path: Path, variables: dict[str, Term], block: Block) -> Path:
        """Executes a block by itself, so that its guard, needs and events are kept apart."""
        (after,) = self._block(block, [Path(dict(path.state), path.variables | variables, path.tag)])
        return after

    def _merge(self, test: Term, statement: If, path: Path) -> Path:
        """Joins both sides of an `if` inside a loop to one path."""
        one, other = (self._side(path, {}, block) for block in (statement.then, statement.otherwise))
        merged = path.copy()
        for component, function in path.state.items():
            if one.state[component] is not function or other.state[component] is not function:
                merged.state[component] = _choose(test, one.state[component], other.state[component])
        for local in one.variables.keys() & other.variables.keys():
            first, second = one.variables[local], other.variables[local]
            merged.variables[local] = first if first is second else choose(test, first, second)
        sides = (test, one), (negate(test), other)
        for condition, side in sides:
            for need in side.needs:
                merged.require(implies(condition, need.term), need.line, need.exact)
        for condition, side in sides:
            merged.wait(implies(condition, side.condition()))
            merged.created = (*merged.created, *(_restrict(condition, each) for each in side.created))
            merged.transfers = (*merged.transfers, *(_restrict(condition, each) for each in side.transfers))
        return merged


def find_own_index(
    accesses: list[tuple[Term, ...]], name: Name, known: frozenset[Name]
) -> tuple[int, Term] | None:
    """Finds a position at which every access has the index `name + c`, where c is fixed before the loop."""
    for position in range(len(accesses[0])):
        offsets = {subtract(place[position], name) for place in accesses}
        offset = next(iter(offsets))
        inner = {each for each in names_in(offset) if "!" in each.name and each not in known}
        if len(offsets) == 1 and not inner:
            return position, offset
    return None


def _join(old: Function, new: Function, position: int, offset: Term, bound: Bound) -> Function:
    """Takes, at each place, the value after its own iteration, and the old one where there is none."""
    name, low, high = bound

    def everywhere(*indices: Term) -> Term:
        value = subtract(indices[position], offset)
        own = substitute(new(*indices), {name: value})
        return choose(between(low, value, high), own, old(*indices))

    return everywhere


def _choose(test: Term, one: Function, other: Function) -> Function:
    return lambda *indices: choose(test, one(*indices), other(*indices))


def _restrict(condition: Term, event: Event) -> Event:
    return replace(event, condition=both(condition, event.condition))
