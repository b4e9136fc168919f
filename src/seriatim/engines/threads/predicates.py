"""Predicates about main and some other threads, and Horn clauses over them, as SMT-LIB text.
 A predicate stands for a place of main and places of some threads. Its arguments are the globals, the live
locals of main, and for each thread its live locals and, in programs that join, its id.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from seriatim.arithmetic.solvers.horn import Relations
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_predicates import Predicate
from seriatim.engines.threads.flows import weight
from seriatim.program.threads.symbolic import SymbolicStep, symbolic_step, within
from seriatim.program.threads.syntax import (
    FINISHED,
    Edge,
    Integers,
    Join,
    ThreadProgram,
    Type,
    results_fit,
    sort,
)
from seriatim.systems.threads.liveness import live_locals
from seriatim.terms.expressions import Constant, Expression, Variable, apply, negation
from seriatim.terms.operators import Op
from seriatim.terms.smt import quote, read_answer, smt

Spot = tuple[str, int]
"""A template and a place of it."""

Key = tuple[int, tuple[Spot, ...]]
"""A place of main, and sorted places of threads."""

ID = "#"
"""What the id of a thread is called among its variables."""

FALSE_QUERY = "fails"
"""The relation that holds of nothing if no step fails."""

MAX_PREDICATES = 3_000
MAX_CLAUSES = 20_000


class TooMany(Exception):
    """There are more predicates or clauses than it makes sense to try."""


@dataclass(frozen=True, slots=True)
class Someone:
    """A thread in a clause: where it is, and expressions for its variables."""

    spot: Spot
    values: Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation holds of these values."""

    relation: str
    values: tuple[Expression, ...] = ()

    def __str__(self) -> str:
        return f"({self.relation} {' '.join(map(smt, self.values))})" if self.values else self.relation


FAILS = Atom(FALSE_QUERY)


@dataclass(frozen=True, slots=True)
class Rule:
    """Where the premises and the conditions hold, the head does."""

    premises: tuple[Atom, ...]
    conditions: tuple[Expression, ...]
    head: Atom

    def __str__(self) -> str:
        body = " ".join((*map(str, self.premises), *map(smt, self.conditions)))
        return f"(rule (=> (and true {body}) {self.head}))"


@dataclass(frozen=True, slots=True)
class Situation:
    """A step with all who take part in it, before it."""

    globals: Mapping[str, Expression]
    main: Someone
    mover: Someone | None
    """None if main moves."""
    partner: Someone | None
    """Whom a join takes."""
    others: tuple[Someone, ...]
    step: SymbolicStep
    conditions: tuple[Expression, ...]
    """Values are within their types, and the partner fits."""
    started: Someone | None
    """A thread that the step starts, as it begins."""

    def threads(self) -> list[Someone]:
        """All but main, before the step."""
        return [*self.others, *(each for each in (self.mover, self.partner) if each is not None)]

    def after(self, edge: Edge) -> "After":
        actor = self.mover or self.main
        spot = (actor.spot[0], edge.target)
        moved = Someone(spot, {**actor.values, **self.step.values, ID: actor.values[ID]})
        globals_ = {name: self.step.values[name] for name in self.globals}
        if self.mover is None:
            return After(globals_, moved, None, self.started)
        return After(globals_, self.main, moved, self.started)


@dataclass(frozen=True, slots=True)
class After:
    """Those who took part in a step, after it."""

    globals: Mapping[str, Expression]
    main: Someone
    mover: Someone | None
    started: Someone | None


