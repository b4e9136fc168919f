"""A run as firings of the interleaving net, like the paper's Table 3: the marking after each.

Arriving, a step and an answer are firings of their own, as they are transitions of the net (Appendix E).
"""

from collections import Counter
from collections.abc import Iterator

from seriatim.engines.shared.in_flight import waiting
from seriatim.explain.explanation import Firing
from seriatim.explain.names import completion_text, visible
from seriatim.program.state import GlobalState
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import INITIAL_GLOBAL


def firings(run: Run, origin: Origin) -> Iterator[Firing]:
    """The initial marking, and the marking after each firing."""
    places = _places(run, origin)
    flying: dict[int, str] = {}
    answered: Counter[str] = Counter()

    def after(what: str, state: GlobalState) -> Firing:
        flights = Counter(flying.values())
        return Firing(what, state, tuple(sorted(flights.items())), tuple(sorted(answered.items())))

    yield after("", origin.global_state(INITIAL_GLOBAL))
    for turn in run.turns:
        handler = origin.requests[origin.request_of(turn.local)]
        name = visible(handler)
        if turn.request not in flying:
            flying[turn.request] = places[turn.local]
            yield after(f"{name} arrives", origin.global_state(turn.before))
        response = origin.completions[~turn.target][1] if turn.target < 0 else None
        flying[turn.request] = places[turn.target] if response is None else f"{name} at its end"
        yield after(f"{name} steps", origin.global_state(turn.after))
        if response is not None:
            del flying[turn.request]
            answered[completion_text(handler, response)] += 1
            yield after(f"{name} answers", origin.global_state(turn.after))


def _places(run: Run, origin: Origin) -> dict[int, str]:
    """Names of the places where requests wait, with the remaining code where two would look the same."""
    locals_ = {local for turn in run.turns for local in (turn.local, turn.target) if local >= 0}
    places = {local: _place(origin, local) for local in sorted(locals_)}
    times = Counter(places.values())
    return {
        local: place if times[place] == 1 else f"{place} before `{waiting(origin, local).code}`"
        for local, place in places.items()
    }


def _place(origin: Origin, local: int) -> str:
    """The place where a request waits."""
    handler = visible(origin.requests[origin.request_of(local)])
    if local in origin.starts:
        return f"{handler} at its start"
    state = local_state(origin, local)
    if state.line is None:
        return f"{handler} in {visible(state.name)}"
    values = ", ".join(f"{name}={value}" for name, value in state.values)
    return f"{handler} in line {state.line}" + (f" ({values})" if values else "")
