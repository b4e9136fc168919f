"""Runs that somebody has changed in one place."""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.certificate.turns import Turn
from seriatim.program.state import GlobalState


def tampered(turns: tuple[Turn, ...]) -> Iterator[tuple[Turn, ...]]:
    """The run with one thing changed, in every way that its own words allow."""
    globals_: list[GlobalState] = list(dict.fromkeys(turn.after for turn in turns))
    for state in tuple(globals_):
        if not isinstance(state, str):
            globals_.extend((*state[:-1], (name, value + 1)) for name, value in state[-1:])
    responses = dict.fromkeys([None, "0", "1", *(turn.response for turn in turns)])
    handlers = dict.fromkeys(turn.handler for turn in turns)
    requests = range(1, len({turn.request for turn in turns}) + 2)
    for index, turn in enumerate(turns):
        before, after = turns[:index], turns[index + 1 :]
        yield (*before, *after)
        yield (*before, turn, turn, *after)
        if after:
            yield (*before, after[0], turn, *after[1:])
        changed = [replace(turn, after=state) for state in globals_]
        changed += [replace(turn, response=response) for response in responses]
        changed += [replace(turn, handler=handler) for handler in handlers]
        changed += [replace(turn, request=request) for request in requests]
        yield from ((*before, other, *after) for other in changed if other != turn)
    for request in requests:
        yield tuple(turn for turn in turns if turn.request != request)
