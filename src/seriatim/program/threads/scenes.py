"""Scenes: a step with everybody who takes part in it or is looked at, as expressions over variables.

Proofs by formulas about main and some other threads ask the same of every program: what holds at the start,
and what has to hold after each step, of the threads that are looked at then. Engines look for formulas that
fit; the checker asks solvers whether given ones do. Both ask about these scenes.

Two kinds of proofs look at threads in two ways. *Any k threads*: by induction over steps, formulas about main
and every choice of at most k other threads hold, whatever the rest does. Look at at most k threads after a
step. Before it, these are *others* that do not move, perhaps the *mover* (if it is not main), but not a
thread that the step starts; besides, there may be a *partner*, which a join takes away. Of main and any k of
all these, the formulas hold before the step. *All threads*: a formula is about all threads that there are.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Protocol, TypeVar

from seriatim.program.threads.symbolic import Failing, SymbolicStep, symbolic_step, within
from seriatim.program.threads.syntax import (
    FINISHED,
    Edge,
    Integers,
    Join,
    ThreadProgram,
    Type,
    results_fit,
    sort,
    writes,
)
from seriatim.terms.expressions import Constant, Expression, Variable, apply

Spot = tuple[str, int]
"""A template and a place of it."""

Key = tuple[int, tuple[Spot, ...]]
"""What a formula is about: a place of main, and sorted places of threads."""

ID = "#"
"""What the id of a thread is called among its variables."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Actor:
    """A thread: where it is, and an expression for each of its variables and its id."""

    spot: Spot
    values: Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class Case:
    """Who takes part in a step, by places. Without the partner of a join, the step ends before the join."""

    place: int
    """Of main."""
    mover: Spot | None
    """None if main moves."""
    edge: int
    """Its number in the template."""
    partner: Spot | None
    """Whom a join takes."""
    others: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Now:
    """Those who take part, before a step or after it."""

    globals: Mapping[str, Expression]
    main: Actor
    threads: tuple[Actor, ...]
    """Those besides main that move, are joined, or start."""

    @property
    def spots(self) -> list[Spot]:
        return [each.spot for each in self.threads]


@dataclass(frozen=True, slots=True)
class Scene:
    case: Case
    edge: Edge
    before: Now
    others: tuple[Actor, ...]
    step: SymbolicStep
    facts: tuple[Expression, ...]
    """What is known before it: values are within their types, and the partner fits."""
    conditions: tuple[Expression, ...]
    """What is known besides if the step is taken and does not fail."""
    after: Now
    mover: Actor | None
    """The thread that moves, after the step."""
    started: Actor | None
    """A thread that the step starts, as it begins."""

    @property
    def is_complete(self) -> bool:
        """Whether the step goes to its end: a join needs a partner."""
        return self.step.taken is None or self.case.partner is not None

    def threads(self) -> tuple[Actor, ...]:
        """All but main, before the step."""
        return (*self.others, *self.before.threads)

    def forks_beyond(self, bound: int) -> bool:
        """Whether the step starts a thread of a template that has so many already."""
        if self.started is None:
            return False
        threads = (*self.others, *(() if self.mover is None else (self.mover,)))
        return [each.spot[0] for each in threads].count(self.started.spot[0]) >= bound

    def failures(self) -> Iterator[Failing]:
        """How the step can fail, as far as it goes: only before a join, or only after it."""
        is_joined = self.case.partner is not None
        return (each for each in self.step.failures if each.after_join == is_joined)


class Sum(Protocol):
    """A sum of globals and weights of threads; see `seriatim.certificate.thread_flows`."""

    @property
    def total(self) -> int: ...

    def weigh(
        self, globals_: Mapping[str, Expression], program: ThreadProgram, place: int, spots: Iterable[Spot]
    ) -> Expression: ...


