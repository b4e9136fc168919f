"""Repeats violations on a live server, or checks them against all serial orders without the file's scopes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import permutations
from math import factorial

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.frontends.protocol import Confirmation, Translation
from seriatim.frontends.sql.aborting import is_aborted
from seriatim.frontends.sql.frontend import system_of
from seriatim.frontends.sql.live.runs import Arena, Event, Seen, Turns, arena, next_path, run_serially
from seriatim.frontends.sql.live.server import NoServer, Server, named_server, private_server
from seriatim.frontends.sql.live.sessions import Lost
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.requests import Request
from seriatim.frontends.sql.sequences import rename_values
from seriatim.frontends.sql.states import Answer, Database, Done, Local
from seriatim.frontends.sql.story import NotARun, Story, retell
from seriatim.frontends.sql.system import SqlSystem, confuses_rows, counts_many
from seriatim.source import SourceText

MAX_REQUESTS = 6
"""More requests than this have too many orders to try."""


MAX_RUNS = 400
"""The number of interleavings to try on a server."""


Outcome = tuple[tuple[tuple[str, tuple[Answer, ...]], ...], object]
"""The answers of all requests, sorted, and the final rows."""


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

    def __init__(self, url: str | None) -> None:
        self.url = url

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        found = find_story(source, translation, certificate)
        if isinstance(found, Confirmation):
            return found
        system, story = found
        try:
            with (
                self._server() as server,
                arena(
                    server, system.machine.script, system.machine.level, system.machine.answers_aborts
                ) as place,
            ):
                return repeat(place, system, story, deadline)
        except NoServer as missing:
            return Confirmation(False, f"Not confirmed: {missing.reason}. To fix this: {missing.hint}.")
        except Lost:
            return Confirmation(False, "Not confirmed: a statement neither ended nor waited for a lock.")

    @contextmanager
    def _server(self) -> Iterator[Server]:
        if self.url is None:
            with private_server() as server:
                yield server
        else:
            yield named_server(self.url)


def repeat(place: Arena, system: SqlSystem, story: Story, deadline: Deadline) -> Confirmation:
    """Repeats the run, then tries other interleavings of the same requests, until no serial order explains
    one."""
    requests = requests_of(system, story)
    version = place.watcher.version
    known: dict[Cuts, set[Outcome]] = {}
    words = f"that none of the {factorial(len(requests))} one-at-a-time orders gives"
    for is_the_run, turns in schedules(place, requests, story, deadline):
        seen = turns.seen()
        if seen is not None and not is_explained(place, requests, seen, known):
            which = "this interleaving" if is_the_run else "another interleaving of the same statements"
            sentence = f"Confirmed on PostgreSQL {version}: {which} gives answers and rows {words}."
            return Confirmation(True, sentence, tuple(log_line(requests, each) for each in turns.events))
    return Confirmation(False, f"Not confirmed on PostgreSQL {version}: {explain_failure(story)}.")


def explain_failure(story: Story) -> str:
    """Says why a server may not show the run. A statement that reads rows and then locks them can be
    overtaken in between, but a replay can only send whole statements."""
    line = interrupted_line(story)
    if line is None:
        return "the server gave only answers of serial orders"
    return (
        f"in this run another transaction moves in the middle of the statement in line {line}, "
        "but a replay can only switch between statements"
    )


def interrupted_line(story: Story) -> int | None:
    """The line of the first statement that another request interrupts."""
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


Cuts = tuple[tuple[int, str] | None, ...]
"""For each request that gives up, the number of answers before that, and the error."""


def is_explained(
    place: Arena, requests: Sequence[Request], seen: Seen, known: dict[Cuts, set[Outcome]]
) -> bool:
    """Whether some serial order has the same outcome, if aborted requests give up at the same statement
    there."""
    cuts: Cuts = tuple(
        (len(answers) - 1, str(answers[-1])) if is_aborted(answers) else None for answers in seen.answers
    )
    if cuts not in known:
        found = (run_serially(place, requests, order, cuts) for order in permutations(range(len(requests))))
        known[cuts] = {outcome(requests, each) for each in found if each is not None}
    return outcome(requests, seen) in known[cuts]


def schedules(
    place: Arena, requests: Sequence[Request], story: Story, deadline: Deadline
) -> Iterator[tuple[bool, Turns]]:
    """Executes the run, as closely as whole statements allow; then other interleavings."""
    for order in (order_by_ends(story), order_by_starts(story)):
        yield True, place.run(requests, follow(order))
    path: list[int] | None = []
    for _ in range(MAX_RUNS):
        deadline.check()
        assert path is not None
        turns, path = next_path(place, requests, path)
        yield False, turns
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


def requests_of(system: SqlSystem, story: Story) -> list[Request]:
    by_name = {request.name: request for request in system.machine.requests}
    return [by_name[name] for name in story.requests()]


def outcome(requests: Sequence[Request], seen: Seen) -> Outcome:
    answers = sorted(zip([each.name for each in requests], seen.answers, strict=True), key=repr)
    return tuple(answers), seen.tables


def log_line(requests: Sequence[Request], event: Event) -> str:
    waits = " (waits)" if event.blocked else ""
    return f"{event.client + 1}: {requests[event.client].name}: {' '.join(event.text.split())}{waits}"


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


def final_rows(database: Database) -> object:
    return rename_values(tuple(row for _, row in rows) for rows in database.tables)


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
