"""Tells runs: from turns, which are numbers, to lines of code and what they changed."""

from collections.abc import Iterator, Mapping

from seriatim.explain.narration import Narrator, ProgramNarrator, narrator
from seriatim.explain.timeline import Loop, ShownRun, ShownTurn, Timeline
from seriatim.folding import LONG_RUN, Folded, Repeated, fold
from seriatim.frozen import replace
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.run import FaultyRun, Run, Turn
from seriatim.systems.source_map import events_to_fault
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

Notes = Mapping[int, tuple[str, ...]]
"""Notes on turns, by number, counted from 1."""

NO_NOTES: Notes = {}


def tell_run(
    run: Run,
    origin: Origin,
    source: SourceText,
    barriers: tuple[int, ...] = (),
    notes: Notes = NO_NOTES,
    long: int = LONG_RUN,
) -> Timeline:
    """Tells a run in terms of its source; `barriers` gives the number of turns before each barrier. Folds a
    long run."""
    initial = origin.global_state(INITIAL_GLOBAL)
    names = origin.content.value_names
    teller = _Teller(origin, narrator(origin, source), barriers, notes)
    if len(run.turns) > long:
        turns, loops = teller.fold(run)
        return Timeline(initial, turns, loops, True, names)
    return Timeline(initial, tuple(teller.list_turns(run)), value_names=names)


def show_run(
    run: Run,
    origin: Origin,
    source: SourceText,
    barriers: tuple[int, ...] = (),
    notes: Notes = NO_NOTES,
) -> ShownRun:
    """The run with its sizes."""
    timeline = tell_run(run, origin, source, barriers, notes)
    return ShownRun(timeline, run.requests(), len(run.turns), run.switches())


class _Teller:
    def __init__(
        self, origin: Origin, narrator: Narrator, barriers: tuple[int, ...] = (), notes: Notes = NO_NOTES
    ) -> None:
        self.origin = origin
        self.narrator = narrator
        self.barriers = barriers
        self.notes = notes

    def list_turns(self, run: Run) -> Iterator[ShownTurn]:
        """All turns of a run."""
        begun: set[int] = set()
        previous: Turn | None = None
        for number, turn in enumerate(run.turns):
            takes_over = previous is not None and previous.request != turn.request and previous.target >= 0
            shown = self.show(turn, number, turn.request not in begun)
            yield replace(shown, is_switch=True) if takes_over else shown
            begun.add(turn.request)
            previous = turn

    def fold(self, run: Run) -> tuple[tuple[ShownTurn, ...], tuple[Loop, ...]]:
        """The turns of a long run, with the turns of a loop listed once, and its loops."""
        kinds: list[tuple[Turn, int, bool]] = []
        numbers: dict[tuple[int, ...], int] = {}
        begun: set[int] = set()
        order: list[int] = []
        for number, turn in enumerate(run.turns):
            is_first = turn.request not in begun
            begun.add(turn.request)
            own = number if number in self.barriers or number + 1 in self.notes else -1
            key = (turn.local, turn.target, turn.before, turn.after, is_first, own)
            if key not in numbers:
                numbers[key] = len(kinds)
                kinds.append((turn, number, is_first))
            order.append(numbers[key])
        listed: list[int] = []
        loops = tuple(_list_items(fold(order), listed))
        lanes: dict[int, int] = {}
        told: dict[int, ShownTurn] = {}
        for kind in dict.fromkeys(listed):
            turn, number, is_first = kinds[kind]
            lane = lanes.setdefault(self.origin.request_of(turn.local), len(lanes))
            self.narrator.is_at(kind, turn.local)
            shown = self.show(replace(turn, request=kind), number, is_first)
            told[kind] = replace(shown, request=lane + 1)
        return tuple(told[kind] for kind in listed), loops

    def show(self, turn: Turn, number: int, is_first: bool) -> ShownTurn:
        origin = self.origin
        answers = turn.target < 0
        return ShownTurn(
            turn.request + 1,
            origin.requests[origin.request_of(turn.local)],
            self.narrator.moments(turn),
            origin.global_state(turn.before),
            origin.global_state(turn.after),
            origin.completions[~turn.target][1] if answers else None,
            None if answers else self.narrator.pause(turn),
            is_switch=False,
            is_first=is_first,
            follows_barrier=number in self.barriers,
            notes=self.notes.get(number + 1, ()),
        )


def _list_items(items: tuple[Folded[int], ...], listed: list[int]) -> Iterator[Loop]:
    """Adds the items to a list, those of a loop once; returns the loops."""
    for item in items:
        if isinstance(item, Repeated):
            first = len(listed)
            inner = list(_list_items(item.items, listed))
            yield Loop(first, len(listed), item.times)
            yield from inner
        else:
            listed.append(item)


def tell_fault(faulty: FaultyRun, origin: ProgramUnfolding, source: SourceText) -> ShownRun:
    """Tells a run and its failing step."""
    teller = ProgramNarrator(origin, source)
    shown = _Teller(origin, teller).list_turns(faulty.run)
    state = origin.global_state(faulty.before)
    turns = faulty.run.turns
    takes_over = bool(turns) and turns[-1].request != faulty.request and turns[-1].target >= 0
    last = ShownTurn(
        faulty.request + 1,
        origin.requests[origin.request_of(faulty.local)],
        teller.tell(faulty.request, events_to_fault(origin, faulty.local, faulty.before, faulty.fault)),
        state,
        state,
        None,
        None,
        is_switch=takes_over,
        is_first=all(turn.request != faulty.request for turn in turns),
        fails=True,
    )
    initial = origin.global_state(INITIAL_GLOBAL)
    timeline = Timeline(initial, (*shown, last), value_names=origin.program.value_names)
    requests = max(faulty.run.requests(), faulty.request + 1)
    return ShownRun(timeline, requests, len(turns) + 1, faulty.run.switches() + takes_over)
