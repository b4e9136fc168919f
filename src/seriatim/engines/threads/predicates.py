"""Predicates about main and some other threads, and Horn clauses over them, as SMT-LIB text.
 A predicate stands for a place of main and places of some threads. Its arguments are the globals, the live
locals of main, and for each thread its live locals and, in programs that join, its id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seriatim.arithmetic.solvers.horn import Relations
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_predicates import Predicate
from seriatim.program.threads.scenes import ID, Actor, Key, Now, Scene, Scenes
from seriatim.program.threads.syntax import Integers, ThreadProgram, Type, sort
from seriatim.systems.threads.liveness import live_locals
from seriatim.terms.expressions import Constant, Expression, Variable, apply, negation
from seriatim.terms.operators import Op
from seriatim.terms.smt import quote, read_answer, smt

FALSE_QUERY = "fails"
"""The relation that holds of nothing if no step fails."""

MAX_PREDICATES = 3_000
MAX_CLAUSES = 20_000


class TooMany(Exception):
    """There are more predicates or clauses than it makes sense to try."""


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


class PredicateClauses:
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
        self.scenes = Scenes(program, lambda spot: self.live[spot[0]][spot[1]])
        self.keys: dict[Key, str] = {}
        self.rules: list[Rule] = []
        start, known = self.scenes.start()
        self.rule([], known, self.apply(start, ()))

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

    def apply(self, now: Now, threads: Iterable[Actor]) -> Atom:
        """A predicate about main and some threads, which need not be sorted."""
        ordered = sorted(threads, key=lambda each: each.spot)
        key: Key = (now.main.spot[1], tuple(each.spot for each in ordered))
        if key not in self.keys:
            if len(self.keys) >= MAX_PREDICATES:
                raise TooMany(f"more than {MAX_PREDICATES:,} predicates")
            self.keys[key] = f"P{len(self.keys)}"
        values = [now.globals[name] for name in self.globals]
        values += [now.main.values[name] for name in self.live[self.main.name][now.main.spot[1]]]
        for each in ordered:
            values += [each.values[name] for name in self.live[each.spot[0]][each.spot[1]]]
            if self.program.has_joins:
                values.append(each.values[ID])
        return Atom(self.keys[key], tuple(values))

    def rule(self, premises: Iterable[Atom], conditions: Iterable[Expression], head: Atom) -> None:
        if len(self.rules) >= MAX_CLAUSES:
            raise TooMany(f"more than {MAX_CLAUSES:,} clauses")
        self.rules.append(Rule(tuple(premises), tuple(conditions), head))

    def facts(self, scene: Scene) -> list[Expression]:
        """Collects what is known before a step, besides predicates."""
        return [*scene.facts, *(self.scenes.is_at_most_total(flow, scene) for flow in self.flows)]

    def add_failures(self, scene: Scene, known: list[Atom]) -> None:
        """The step does not fail."""
        for failing in scene.failures():
            self.rule(known, [*self.facts(scene), failing.condition], FAILS)

    def add_symmetry(self) -> None:
        """Threads at the same place can be exchanged."""
        for before, after in self.scenes.exchanges(list(self.keys)):
            self.rule([self.apply(before, before.threads)], [], self.apply(after, after.threads))

    # Solving

    def text(self) -> str:
        lines = [f"(declare-rel {FALSE_QUERY} ())"]
        for key, name in self.keys.items():
            sorts = " ".join(sort(type_) for _, type_ in self.arguments(key))
            lines.append(f"(declare-rel {name} ({sorts}))")
        lines += [f"(declare-var {quote(name)} {kind})" for name, kind in self.scenes.sorts.items()]
        return "\n".join((*lines, *map(str, self.rules)))

    def predicates(self, relations: Relations) -> tuple[Predicate, ...]:
        """Returns what the solver found, in the words of certificates; predicates that hold nowhere are left
        out."""
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
