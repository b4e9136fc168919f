"""Flights: requests with their local states, what they can do, and what λ and serial runs make of that.

A *flight* is a request with its local state. λ commits some flights to responses. A step *commits* to a
response r if it leads from an uncommitted flight to one that λ commits to r, or to an answer r.
"""

from typing import Generic

from seriatim.certificate.commit import CommittedState
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, SerialRuns
from seriatim.checking.numbering import Numbering
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.reference import Reference, State
from seriatim.program.state import GlobalState

EMPTY_ORDER = "in every reachable situation, the commits so far are in an order that is allowed"
STAYS = "no request is committed from the start, and a committed request is answered accordingly"


Names = tuple[str, ...]
Values = frozenset[tuple[str, int]]


class Flights(Generic[State]):
    """The flights and global states found so far, by number; their steps, and what λ and the serial runs
    make of these."""

    def __init__(
        self,
        reference: Reference[State],
        allowance: Allowance,
        committed: tuple[CommittedState, ...] = (),
        allowed: Allowed | None = None,
    ) -> None:
        """λ commits the requests that `committed` describes. Serial runs are allowed, unless something else
        is given."""
        self.reference = reference
        self.allowed = SerialRuns(reference, allowance) if allowed is None else allowed
        self.allowance = allowance
        self.known: Numbering[tuple[str, State]] = Numbering()
        self.committed: list[str | None] = []
        """λ: the response to which each flight is committed, if any."""
        self.globals: Numbering[GlobalState] = Numbering()
        self.initial = self.globals.number(reference.initial)
        self.states: Numbering[GlobalState] = Numbering()
        """The states of the specification."""
        self.start = self.states.number(self.allowed.initial)
        self._entries: dict[tuple[str, str], dict[Names, dict[Values, tuple[int, str]]]] = {}
        """By handler and code, then by the variables that an entry describes, then by their values: the
        number of the entry, and its response."""
        for number, entry in enumerate(committed):
            names = tuple(sorted({name for name, _ in entry.values}))
            group = self._entries.setdefault((entry.handler, entry.code), {}).setdefault(names, {})
            group.setdefault(frozenset(entry.values), (number, entry.response))
        self._steps: dict[tuple[int, int], list[tuple[int | str, int]]] = {}
        self._next: dict[tuple[str, int], list[tuple[str, int]]] = {}
        self.fresh = {
            self.number(request, state)
            for request in reference.requests
            for state in reference.fresh(request)
        }

    def number(self, request: str, state: State) -> int:
        number = self.known.number((request, state))
        if number == len(self.committed):
            self.committed.append(self._committed(request, state))
        return number

    def _committed(self, request: str, state: State) -> str | None:
        """λ: the response of the first entry that describes this flight."""
        if not self._entries:
            return None
        code, values = self.reference.description(state)
        known = dict(values)
        found: list[tuple[int, str]] = []
        for names, group in self._entries.get((request, code), {}).items():
            entry = group.get(frozenset([(name, known[name]) for name in names if name in known]))
            if entry is not None:
                found.append(entry)
        return min(found)[1] if found else None

    def steps(self, flight: int, global_: int) -> list[tuple[int | str, int]]:
        """(the next flight or the answer, the next global state). Answers come on arrival: later is the
        same."""
        key = (flight, global_)
        found = self._steps.get(key)
        if found is None:
            self.allowance.spend()
            request, state = self.known[flight]
            here = self.globals[global_]
            found = self._steps[key] = []
            if flight in self.fresh:
                found.extend((answer, global_) for answer in sorted(self.reference.answers(state)))
            for target, reached in self.reference.steps(state, here):
                after = global_ if reached is here else self.globals.number(reached)
                answers = self.reference.answers(target)
                if answers:
                    found.extend([(answer, after) for answer in sorted(answers)])
                if not answers or not self.reference.is_final(target):
                    found.append((self.number(request, target), after))
        return found

    def commit(self, flight: int, target: int | str) -> str | None:
        """The response to which a step commits, if any. Raises `DoesNotFollow` if it breaks a commitment."""
        before = self.committed[flight]
        after = target if isinstance(target, str) else self.committed[target]
        if before is None:
            return after
        if flight in self.fresh or after != before:
            reason = f"`{self.known[flight][0]}` commits to {before}, but need not be answered so"
            raise DoesNotFollow(reason, STAYS)
        return None

    def serial_after(self, serial: frozenset[int], request: str, response: str) -> frozenset[int]:
        """D after a commit; raises `DoesNotFollow` if it is empty."""
        ends: set[int] = set()
        for state in serial:
            following = self._next.get((request, state))
            if following is None:
                found = self.allowed.after(self.states[state], request)
                following = [(answer, self.states.number(after)) for answer, after in found]
                self._next[request, state] = following
            ends.update([after for answer, after in following if answer == response])
        if not ends:
            reason = f"`{request}` may commit to {response} where no order allows it"
            raise DoesNotFollow(reason, EMPTY_ORDER)
        return frozenset(ends)
