"""All configurations of small programs with threads, one by one, and evidence that lists exactly these."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product

from seriatim.certificate.thread_cover import CoveredState, Description, ThreadCoverEvidence
from seriatim.certificate.thread_pairs import PairedState, ThreadPairsEvidence
from seriatim.certificate.thread_predicates import Predicate
from seriatim.certificate.thread_run import Named
from seriatim.program.threads.semantics import Blocked, Effect, Failed, NeedsPartner, Partner, run_edge
from seriatim.program.threads.syntax import (
    FINISHED,
    Edge,
    Havoc,
    Integers,
    Range,
    ThreadProgram,
    Type,
)
from seriatim.terms.expressions import FALSE, Constant, Expression, Value, Variable, apply

Spot = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Standing:
    """A thread: where it stands, and with which values."""

    template: str
    place: int
    id: int | None
    locals: Named

    @property
    def spot(self) -> Spot:
        return self.template, self.place


@dataclass(frozen=True, slots=True)
class Configuration:
    globals: Named
    main: Standing
    threads: tuple[Standing, ...]
    """All but main, sorted."""


@dataclass(frozen=True, slots=True)
class Explored:
    configurations: frozenset[Configuration]
    fails: bool
    """Whether some step of them fails."""


def valuations(types: Mapping[str, Type], known: Mapping[str, Value]) -> Iterator[Named]:
    """All values of variables whose types are finite, where they are not known."""
    choices = [[known[name]] if name in known else values_of(type_) for name, type_ in types.items()]
    yield from (tuple(zip(types, each, strict=True)) for each in product(*choices))


def values_of(type_: Type) -> list[Value]:
    assert not isinstance(type_, Integers), "programs with finitely many values"
    return list(range(type_.low, type_.high + 1)) if isinstance(type_, Range) else [False, True]


def explore(program: ThreadProgram) -> Explored:
    main = program.main_template
    pending = [
        Configuration(globals_, Standing(main.name, main.entry, None, locals_), ())
        for globals_ in valuations(program.types, program.initial)
        for locals_ in valuations(main.types, {})
    ]
    seen, fails = set(pending), False
    for here in pending:
        for mover in (None, *range(len(here.threads))):
            for step in steps(program, here, mover):
                if step is None:
                    fails = True
                elif step not in seen:
                    assert len(seen) < 2_000
                    seen.add(step)
                    pending.append(step)
    return Explored(frozenset(seen), fails)


def steps(program: ThreadProgram, here: Configuration, mover: int | None) -> Iterator[Configuration | None]:
    """Where the steps of main, or of a thread, lead to; None for one that fails."""
    moving = here.main if mover is None else here.threads[mover]
    template = program.by_name[moving.template]
    others = [number for number in range(len(here.threads)) if number != mover]
    finished = [number for number in others if here.threads[number].place == FINISHED]
    for _, edge in template.edges_from.get(moving.place, ()):
        for joined in (None, *finished):
            taken = None if joined is None else here.threads[joined]
            partner = None if taken is None else Partner(taken.template, taken.id, dict(taken.locals))
            for havocs in havocked(program, moving, edge):
                values = dict(here.globals) | dict(moving.locals)
                try:
                    effect = run_edge(program, template, edge, values, partner, havocs)
                except Failed:
                    yield None
                    continue
                except (Blocked, NeedsPartner):
                    continue
                if effect.joined == (joined is not None):
                    rest = [here.threads[number] for number in others if number != joined]
                    yield from after(program, here, moving, edge, effect, rest)


def havocked(program: ThreadProgram, moving: Standing, edge: Edge) -> Iterator[dict[int, Value]]:
    template = program.by_name[moving.template]
    actions = {number: action for number, action in enumerate(edge.actions) if isinstance(action, Havoc)}
    choices = [values_of(program.type_of(template, action.target)) for action in actions.values()]
    yield from (dict(zip(actions, each, strict=True)) for each in product(*choices))


def after(
    program: ThreadProgram,
    here: Configuration,
    moving: Standing,
    edge: Edge,
    effect: Effect,
    rest: list[Standing],
) -> Iterator[Configuration]:
    globals_ = tuple((name, effect.values[name]) for name, _ in here.globals)
    own = tuple((name, effect.values[name]) for name, _ in moving.locals)
    moved = Standing(moving.template, edge.target, moving.id, own)
    main = moved if moving is here.main else here.main
    threads = rest if moving is here.main else [*rest, moved]
    if effect.spawned is None:
        yield configuration(globals_, main, threads)
        return
    started = program.by_name[effect.spawned.template]
    for locals_ in valuations(started.types, dict(effect.spawned.arguments)):
        new = Standing(started.name, started.entry, effect.spawned.id, locals_)
        yield configuration(globals_, main, [*threads, new])


def configuration(globals_: Named, main: Standing, threads: Iterable[Standing]) -> Configuration:
    return Configuration(globals_, main, tuple(sorted(threads, key=lambda each: (each.spot, repr(each)))))


# --- evidence -----------------------------------------------------------------------------------------------

Fact = tuple[Named, Standing, tuple[Standing, ...]]
"""What is so of the globals, main and some threads."""


def whole(configurations: Iterable[Configuration]) -> frozenset[Fact]:
    return frozenset((each.globals, each.main, each.threads) for each in configurations)


def parts(configurations: Iterable[Configuration], level: int) -> frozenset[Fact]:
    """The same of any at most so many threads."""
    return frozenset(
        (each.globals, each.main, chosen)
        for each in configurations
        for size in range(level + 1)
        for chosen in combinations(each.threads, size)
    )


def predicates(facts: Iterable[Fact]) -> tuple[Predicate, ...]:
    """Formulas that say exactly these, whichever thread of a place comes first."""
    found: dict[tuple[int, tuple[Spot, ...]], Expression] = {}
    for globals_, main, threads in sorted(facts, key=repr):
        for order in set(permutations(threads)):
            spots = tuple(each.spot for each in order)
            if spots == tuple(sorted(spots)):
                key = main.place, spots
                found[key] = apply("||", found.get(key, FALSE), says(globals_, main, order))
    return tuple(Predicate(*key, formula) for key, formula in found.items())


def says(globals_: Named, main: Standing, threads: tuple[Standing, ...]) -> Expression:
    named: list[tuple[str, Value]] = [(f"g.{name}", value) for name, value in globals_]
    named += [(f"m.{name}", value) for name, value in main.locals]
    for index, each in enumerate(threads):
        assert each.id is not None
        named += [(f"{index}.{name}", value) for name, value in each.locals]
        named.append((f"{index}.#", each.id))
    found: Expression = Constant(True)
    for name, value in named:
        found = apply("&&", found, apply("==", Variable(name), Constant(value)))
    return found


def most_of_a_template(configurations: Iterable[Configuration]) -> int:
    counts = [Counter(thread.template for thread in each.threads) for each in configurations]
    return max(max(count.values(), default=0) for count in counts)


class Numbered:
    """Configurations as crowds of numbered descriptions, without what the checker forgets."""

    def __init__(self, program: ThreadProgram, configurations: Iterable[Configuration]) -> None:
        self.numbers: dict[Description, int] = {}
        self.crowds: dict[Named, set[tuple[tuple[int, int], ...]]] = {}
        for each in configurations:
            described = [
                Description(one.template, one.place, one.id if program.has_joins else None, one.locals)
                for one in (each.main, *each.threads)
                if one.place != FINISHED or (program.has_joins and one.id is not None)
            ]
            counts = Counter(self.numbers.setdefault(one, len(self.numbers)) for one in described)
            self.crowds.setdefault(each.globals, set()).add(tuple(sorted(counts.items())))

    def cover(self) -> ThreadCoverEvidence:
        states = (CoveredState(globals_, tuple(sorted(crowds))) for globals_, crowds in self.crowds.items())
        return ThreadCoverEvidence(tuple(self.numbers), tuple(states))

    def pairs(self) -> ThreadPairsEvidence:
        states = []
        for globals_, crowds in self.crowds.items():
            rows: dict[int, set[int]] = {}
            for crowd in crowds:
                for number, count in crowd:
                    others = {other for other, _ in crowd if other != number or count > 1}
                    rows.setdefault(number, set()).update(others)
            listed = tuple((number, tuple(sorted(row))) for number, row in sorted(rows.items()))
            states.append(PairedState(globals_, listed))
        return ThreadPairsEvidence(tuple(self.numbers), tuple(states))
