"""What conditions may assume: sizes, types, quorums, initial states, and facts that always hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from seriatim.actions.expressions import Expression, Size
from seriatim.actions.syntax import (
    MAIN,
    ActionProgram,
    Async,
    Collection,
    CollectionKind,
    EnumType,
    For,
    Proof,
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
    number,
    product,
)
from seriatim.checking.sequentialization.draws import find_drain
from seriatim.checking.sequentialization.evaluation import Evaluation, Scene
from seriatim.checking.sequentialization.gates import Moves
from seriatim.checking.sequentialization.premises import Premise
from seriatim.checking.sequentialization.symbolic import (
    Signature,
    State,
    head_name,
    length,
    pending_name,
    size_name,
    tail_name,
)
from seriatim.closure import closure


@dataclass(frozen=True, slots=True)
class Condition:
    """Something to prove: the hypotheses imply the goal, or else a weaker goal that suffices."""

    premise: Premise
    action: str
    other: str | None
    label: str
    hypotheses: tuple[Term, ...]
    goal: Term
    line: int = 0
    weaker: Callable[[], Term] | None = None

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
    """Finds the actions that `main` can start, directly or not; abstractions count, too."""
    bodies = {action.name: [action.body] for action in program.actions}
    for action in program.proof.abstractions if program.proof is not None else ():
        bodies[action.name].append(action.body)
    started = {
        name: {each.action for body in own for each in statements(body) if isinstance(each, Async)}
        for name, own in bodies.items()
    }
    found = closure(started[MAIN], started.__getitem__)
    return tuple(each.name for each in program.actions if each.name in found)


def proof_expressions(program: ActionProgram, proof: Proof) -> Iterator[Expression]:
    """Finds the expressions that conditions speak about, with the sizes of bags that loops drain."""
    yield from (fact.condition for fact in (*program.initially, *proof.lasting, *proof.ensures))
    yield from (when.condition for when in proof.when)
    for action in (*program.actions, *proof.abstractions):
        for statement in statements(action.body):
            yield from expressions_of(statement)
            if isinstance(statement, For) and (drain := find_drain(statement, program)) is not None:
                yield Size(drain.target)


class Assumptions:
    """What conditions may assume about a program with a proof whose gates and measure are known."""

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

    # --- what may be assumed ------------------------------------------------------------------------------

    def _axioms(self) -> Iterator[Term]:
        """Collects what is known about sizes, quorums, maxima and globals that never change."""
        state = self._state
        for size in self.program.sizes:
            yield at_most(number(size.least), Name(size.name, Sort.INT))
        for family in self.program.families:
            # Two sets with more than half of the members each have a member in common: |p| + |q| > N.
            one, other, member = fresh("q"), fresh("q"), fresh("i")
            inside, beside = (Apply(f"in {family.name}", (q, member), Sort.BOOL) for q in (one, other))
            numbered = self.evaluation.in_range(member, family.members, Scene(state, {}))
            yield for_all([one, member], implies(inside, numbered))
            yield for_all([one, other], exists([member], both(inside, beside)))
        for fact in self.program.initially:
            if not globals_of(fact.condition) & self.signature.changing:
                yield self.evaluation.of(fact.condition, Scene(state, {}))
        yield from self.evaluation.maximum_axioms(state)

    def _typing(self, state: State) -> Iterator[Term]:
        """Yields what types say, and that no count is negative."""
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
        """A bag has at least as many messages as copies of any one. It has size 0 iff it is empty."""
        size = size_name(name)
        if size not in state:
            return
        count = state[size](*cells[: len(places)])
        yield for_all(cells, at_most(state[name](*cells), count))
        message = cells[len(places) :]
        some = exists(message, less(ZERO, state[name](*cells)))
        yield for_all(cells[: len(places)], either(equal(count, ZERO), both(less(ZERO, count), some)))

    def _facts(self, state: State) -> list[Term]:
        return [*self._typing(state), *(self._spec(fact.condition, state) for fact in self.proof.lasting)]

    def _spec(self, condition: Expression, state: State, old: State | None = None) -> Term:
        return self.evaluation.of(condition, Scene(state, {}, old))

    def _start(self, state: State) -> list[Term]:
        """Collects what holds of an initial state."""
        found = list(self._typing(state))
        for variable in self.program.variables:
            found += self.initial_value(variable.name, state)
        found += [self._spec(fact.condition, state) for fact in self.program.initially]
        for ghost in self.signature.sums:
            initial = self.program.variable(ghost.cell.name).initial
            if initial is not None:
                value = self.evaluation.summand(ghost, self.evaluation.of(initial, Scene(state, {})))
                names = self.signature.components[ghost.name].names()
                ends = self.evaluation.all_of((ghost.range.low, ghost.range.high), Scene(state, {}))
                whole = product(value, length(*ends))
                found.append(for_all(names, equal(state[ghost.name](*names), whole)))
        for action in self.program.actions:
            names = self.moves.arguments(action.name)
            count = ONE if action.name == MAIN else ZERO
            found.append(for_all(names, equal(state[pending_name(action.name)](*names), count)))
        return found

    def initial_value(self, name: str, state: State) -> Iterator[Term]:
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
                scene, places = Scene(state, {}), zip(indices, variable.ranges, strict=True)
                inside = both(*(self.evaluation.in_range(index, range_, scene) for index, range_ in places))
                value = self.evaluation.of(variable.initial, scene)
                yield for_all(indices, implies(inside, equal(state[name](*indices), value)))
            case _:
                pass
