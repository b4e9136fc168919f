"""Follows all ways to explain the events of a log so far; their number depends on the requests in flight.

A *way* is a state together with the requests in flight that have taken effect already, and their answers.
When a request ends, each way in which it has not taken effect yet is continued: other requests in flight may
take effect first, then this one does, with the answer that it was given. Ways in which it cannot are dropped.
If no way is left, no order explains the entries so far, whatever comes later.

Claim. After each event the ways are exactly the pairs that some order of effects leads to, in which each
request takes effect between its start and its end, where an effect is put off until some end needs it, except
that a request that only reads takes effect as soon as its answer fits. Hence there is a way iff some order
explains all requests that have ended.

Why. An effect that no end so far needs can be put off (Lowe, *Testing for linearizability*): moving it behind
the last end does not change the order of effects. A request that only reads, whatever the state, can be moved
forward to any moment of its flight at which its answer fits: others do not notice. So the way in which it has
taken effect covers the one in which it has not. (It would not be enough that it leaves *this* state as it is:
a write of the present value may be needed later, after another one.) ∎

Requests of different parts do not notice each other; each part has a frontier of its own.
"""

from dataclasses import dataclass

from seriatim.history.model import Model, Request, State
from seriatim.history.search import Path

MAX_WAYS = 50_000

Done = frozenset[tuple[int, str]]
"""The requests in flight that have taken effect, with their answers."""

Way = tuple[State, Done]

NOTHING: Done = frozenset()


class TooManyWays(Exception):
    """Raised when there are too many ways to follow."""


@dataclass(frozen=True, slots=True)
class Flight:
    """A request in flight."""

    request: Request
    answer: str | None
    """The answer that the request will get; None if it is not known."""
    only_reads: bool
    """Whether it is known which answers fit, and that the request changes nothing with any of them."""

    def fits(self, said: str) -> bool:
        return self.answer is None or said == self.answer


class Frontier:
    """The ways to explain the entries of one part so far."""

    def __init__(
        self,
        model: Model,
        keeps_paths: bool = False,
        states: tuple[State, ...] | None = None,
        max_ways: int = MAX_WAYS,
    ) -> None:
        self.max_ways = max_ways
        self.outcomes = model.outcomes
        self.only_reads = model.only_reads
        self.flights: dict[int, Flight] = {}
        begins = (model.initial,) if states is None else states
        self.ways: dict[Way, Path] = {(state, NOTHING): None for state in begins}
        self.keeps_paths = keeps_paths
        self.visited = 0
        """The number of ways looked at so far, as a count of work."""

    def begin(self, number: int, request: Request, answer: str | None, is_free: bool = False) -> None:
        known = is_free or answer is not None
        self.flights[number] = Flight(request, answer, known and self.only_reads(request, answer))

    def forget(self, number: int) -> None:
        """Removes the ways in which a request has taken effect, because it did not happen."""
        del self.flights[number]
        self.ways = {way: path for way, path in self.ways.items() if all(n != number for n, _ in way[1])}

    def lose(self, number: int) -> None:
        """Records that the answer of a request will never be known."""
        self.begin(number, self.flights[number].request, None, is_free=True)

    def end(self, number: int, answer: str | None) -> bool:
        """Ends a request with an answer, None for any; whether a way is left. Raises `TooManyWays`."""
        request = self.flights.pop(number).request
        last = Flight(request, answer, self.only_reads(request, answer))
        found: dict[Way, Path] = {}
        stack: list[tuple[State, Done, Path]] = []
        for (state, done), path in self.ways.items():
            mark = next((each for each in done if each[0] == number), None) if done else None
            if mark is None:
                stack.append((state, done, path))
            elif last.fits(mark[1]):
                found.setdefault((state, done - {mark}), path)
        if self.flights:
            self._explore(stack, number, last, found)
        else:  # No other request can come first.
            self.visited += len(stack)
            for state, done, path in stack:
                for said, after in self.outcomes(state, last.request):
                    if last.fits(said):
                        found[after, done] = (number, path) if self.keeps_paths else None
        self.ways = found
        return bool(found)

    def _explore(
        self, stack: list[tuple[State, Done, Path]], number: int, last: Flight, found: dict[Way, Path]
    ) -> None:
        """Continues ways until a request has taken effect; others may come first."""
        outcomes, keeps = self.outcomes, self.keeps_paths
        seen: set[Way] = set()
        while stack:
            state, done, path = stack.pop()
            done, path = self._take_reads(state, done, path)
            if (state, done) in seen:
                continue
            seen.add((state, done))
            self.visited += 1
            if len(seen) > self.max_ways:
                raise TooManyWays
            here = [after for said, after in outcomes(state, last.request) if last.fits(said)]
            for after in here:
                found.setdefault((after, done), (number, path) if keeps else None)
            if here and last.only_reads:
                continue  # Other requests may as well take effect later.
            taken = {each for each, _ in done}
            for other, flight in self.flights.items():
                if other not in taken:
                    for said, after in outcomes(state, flight.request):
                        if flight.fits(said):
                            stack.append((after, done | {(other, said)}, (other, path) if keeps else None))

    def _take_reads(self, state: State, done: Done, path: Path) -> tuple[Done, Path]:
        """Lets requests that only read take effect where their answers fit."""
        taken = {each for each, _ in done}
        for number, flight in self.flights.items():
            if flight.only_reads and number not in taken:
                for said, _ in self.outcomes(state, flight.request):
                    if flight.fits(said):
                        done |= {(number, said)}
                        path = (number, path) if self.keeps_paths else None
                        break
        return done, path

    def possible_states(self, number: int) -> tuple[State, ...]:
        """The states in which a request in flight could take effect, for explanations."""
        seen: set[Way] = set()
        stack = list(self.ways)
        while stack and len(seen) < self.max_ways:
            state, done = stack.pop()
            if (state, done) in seen:
                continue
            seen.add((state, done))
            taken = {each for each, _ in done}
            for other, flight in self.flights.items():
                if other not in taken and other != number:
                    for said, after in self.outcomes(state, flight.request):
                        if flight.fits(said):
                            stack.append((after, done | {(other, said)}))
        return tuple(dict.fromkeys(state for state, _ in sorted(seen, key=repr)))
