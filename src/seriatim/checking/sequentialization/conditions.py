"""The conditions of a proof for all sizes, generated from the program and the proof alone."""

from collections.abc import Callable, Iterator
from functools import partial

from seriatim.actions.expressions import Expression
from seriatim.actions.syntax import (
    MAIN,
    ActionProgram,
    Async,
    Collection,
    CollectionKind,
    EnumType,
    Proof,
)
from seriatim.actions.syntax import (
    Term as MeasureTerm,
)
from seriatim.actions.walk import expressions_of, globals_of, statements
from seriatim.arithmetic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Apply,
    Name,
    Sort,
    Term,
    add,
    at_most,
    between,
    both,
    conjuncts,
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
    product,
    substitute,
)
from seriatim.checking.sequentialization.branches import Path
from seriatim.checking.sequentialization.evaluation import Evaluation, Scene
from seriatim.checking.sequentialization.events import count_at, total
from seriatim.checking.sequentialization.gates import Moves
from seriatim.checking.sequentialization.premises import EXCHANGE, PROGRESS, Premise
from seriatim.checking.sequentialization.symbolic import (
    Component,
    Signature,
    State,
    head_name,
    pending_name,
    size_name,
    tail_name,
)
from seriatim.frozen import frozen, replace


@frozen
class Condition:
    """Something to prove: the goal follows from the hypotheses, or else one that is weaker and suffices."""

    premise: Premise
    action: str
    other: str | None
    label: str
    hypotheses: tuple[Term, ...]
    goal: Term
    weaker: Callable[[], Term] | None = None
    line: int = 0

    @property
    def name(self) -> str:
        who = self.action if self.other is None else f"{self.action} and {self.other}"
        return f"{self.premise} {who}: {self.label}"

    @property
    def is_trivial(self) -> bool:
        return (
            self.goal == TRUE or FALSE in self.hypotheses or set(conjuncts(self.goal)) <= set(self.hypotheses)
        )


def reachable_actions(program: ActionProgram) -> tuple[str, ...]:
    """The actions that `main` can start, directly or not; abstractions count, too."""
    bodies = {action.name: [action.body] for action in program.actions}
    for action in program.proof.abstractions if program.proof is not None else ():
        bodies[action.name].append(action.body)
    found: dict[str, None] = {}
    queue = [MAIN]
    while queue:
        for body in bodies[queue.pop()]:
            for statement in statements(body):
                if isinstance(statement, Async) and statement.action not in found:
                    found[statement.action] = None
                    queue.append(statement.action)
    return tuple(each.name for each in program.actions if each.name in found)


def proof_expressions(program: ActionProgram, proof: Proof) -> Iterator[Expression]:
    """All expressions that conditions speak about."""
    yield from (fact.condition for fact in (*program.initially, *proof.always, *proof.ensures))
    yield from (when.condition for when in proof.when)
    for action in (*program.actions, *proof.abstractions):
        for statement in statements(action.body):
            yield from expressions_of(statement)


