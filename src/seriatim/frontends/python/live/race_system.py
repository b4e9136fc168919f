"""A race as a network system: the run that was seen, and all one-at-a-time runs of the same requests.

Global states are moments of runs, so nothing has to be known about what the state consists of. Each
one-at-a-time run is a chain of moments, in which a request is a single step. The race is one more chain, a
step for each turn. Its requests hand over their answers at its end, all of them together: no part of it is a
complete run.

Claim: the system has a complete run with the answers of the race, and its serial runs of these requests have
exactly the outcomes of the one-at-a-time runs that were seen. So it is not serializable if and only if no
one-at-a-time run of the real code, of which all were tried, has the outcome of the race.

Where answers alone do not tell the difference, a last request looks at the state, and answers what it sees.
"""

from seriatim.frontends.python.live.service_runs import Race, SeenRun
from seriatim.frontends.python.live.texts import rename_fresh
from seriatim.program.network_system import LocalState, NetworkSystem

State = tuple[tuple[str, str], ...]
"""The variables of a state with their values, as text."""

LOOK = "look at the final state"
"""The request that answers the state."""


class Builder:
    """Collects the parts of a network system, numbered in the order in which they come."""

    def __init__(self) -> None:
        self.globals: dict[str, int] = {}
        self.locals: dict[str, int] = {}
        self.requests: dict[str, int] = {}
        self.responses: dict[str, int] = {}
        self.req: dict[tuple[int, int], None] = {}
        self.resp: dict[tuple[int, int], None] = {}
        self.delta: dict[tuple[int, int, int, int], None] = {}

    def moment(self, name: str) -> int:
        """A moment of a run; one of the same name gets a number."""
        number, unique = 1, name
        while unique in self.globals:
            number += 1
            unique = f"{name} ({number})"
        return self.globals.setdefault(unique, len(self.globals))

    def local(self, name: str) -> int:
        return self.locals.setdefault(name, len(self.locals))

    def arrival(self, request: str) -> int:
        """The local state in which a request arrives."""
        local = self.local(f"{request} arrives")
        self.req.setdefault((self.requests.setdefault(request, len(self.requests)), local))
        return local

    def end(self, request: str, answer: str) -> int:
        """The local state in which a request has answered."""
        local = self.local(f"{request} has answered {answer}")
        self.resp.setdefault((local, self.responses.setdefault(answer, len(self.responses))))
        return local

    def move(self, local: int, before: int, target: int, after: int) -> None:
        self.delta.setdefault((local, before, target, after))

    def finish(self, initial: int) -> NetworkSystem:
        return NetworkSystem(
            tuple(self.globals),
            tuple(LocalState(name) for name in self.locals),
            tuple(self.requests),
            tuple(self.responses),
            initial,
            tuple(self.req),
            tuple(self.resp),
            tuple(self.delta),
        )


def state_text(state: State | None, initial: State) -> str:
    """What a state has become, as an answer: the variables that differ from the start."""
    if state is None:
        return "it never comes to rest"
    known = dict(initial)
    changed = [f"{name} = {text}" for name, text in sorted(state) if known.get(name) != text]
    return "; ".join(rename_fresh(changed)) or "as at the start"


def race_system(race: Race, initial: State) -> NetworkSystem:
    builder = Builder()
    start = builder.moment("the first state")
    for run in race.serial:
        _add_serial(builder, run, start, race.sees_state, initial)
    _add_race(builder, race, start, initial)
    return builder.finish(start)


def named_answers(run: SeenRun, sees_state: bool, initial: State) -> tuple[tuple[str, ...], str]:
    """The answers of a run and its final state, with short names for ids that the run made."""
    state = state_text(run.final, initial) if sees_state else ""
    order = sorted(range(len(run.answers)), key=lambda number: (run.requests[number], run.answers[number]))
    *named, final = rename_fresh([*(run.answers[number] for number in order), state])
    answers = dict(zip(order, named, strict=True))
    return tuple(answers[number] for number in range(len(order))), final


def _add_serial(
    builder: Builder,
    run: SeenRun,
    start: int,
    sees_state: bool,
    initial: State,
) -> None:
    now = start
    answers, final = named_answers(run, sees_state, initial)
    for number, (request, answer) in enumerate(zip(run.requests, answers, strict=True)):
        after = builder.moment(_state_after(run, number, initial))
        builder.move(builder.arrival(request), now, builder.end(request, answer), after)
        now = after
    if sees_state:
        builder.move(builder.arrival(LOOK), now, builder.end(LOOK, final), now)


def _state_after(run: SeenRun, number: int, initial: State) -> str:
    """The state that a request leaves behind."""
    states = [turn.state for turn in run.turns if turn.request <= number]
    return state_text(states[-1] if states else None, initial)


def _add_race(builder: Builder, race: Race, start: int, initial: State) -> None:
    run, now = race.run, start
    answers, final = named_answers(run, race.sees_state, initial)
    where = [builder.arrival(request) for request in run.requests]
    turns = [turn for turn in run.turns if turn.request >= 0]
    for number, turn in enumerate(turns, 1):
        request = run.requests[turn.request]
        target = builder.local(f"request {turn.request + 1}, {request}, after turn {number}")
        after = builder.moment(f"the race, after turn {number}")
        builder.move(where[turn.request], now, target, after)
        where[turn.request], now = target, after
    for number, (request, answer) in enumerate(zip(run.requests, answers, strict=True), 1):
        after = builder.moment(f"the race, {number} of {len(answers)} answers handed over")
        builder.move(where[number - 1], now, builder.end(request, answer), after)
        now = after
    if race.sees_state:
        builder.move(builder.arrival(LOOK), now, builder.end(LOOK, final), now)
