"""A thread program as tokens and global states, with arbitrary values chosen where they are first read.
 A *token* is a thread that somebody sees from outside: its template, its place, its id and the values of its
live locals. A value may be missing, both in a token and in a global state: the variable holds any value, and
a step that reads it is tried with all values that matter (`seriatim.program.threads.values`). That a value
is chosen late changes nothing, since nobody has looked at it before. If the values tried do not stand for
all, the system is `inexact`, and what it reaches is only a part.
 Ids are kept only in programs that join; otherwise threads that have finished disappear, unless they are
counted. Where an id means the thread that was started with it last, a system may *forget*: threads lose
their ids to later ones, and nobody joins them any more. Proofs do not forget: without that, a program does
more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from seriatim.budget import Deadline
from seriatim.program.threads.semantics import (
    Blocked,
    Effect,
    Failed,
    Failure,
    NeedsPartner,
    Origin,
    Partner,
    Unchosen,
    Unknowable,
    run_edge,
)
from seriatim.program.threads.syntax import FINISHED, Edge, Template, ThreadProgram
from seriatim.program.threads.values import Domains, domains
from seriatim.systems.threads.liveness import live_locals, read_globals
from seriatim.terms.expressions import Value

Held = tuple[Value | None, ...]
"""Values in the order of their variables; None for one that holds any value."""


Choice = tuple[Unknowable, Value]
"""What was tried for a variable that held any value when it was read."""


@dataclass(frozen=True, slots=True)
class Token:
    template: str
    place: int
    id: int | None
    """None for main, and where ids do not matter."""
    held: Held
    """Of the live locals at the place, sorted by name."""

    @property
    def is_finished(self) -> bool:
        return self.place == FINISHED


FORGOTTEN = -1
"""The id of a thread whose id means another one by now; no variable of C has this number."""


def without_id(token: Token, taken: int | None) -> Token:
    """A thread after another one got this id."""
    return token if token.id is None or token.id != taken else replace(token, id=FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Move:
    """What one step of a thread does."""

    edge: int
    """Its number in the template."""
    token: Token | None
    """The thread afterwards; None if it has gone."""
    globals: Held
    spawned: Token | None
    failure: Failure | None
    chosen: tuple[Choice, ...]


def execute(
    program: ThreadProgram,
    template: Template,
    edge: Edge,
    values: Mapping[str, Value],
    partner: Token | None,
    results: Mapping[str, Value],
    chosen: tuple[Choice, ...],
) -> Effect:
    """Executes an edge with these choices."""
    before = {each.name: value for each, value in chosen if each.origin is Origin.BEFORE}
    havocs = {each.action: value for each, value in chosen if each.origin is Origin.HAVOC}
    taken = None
    if partner is not None:
        given = {each.name: value for each, value in chosen if each.origin is Origin.RESULT}
        taken = Partner(partner.template, partner.id, {**results, **given})
    return run_edge(program, template, edge, {**values, **before}, taken, havocs)


class FiniteSystem:
    """Moves on demand; nothing is explored before somebody asks."""

    def __init__(
        self, program: ThreadProgram, deadline: Deadline, counts: bool = False, forgets: bool = False
    ) -> None:
        self.program = program
        self.forgets = forgets and program.unique_ids and program.has_joins
        self.deadline = deadline
        self.domains: Domains = domains(program)
        self.counts = counts
        self.keeps_finished = counts or program.has_joins
        self.live = {
            name: {place: tuple(sorted(kept)) for place, kept in places.items()}
            for name, places in live_locals(program).items()
        }
        self.global_names = tuple(sorted(read_globals(program)))
        self.inexact: str | None = None
        """The first variable whose values did not stand for all."""
        self._moves: dict[tuple[Token, Held], tuple[tuple[Move, ...], tuple[int, ...]]] = {}
        self._joins: dict[tuple[Token, Held, int, Token], tuple[Move, ...]] = {}

    @property
    def start(self) -> tuple[Held, Token]:
        main = self.program.main_template
        initial: Held = tuple(self.program.initial.get(name) for name in self.global_names)
        return initial, Token(main.name, main.entry, None, (None,) * len(self.live[main.name][main.entry]))

    def moves(self, token: Token, globals_: Held) -> tuple[Move, ...]:
        """The steps of a thread for which it needs nobody else."""
        return self._explore(token, globals_)[0]

    def join_edges(self, token: Token, globals_: Held) -> tuple[int, ...]:
        """The edges that come to a join there."""
        return self._explore(token, globals_)[1]

    def joins(self, token: Token, globals_: Held, partner: Token) -> tuple[Move, ...]:
        """The steps in which a thread takes another one, which has finished."""
        if not partner.is_finished or partner.id is None:
            return ()
        found: list[Move] = []
        for edge in self.join_edges(token, globals_):
            key = (token, globals_, edge, partner)
            if key not in self._joins:
                self._joins[key] = tuple(self._executions(token, globals_, edge, partner)[0])
            found.extend(self._joins[key])
        return tuple(found)

    def values(self, names: tuple[str, ...], held: Held) -> dict[str, Value]:
        return {name: value for name, value in zip(names, held, strict=True) if value is not None}

    def _explore(self, token: Token, globals_: Held) -> tuple[tuple[Move, ...], tuple[int, ...]]:
        key = (token, globals_)
        if key not in self._moves:
            self.deadline.check()
            found: list[Move] = []
            joining: list[int] = []
            for number, _ in self.program.by_name[token.template].edges_from.get(token.place, ()):
                moves, needs_partner = self._executions(token, globals_, number, None)
                found.extend(moves)
                if needs_partner:
                    joining.append(number)
            self._moves[key] = tuple(found), tuple(joining)
        return self._moves[key]

    def _executions(
        self, token: Token, globals_: Held, number: int, partner: Token | None
    ) -> tuple[list[Move], bool]:
        """All ways to execute an edge, and whether it comes to a join for which there is no partner."""
        template = self.program.by_name[token.template]
        edge = template.edges[number]
        values = self.values(self.global_names, globals_)
        values |= self.values(self.live[token.template][token.place], token.held)
        results = {} if partner is None else self.values(self.live[partner.template][FINISHED], partner.held)
        found: list[Move] = []
        needs_partner = False
        pending: list[tuple[Choice, ...]] = [()]
        while pending:
            chosen = pending.pop()
            try:
                effect = execute(self.program, template, edge, values, partner, results, chosen)
                found.append(self._make_move(token, template, edge, number, effect, chosen))
            except Blocked:
                pass
            except NeedsPartner:
                needs_partner = True
            except Failed as failed:
                found.append(Move(number, token, globals_, None, failed.failure, chosen))
            except Unchosen as unchosen:
                unknown = unchosen.unknown
                owner = template
                if unknown.origin is Origin.RESULT:
                    assert partner is not None
                    owner = self.program.by_name[partner.template]
                pending.extend((*chosen, (unknown, value)) for value in self._try_values(owner, unknown.name))
        return found, needs_partner

    def _try_values(self, template: Template, name: str) -> tuple[Value, ...]:
        if self.inexact is None and not self.domains.is_exact(template, name):
            self.inexact = name
        return self.domains.values(template, name)

    def _make_move(
        self,
        token: Token,
        template: Template,
        edge: Edge,
        number: int,
        effect: Effect,
        chosen: tuple[Choice, ...],
    ) -> Move:
        spawned = None
        if effect.spawned is not None:
            started = self.program.by_name[effect.spawned.template]
            identity = effect.spawned.id if self.program.has_joins else 0
            spawned = self._token(started, started.entry, identity, dict(effect.spawned.arguments))
        return Move(
            number,
            self._token(template, edge.target, token.id, effect.values),
            tuple(effect.values.get(name) for name in self.global_names),
            spawned,
            None,
            chosen,
        )

    def _token(
        self, template: Template, place: int, identity: int | None, values: dict[str, Value]
    ) -> Token | None:
        if place == FINISHED and not (self.counts or (self.keeps_finished and identity is not None)):
            return None  # Nobody will ever look at it.
        kept = self.live[template.name][place]
        return Token(template.name, place, identity, tuple(values.get(name) for name in kept))