class Conditions:
    """All conditions of a program with a proof whose gates and measure are known."""

    def __init__(self, program: ActionProgram, proof: Proof, terminating: bool = False) -> None:
        self.program = replace(program, proof=proof)
        self.proof = proof
        self.terminating = terminating
        self.signature = Signature(self.program, proof_expressions(program, proof))
        self.evaluation = Evaluation(self.signature)
        self.moves = Moves(proof, self.evaluation)
        self.others = reachable_actions(self.program)
        self.ordered = tuple(each for each in proof.actions if each in self.others)
        self._state = self.signature.state("s")
        self._known = self._facts(self._state)

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

    # --- what may be assumed ------------------------------------------------------------------------------

    def _axioms(self) -> Iterator[Term]:
        """Sizes, quorums, maxima, and what `initially` says about globals that never change."""
        state = self._state
        for size in self.program.sizes:
            yield at_most(number(size.least), Name(size.name, Sort.INT))
        for family in self.program.families:
            # Two sets with more than half of the members each have a member in common: |p| + |q| > N.
            one, other, member = fresh("q"), fresh("q"), fresh("i")
            scene = Scene(state, {})
            low, high = (
                self.evaluation.of(family.members.low, scene),
                self.evaluation.of(family.members.high, scene),
            )

            def inside(majority: Term, each: Term, name: str = family.name) -> Term:
                return Apply(f"in {name}", (majority, each), Sort.BOOL)

            yield for_all([one, member], implies(inside(one, member), between(low, member, high)))
            common = both(inside(one, member), inside(other, member))
            yield for_all([one, other], exists([member], common))
        for fact in self.program.initially:
            if not globals_of(fact.condition) & self.signature.changing:
                yield self.evaluation.of(fact.condition, Scene(state, {}))
        yield from self.evaluation.maximum_axioms(state)

    def _typing(self, state: State) -> Iterator[Term]:
        """What types say, and that nothing is there less than never."""
        for variable in self.program.variables:
            names = tuple(fresh("j") for _ in variable.ranges)
            match variable.type:
                case EnumType(members=members):
                    value = state[variable.name](*names)
                    yield for_all(names, between(ZERO, value, number(len(members) - 1)))
                case Collection(kind=CollectionKind.QUEUE):
                    ends = state[head_name(variable.name)](*names), state[tail_name(variable.name)](*names)
                    yield for_all(names, at_most(*ends))
                case Collection(kind=CollectionKind.BAG):
                    cells = self.signature.components[variable.name].names()
                    yield for_all(cells, at_most(ZERO, state[variable.name](*cells)))
                    yield from self._size_facts(variable.name, names, cells, state)
                case _:
                    pass
        for action in self.program.actions:
            component = self.signature.components[pending_name(action.name)]
            arguments = component.names()
            yield for_all(arguments, at_most(ZERO, state[component.name](*arguments)))

    def _size_facts(
        self, name: str, places: tuple[Name, ...], cells: tuple[Name, ...], state: State
    ) -> Iterator[Term]:
        """A bag has at least as many messages as copies of any one; it has none iff it is empty."""
        size = size_name(name)
        if size not in state:
            return
        count = state[size](*cells[: len(places)])
        yield for_all(cells, at_most(state[name](*cells), count))
        message = cells[len(places) :]
        some = exists(message, less(ZERO, state[name](*cells)))
        yield for_all(cells[: len(places)], either(equal(count, ZERO), both(less(ZERO, count), some)))

    def _facts(self, state: State) -> list[Term]:
        return [*self._typing(state), *(self._spec(fact.condition, state) for fact in self.proof.always)]

    def _spec(self, condition: Expression, state: State, old: State | None = None) -> Term:
        return self.evaluation.of(condition, Scene(state, {}, old))

    def _start(self, state: State) -> list[Term]:
        """What holds of an initial state."""
        found = list(self._typing(state))
        for variable in self.program.variables:
            found += self._initial_value(variable.name, state)
        found += [self._spec(fact.condition, state) for fact in self.program.initially]
        for ghost in {each.name: each for each in self.signature.ghosts.values()}.values():
            initial = self.program.variable(ghost.variable).initial
            if initial is not None:
                value = self.evaluation.summand(ghost, self.evaluation.of(initial, Scene(state, {})))
                names = self.signature.components[ghost.name].names()
                whole = product(value, self.evaluation.length(ghost.range, state))
                found.append(for_all(names, equal(state[ghost.name](*names), whole)))
        for action in self.program.actions:
            names = self.moves.arguments(action.name)
            count = ONE if action.name == MAIN else ZERO
            found.append(for_all(names, equal(state[pending_name(action.name)](*names), count)))
        return found

    def _initial_value(self, name: str, state: State) -> Iterator[Term]:
        variable = self.program.variable(name)
        indices = tuple(fresh("j") for _ in variable.ranges)
        match variable.type:
            case Collection(kind=CollectionKind.QUEUE):
                ends = state[head_name(name)](*indices), state[tail_name(name)](*indices)
                yield for_all(indices, equal(*ends))
            case Collection():
                cells = self.signature.components[name].names()
                count = state[name](*cells)
                yield for_all(cells, equal(count, ZERO if count.sort is Sort.INT else FALSE))
                if size_name(name) in state:
                    yield for_all(indices, equal(state[size_name(name)](*indices), ZERO))
            case _ if variable.initial is not None:
                scene = Scene(state, {})
                inside = both(
                    *(
                        self.evaluation.in_range(j, r, scene)
                        for j, r in zip(indices, variable.ranges, strict=True)
                    )
                )
                value = self.evaluation.of(variable.initial, scene)
                yield for_all(indices, implies(inside, equal(state[name](*indices), value)))
            case _:
                pass

    # --- the order, executed ------------------------------------------------------------------------------

    def _invariant(
        self, action: str | None, arguments: tuple[Term, ...], state: State, old: State
    ) -> list[Term]:
        found: list[Term] = []
        for when in self.proof.when:
            if when.action == action:
                scene = Scene(state, dict(zip(when.arguments, arguments, strict=True)), old)
                found.append(self.evaluation.of(when.condition, scene))
        return found

    def _initial(self) -> Iterator[Condition]:
        start = self.signature.state("0")
        branches = self.moves.original(MAIN, start, (), "m")
        begin = self._start(start)
        for term, line in branches.gate:
            label = f"main does not fail in line {line}"
            yield Condition(Premise.INITIAL, MAIN, None, label, tuple(begin), term, line=line)
        for number_, path in enumerate(branches.paths):
            before = (*begin, *path.guard)
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
            for when in self.proof.when:
                if when.action == target:
                    scene = Scene(state, dict(zip(when.arguments, names, strict=True)), old)
                    claim = self.evaluation.of(when.condition, scene)
                    label = f"branch {path + 1} leads to {target or 'the end'}: line {when.span.line}"
                    yield Condition(premise, action, target, label, hypotheses, claim, line=when.span.line)

    def _order(self, action: str) -> Iterator[Condition]:
        start, state = self.signature.state("0"), self._state
        arguments = self.moves.arguments(action, "k")
        case = [
            *self._start(start),
            *self._known,
            *conjuncts(self.moves.is_next(state, action, arguments)),
            *self._invariant(action, arguments, state, start),
        ]
        gate = self.moves.gate(action, state, arguments, "a")
        for each in gate:
            label = f"gate where it comes next: {each.label}"
            yield Condition(Premise.ORDER, action, None, label, tuple(case), each.term, line=each.line)
        before = (*case, *(each.term for each in gate))
        for number_, path in enumerate(self.moves.abstract(action, state, arguments, "a").paths):
            yield from self._entered(
                Premise.ORDER, action, number_, (*before, *path.guard), path.state, start
            )

    def _end(self) -> Iterator[Condition]:
        start, state = self.signature.state("0"), self._state
        case = [
            *self._start(start),
            *self._known,
            *conjuncts(self.moves.none_left(state)),
            *self._invariant(None, (), state, start),
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
            gate = tuple(term for term, _ in branches.gate)
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
                    Premise.ALWAYS, action, None, label, (*before, *path.guard), goal, line=fact.span.line
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
                hypotheses = (*here, self.moves.typed(action, arguments), *path.guard)
                yield Condition(Premise.ABSTRACTION, action, None, label, hypotheses, goal)

    def _covers(self, path: Path, wide: Path) -> Term:
        """The abstraction can do the same, with choices that are read off what the action does."""
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
        runs = [term for term, _ in branches.gate]
        for number_, path in enumerate(branches.paths):
            before = (*here, *runs, *path.guard)
            for each in self.moves.gate(action, path.state, mine, "a"):
                label = f"branch {number_ + 1} of {other} keeps the gate: {each.label}"
                yield Condition(Premise.KEEPS_GATE, action, other, label, before, each.term, line=each.line)
            late = self.moves.abstract(action, path.state, mine, "a").paths
            for at, after in enumerate(late):
                reorders = partial(self._reorders, path, after, early.paths, other, theirs)
                same = reorders(((at, number_),))
                pairs = tuple((a, x) for a in range(len(early.paths)) for x in range(len(branches.paths)))
                label = f"branch {at + 1} of {action} after branch {number_ + 1} of {other}"
                hypotheses, any_way = (*before, *after.guard), partial(reorders, pairs)
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
            second = self.moves.original(other, first.state, theirs, "x")
            then = second.paths[then_at]
            way = both(
                first.condition(),
                then.condition(),
                self._same_created(after, first),
                self._same_created(path, then),
                self._same_state(after.state, then.state),
            )
            gate = (term for term, _ in second.gate) if self.terminating else ()
            found.append(both(way, *gate))
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
            before = (*here, *path.guard, *(term for term, _ in after))
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
            lowered = both(path.condition(), self._lowers(action, path, self.proof.measure or ()))
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
        """By how much a branch changes a component of the measure, and what is known of that number."""
        events = path.created if term.is_action else path.transfers
        found = [total(event) for event in events if event.subject == term.name]
        executed = number(-1) if term.is_action and term.name == action else ZERO
        return add(executed, *(each for each, _ in found)), both(*(known for _, known in found))
