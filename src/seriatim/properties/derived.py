"""What certificates call the states, requests and answers that a question adds to those of its input.

Claim: different states have different names, and so have different answers. For a mark stands at a fixed
place, in front of a name or at the end of an answer, or is a value with a name of its own, and wherever a
question marks states, it marks all of them. Variables of programs begin with no bracket, so no mark is one of
them.
"""

from seriatim.program.state import GlobalState

Values = tuple[tuple[str, int], ...]


def marked_state(state: GlobalState, mark: str, value: int) -> GlobalState:
    """A global state, beside which something else is the case."""
    return f"{mark} {value}: {state}" if isinstance(state, str) else marked_values(state, mark, value)


def marked_values(values: Values, mark: str, value: int) -> Values:
    """Values of variables, beside which something else is the case; sorted by name, as all of them are."""
    return tuple(sorted((*values, (f"({mark})", value))))


ENDED = "ended"
"""Marks global states: 1 after somebody has looked at the final values, 0 before."""


FINAL_VALUES = "(final values)"


def observer(requests: tuple[str, ...]) -> str:
    """The request that looks at the final values; whatever else there is has another name."""
    name = FINAL_VALUES
    while name in requests:
        name += "'"
    return name


def observation(state: GlobalState, observed: frozenset[str] | None) -> str:
    """What it answers; None stands for all that there is to see, an array for all its elements."""
    if isinstance(state, str):
        return state
    return ", ".join(
        f"{name} = {value}"
        for name, value in state
        if observed is None or name in observed or array_of(name) in observed
    )


def array_of(name: str) -> str | None:
    """The array of which a variable is an element."""
    array, bracket, _ = name.partition("[")
    return array if bracket else None


INTERVAL = "interval"
"""Marks global states: the interval between two barriers, from 1 on; requests in flight: the one where they
began; and states of specifications: the latest one in which anybody did."""


def answer_in(response: str, began: int, ended: int) -> str:
    """An answer, with the intervals in which its request began and ended."""
    return f"{response} [{began},{ended}]"


def pending_since(began: int) -> str:
    """What stands for an answer that has not been given yet."""
    return f"* [{began},ω]"
