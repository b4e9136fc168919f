"""Follows a log that is still being written, and reports the first answer that no order can explain, as soon
as this is certain. It only remembers requests in flight and counts.

Events (a request begins, a request ends) go to the frontier of their part as they come; an unfinished request
may still get any of its answers. Entries with start and end come when a request ends, so a request that is
still running is not in the log yet. If no request takes longer than a given time, then everything that began
before the latest end minus that time is in the log, and events up to then can be taken. Without times, it is
certain that an answer has no explanation if no extension of the log has an order (`counted`); an extension
may have requests that have not been seen so far. This can be decided for programs, whose requests can be
listed. With built-in models, any value may still be written, so counts decide only at the end.
"""

from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from heapq import heappop, heappush

from seriatim.budget import Deadline
from seriatim.history.automaton import Label, TooManyStates, explore
from seriatim.history.counted import Flow, NoAnswer, NoWalk, Tally
from seriatim.history.frontier import Frontier
from seriatim.history.log import Entry, Invoked, Returned, Time, Unpaired, answer_to
from seriatim.history.model import Model, Part, Request, State


@dataclass(frozen=True, slots=True)
class Alarm:
    """An answer that no order explains, whatever comes later."""

    line: int
    request: str
    answer: str
    part: Part
    possible: tuple[tuple[State, tuple[str, ...]], ...]
    """The states in which the request could have taken effect, and its answers there; empty without times."""


class Late(ValueError):
    """Raised when a request took longer than allowed; names the line."""

    def __init__(self, line: int) -> None:
        super().__init__(f"the request in line {line} took longer than --longest allows")
        self.line = line


class Events:
    """Passes starts and ends of requests, in their order, to the frontiers of their parts."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.frontiers: dict[Part, Frontier] = {}
        self.count = 0

    def begin(self, number: int, request: Request, answer: str | None, is_free: bool = False) -> None:
        part = self.model.part(request)
        frontier = self.frontiers.get(part)
        if frontier is None:
            frontier = self.frontiers[part] = Frontier(self.model)
        frontier.begin(number, request, answer, is_free)

    def end(self, number: int, request: Request, answer: str, line: int, text: str) -> Alarm | None:
        self.count += 1
        part = self.model.part(request)
        frontier = self.frontiers[part]
        ways, flight = frontier.ways, frontier.flights[number]
        if frontier.end(number, answer):
            return None
        frontier.ways, frontier.flights[number] = ways, flight
        possible = tuple(
            (state, tuple(dict.fromkeys(said for said, _ in self.model.outcomes(state, request))))
            for state in frontier.possible_states(number)
        )
        return Alarm(line, text, answer, part, possible)


class EventStream:
    """A stream of events of processes; each process has at most one request in flight."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.events = Events(model)
        self._open: dict[str, tuple[int, Invoked, Request]] = {}
        self._number = 0

    def feed(self, record: Invoked | Returned) -> Alarm | None:
        """Takes one event. Raises `Unpaired`, `Unfit`, `TooManyWays`."""
        process = record.process
        if isinstance(record, Invoked):
            if process in self._open:
                raise Unpaired(record.line, f"process {process} begins again before its request has ended")
            request = self.model.request(record.request)
            self._number += 1
            self._open[process] = self._number, record, request
            self.events.begin(self._number, request, None)
            return None
        if process not in self._open:
            raise Unpaired(record.line, f"process {process} ends a request that never began")
        number, begun, request = self._open.pop(process)
        frontier = self.events.frontiers[self.model.part(request)]
        text = answer_to(begun, record)
        if record.happened is True and text is not None:
            answer = self.model.answer(request, text)
            return self.events.end(number, request, answer, record.line, begun.request)
        if record.happened is None:
            frontier.lose(number)
        else:
            frontier.forget(number)
        return None


class EntryStream:
    """A stream of entries with times; no request takes longer than a given time."""

    def __init__(self, model: Model, longest: Time) -> None:
        self.model = model
        self.longest = longest
        self.events = Events(model)
        self._waiting: list[tuple[Time, int, int, Entry]] = []
        """(time, 0 for a start and 1 for an end, number, entry)."""
        self._number = 0
        self._latest: Time = Decimal("-Infinity")
        self._taken: Time = Decimal("-Infinity")

    def feed(self, entry: Entry) -> Alarm | None:
        """Takes one entry. Raises `Late`, `Unfit`, `TooManyWays`."""
        assert entry.start is not None
        if entry.start <= self._taken:
            raise Late(entry.line)
        self._number += 1
        heappush(self._waiting, (entry.start, 0, self._number, entry))
        if entry.end is not None:
            heappush(self._waiting, (entry.end, 1, self._number, entry))
            self._latest = max(self._latest, entry.end)
        return self._take(self._latest - self.longest)

    def finish(self) -> Alarm | None:
        """Takes the remaining events, because the log has ended."""
        return self._take(Decimal("Infinity"))

    def _take(self, until: Time) -> Alarm | None:
        while self._waiting and self._waiting[0][0] < until:
            time, is_end, number, entry = heappop(self._waiting)
            self._taken = max(self._taken, time)
            request = self.model.request(entry.request)
            answer = None if entry.answer is None else self.model.answer(request, entry.answer)
            if not is_end:
                self.events.begin(number, request, answer, is_free=answer is None)
            elif answer is not None:
                alarm = self.events.end(number, request, answer, entry.line, entry.request)
                if alarm is not None:
                    return alarm
        return None


class CountedStream:
    """A stream of entries without times. To save work, each walk is asked for twice as many entries of a
    label as needed; another walk is needed only for an answer that the last one does not have so often."""

    def __init__(self, model: Model, deadline: Deadline) -> None:
        self.model = model
        self.deadline = deadline
        self.tallies: dict[Part, Tally] = {}
        self._flow: Flow | None = None
        """The walks of the model; None if nothing can be certain before the end."""
        requests = model.all_requests()
        if requests is not None:
            with suppress(TooManyStates):
                self._flow = Flow(explore(model, requests, deadline), deadline)
        self._spare: dict[Part, dict[Label, int]] = {}

    def feed(self, entry: Entry) -> Alarm | None:
        """Takes one entry; raises `Unfit`."""
        request = self.model.request(entry.request)
        part = self.model.part(request)
        tally = self.tallies.setdefault(part, Tally({}, {}))
        assert isinstance(tally.answered, dict)
        assert isinstance(tally.lost, dict)
        if entry.answer is None:
            tally.lost[request] = tally.lost.get(request, 0) + 1
            return None
        label = request, self.model.answer(request, entry.answer)
        tally.answered[label] = tally.answered.get(label, 0) + 1
        if self._spare.get(part, {}).get(label, 0) >= tally.answered[label] or self._fits(part, tally, label):
            return None
        return Alarm(entry.line, entry.request, label[1], part, ())

    def _fits(self, part: Part, tally: Tally, label: Label) -> bool:
        """Whether some extension of the log has an order; True if that is unknown."""
        flow = self._flow
        if flow is None:
            return True
        for wanted in ({**tally.answered, label: 2 * tally.answered[label]}, tally.answered):
            try:
                found = flow.walk(wanted, {}, {}, extends=True)
            except NoAnswer:
                return True
            if not isinstance(found, NoWalk):
                self._spare[part] = dict(found.taken)
                return True
        return False
