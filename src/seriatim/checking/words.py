"""Words for what claims and complaints are about."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from seriatim.program.state import GlobalState

if TYPE_CHECKING:  # The words do not load what they are about.
    from seriatim.certificate.commit import CommittedState
    from seriatim.certificate.folded_run import AnyTurn, Stop
    from seriatim.certificate.in_flight import Waiting


def state_words(state: GlobalState) -> str:
    """`X = 1, Y = 0`, or the name of a state."""
    return state if isinstance(state, str) else values_words(state) or "no variables"


def values_words(values: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values)


def any_turn_words(turn: "AnyTurn") -> str:
    who = f"a new `{turn.handler}`" if turn.start is None else f"a `{turn.handler}` {stop_words(turn.start)}"
    does = f"answers {turn.end}" if isinstance(turn.end, str) else f"pauses {stop_words(turn.end)}"
    return f"{who} {does} and leaves {state_words(turn.after)}"


def stop_words(stop: "Stop | Waiting | CommittedState") -> str:
    """before `code`, and with which values."""
    return f"before `{stop.code}`" + (f" with {values_words(stop.values)}" if stop.values else "")


def waiting_words(waiting: "Waiting | CommittedState") -> str:
    """`handler` before `code`, and with which values."""
    return f"`{waiting.handler}` {stop_words(waiting)}"


def outcome_words(outcome: Iterable[tuple[tuple[str, str], int]]) -> str:
    """`{a/0 ×3, b/1}`."""
    names = ((f"{handler}/{response}", times) for (handler, response), times in outcome if times > 0)
    shown = (name if times == 1 else f"{name} ×{times:,}" for name, times in names)
    return f"{{{', '.join(shown)}}}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