class Clauses:
    """Predicates and clauses, as far as they are known."""

    def __init__(self, program: ThreadProgram, flows: tuple[Flow, ...] = ()) -> None:
        self.program = program
        self.flows = flows
        self.main = program.main_template
        self.globals = tuple(sorted(program.types))
        self.live = {
            name: {place: tuple(sorted(kept)) for place, kept in places.items()}
            for name, places in live_locals(program).items()
        }
        self.keys: dict[Key, str] = {}
        self.variables: dict[str, str] = {}
        """Sorts by name."""
        self.rules: list[Rule] = []

    # Variables

    def variable(self, name: str, type_: Type) -> Expression:
        name = f"{name}:{sort(type_)[0]}"  # One name has one sort in all clauses.
        self.variables[name] = sort(type_)
        return Variable(name)

    def global_values(self) -> dict[str, Expression]:
        return {name: self.variable(f"g.{name}", type_) for name, type_ in self.program.types.items()}

    def someone(self, label: str, spot: Spot) -> Someone:
        """A thread with variables of its own; of dead ones, nothing is known."""
        template = self.program.by_name[spot[0]]
        values = {name: self.variable(f"{label}.{name}", type_) for name, type_ in template.types.items()}
        values[ID] = self.variable(f"{label}.{ID}", Integers())
        return Someone(spot, values)

    def ranges(self, globals_: Mapping[str, Expression], threads: Iterable[Someone]) -> list[Expression]:
        """Values are within their types before a step."""
        found: list[Expression] = []
        for name, type_ in self.program.types.items():
            found.extend(within(globals_[name], type_))
        for each in threads:
            template = self.program.by_name[each.spot[0]]
            for name in self.live[each.spot[0]][each.spot[1]]:
                found.extend(within(each.values[name], template.types[name]))
        return found

    # Predicates

    def arguments(self, key: Key) -> list[tuple[str, Type]]:
        """The names and types of a predicate's arguments: `g.x`, `m.x`, and `0.x`, `0.#` for its first
        thread.
        """
        place, spots = key
        found = [(f"g.{name}", self.program.types[name]) for name in self.globals]
        found += [(f"m.{name}", self.main.types[name]) for name in self.live[self.main.name][place]]
        for index, (name, at) in enumerate(spots):
            types = self.program.by_name[name].types
            found += [(f"{index}.{local}", types[local]) for local in self.live[name][at]]
            if self.program.has_joins:
                found.append((f"{index}.{ID}", Integers()))
        return found

    def apply(self, globals_: Mapping[str, Expression], main: Someone, threads: Iterable[Someone]) -> Atom:
        """A predicate about main and some threads, which need not be sorted."""
        ordered = sorted(threads, key=lambda each: each.spot)
        key: Key = (main.spot[1], tuple(each.spot for each in ordered))
        if key not in self.keys:
            if len(self.keys) >= MAX_PREDICATES:
                raise TooMany(f"more than {MAX_PREDICATES:,} predicates")
            self.keys[key] = f"P{len(self.keys)}"
        values = [globals_[name] for name in self.globals]
        values += [main.values[name] for name in self.live[self.main.name][main.spot[1]]]
        for each in ordered:
            values += [each.values[name] for name in self.live[each.spot[0]][each.spot[1]]]
            if self.program.has_joins:
                values.append(each.values[ID])
        return Atom(self.keys[key], tuple(values))

    def rule(self, premises: Iterable[Atom], conditions: Iterable[Expression], head: Atom) -> None:
        if len(self.rules) >= MAX_CLAUSES:
            raise TooMany(f"more than {MAX_CLAUSES:,} clauses")
        self.rules.append(Rule(tuple(premises), tuple(conditions), head))

    def add_symmetry(self) -> None:
        """Threads at the same place can be exchanged."""
        for place, spots in list(self.keys):
            for index in range(len(spots) - 1):
                if spots[index] == spots[index + 1]:
                    globals_ = self.global_values()
                    main = self.someone("m", (self.main.name, place))
                    threads = [self.someone(str(n), spot) for n, spot in enumerate(spots)]
                    before = self.apply(globals_, main, threads)
                    threads[index], threads[index + 1] = threads[index + 1], threads[index]
                    after = self.apply(globals_, main, threads)
                    self.rule([before], [], after)

    # Steps

    def start(self) -> None:
        """Main begins, with initial values."""
        globals_ = self.global_values()
        main = self.someone("m", (self.main.name, self.main.entry))
        known = [apply("==", globals_[name], Constant(value)) for name, value in self.program.initial.items()]
        head = self.apply(globals_, main, [])
        self.rule([], [*known, *self.ranges(globals_, [main])], head)

    def edges(self, spot: Spot) -> tuple[tuple[int, Edge], ...]:
        return self.program.by_name[spot[0]].edges_from.get(spot[1], ())

    def partners(self, mover: Spot | None, edge: Edge, spots: Iterable[Spot]) -> list[Spot | None]:
        """Those whom an edge can join; None alone if it joins nobody."""
        joining = self.main if mover is None else self.program.by_name[mover[0]]
        join = next((action for action in edge.actions if isinstance(action, Join)), None)
        if join is None:
            return [None]
        return [
            spot
            for spot in spots
            if spot[1] == FINISHED and results_fit(self.program, joining, join, self.program.by_name[spot[0]])
        ]

    def situation(
        self, place: int, mover: Spot | None, edge: Edge, partner: Spot | None, others: tuple[Spot, ...]
    ) -> Situation:
        globals_ = self.global_values()
        main = self.someone("m", (self.main.name, place))
        moving = None if mover is None else self.someone("a", mover)
        actor = moving or main
        template = self.program.by_name[actor.spot[0]]
        step = symbolic_step(self.program, template, edge, {**globals_, **actor.values}, "f")
        self.variables |= {name: sort(type_) for name, type_ in step.fresh.items()}
        taken = None if partner is None else self.someone("j", partner)
        beside = tuple(self.someone(f"o{number}", spot) for number, spot in enumerate(others))
        here = [main, *beside, *(each for each in (moving, taken) if each is not None)]
        conditions = self.ranges(globals_, here)
        if taken is not None and step.taken is not None:
            conditions.append(apply("==", taken.values[ID], step.taken.id))
            results = self.program.by_name[taken.spot[0]].results if step.taken.results else ()
            for variable, result in zip(step.taken.results, results, strict=True):
                conditions.append(apply("==", variable, taken.values[result]))
        spots = [each.spot for each in here if each is not main]
        for flow in self.flows:
            total = weight(flow, globals_, self.program.types, place, spots)
            conditions.append(apply("<=", total, Constant(flow.total)))
        return Situation(
            globals_, main, moving, taken, beside, step, tuple(conditions), self.start_thread(step)
        )

    def is_kept(self, flow: Flow, here: Situation, edge: Edge) -> Expression:
        """What has to hold so that a step keeps the sum of a flow."""
        after = here.after(edge)
        before = [each.spot for each in (here.mover, here.partner) if each is not None]
        later = [each.spot for each in (after.mover, after.started) if each is not None]
        types = self.program.types
        return apply(
            "==",
            weight(flow, here.globals, types, here.main.spot[1], before),
            weight(flow, after.globals, types, after.main.spot[1], later),
        )

    def start_thread(self, step: SymbolicStep) -> Someone | None:
        if step.started is None:
            return None
        template = self.program.by_name[step.started.template]
        fresh = self.someone("n", (template.name, template.entry))
        return Someone(fresh.spot, {**fresh.values, **dict(step.started.arguments), ID: step.started.id})

    # Solving

    def text(self) -> str:
        lines = [f"(declare-rel {FALSE_QUERY} ())"]
        for key, name in self.keys.items():
            sorts = " ".join(sort(type_) for _, type_ in self.arguments(key))
            lines.append(f"(declare-rel {name} ({sorts}))")
        lines += [f"(declare-var {quote(name)} {kind})" for name, kind in self.variables.items()]
        return "\n".join((*lines, *map(str, self.rules)))

    def predicates(self, relations: Relations) -> tuple[Predicate, ...]:
        """What the solver found, in the words of certificates; predicates that hold nowhere are left out."""
        found: list[Predicate] = []
        for (place, spots), name in self.keys.items():
            term = relations.found.get(name, True)
            if term is False:
                continue
            names: list[Expression] = [Variable(argument) for argument, _ in self.arguments((place, spots))]
            formula = read_answer(term, names, Constant, _operation)
            found.append(Predicate(place, spots, formula))
        return tuple(found)


def _operation(op: Op, operands: Sequence[Expression]) -> Expression:
    return negation(*operands) if op == "!" else apply(op, *operands)
