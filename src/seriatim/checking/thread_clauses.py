"""Formulas about main and some threads, and what has to follow from them, as questions for a solver.

The checker builds these questions from the program alone; it shares with engines the meaning of one step
(`seriatim.program.threads.symbolic`) and nothing else. Formulas may speak of all variables, live or not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from seriatim.arithmetic.solvers.questions import Questions as KnownAnswers
from seriatim.arithmetic.solvers.validity import is_contradictory
from seriatim.arithmetic.terms import Sort
from seriatim.certificate.thread_predicates import Predicate
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming, unless
from seriatim.checking.questions import Questions
from seriatim.checking.words import counted
from seriatim.program.threads.symbolic import SymbolicStep, conjunction, symbolic_step, within
from seriatim.program.threads.syntax import (
    FINISHED,
    Edge,
    Integers,
    Join,
    Template,
    ThreadProgram,
    Type,
    is_boolean,
    results_fit,
)
from seriatim.terms.expressions import (
    FALSE,
    Apply,
    Constant,
    Expression,
    Variable,
    apply,
    negation,
    substitute,
)
from seriatim.terms.operators import TABLE
from seriatim.terms.smt import quote, smt

Spot = tuple[str, int]
Key = tuple[int, tuple[Spot, ...]]


@dataclass(frozen=True, slots=True)
class Actor:
    """A thread, with an expression for each of its variables; `#` is its id."""

    template: str
    place: int
    values: Mapping[str, Expression]

    @property
    def spot(self) -> Spot:
        return self.template, self.place


@dataclass(frozen=True, slots=True)
class Scene:
    """A step, and what has to hold for it besides formulas."""

    globals: Mapping[str, Expression]
    main: Actor
    mover: Actor | None
    """None if main moves."""
    partner: Actor | None
    others: tuple[Actor, ...]
    step: SymbolicStep
    facts: tuple[Expression, ...]

    def threads(self) -> list[Actor]:
        return [*self.others, *(each for each in (self.mover, self.partner) if each is not None)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step leads to."""

    globals: Mapping[str, Expression]
    main: Actor
    mover: Actor | None
    started: Actor | None