class Scenes:
    """The scenes of a program, for formulas that may speak of some locals of threads."""

    def __init__(self, program: ThreadProgram, mentioned: Callable[[Spot], Iterable[str]]) -> None:
        self.program = program
        self.mentioned = mentioned
        self.sorts: dict[str, str] = {}
        """The variables of all scenes."""

    # Variables

    def variable(self, name: str, type_: Type) -> Expression:
        name = f"{name}:{sort(type_)[0]}"  # One name has one sort in all scenes.
        self.sorts[name] = sort(type_)
        return Variable(name)

    def global_values(self) -> dict[str, Expression]:
        return {name: self.variable(f"g.{name}", type_) for name, type_ in self.program.types.items()}

    def actor(self, label: str, spot: Spot) -> Actor:
        """A thread with variables of its own."""
        types = self.program.by_name[spot[0]].types
        values = {name: self.variable(f"{label}.{name}", type_) for name, type_ in types.items()}
        return Actor(spot, values | {ID: self.variable(f"{label}.{ID}", Integers())})

    def main(self, place: int) -> Actor:
        return self.actor("m", (self.program.main, place))

    def ranges(self, globals_: Mapping[str, Expression], actors: Iterable[Actor]) -> list[Expression]:
        """Values are within their types."""
        types: Mapping[str, Type] = self.program.types
        found = [fact for name, value in globals_.items() for fact in within(value, types[name])]
        for each in actors:
            types = self.program.by_name[each.spot[0]].types
            found += [
                fact for name in self.mentioned(each.spot) for fact in within(each.values[name], types[name])
            ]
        return found

    # Scenes

    def start(self) -> tuple[Now, list[Expression]]:
        """Main begins, and what is known then."""
        globals_, main = self.global_values(), self.main(self.program.main_template.entry)
        known = [apply("==", globals_[name], Constant(value)) for name, value in self.program.initial.items()]
        return Now(globals_, main, ()), [*known, *self.ranges(globals_, [main])]

    def exchanges(self, keys: Iterable[Key]) -> Iterator[tuple[Now, Now]]:
        """Two threads at the same place change places; formulas have to hold of both or of none."""
        for place, spots in keys:
            for index in range(len(spots) - 1):
                if spots[index] == spots[index + 1]:
                    threads = [self.actor(str(number), spot) for number, spot in enumerate(spots)]
                    before = Now(self.global_values(), self.main(place), tuple(threads))
                    threads[index], threads[index + 1] = threads[index + 1], threads[index]
                    yield before, Now(before.globals, before.main, tuple(threads))

    def scene(self, case: Case) -> Scene:
        globals_, main = self.global_values(), self.main(case.place)
        moving = None if case.mover is None else self.actor("a", case.mover)
        acting = moving or main
        template = self.program.by_name[acting.spot[0]]
        edge = template.edges[case.edge]
        step = symbolic_step(self.program, template, edge, {**globals_, **acting.values}, "f")
        self.sorts |= {name: sort(type_) for name, type_ in step.fresh.items()}
        taken = None if case.partner is None else self.actor("j", case.partner)
        others = tuple(self.actor(f"o{number}", spot) for number, spot in enumerate(case.others))
        here = tuple(each for each in (moving, taken) if each is not None)
        facts = self.ranges(globals_, [main, *others, *here])
        if taken is not None and step.taken is not None:
            facts.append(apply("==", taken.values[ID], step.taken.id))
            results = self.program.by_name[taken.spot[0]].results if step.taken.results else ()
            for variable, result in zip(step.taken.results, results, strict=True):
                facts.append(apply("==", variable, taken.values[result]))
        own = {name: step.values[name] for name in acting.values if name != ID}
        moved = Actor((template.name, edge.target), own | {ID: acting.values[ID]})
        started = self.start_thread(step)
        new = [] if started is None else self.ranges({}, [started])
        mover = None if moving is None else moved
        after = tuple(each for each in (mover, started) if each is not None)
        later = {name: step.values[name] for name in globals_}
        end = Now(later, moved if moving is None else main, after)
        before = Now(globals_, main, here)
        taken_if = (*step.guard, *new)
        return Scene(case, edge, before, others, step, tuple(facts), taken_if, end, mover, started)

    def start_thread(self, step: SymbolicStep) -> Actor | None:
        if step.started is None:
            return None
        template = self.program.by_name[step.started.template]
        fresh = self.actor("n", (template.name, template.entry))
        return Actor(fresh.spot, {**fresh.values, **dict(step.started.arguments), ID: step.started.id})

    # Sums

    def is_at_most_total(self, flow: Sum, scene: Scene) -> Expression:
        """Main and the threads that are looked at weigh no more than all do."""
        spots = [each.spot for each in scene.threads()]
        weight = flow.weigh(scene.before.globals, self.program, scene.before.main.spot[1], spots)
        return apply("<=", weight, Constant(flow.total))

    def is_kept(self, flow: Sum, scene: Scene) -> Expression:
        """A step does not change a sum."""
        before, after = (
            flow.weigh(now.globals, self.program, now.main.spot[1], now.spots)
            for now in (scene.before, scene.after)
        )
        return apply("==", before, after)

    # Steps

    def edges(self, mover: Spot | None, place: int) -> tuple[tuple[int, Edge], ...]:
        name, at = mover or (self.program.main, place)
        return self.program.by_name[name].edges_from.get(at, ())

    def partners(self, mover: Spot | None, edge: Edge, spots: Iterable[Spot]) -> list[Spot] | None:
        """Those whom an edge can join; None if it joins nobody."""
        joining = self.program.main_template if mover is None else self.program.by_name[mover[0]]
        join = next((action for action in edge.actions if isinstance(action, Join)), None)
        if join is None:
            return None
        return [
            spot
            for spot in spots
            if spot[1] == FINISHED and results_fit(self.program, joining, join, self.program.by_name[spot[0]])
        ]

    def cases_of_all(self, place: int, spots: tuple[Spot, ...]) -> Iterator[Case]:
        """All steps where these are all threads; of threads at the same place, one moves."""
        for mover in (None, *dict.fromkeys(spots)):
            rest = list(spots)
            if mover is not None:
                rest.remove(mover)
            for number, edge in self.edges(mover, place):
                yield Case(place, mover, number, None, tuple(rest))
                for partner in self.partners(mover, edge, dict.fromkeys(rest)) or ():
                    left = list(rest)
                    left.remove(partner)
                    yield Case(place, mover, number, partner, tuple(left))

    def cases_of_any(self, place: int, level: int, keys: Collection[Key]) -> Iterator[Case]:
        """All steps while main is at a place, beside at most k others, where formulas are not all false."""
        spots = sorted({each[0] for at, each in keys if at == place and len(each) == 1})
        for mover in (None, *spots):
            for number, edge in self.edges(mover, place):
                partners = self.partners(mover, edge, spots)
                if partners is not None:
                    yield Case(place, mover, number, None, ())
                for partner in (None,) if partners is None else partners:
                    moving = tuple(each for each in (mover, partner) if each is not None)
                    crowds = [
                        others
                        for size in range(level + 1)
                        for others in combinations_with_replacement(spots, size)
                        if all(
                            (place, tuple(sorted(chosen))) in keys
                            for chosen in choices((*others, *moving), level)
                        )
                    ]
                    yield from (Case(place, mover, number, partner, others) for others in crowds)

    def groups_after(self, scene: Scene, level: int) -> Iterator[tuple[Actor, ...]]:
        """The threads of which formulas have to hold after a step: others with the mover and a thread that
        starts, or without. Of others alone nothing changes if main did not move and no global is assigned."""
        changes = any(name in self.program.types for action in scene.edge.actions for name in writes(action))
        for mover in ((),) if scene.mover is None else ((), (scene.mover,)):
            for started in ((),) if scene.started is None else ((), (scene.started,)):
                chosen = (*scene.others, *mover, *started)
                is_same = scene.mover is not None and not (mover or started or changes)
                if len(chosen) <= level and not is_same:
                    yield chosen


def choices(threads: tuple[Item, ...], level: int) -> Iterator[tuple[Item, ...]]:
    """Any k of these threads; all of them if there are fewer."""
    return combinations(threads, min(level, len(threads)))
