"""Runs exist for all sizes: finds an initial state that `initially` allows and in which `main` can step.

A proof about all runs says nothing at sizes where no run begins. `initially` could have no state there, or
`main` could wait for ever. Initial values that the program leaves open are tried from a list: numbers of the
program, sizes, and the index of an element. A solver confirms that some of them are right for all sizes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import assert_never

from seriatim.actions.expressions import Expression, Parameter, Symbol
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.meaning import Environment, Failed
from seriatim.actions.syntax import (
    MAIN,
    ActionProgram,
    BoolType,
    Collection,
    EnumType,
    Global,
    IntType,
    MajorityType,
    Proof,
)
from seriatim.actions.values import Layout, Sizes, Value
from seriatim.actions.walk import globals_of, subexpressions
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.terms import (
    Apply,
    Name,
    Sort,
    Term,
    at_most,
    both,
    conjuncts,
    equal,
    for_all,
    fresh,
    number,
)
from seriatim.arithmetic.terms import product as multiply
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import Assumptions, Condition
from seriatim.checking.sequentialization.discharge import Status, discharge
from seriatim.checking.sequentialization.evaluation import Scene
from seriatim.checking.sequentialization.premises import Premise
from seriatim.checking.sequentialization.symbolic import Function, State, length
from seriatim.terms.expressions import Apply as Operation
from seriatim.terms.expressions import Constant, Variable

MAX_TRIED = 2_000
"""Combinations of initial values that are tried at small sizes."""
MAX_ASKED = 8
"""Combinations that a solver is asked about."""
SMALL = 4
"""Combinations are tried at this many sizes, from the least one on."""

Values = Mapping[str, Expression | None]
"""An initial value of each open global, as an expression about its indices; None: the whole quorum range."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """An initial state for all sizes; or no such state, perhaps with sizes at which none exists."""

    exists: bool
    missing: Sizes | None = None

    def complaint(self) -> str:
        """The reason in words why nothing is proved."""
        if self.missing is None:
            return "no initial state is known that exists at all sizes"
        window = f"integers from {self.missing.low} to {self.missing.high}"
        return f"no run begins at {self.missing.text()} with {window}, so nothing would be proved there"


def find_beginning(program: ActionProgram, proof: Proof, solver: SolverName, deadline: Deadline) -> Beginning:
    """Finds an initial state for all sizes."""
    search = _Search(program, proof)
    right = (each for each in islice(search.choices(), MAX_TRIED) if search.is_right_at_small_sizes(each))
    for values in islice(right, MAX_ASKED):
        deadline.check()
        if discharge(search.condition(values), solver, deadline).status is Status.PROVED:
            return Beginning(True)
    return Beginning(False, search.find_sizes_without())


class _Search:
    def __init__(self, program: ActionProgram, proof: Proof) -> None:
        self.program = program
        self.assumptions = Assumptions(program, proof)
        read = frozenset(name for fact in program.initially for name in globals_of(fact.condition))
        self.open = [
            each
            for each in program.variables
            if each.initial is None and not isinstance(each.type, Collection)
        ]
        self.chosen = [each for each in self.open if each.name in read]
        self.small = [
            Interpreter(program, Sizes({size.name: size.least + more for size in program.sizes}, 0, SMALL))
            for more in range(SMALL if program.sizes else 1)
        ]

    # --- values to try ------------------------------------------------------------------------------------

    def choices(self) -> Iterator[Values]:
        """Combinations of values for open globals that `initially` reads; others get their first value."""
        menus = [tuple(self._menu(each)) for each in self.chosen]
        rest = {each.name: next(self._menu(each)) for each in self.open if each not in self.chosen}
        for chosen in product(*menus):
            yield rest | {each.name: value for each, value in zip(self.chosen, chosen, strict=True)}

    def _menu(self, variable: Global) -> Iterator[Expression | None]:
        match variable.type:
            case IntType():
                yield from self._numbers(variable)
            case BoolType():
                yield from (Constant(False), Constant(True))
            case EnumType(name=name, members=members):
                yield from (Symbol(name, member, index) for index, member in enumerate(members))
            case MajorityType():
                yield None
            case Collection():
                raise AssertionError(variable.name)
            case _:
                assert_never(variable.type)

    def _numbers(self, variable: Global) -> Iterator[Expression]:
        literals = {
            each.value
            for fact in self.program.initially
            for each in subexpressions(fact.condition)
            if isinstance(each, Constant) and not isinstance(each.value, bool)
        }
        near = {value + step for value in {0, 1} | literals for step in (0, 1, -1)}
        yield from map(Constant, sorted(near, key=lambda value: (abs(value), value < 0)))
        indices = [Variable(_index(at)) for at in range(len(variable.ranges))]
        sizes: list[Expression] = [Parameter(size.name) for size in self.program.sizes]
        for each in (*indices, *sizes):
            yield each
            yield from (Operation("+", (each, Constant(step))) for step in (1, -1))
        for size, index in product(self.program.sizes, indices):
            yield Operation("-", (Parameter(size.name), index))

    # --- small sizes --------------------------------------------------------------------------------------

    def is_right_at_small_sizes(self, values: Values) -> bool:
        for interpreter in self.small:
            state = tuple(self._value(each, values, interpreter) for each in self.program.variables)
            environment = Environment(state, {})
            try:
                conditions = (
                    interpreter.meanings.of(fact.condition)(environment) for fact in self.program.initially
                )
                if not all(conditions):
                    return False
                execution = interpreter.execute(state, (MAIN, ()))
            except Failed:
                return False
            if not execution.outcomes and not execution.fails:
                return False
        return True

    def _value(self, variable: Global, values: Values, interpreter: Interpreter) -> object:
        layout = interpreter.layout
        cells = [
            self._cell(variable, values, interpreter, indices)
            for indices in layout.shapes[variable.name].indices()
        ]
        return tuple(cells) if variable.ranges else cells[0]

    def _cell(
        self, variable: Global, values: Values, interpreter: Interpreter, indices: tuple[int, ...]
    ) -> Value:
        if isinstance(variable.type, Collection):
            return ()
        expression = variable.initial or values[variable.name]
        if expression is None:
            return _whole_range(interpreter.layout, variable)
        locals_ = {_index(at): index for at, index in enumerate(indices)}
        found: Value = interpreter.meanings.of(expression)(Environment((), locals_))
        return found

    def find_sizes_without(self) -> Sizes | None:
        """Small sizes at which no run begins, if some are found."""
        for interpreter in self.small:
            starts = islice(interpreter.initial_states(), MAX_TRIED)
            executions = (interpreter.execute(state, (MAIN, ())) for state in starts)
            if not any(each.outcomes or each.fails for each in executions):
                return interpreter.layout.sizes
        return None

    # --- all sizes ----------------------------------------------------------------------------------------

    def condition(self, values: Values) -> Condition:
        """The condition that these values are allowed for all sizes, and that `main` can step there."""
        assumptions, evaluation = self.assumptions, self.assumptions.evaluation
        known: list[Term] = [
            at_most(number(size.least), Name(size.name, Sort.INT)) for size in self.program.sizes
        ]
        state = assumptions.signature.state("b")
        for variable in self.program.variables:
            if isinstance(variable.type, Collection):
                continue
            expression = variable.initial or values[variable.name]
            if expression is None:
                name = Name(f"whole {variable.name}", Sort.INT)
                known.append(self._is_whole(name, variable))
                state[variable.name] = _constant(name)
            else:
                state[variable.name] = self._function(expression, state)
        known += self._sums(state, values)
        known += self._empty(state)
        claims = [evaluation.of(fact.condition, Scene(state, {})) for fact in self.program.initially]
        branches = assumptions.moves.original(MAIN, state, (), "b")
        claims.append(assumptions.moves.can_step(branches))
        hypotheses = (*known, *evaluation.maximum_axioms(state))
        return Condition(
            Premise.SATISFIABLE, MAIN, None, "a run begins", tuple(_flat(hypotheses)), both(*claims)
        )

    def _function(self, expression: Expression, state: State) -> Function:
        def value(*indices: Term) -> Term:
            variables = {_index(at): index for at, index in enumerate(indices)}
            return self.assumptions.evaluation.of(expression, Scene(state, variables))

        return value

    def _is_whole(self, name: Name, variable: Global) -> Term:
        assert isinstance(variable.type, MajorityType)
        family = self.program.family(variable.type.family)
        member = fresh("i")
        inside = Apply(f"in {family.name}", (name, member), Sort.BOOL)
        numbered = self.assumptions.evaluation.in_range(member, family.members, Scene({}, {}))
        return for_all([member], equal(inside, numbered))

    def _sums(self, state: State, values: Values) -> Iterator[Term]:
        """Collects what is known about sums over arrays that are the same everywhere."""
        evaluation = self.assumptions.evaluation
        for ghost in self.assumptions.signature.sums:
            variable = self.program.variable(ghost.cell.name)
            expression = variable.initial or values[variable.name]
            if expression is None or any(isinstance(each, Variable) for each in subexpressions(expression)):
                continue
            names = self.assumptions.signature.components[ghost.name].names()
            value = evaluation.summand(ghost, evaluation.of(expression, Scene(state, {})))
            ends = evaluation.all_of((ghost.range.low, ghost.range.high), Scene(state, {}))
            yield for_all(names, equal(state[ghost.name](*names), multiply(value, length(*ends))))

    def _empty(self, state: State) -> Iterator[Term]:
        """Collects what is known about sets, bags and queues, which begin empty."""
        for variable in self.program.variables:
            if isinstance(variable.type, Collection):
                yield from self.assumptions.initial_value(variable.name, state)


def _index(at: int) -> str:
    return f"index {at}"


def _constant(term: Term) -> Function:
    return lambda *_: term


def _whole_range(layout: Layout, variable: Global) -> Value:
    assert isinstance(variable.type, MajorityType)
    return max(layout.families[variable.type.family], key=len)


def _flat(terms: tuple[Term, ...]) -> Iterator[Term]:
    for each in terms:
        yield from conjuncts(each)
