"""Evidence of the kind `thread-cover`: descriptions of all that any number of threads can reach.
 A description says of a thread its template, place and id, and the values of some of its locals; what it
does not mention holds any value. A *crowd* says how many threads may fit each description, and a covered
state says the values of some globals and lists crowds. A configuration is covered if its globals agree with
a covered state and its threads can be distributed over the descriptions of one of its crowds.
 Claim: no run fails if the initial configuration is covered, every step from a covered configuration leads
to one that is, and none fails. By induction over runs. It is enough to look at the crowds with as many
threads as they allow: a step needs one thread, or two for a join, and leaves the others as they are. With
any number of threads of a description, taking one away leaves any number.
 Threads that have finished may be forgotten if nobody can join them: main, and all in programs without
joins. Ids matter only in programs that join. Variables that hold any value are tried with values that stand
for all (`seriatim.program.threads.values`); where these do not, the evidence is refused.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from seriatim.certificate.thread_cover import CoveredState, Crowd, Description, Named, ThreadCoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.words import counted
from seriatim.frozen import frozen
from seriatim.program.threads.expressions import Value
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

Counts = dict[int, float]
"""How many threads there may be of each description; infinity is any number."""

ANY_NUMBER = float("inf")


@frozen
class Thread:
    """A thread after a step; what is not in its values holds any value."""

    template: str
    place: int
    id: int | None
    values: Mapping[str, Value]


def thread_cover_obligations(
    program: ThreadProgram, evidence: ThreadCoverEvidence, allowance: Allowance
) -> Iterator[Obligation]:
    cover = Cover(program, evidence, allowance)
    unfit = next(cover.unfit(), None)
    sizes = f"{counted(len(evidence.states), 'state')}, {counted(len(evidence.threads), 'description')}"
    yield Obligation("descriptions are about this program", unfit is None, unfit or sizes)
    main = program.main_template
    start = Thread(main.name, main.entry, None, {})
    yield Obligation(
        "the start is covered", cover.covers(program.initial, {}, [start]), "main alone, with initial values"
    )
    try:
        steps = cover.check_steps()
    except DoesNotFollow as error:
        yield Obligation("every step leads to what is covered, and none fails", False, str(error))
    else:
        yield Obligation("every step leads to what is covered, and none fails", True, counted(steps, "step"))


class Cover:
    def __init__(self, program: ThreadProgram, evidence: ThreadCoverEvidence, allowance: Allowance) -> None:
        self.program = program
        self.evidence = evidence
        self.allowance = allowance
        self.domains = domains(program)
        self.like: dict[tuple[str, int, int | None], list[int]] = {}
        """Descriptions by template, place and id."""
        for number, each in enumerate(evidence.threads):
            self.like.setdefault((each.template, each.place, self.identity(each.id)), []).append(number)
        self.targets: dict[Named, list[tuple[CoveredState, list[Counts]]]] = {}
        """States by the names of the globals that they mention and their values, for quick finding."""
        for state in evidence.states:
            key = tuple(sorted(state.globals))
            self.targets.setdefault(key, []).append((state, [counts(crowd) for crowd in state.crowds]))
        self.mentioned = sorted({tuple(name for name, _ in key) for key in self.targets})

    def identity(self, given: int | None) -> int | None:
        return given if self.program.has_joins else None

    def unfit(self) -> Iterator[str]:
        """What the program does not have."""
        for each in self.evidence.threads:
            template = self.program.by_name.get(each.template)
            if template is None:
                yield f"there is no template `{each.template}`"
            elif each.place != FINISHED and each.place not in template.places:
                yield f"`{each.template}` has no place {each.place}"
            else:
                yield from misfits(each.locals, template.types)
        for state in self.evidence.states:
            yield from misfits(state.globals, self.program.types)

    # What is covered

    def covers(self, globals_: Mapping[str, Value], rest: Counts, threads: list[Thread]) -> bool:
        """Whether a configuration is covered: threads by description, and some after a step."""
        candidates = [self.descriptions(each) for each in threads if not self.is_forgotten(each)]
        for mentioned in self.mentioned:
            if not all(name in globals_ for name in mentioned):
                continue
            key = tuple((name, globals_[name]) for name in mentioned)
            for _, crowds in self.targets.get(key, ()):
                for chosen in product(*candidates):
                    needed = dict(rest)
                    for number in chosen:
                        needed[number] = needed.get(number, 0) + 1
                    if any(fits(needed, crowd) for crowd in crowds):
                        return True
        return False

    def descriptions(self, thread: Thread) -> list[int]:
        """Those that a thread fits."""
        same = self.like.get((thread.template, thread.place, self.identity(thread.id)), [])
        return [number for number in same if agrees(self.evidence.threads[number].locals, thread.values)]

    def is_forgotten(self, thread: Thread) -> bool:
        return thread.place == FINISHED and (thread.id is None or not self.program.has_joins)

    # Steps

    def check_steps(self) -> int:
        """How many there are; raises `DoesNotFollow`."""
        steps = 0
        for state in self.evidence.states:
            for crowd in state.crowds:
                for number, rest in takings(counts(crowd)):
                    for _ in self.steps(state, number, rest):
                        steps += 1
        return steps

    def steps(self, state: CoveredState, number: int, rest: Counts) -> Iterator[None]:
        mover = self.evidence.threads[number]
        template = self.program.by_name[mover.template]
        for _, edge in template.edges_from.get(mover.place, ()):
            needs_partner = False
            for effect in self.effects(state, template, mover, edge, None):
                if effect is None:
                    needs_partner = True
                    continue
                self.check(effect, template, mover, edge, rest)
                yield
            if not needs_partner:
                continue
            for other, left in takings(rest):
                partner = self.evidence.threads[other]
                if partner.place != FINISHED or partner.id is None:
                    continue
                for effect in self.effects(state, template, mover, edge, partner):
                    if effect is not None:
                        self.check(effect, template, mover, edge, left)
                        yield

    def check(self, effect: Effect, template: Template, mover: Description, edge: Edge, rest: Counts) -> None:
        """Raises `DoesNotFollow` if a step leads to something that is not covered."""
        own = {name: value for name, value in effect.values.items() if name in template.types}
        globals_ = {name: value for name, value in effect.values.items() if name not in template.types}
        after = [Thread(mover.template, edge.target, mover.id, own)]
        if effect.spawned is not None:
            started = self.program.by_name[effect.spawned.template]
            arguments = dict(effect.spawned.arguments)
            after.append(Thread(started.name, started.entry, effect.spawned.id, arguments))
        if not self.covers(globals_, rest, after):
            where = f"`{template.name}`, line {edge.span.line}"
            raise DoesNotFollow(f"a step of {where}, leads to something that is not covered")

    def effects(
        self,
        state: CoveredState,
        template: Template,
        mover: Description,
        edge: Edge,
        partner: Description | None,
    ) -> Iterator[Effect | None]:
        """What a step can do; None if it comes to a join and there is no partner. Raises `DoesNotFollow`."""
        values = dict(state.globals) | dict(mover.locals)
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
                yield run_edge(self.program, template, edge, values | before, taken, havocs)
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

    def tried(
        self, template: Template, partner: Description | None, unknown: Unknowable
    ) -> tuple[Value, ...]:
        owner = template
        if unknown.origin is Origin.RESULT:
            assert partner is not None
            owner = self.program.by_name[partner.template]
        if not self.domains.is_exact(owner, unknown.name):
            raise DoesNotFollow(f"`{unknown.name}` may hold infinitely many values that matter")
        return self.domains.values(owner, unknown.name)


def misfits(named: Named, types: Mapping[str, Type]) -> Iterator[str]:
    for name, value in named:
        type_ = types.get(name)
        if type_ is None:
            yield f"there is no variable `{name}`"
        elif isinstance(value, bool) != is_boolean(type_) or not contains(type_, value):
            yield f"`{name}` cannot hold {value}"


def counts(crowd: Crowd) -> Counts:
    found: Counts = {}
    for number, count in crowd:
        found[number] = found.get(number, 0) + (ANY_NUMBER if count is None else count)
    return found


def takings(crowd: Counts) -> Iterator[tuple[int, Counts]]:
    """A thread of each description, and the others."""
    for number, count in crowd.items():
        rest = dict(crowd)
        rest[number] = count - 1
        if count == 1:
            del rest[number]
        yield number, rest


def fits(needed: Counts, crowd: Counts) -> bool:
    return all(count <= crowd.get(number, 0) for number, count in needed.items())


def agrees(named: Named, values: Mapping[str, Value]) -> bool:
    """Whether a description says nothing else about its variables; one without a value may hold any."""
    return all(name in values and values[name] == value for name, value in named)
