"""What evidence says, in words: the data of obligations, for readers who follow the checker."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from seriatim.program.state import GlobalState

if TYPE_CHECKING:  # The words do not load what they are about.
    from seriatim.certificate.commit import CommittedState
    from seriatim.certificate.counting import CutPlaces, Situations
    from seriatim.certificate.folded_run import AnyTurn, Stop
    from seriatim.certificate.in_flight import Invariant, Waiting
    from seriatim.certificate.serial_paths import SerialPath, SerialStep
    from seriatim.certificate.turns import Turn
    from seriatim.folding import Folded


def state_words(state: GlobalState) -> str:
    """`X = 1, Y = 0`, or the name of a state."""
    return state if isinstance(state, str) else values_words(state) or "no variables"


def values_words(values: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values)


def turn_words(turn: "Turn") -> str:
    does = "pauses" if turn.response is None else f"answers {turn.response}"
    return f"request {turn.request}, `{turn.handler}`, {does} and leaves {state_words(turn.after)}"


def any_turn_words(turn: "AnyTurn") -> str:
    who = f"a new `{turn.handler}`" if turn.start is None else f"a `{turn.handler}` {stop_words(turn.start)}"
    does = f"answers {turn.end}" if isinstance(turn.end, str) else f"pauses {stop_words(turn.end)}"
    return f"{who} {does} and leaves {state_words(turn.after)}"


def stop_words(stop: "Stop | Waiting | CommittedState") -> str:
    """before `code`, and with which values."""
    return f"before `{stop.code}`" + (f" with {values_words(stop.values)}" if stop.values else "")


def folded_turns_words(turns: "Iterable[Folded[AnyTurn]]") -> Iterator[str]:
    """A line for each turn; what is repeated is told once, after a line that says how often."""
    from seriatim.folding import Repeated  # Few runs are long.

    for turn in turns:
        if isinstance(turn, Repeated):
            lines = list(folded_turns_words(turn.items))
            yield f"{counted(turn.times, 'time')} the next {counted(len(lines), 'line')}:"
            yield from lines
        else:
            yield any_turn_words(turn)


def waiting_words(waiting: "Waiting | CommittedState") -> str:
    """`handler` before `code`, and with which values."""
    return f"`{waiting.handler}` {stop_words(waiting)}"


def committed_words(state: "CommittedState") -> str:
    return f"{waiting_words(state)} has taken effect, and will answer {state.response}"


def invariant_words(invariant: "Invariant") -> str:
    what = "exceeds" if invariant.sign == 1 else "falls short of"
    return f"by how much {invariant.variable} {what} its initial value is a sum over all requests in flight"


def cover_words(cover: "SerialPath") -> str:
    """The path, then the cycles with where they begin."""
    cycles = (f"{steps_words(c.steps)} at {state_words(c.at)}" for c in cover.cycles)
    return "; any number of times ".join((steps_words(cover.steps) or "nobody", *cycles))


def steps_words(steps: "Iterable[SerialStep]") -> str:
    """`a/0 ×3, b/1`: what comes several times in a row is said once."""
    groups = ((name, len(list(same))) for name, same in groupby(f"{s.handler}/{s.response}" for s in steps))
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in groups)


def outcome_words(outcome: Iterable[tuple[tuple[str, str], int]]) -> str:
    """`{a/0 ×3, b/1}`."""
    names = ((f"{handler}/{response}", times) for (handler, response), times in outcome if times > 0)
    shown = (name if times == 1 else f"{name} ×{times:,}" for name, times in names)
    return f"{{{', '.join(shown)}}}"


def cut_words(cut: "CutPlaces") -> str:
    places = [
        *map(state_words, cut.globals),
        *(f"situation {number}" for number in cut.situations),
        *map(waiting_words, cut.waiting),
    ]
    return f"{cut.kind} of {'; '.join(places) or 'nothing'}"


def situation_words(situations: "Situations") -> Iterator[str]:
    """Each situation by its number."""
    for number, case in enumerate(situations.cases, 1):
        known = (
            f"{count} of {waiting_words(waiting)}"
            for count, waiting in zip(case.numbers, situations.waiting, strict=False)
            if count is not None
        )
        yield f"situation {number}: {'; '.join((state_words(case.state), *known))}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
