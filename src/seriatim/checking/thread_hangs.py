"""Evidence about hangs of threads: a run into one, or all configurations, in which nobody waits for ever.

*A run*: the reference semantics replays it. In its last configuration no step of any thread can be taken,
unless by chance, with any values and any thread to join; some thread has not finished, and none has ended the
program.

*All configurations*: those of `thread-cover`, but a crowd is exact here, so it says how many threads of each
description there are. They contain the start and are closed under steps. No step may read a value that is not
told, so a step from a listed configuration is one from every configuration that it stands for. So each way
through the listed configurations is a way of the program. From each of them, and for each thread in it that
waits, there has to be a way to a configuration in which that thread can take a step, or in which the program
has ended. Steps that are taken by chance lead to what has to be listed, but are on no way. Threads of the
same description can take each other's place, so it is enough that one of them can.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from seriatim.certificate.evidence import Evidence
from seriatim.certificate.thread_cover import Crowd, ThreadCoverEvidence
from seriatim.certificate.thread_run import Named, ThreadRunEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.thread_steps import After, ByGlobals, Descriptions, Steps, covering_obligations
from seriatim.checking.words import counted
from seriatim.closure import closure
from seriatim.program.threads.hangs import has_ended_program
from seriatim.program.threads.runs import NotARun, Replay, RunThread
from seriatim.program.threads.semantics import Blocked, NeedsPartner, Partner, Unchosen, run_edge
from seriatim.program.threads.syntax import FINISHED, Edge, ThreadProgram
from seriatim.program.threads.values import domains
from seriatim.terms.expressions import Value

NOBODY_WAITS = "every thread that waits can still go on, or the program ends"

Exact = tuple[int, ...]
"""The threads of a configuration, by the numbers of their descriptions, sorted."""


def hang_obligations(program: ThreadProgram, evidence: Evidence, context: Context) -> Iterator[Obligation]:
    match evidence:
        case ThreadRunEvidence():
            yield from run_obligations(program, evidence, context)
        case ThreadCoverEvidence():
            listed = Listed(program, evidence, context.allowance)
            states = [state.globals for state in evidence.states]
            claim = "every step leads to what is listed"
            yield from covering_obligations(
                listed.descriptions, states, listed.has_start, claim, listed.check_steps
            )
            yield Obligation(NOBODY_WAITS, *listed.nobody_waits())
        case _:
            raise DoesNotFollow(f"`{evidence.kind}` says nothing about hangs", "it is evidence about hangs")


# A run


def run_obligations(
    program: ThreadProgram, evidence: ThreadRunEvidence, context: Context
) -> Iterator[Obligation]:
    impossible: str | None = None
    claim = "every step is one of the program"
    try:
        replaying = Replay(program, evidence.run)
    except NotARun as error:
        raise DoesNotFollow(str(error), claim) from None
    try:
        for moment in replaying.moments():
            context.allowance.spend()
            if moment.failure is not None:
                impossible = "a step fails"
    except NotARun as error:
        impossible = str(error)
    yield Obligation(
        claim,
        impossible is None,
        impossible or f"{counted(len(evidence.run.steps), 'step')}, replayed",
    )
    threads = list(replaying.threads.values())
    wrong = not_hanging(program, replaying.globals, threads, context.allowance)
    yield Obligation("no thread can go on, and the program has not ended", wrong is None, wrong or "")


def not_hanging(
    program: ThreadProgram, globals_: Mapping[str, Value], threads: list[RunThread], allowance: Allowance
) -> str | None:
    """Why a configuration is no hang; None if it is one."""
    if all(thread.place == FINISHED for thread in threads):
        return "all threads have finished"
    for thread in threads:
        if has_ended_program(thread.template, thread.place):
            return f"`{thread.template.name}` has ended the program"
        for _, edge in thread.template.edges_from.get(thread.place, ()):
            if edge.by_chance:
                continue
            partners = [other for other in threads if other is not thread and other.place == FINISHED]
            if can_take(program, globals_, thread, edge, partners, allowance):
                return f"`{thread.template.name}` can go on in line {edge.span.line}"
    return None


def can_take(
    program: ThreadProgram,
    globals_: Mapping[str, Value],
    thread: RunThread,
    edge: Edge,
    others: list[RunThread],
    allowance: Allowance,
) -> bool:
    """Whether a step can be taken, whatever is chosen in it and whomever it joins."""
    known = domains(program)
    partners = [None, *(Partner(each.template.name, each.id, each.values) for each in others)]
    pending: list[tuple[Partner | None, dict[int, Value]]] = [(partner, {}) for partner in partners]
    while pending:
        allowance.spend()
        partner, havocs = pending.pop()
        try:
            run_edge(program, thread.template, edge, {**globals_, **thread.values}, partner, havocs)
        except (Blocked, NeedsPartner):
            continue
        except Unchosen as unchosen:
            name = unchosen.unknown.name
            if not known.is_exact(thread.template, name):
                raise DoesNotFollow(f"`{name}` may hold infinitely many values that matter") from None
            chosen = unchosen.unknown.action
            pending.extend((partner, {**havocs, chosen: v}) for v in known.values(thread.template, name))
        else:
            return True
    return False


# All configurations


class Listed:
    def __init__(self, program: ThreadProgram, evidence: ThreadCoverEvidence, allowance: Allowance) -> None:
        self.program = program
        self.evidence = evidence
        self.allowance = allowance
        self.descriptions = Descriptions(program, evidence.threads, allowance, knows_all=True)
        self.nodes: dict[tuple[Named, Exact], int] = {}
        for state in evidence.states:
            for crowd in state.crowds:
                self.nodes.setdefault((state.globals, exact(crowd)), len(self.nodes))
        self.by_globals = ByGlobals((state.globals, state.globals) for state in evidence.states)
        self.before: list[list[int]] = [[] for _ in self.nodes]
        self.movers: list[set[int]] = [set() for _ in self.nodes]

    def has_start(self, start: After) -> bool:
        return any(True for _ in self.standing_for(start, ()))

    def standing_for(self, after: After, rest: Exact) -> Iterator[int]:
        """The listed configurations that stand for one."""
        fitted = [self.descriptions.fitted(each) for each in after.threads]
        for globals_ in self.by_globals.agreeing(after.globals):
            for chosen in product(*fitted):
                number = self.nodes.get((globals_, tuple(sorted((*rest, *chosen)))))
                if number is not None:
                    yield number

    def check_steps(self) -> int:
        """How many there are; raises `DoesNotFollow` if one leads to something that is not listed."""
        steps: dict[Named, Steps] = {}
        checked = 0
        for (globals_, crowd), node in self.nodes.items():
            self.check_ids(crowd)
            known = steps.setdefault(globals_, Steps(self.descriptions, globals_))
            for number in sorted(set(crowd)):
                rest = without(crowd, number)
                for after, joined in known.of(number, sorted(set(rest))):
                    checked += 1
                    left = rest if joined is None else without(rest, joined)
                    target = next(self.standing_for(after, left), None)
                    if target is None:
                        raise DoesNotFollow(f"a step of {after.where}, leads to something that is not listed")
                    if not after.by_chance:
                        self.movers[node].add(number)
                        self.before[target].append(node)
        return checked

    def check_ids(self, crowd: Exact) -> None:
        """Where an id means the thread that got it last, no two threads may have the same one."""
        ids = [self.evidence.threads[number].id for number in crowd]
        known = [each for each in ids if each is not None]
        if self.program.unique_ids and self.program.has_joins and len(known) != len(set(known)):
            raise DoesNotFollow("two threads have the same id")

    def ends(self, number: int) -> bool:
        described = self.evidence.threads[number]
        return has_ended_program(self.program.by_name[described.template], described.place)

    def nobody_waits(self) -> tuple[bool, str]:
        """Whether nobody waits for ever, and who does."""
        crowds = [crowd for _, crowd in self.nodes]
        over = {node for node, crowd in enumerate(crowds) if any(map(self.ends, crowd))}
        for number, described in enumerate(self.evidence.threads):
            if described.place == FINISHED or self.ends(number):
                continue
            moving = {node for node, movers in enumerate(self.movers) if number in movers}
            good = closure(over | moving, lambda node: self.before[node], self.allowance.spend)
            if any(number in crowd and node not in good for node, crowd in enumerate(crowds)):
                return False, f"`{described.template}` may wait for ever at place {described.place}"
        return True, counted(len(crowds), "configuration")


def exact(crowd: Crowd) -> Exact:
    found: list[int] = []
    for number, count in crowd:
        if count is None:
            raise DoesNotFollow("a configuration without a number of threads", "configurations are exact")
        found += [number] * count
    return tuple(sorted(found))


def without(crowd: Exact, number: int) -> Exact:
    """A thread of a description less."""
    place = crowd.index(number)
    return crowd[:place] + crowd[place + 1 :]
