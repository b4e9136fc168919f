"""Brute force about linearization points: all that some requests of a program can come to, and in which
order they have taken effect, where marks say so."""

from collections.abc import Iterator

from seriatim.program.actions import marked_steps
from seriatim.program.semantics import Configuration, Store, initial_store, response
from seriatim.program.syntax import Expression, Program
from testkit.oracles.brute_force import MAX_STATES, TooLarge
from testkit.oracles.histories import Following, is_allowed

Request = tuple[str, Expression, Store, bool, str | None]
"""(handler, what is left to do, locals, whether it has taken effect, its answer)."""

State = tuple[Store, tuple[Request, ...], tuple[int, ...]]
"""Globals, the requests, and those that have taken effect, in their order."""


def states(program: Program, requests: int, max_states: int) -> Iterator[State]:
    """With at most so many requests."""
    start: State = (initial_store(program), (), ())
    seen = {start}
    pending = [start]
    while pending:
        state = pending.pop()
        yield state
        for following in successors(program, state, requests):
            if following not in seen:
                seen.add(following)
                pending.append(following)
        if len(seen) > max_states:
            raise TooLarge


def successors(program: Program, state: State, requests: int) -> Iterator[State]:
    globals_, flights, order = state
    if len(flights) < requests:
        for handler in program.handlers:
            yield globals_, (*flights, (handler.name, handler.body, (), False, None)), order
    for index, (name, code, locals_, has_effect, answer) in enumerate(flights):
        if answer is not None:
            continue
        for end, is_marked in marked_steps(Configuration(code, locals_, globals_)):
            value = response(end.expression)
            given = None if value is None else str(value)
            takes_effect = not has_effect and (is_marked or given is not None)
            moved = (name, end.expression, end.locals, has_effect or takes_effect, given)
            then = (*order, index) if takes_effect else order
            yield end.globals, (*flights[:index], moved, *flights[index + 1 :]), then


def fewest_misordered(
    program: Program, requests: int, initial: object, following: Following, max_states: int = MAX_STATES
) -> int | None:
    """How many requests it takes until those who have taken effect are all answered, in an order that is not
    allowed; None if more than so many."""
    for _, flights, order in states(program, requests, max_states):
        names = tuple(name for name, *_ in flights)
        answers = {who: answer for who in order if (answer := flights[who][4]) is not None}
        if len(answers) == len(order) and not is_allowed(names, answers, order, initial, following):
            fewer = fewest_misordered(program, len(flights) - 1, initial, following, max_states)
            return fewer or len(flights)
    return None