class Formulas:
    """The formulas of a certificate about a program."""

    def __init__(self, program: ThreadProgram, predicates: tuple[Predicate, ...], context: Context) -> None:
        self.program = program
        self.context = context
        self.known: dict[Key, Expression] = {(p.place, p.threads): p.formula for p in predicates}
        self.sorts: dict[str, str] = {}
        self.questions = Questions(context)
        self.asked = KnownAnswers()

    # Whether they are about this program

    def about_this_program(self, claim: str) -> Obligation:
        return unless(next(self._unfit(), None), claim, counted(len(self.known), "formula"))

    def _unfit(self) -> Iterator[str]:
        """What the program does not have, or what is no condition."""
        for (place, spots), formula in self.known.items():
            if spots != tuple(sorted(spots)):
                yield "threads of a predicate are not sorted"
            for name, at in (*spots, (self.program.main, place)):
                template = self.program.by_name.get(name)
                if template is None or (at != FINISHED and at not in template.places):
                    yield f"`{name}` has no place {at}"
                    return
            try:
                if not is_condition(formula, self.types(spots)):
                    yield "a formula is a number"
            except DoesNotFollow as error:
                yield str(error)

    def types(self, spots: tuple[Spot, ...]) -> dict[str, Type]:
        """The variables that a formula about main and threads at these places may mention."""
        found = {f"g.{name}": type_ for name, type_ in self.program.types.items()}
        found |= {f"m.{name}": type_ for name, type_ in self.program.main_template.types.items()}
        for index, (name, _) in enumerate(spots):
            types = self.program.by_name[name].types
            found |= {f"{index}.{local}": type_ for local, type_ in types.items()}
            found[f"{index}.#"] = Integers()
        return found

    # Instances

    def variable(self, name: str, type_: Type) -> Expression:
        kind = "Bool" if is_boolean(type_) else "Int"
        self.sorts[f"{name}/{kind}"] = kind
        return Variable(f"{name}/{kind}")

    def global_values(self) -> dict[str, Expression]:
        return {name: self.variable(f"global {name}", type_) for name, type_ in self.program.types.items()}

    def actor(self, label: str, spot: Spot) -> Actor:
        types = self.program.by_name[spot[0]].types
        values = {name: self.variable(f"{label} {name}", type_) for name, type_ in types.items()}
        return Actor(*spot, values | {"#": self.variable(f"{label} id", Integers())})

    def holds(self, globals_: Mapping[str, Expression], main: Actor, threads: Iterable[Actor]) -> Expression:
        """What the certificate says of main and some threads; false if it says nothing."""
        ordered = sorted(threads, key=lambda each: each.spot)
        formula = self.known.get((main.place, tuple(each.spot for each in ordered)), FALSE)
        values = {f"g.{name}": value for name, value in globals_.items()}
        values |= {f"m.{name}": value for name, value in main.values.items()}
        for index, each in enumerate(ordered):
            values |= {f"{index}.{name}": value for name, value in each.values.items()}
        return substitute(formula, values)

    def ranges(self, globals_: Mapping[str, Expression], actors: Iterable[Actor]) -> list[Expression]:
        found = [fact for name, type_ in self.program.types.items() for fact in within(globals_[name], type_)]
        for each in actors:
            for name, type_ in self.program.by_name[each.template].types.items():
                found.extend(within(each.values[name], type_))
        return found

    # Steps

    def edges(self, spot: Spot) -> tuple[Edge, ...]:
        return tuple(edge for _, edge in self.program.by_name[spot[0]].edges_from.get(spot[1], ()))

    def partners(self, mover: Spot, edge: Edge, spots: Iterable[Spot]) -> list[Spot]:
        """Whom an edge can join."""
        joining = self.program.by_name[mover[0]]
        return [
            spot
            for action in edge.actions
            if isinstance(action, Join)
            for spot in spots
            if spot[1] == FINISHED
            and results_fit(self.program, joining, action, self.program.by_name[spot[0]])
        ]

    def scene(
        self, place: int, mover: Spot | None, edge: Edge, partner: Spot | None, others: tuple[Spot, ...]
    ) -> Scene:
        globals_ = self.global_values()
        main = self.actor("main", (self.program.main, place))
        moving = None if mover is None else self.actor("mover", mover)
        acting = moving or main
        template = self.program.by_name[acting.template]
        step = symbolic_step(self.program, template, edge, {**globals_, **acting.values}, "fresh ")
        self.sorts |= {name: "Bool" if is_boolean(type_) else "Int" for name, type_ in step.fresh.items()}
        taken = None if partner is None else self.actor("joined", partner)
        beside = tuple(self.actor(f"other {number}", spot) for number, spot in enumerate(others))
        everyone = [main, *beside, *(each for each in (moving, taken) if each is not None)]
        facts = self.ranges(globals_, everyone)
        if taken is not None and step.taken is not None:
            facts.append(apply("==", taken.values["#"], step.taken.id))
            if step.taken.results:
                results = self.program.by_name[taken.template].results
                for variable, result in zip(step.taken.results, results, strict=True):
                    facts.append(apply("==", variable, taken.values[result]))
        return Scene(globals_, main, moving, taken, beside, step, tuple(facts))

    def outcome(self, scene: Scene, edge: Edge) -> Outcome:
        acting, step = scene.mover or scene.main, scene.step
        own = {name: step.values[name] for name in acting.values if name != "#"}
        moved = Actor(acting.template, edge.target, own | {"#": acting.values["#"]})
        globals_ = {name: step.values[name] for name in scene.globals}
        started: Actor | None = None
        if step.started is not None:
            template: Template = self.program.by_name[step.started.template]
            fresh = self.actor("started", (template.name, template.entry))
            given = dict(step.started.arguments)
            started = Actor(*fresh.spot, {**fresh.values, **given, "#": step.started.id})
        if scene.mover is None:
            return Outcome(globals_, moved, None, started)
        return Outcome(globals_, scene.main, moved, started)

    def start(self) -> tuple[list[Expression], Expression]:
        """What holds at the start, and what the certificate has to say of it."""
        globals_ = self.global_values()
        main = self.actor("main", (self.program.main, self.program.main_template.entry))
        known = [apply("==", globals_[name], Constant(value)) for name, value in self.program.initial.items()]
        return [*known, *self.ranges(globals_, [main])], self.holds(globals_, main, [])

    def started_ranges(self, outcome: Outcome) -> list[Expression]:
        """Locals of a new thread are within their types."""
        return [] if outcome.started is None else self.ranges(outcome.globals, [outcome.started])

    # Questions

    def symmetric(self) -> None:
        """Threads at the same place can be exchanged in every formula; raises `DoesNotFollow`."""
        for place, spots in self.known:
            for index in range(len(spots) - 1):
                if spots[index] != spots[index + 1]:
                    continue
                globals_ = self.global_values()
                main = self.actor("main", (self.program.main, place))
                threads = [self.actor(f"thread {number}", spot) for number, spot in enumerate(spots)]
                before = self.holds(globals_, main, threads)
                threads[index], threads[index + 1] = threads[index + 1], threads[index]
                self.require([before], self.holds(globals_, main, threads), "two threads exchange places")

    def check_failures(self, known: Iterable[Expression], scene: Scene, edge: Edge, after_join: bool) -> None:
        """What is known excludes that a step fails, before it joins or after; raises `DoesNotFollow`."""
        facts = tuple(known)
        for failing in scene.step.failures:
            if failing.after_join == after_join:
                what = f"line {failing.span.line or edge.span.line}: {failing.message}, is not excluded"
                self.require(facts, negation(failing.condition), what)

    def obligation(self, claim: str, check: Callable[[], None]) -> Obligation:
        """The formulas are symmetric and hold at the start, and the rest is checked, too."""
        with claiming(claim):
            self.symmetric()
            facts, start = self.start()
            self.require(facts, start, "the formula at the start")
            check()
        return self.questions.obligation(claim)

    def require(self, known: Iterable[Expression], follows: Expression, what: str) -> None:
        """Raises `DoesNotFollow` if the conclusion does not follow, `GaveUp` if no solver knows."""
        facts = conjunction(tuple(known))
        if follows == Constant(True) or facts == FALSE:
            return
        script = "\n".join(
            (
                *(f"(declare-const {quote(name)} {kind})" for name, kind in self.sorts.items()),
                f"(assert {smt(facts)})",
                f"(assert {smt(negation(follows))})",
            )
        )
        deadline = self.context.allowance.deadline
        self.questions.require(what, lambda solver: is_contradictory(script, solver, deadline, self.asked))


def is_condition(formula: Expression, types: Mapping[str, Type]) -> bool:
    """Whether the value of a formula is a truth value; raises `DoesNotFollow` if it has none."""
    expected: tuple[tuple[Expression, bool], ...]
    match formula:
        case Constant(value=value):
            return isinstance(value, bool)
        case Variable(name=name):
            if name not in types:
                raise DoesNotFollow(f"there is no variable `{name}`")
            return is_boolean(types[name])
        case Apply(op="?", arguments=(condition, then, otherwise)):
            result = is_condition(then, types)
            expected = ((condition, True), (otherwise, result))
        case Apply(op=operator, arguments=operands):
            takes = TABLE[operator].takes
            kind = is_condition(operands[0], types) if takes is None else takes is Sort.BOOL
            expected = tuple((each, kind) for each in operands)
            result = TABLE[operator].gives is Sort.BOOL
        case _:
            assert_never(formula)
    for part, kind in expected:
        if is_condition(part, types) != kind:
            raise DoesNotFollow("a formula mixes numbers and truth values")
    return result
