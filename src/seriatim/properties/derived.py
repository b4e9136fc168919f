"""Names in certificates for states, requests and answers that a question adds to those of its input.

Claim: different states have different names, and so have different answers. For a mark stands at a fixed
place, in front of a name or at the end of an answer, or is a value with a name of its own, and wherever a
question marks states, it marks all of them. Variables of programs begin with no bracket, so no mark is one of
them.
"""

from seriatim.program.state import GlobalState

Values = tuple[tuple[str, int], ...]


def marked_state(state: GlobalState, mark: str, value: int) -> GlobalState:
    """Adds a mark with its value to a global state, so that a derived system tells such states apart."""
    return f"{mark} {value}: {state}" if isinstance(state, str) else marked_values(state, mark, value)


def marked_values(values: Values, mark: str, value: int) -> Values:
    """Adds a mark, as one more variable with a value, to the values of variables; sorted by name."""
    return tuple(sorted((*values, (f"({mark})", value))))


ENDED = "ended"
"""Marks global states: 1 after the observer has looked at the final values, 0 before."""


FINAL_VALUES = "(final values)"


def observer(requests: tuple[str, ...]) -> str:
    """A name for the request that looks at the final values, different from all other requests."""
    name = FINAL_VALUES
    while name in requests:
        name += "'"
    return name


def observation(state: GlobalState, observed: frozenset[str] | None) -> str:
    """The observer's answer. None observes everything; an array stands for all its elements."""
    if isinstance(state, str):
        return state
    return ", ".join(
        f"{name} = {value}"
        for name, value in state
        if observed is None or name in observed or array_of(name) in observed
    )


def array_of(name: str) -> str | None:
    """The array that contains this variable."""
    array, bracket, _ = name.partition("[")
    return array if bracket else None


INTERVAL = "interval"
"""Marks an interval between two barriers, counted from 1: of global states the current one, of requests in
flight the one where they began, of states of specifications the latest one where a request began."""


def answer_in(response: str, began: int, ended: int) -> str:
    """An answer, with the intervals in which its request began and ended."""
    return f"{response} [{began},{ended}]"


def pending_since(began: int) -> str:
    """The placeholder for an answer that has not been given yet."""
    return f"* [{began},ω]"
