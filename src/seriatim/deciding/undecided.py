"""Makes "undecided" useful: names the variable that is in the way, its line, and what to do."""

from dataclasses import replace

from seriatim.result import Undecided
from seriatim.systems.from_input import Origin
from seriatim.systems.growth import most_values

MANY = 20
"""A variable with at most this many values is probably not the obstacle."""


def with_culprit(undecided: Undecided, origin: Origin) -> Undecided:
    """Names the variable that takes the most values, if they are many and it is not named yet. The hint
    begins with how to bound it."""
    found = most_values(origin.content.handlers, origin.stores())
    if found is None or found.number <= MANY or f"`{found.variable}`" in undecided.reason:
        return undecided
    name = found.variable
    word = "line" if len(found.lines) == 1 else "lines"
    places = f" ({word} {', '.join(map(str, found.lines))})" if found.lines else ""
    reason = f"{undecided.reason}; `{name}` has taken {found.number:,} values so far{places}"
    bound = f"bound `{name}`: {how_to_bound(name)}, or compute it `% 4`"
    return replace(undecided, reason=reason, hint=f"{bound}; else {undecided.hint or 'raise --max-states'}")


def how_to_bound(name: str) -> str:
    """How to bound a variable in the source. Names with dots come from Python."""
    whole = name.partition("[")[0]
    return "mark its first line # ser: 0..3" if "." in whole else f"declare `{whole} in 0..3 wrap`"
