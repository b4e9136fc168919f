"""A race of a Python service as a network system: the run that was seen, and all one-at-a-time runs of the
same requests."""

from seriatim.frontends import seen_races
from seriatim.frontends.python.service_runs import Race, SeenRun
from seriatim.frontends.python.texts import rename_fresh
from seriatim.program.network_system import NetworkSystem

State = tuple[tuple[str, str], ...]
"""The variables of a state with their values, as text."""

LOOK = "look at the final state"
"""The request that answers the state."""


def state_text(state: State | None, initial: State) -> str:
    """What a state has become, as an answer: the variables that differ from the start."""
    if state is None:
        return "it never comes to rest"
    known = dict(initial)
    changed = [f"{name} = {text}" for name, text in sorted(state) if known.get(name) != text]
    return "; ".join(rename_fresh(changed)) or "as at the start"


def race_system(race: Race, initial: State) -> NetworkSystem:
    sees_state = race.sees_state
    answers, final = named_answers(race.run, sees_state, initial)
    turns = tuple(turn.request for turn in race.run.turns if turn.request >= 0)
    seen = seen_races.Race(race.run.requests, answers, turns, final)
    serial = [_serial_run(run, sees_state, initial) for run in race.serial]
    return seen_races.race_system(seen, serial, LOOK if sees_state else None)


def named_answers(run: SeenRun, sees_state: bool, initial: State) -> tuple[tuple[str, ...], str]:
    """The answers of a run and its final state, with short names for ids that the run made."""
    state = state_text(run.final, initial) if sees_state else ""
    order = sorted(range(len(run.answers)), key=lambda number: (run.requests[number], run.answers[number]))
    *named, final = rename_fresh([*(run.answers[number] for number in order), state])
    answers = dict(zip(order, named, strict=True))
    return tuple(answers[number] for number in range(len(order))), final


def _serial_run(run: SeenRun, sees_state: bool, initial: State) -> seen_races.SerialRun:
    answers, final = named_answers(run, sees_state, initial)
    states = tuple(_state_after(run, number, initial) for number in range(len(run.requests)))
    return seen_races.SerialRun(run.requests, answers, states, final)


def _state_after(run: SeenRun, number: int, initial: State) -> str:
    """The state that a request leaves behind."""
    states = [turn.state for turn in run.turns if turn.request <= number]
    return state_text(states[-1] if states else None, initial)
