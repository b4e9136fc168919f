"""Steps of threads of which a certificate says some values; what it does not mention holds any value.

A description says of a thread its template, place and id, and the values of some of its locals. A thread that
has finished may be forgotten if nobody can join it: main, and all in programs without joins. Ids matter only
in programs that join. Variables that hold any value are tried with values that stand for all
(`seriatim.program.threads.values`); where these do not, the evidence is refused.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from seriatim.certificate.thread_cover import Description
from seriatim.certificate.thread_run import Named
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming, unless
from seriatim.checking.words import counted
from seriatim.program.threads.semantics import (
    Blocked,
    Effect,
    Failed,
    NeedsPartner,
    Origin,
    Partner,
    Unchosen,
    Unknowable,
    run_edge,
)
from seriatim.program.threads.syntax import (
    FINISHED,
    Edge,
    Template,
    ThreadProgram,
    Type,
    contains,
    is_boolean,
)
from seriatim.program.threads.values import domains
from seriatim.terms.expressions import Value

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class CheckedThread:
    """A thread after a step; what is not in its values holds any value."""

    template: str
    place: int
    id: int | None
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class After:
    """What a step leads to: the values of globals, and the threads that it has moved or started."""

    globals: Mapping[str, Value]
    threads: tuple[CheckedThread, ...]
    where: str
    by_chance: bool = False


class Descriptions:
    """The descriptions of a certificate, and the steps of threads that fit them."""

    def __init__(
        self,
        program: ThreadProgram,
        described: tuple[Description, ...],
        allowance: Allowance,
        knows_all: bool = False,
    ) -> None:
        self.program = program
        self.knows_all = knows_all
        """Whether steps must not read what is not told."""
        self.described = described
        self.allowance = allowance
        self.domains = domains(program)
        self.like: dict[tuple[str, int, int | None], list[int]] = {}
        """Descriptions by template, place and id."""
        for number, each in enumerate(described):
            self.like.setdefault((each.template, each.place, self.identity(each.id)), []).append(number)

    def identity(self, given: int | None) -> int | None:
        return given if self.program.has_joins else None

    def unfit(self, states: Iterable[Named]) -> Iterator[str]:
        """Yields what the program does not have."""
        for each in self.described:
            template = self.program.by_name.get(each.template)
            if template is None:
                yield f"there is no template `{each.template}`"
            elif each.place != FINISHED and each.place not in template.places:
                yield f"`{each.template}` has no place {each.place}"
            else:
                yield from misfits(each.locals, template.types)
        for state in states:
            yield from misfits(state, self.program.types)

    def start(self) -> CheckedThread:
        main = self.program.main_template
        return CheckedThread(main.name, main.entry, None, {})

    def fitted(self, thread: CheckedThread) -> list[int]:
        """The descriptions that a thread fits."""
        same = self.like.get((thread.template, thread.place, self.identity(thread.id)), [])
        return [number for number in same if agrees(self.described[number].locals, thread.values)]

    def is_forgotten(self, thread: CheckedThread) -> bool:
        return thread.place == FINISHED and (thread.id is None or not self.program.has_joins)

    # Steps

    def edges(self, number: int) -> Iterator[Edge]:
        mover = self.described[number]
        for _, edge in self.program.by_name[mover.template].edges_from.get(mover.place, ()):
            yield edge

    def can_be_joined(self, number: int) -> bool:
        return self.described[number].place == FINISHED and self.described[number].id is not None

    def effects(self, globals_: Named, number: int, edge: Edge, other: int | None) -> Iterator[After | None]:
        """Yields what a step can do; None if it comes to a join and there is no partner. Raises
        `DoesNotFollow`."""
        mover, partner = self.described[number], None if other is None else self.described[other]
        template = self.program.by_name[mover.template]
        values = dict(globals_) | dict(mover.locals)
        pending: list[dict[Unknowable, Value]] = [{}]
        while pending:
            self.allowance.spend()
            chosen = pending.pop()
            before = {each.name: value for each, value in chosen.items() if each.origin is Origin.BEFORE}
            havocs = {each.action: value for each, value in chosen.items() if each.origin is Origin.HAVOC}
            taken = None
            if partner is not None:
                results = {each.name: value for each, value in chosen.items() if each.origin is Origin.RESULT}
                taken = Partner(partner.template, partner.id, dict(partner.locals) | results)
            try:
                effect = run_edge(self.program, template, edge, values | before, taken, havocs)
                yield self.after(effect, template, mover, edge)
            except Blocked:
                pass
            except NeedsPartner:
                yield None
            except Failed as failed:
                raise DoesNotFollow(f"line {failed.failure.span.line}: {failed.failure.message}") from None
            except Unchosen as unchosen:
                unknown = unchosen.unknown
                tried = self.tried(template, partner, unknown)
                pending.extend(chosen | {unknown: value} for value in tried)

    def after(self, effect: Effect, template: Template, mover: Description, edge: Edge) -> After:
        own = {name: value for name, value in effect.values.items() if name in template.types}
        globals_ = {name: value for name, value in effect.values.items() if name not in template.types}
        threads = [CheckedThread(mover.template, edge.target, mover.id, own)]
        if effect.spawned is not None:
            started = self.program.by_name[effect.spawned.template]
            arguments = dict(effect.spawned.arguments)
            threads.append(CheckedThread(started.name, started.entry, effect.spawned.id, arguments))
        kept = tuple(each for each in threads if not self.is_forgotten(each))
        where = f"`{template.name}`, line {edge.span.line}"
        return After(globals_, kept, where, edge.by_chance)

    def tried(
        self, template: Template, partner: Description | None, unknown: Unknowable
    ) -> tuple[Value, ...]:
        owner = template
        if self.knows_all and unknown.origin is not Origin.HAVOC:
            raise DoesNotFollow(f"a step reads `{unknown.name}`, of which nothing is told")
        if unknown.origin is Origin.RESULT:
            assert partner is not None
            owner = self.program.by_name[partner.template]
        if not self.domains.is_exact(owner, unknown.name):
            raise DoesNotFollow(f"`{unknown.name}` may hold infinitely many values that matter")
        return self.domains.values(owner, unknown.name)


class Steps:
    """The steps of threads in one state, executed once."""

    def __init__(self, descriptions: Descriptions, globals_: Named) -> None:
        self.descriptions = descriptions
        self.globals = globals_
        self._alone: dict[int, tuple[list[After], list[Edge]]] = {}
        self._joined: dict[tuple[int, int], list[After]] = {}

    def of(self, number: int, others: Iterable[int]) -> Iterator[tuple[After, int | None]]:
        """Yields what a thread can do beside others, and whom it joins. Raises `DoesNotFollow`."""
        alone, joining = self.alone(number)
        yield from ((after, None) for after in alone)
        if joining:
            for other in filter(self.descriptions.can_be_joined, others):
                yield from ((after, other) for after in self.joined(number, other))

    def alone(self, number: int) -> tuple[list[After], list[Edge]]:
        """Returns what needs nobody else, and the edges that come to a join."""
        if number not in self._alone:
            found: list[After] = []
            joining: list[Edge] = []
            for edge in self.descriptions.edges(number):
                effects = list(self.descriptions.effects(self.globals, number, edge, None))
                found += [after for after in effects if after is not None]
                if None in effects:
                    joining.append(edge)
            self._alone[number] = found, joining
        return self._alone[number]

    def joined(self, number: int, other: int) -> list[After]:
        if (number, other) not in self._joined:
            self._joined[number, other] = [
                after
                for edge in self.alone(number)[1]
                for after in self.descriptions.effects(self.globals, number, edge, other)
                if after is not None
            ]
        return self._joined[number, other]


class ByGlobals(Generic[State]):
    """What a certificate says of states, found by the globals that it mentions and their values."""

    def __init__(self, states: Iterable[tuple[Named, State]]) -> None:
        self._known: dict[Named, list[State]] = {}
        for named, state in states:
            self._known.setdefault(tuple(sorted(named)), []).append(state)
        self._mentioned = sorted({tuple(name for name, _ in key) for key in self._known})

    def agreeing(self, globals_: Mapping[str, Value]) -> Iterator[State]:
        for mentioned in self._mentioned:
            if all(name in globals_ for name in mentioned):
                yield from self._known.get(tuple((name, globals_[name]) for name in mentioned), ())


def covering_obligations(
    descriptions: Descriptions,
    states: Sequence[Named],
    covers_start: Callable[[After], bool],
    closed: str,
    check_steps: Callable[[], int],
) -> Iterator[Obligation]:
    """Lists what has to hold of what is covered, in this order; each relies on those before it."""
    unfit = next(descriptions.unfit(states), None)
    sizes = f"{counted(len(states), 'state')}, {counted(len(descriptions.described), 'description')}"
    yield unless(unfit, "descriptions are about this program", sizes)
    start = After(descriptions.program.initial, (descriptions.start(),), "")
    yield Obligation("the start is covered", covers_start(start), "main alone, with initial values")
    with claiming(closed):
        yield Obligation(closed, True, counted(check_steps(), "step"))


def misfits(named: Named, types: Mapping[str, Type]) -> Iterator[str]:
    for name, value in named:
        type_ = types.get(name)
        if type_ is None:
            yield f"there is no variable `{name}`"
        elif isinstance(value, bool) != is_boolean(type_) or not contains(type_, value):
            yield f"`{name}` cannot hold {value}"


def agrees(named: Named, values: Mapping[str, Value]) -> bool:
    """Whether a description says nothing else about its variables; one without a value may hold any."""
    return all(name in values and values[name] == value for name, value in named)
