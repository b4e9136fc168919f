"""Repeats violations on a live server, or checks them against all serial orders without the file's scopes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from math import factorial

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.frontends.protocol import Confirmation, Translation
from seriatim.frontends.sql.aborting import is_aborted
from seriatim.frontends.sql.engines import named_text, server_named
from seriatim.frontends.sql.frontend import system_of
from seriatim.frontends.sql.language import Select
from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.postgres import RETRIED, PostgresPlace, arena
from seriatim.frontends.sql.live.runs import Cut, Event, Outcome, Turns, execute, next_path, run_serially
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import Call, Unreadable
from seriatim.frontends.sql.live.wire import ConnectionLost, Failed
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.outcomes import final_rows, serial_outcomes
from seriatim.frontends.sql.states import Answer, Database, Done, Local
from seriatim.frontends.sql.story import NotARun, Story, retell
from seriatim.frontends.sql.system import SqlSystem, confuses_rows, counts_many
from seriatim.frontends.sql.terms import TIED
from seriatim.source import SourceText

MAX_REQUESTS = 6
"""More requests than this have too many orders to try."""


MOST_TO_SORT = 3
"""The order of rows counts for at most so many requests."""

MAX_RUNS = 400
"""The number of interleavings to try on a server."""


def find_story(
    source: SourceText, translation: Translation, certificate: Certificate
) -> tuple[SqlSystem, Story] | Confirmation:
    """The run of a certificate, or why it cannot be repeated."""
    assert translation.provenance is not None
    system = system_of(source, dict(translation.provenance.settings))
    if not isinstance(certificate.evidence, RunEvidence):
        return Confirmation(False, "Not confirmed: the evidence is not a run that can be repeated.")
    try:
        story = retell(system, certificate.evidence.turns)
    except NotARun:
        return Confirmation(False, "Not confirmed: the evidence is not a run of these transactions.")
    if len(story.requests()) > MAX_REQUESTS:
        return Confirmation(
            False, f"Not confirmed: more than {MAX_REQUESTS} requests have too many orders to try."
        )
    return system, story


class PostgresReplayer:
    """Repeats a violation on the server of a URL, or on a private server."""

    def __init__(self, engine: str) -> None:
        self.engine = engine

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        found = find_story(source, translation, certificate)
        if isinstance(found, Confirmation):
            return found
        system, story = found
        try:
            text = named_text(source, system.machine.script)
            with arena(server_named(self.engine), text, system.machine.level.value) as place:
                return repeat(place, system, story, deadline)
        except NoServer as missing:
            if not translation.exact and translation.simulates:
                return SerialSimulation().confirm(source, translation, certificate, deadline)
            return Confirmation(False, f"Not confirmed: {missing.reason}. To fix this: {missing.hint}.")
        except Unreadable as wrong:
            return Confirmation(
                False, f"Not confirmed: line {wrong.line}: {wrong.message}.", contradicts=True
            )
        except (Impossible, Failed, ConnectionLost) as wrong:
            return Confirmation(False, f"Not confirmed: {wrong}.", contradicts=isinstance(wrong, Impossible))


def repeat(place: PostgresPlace, system: SqlSystem, story: Story, deadline: Deadline) -> Confirmation:
    """Repeats the run, then tries other interleavings of the same requests, until no serial order explains
    one."""
    by_title = {call.title: call for call in place.text.calls}
    if not by_title.keys() >= set(story.requests()):
        sentence = "Not confirmed: the file has other transactions for the server than for the model."
        return Confirmation(False, sentence, contradicts=True)
    calls = [by_title[name] for name in story.requests()]
    exact = has_no_ties(system.machine, story)
    aborts = system.machine.answers_aborts
    known: dict[Cuts, set[Outcome]] = {}
    words = f"that none of the {factorial(len(calls))} one-at-a-time orders gives"
    engine = place.engine
    is_cut = True
    for is_the_run, is_last, turns in schedules(place, calls, story, aborts, deadline):
        outcome = turns.outcome()
        if outcome is not None and not is_explained(place, calls, outcome, known, exact):
            which = "this interleaving" if is_the_run else "another interleaving of the same statements"
            sentence = f"Confirmed on {engine}: {which} gives answers and rows {words}."
            return Confirmation(True, sentence, tuple(log_line(calls, each) for each in turns.events))
        is_cut = not is_last
    line = interrupted_line(story)
    if line is not None:
        why = (
            f"in this run another transaction moves in the middle of the statement in line {line}, "
            "but a replay can only switch between statements"
        )
        return Confirmation(False, f"Not confirmed on {engine}: {why}.")
    rest = f"in {MAX_RUNS} runs, the server gave" if is_cut else "the server gives"
    sentence = f"Not confirmed on {engine}: {rest} only answers of serial orders."
    return Confirmation(False, sentence, contradicts=not is_cut)


def interrupted_line(story: Story) -> int | None:
    """The line of the first statement that another request interrupts. A statement that reads rows and then
    locks them can be overtaken in between, but a replay can only send whole statements."""
    under_way: dict[int, int] = {}
    for step in story.steps:
        for request, line in under_way.items():
            if request != step.request:
                return line
        for event in step.events:
            if event.is_over:
                under_way.pop(step.request, None)
            else:
                under_way[step.request] = event.span.line
    return None


Cuts = tuple[Cut | None, ...]
"""For each request that gives up, the number of answers before that, and the error."""


def is_explained(
    place: PostgresPlace,
    calls: Sequence[Call],
    outcome: Outcome,
    known: dict[Cuts, set[Outcome]],
    exact: bool = False,
) -> bool:
    """Whether some serial order has the same outcome, if aborted requests give up at the same statement
    there. `exact` says that ORDER BY leaves no order open."""
    cuts: Cuts = tuple(
        (len(answers) - 1, str(answers[-1].error)) if answers and answers[-1].error in RETRIED else None
        for answers in outcome.answers
    )
    if cuts not in known:
        found = (run_serially(place, calls, order, cuts=cuts) for order in permutations(range(len(calls))))
        known[cuts] = {unordered(calls, each, exact) for each in found if each is not None}
    return unordered(calls, outcome, exact) in known[cuts]


def has_no_ties(machine: Machine, story: Story) -> bool:
    """Whether no answer of these requests, together or one at a time, has rows that ORDER BY leaves in any
    order: then the order of rows says something."""
    titles = story.requests()
    if not any(isinstance(each, Select) and each.query.order for each in machine.statements):
        return False
    if len(titles) > MOST_TO_SORT:
        return False
    names = {request.name: number for number, request in enumerate(machine.requests)}
    alone = serial_outcomes(machine, [names[title] for title in titles])
    every = [answer for seen in alone for given in seen.answers for answer in given]
    every += [answer for step in story.steps for answer in step.answers or ()]
    return not any(isinstance(each, tuple) and TIED in each for each in every)


def unordered(calls: Sequence[Call], outcome: Outcome, exact: bool = False) -> Outcome:
    """The outcome with the answers of equal requests in a fixed order, and the rows of answers, too: rows
    with equal sort keys may come in any order, unless `exact` says that there are none."""
    answers = [
        tuple(
            each
            if exact and each.ordered
            else replace(each, rows=each.rows and tuple(sorted(each.rows, key=repr)))
            for each in given
        )
        for given in outcome.answers
    ]
    titled = sorted(zip([call.title for call in calls], answers, strict=True), key=repr)
    return Outcome(tuple(given for _, given in titled), outcome.tables)


def schedules(
    place: PostgresPlace, calls: Sequence[Call], story: Story, answers_aborts: bool, deadline: Deadline
) -> Iterator[tuple[bool, bool, Turns]]:
    """Executes the run, as closely as whole statements allow; then other interleavings. Says whether it is
    the run itself, and whether it is the last of all interleavings."""
    for order in (order_by_ends(story), order_by_starts(story)):
        yield True, False, execute(place, calls, follow(order), answers_aborts=answers_aborts)
    path: list[int] | None = []
    for _ in range(MAX_RUNS):
        deadline.check()
        assert path is not None
        turns, path = next_path(place, calls, path, answers_aborts=answers_aborts)
        yield False, path is None, turns
        if path is None:
            return


def order_by_ends(story: Story) -> list[int]:
    """The order of senders if each statement is sent when it ends in the run."""
    return [step.request - 1 for step in story.steps for event in step.events if event.is_over]


def order_by_starts(story: Story) -> list[int]:
    """The order of senders if each statement is sent when it starts in the run, so that it may have to
    wait."""
    order: list[int] = []
    under_way: set[int] = set()
    for step in story.steps:
        for event in step.events:
            if step.request not in under_way:
                order.append(step.request - 1)
            if event.is_over:
                under_way.discard(step.request)
            else:
                under_way.add(step.request)
    return order


def follow(order: Sequence[int]) -> Callable[[Turns], int | None]:
    left = list(order)

    def choose(turns: Turns) -> int | None:
        ready = turns.can_go_on()
        while left:
            wanted = left.pop(0)
            if wanted in ready:
                return wanted
        return ready[0]

    return choose


def log_line(calls: Sequence[Call], event: Event) -> str:
    waits = " (waits)" if event.waited else ""
    return f"{event.client + 1}: {calls[event.client].title}: {' '.join(event.text.split())}{waits}"


class SerialSimulation:
    """Confirms a run that uses nothing that the database itself does not have, unless some serial order
    outside the file's scopes explains it."""

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        found = find_story(source, translation, certificate)
        if isinstance(found, Confirmation):
            return found
        system, story = found
        if any(
            counts_many(each) or confuses_rows(each)
            for step in story.steps
            for each in (step.before, step.after)
        ):
            return Confirmation(
                False, "Not confirmed: it depends on locks or rows that the model does not distinguish."
            )
        if any(step.answers is not None and is_aborted(step.answers) for step in story.steps):
            return Confirmation(
                False, "Not confirmed: only a server can tell whether it aborts a request there."
            )
        machine = Machine(drop_scopes(system.machine).script, system.machine.level, system.machine.rules)
        names = {request.name: number for number, request in enumerate(machine.requests)}
        numbers = [names[name] for name in story.requests()]
        ended = {step.request: step.answers for step in story.steps if step.answers is not None}
        wanted = sorted(((name, ended[n]) for n, name in enumerate(story.requests(), 1)), key=repr)
        rows = final_rows(story.final)
        for order in permutations(numbers):
            for answers, database in run_in_order(machine, order, deadline):
                given = sorted(
                    ((machine.requests[n].name, each) for n, each in zip(order, answers, strict=True)),
                    key=repr,
                )
                if given == wanted and final_rows(database) == rows:
                    return Confirmation(
                        False, "Not confirmed: an order of the requests outside the scopes explains it."
                    )
        return Confirmation(
            True,
            "Checked again without the scopes: no order of these requests explains it.",
        )


def drop_scopes(machine: Machine) -> Machine:
    tables = tuple(
        replace(
            table,
            max_rows=None,
            fields=tuple(
                each if each.scope_span is None else replace(each, values=each.labels, scope_span=None)
                for each in table.fields
            ),
        )
        for table in machine.tables
    )
    return Machine(replace(machine.script, tables=tables), machine.level, machine.rules)


def run_in_order(
    machine: Machine, order: Sequence[int], deadline: Deadline
) -> Iterator[tuple[tuple[tuple[Answer, ...], ...], Database]]:
    """The answers and rows of requests that run one at a time, in this order."""
    states: list[tuple[tuple[tuple[Answer, ...], ...], Database]] = [((), machine.initial())]
    for request in order:
        after: list[tuple[tuple[tuple[Answer, ...], ...], Database]] = []
        for answers, database in states:
            pending: list[tuple[Local | Done, Database]] = [(machine.start(request), database)]
            while pending:
                deadline.check()
                local, here = pending.pop()
                if isinstance(local, Done):
                    after.append(((*answers, local.answers), here))
                else:
                    pending.extend(moves(machine, local, here))
        states = after
    yield from states
