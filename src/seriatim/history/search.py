"""Decides whether the requests of one part have an order: just in time, depth first, with a memory.

At each end of a request, in the order of time, requests in flight take effect until that one has. A
*configuration* is the next end, the state, which of the requests in flight have taken effect (as bits; a slot
is used again when its request has ended), and how many of the requests that never end.

Claim. The search finds an order iff there is one.

Why. An effect can be put off until an end needs it (Lowe, *Testing for linearizability*). These shortcuts
keep that true:

- A request that only reads takes effect as soon as its answer fits: others do not notice (`frontier`).
- Requests that never end, with the same request and answer, are one *class*: the one that began first may as
  well take effect first, so a number says which have. A search that used fewer of each class can do whatever
  the other one can, so a configuration that uses more is *dominated* by it, and dropped.
- A request that never ends and leaves the state as it is need not take effect.
- A model may know that a state is *hopeless*: that no order leads from it to the answer of a certain request,
  whatever comes between. Only requests that have not taken effect may say so: one that has was satisfied by
  an earlier state.

The search takes a number of configurations, and can be continued with more; a log with many parts gives each
of them a little, then more, so that no part uses up the time of another (`timed`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.history.log import Time
from seriatim.history.model import Model, Request, State

CHECK_EVERY = 1_024

Path = tuple[int, "Path"] | None
"""The entries that have taken effect, as a linked list, the last one first."""


@dataclass(frozen=True, slots=True)
class Op:
    """An entry in the words of a model. Without an answer, it may have had any; without an end, it may not
    have happened."""

    number: int
    """The place of the entry among all entries."""
    request: Request
    answer: str | None
    start: Time
    end: Time | None


@dataclass(frozen=True, slots=True)
class End:
    """What is known when a request ends."""

    slot: int
    """The slot of the request that ends."""
    number: int
    changing: tuple[tuple[int, int], ...]
    """The requests in flight, as slots and places among the operations; those that end first come first."""
    reading: tuple[tuple[int, int], ...]
    """The requests in flight that only read."""
    begun: tuple[int, ...]
    """How many requests of each class have begun."""


_Frame = tuple[int, State, int, tuple[int, ...], Path]
"""The next end, a state, the slots that have taken effect, how many of each class have, and the path."""


class Search:
    """The search for an order of the operations of one part, from one of some states."""

    def __init__(self, model: Model, ops: Sequence[Op], states: Sequence[State] | None = None) -> None:
        self.outcomes = model.outcomes
        self.ops = sorted(ops, key=lambda op: op.start)
        self.classes: list[list[int]] = []
        """The operations that never end, as places, by class, in the order of their starts."""
        self.ends = self._plan(model)
        self.visited = 0
        """The number of configurations so far, as a count of work."""
        self.furthest = 0
        """The last end that was reached: no order passes it if none is found."""
        self.order: tuple[int, ...] | None = None if self.ends else ()
        self._hopeless = model.hopeless
        self._hopes = self._find_hopes(model)
        self._seen: list[dict[tuple[State, int], list[tuple[int, ...]]]] = [{} for _ in self.ends]
        none = (0,) * len(self.classes)
        begins = (model.initial,) if states is None else states
        self._stack: list[_Frame] = [(0, state, 0, none, None) for state in begins] if self.ends else []

    def _plan(self, model: Model) -> list[End]:
        events = sorted(
            [(op.start, 0, place) for place, op in enumerate(self.ops)]
            + [(op.end, 1, place) for place, op in enumerate(self.ops) if op.end is not None]
        )
        reads = [model.only_reads(op.request, op.answer) for op in self.ops]
        class_of: dict[tuple[Request, str | None], int] = {}
        begun: list[int] = []
        slots: dict[int, int] = {}
        free: list[int] = []
        ends: list[End] = []
        for _, is_end, place in events:
            op = self.ops[place]
            if is_end:
                flight = [(slot, each) for each, slot in slots.items()]
                changing = [pair for pair in flight if not reads[pair[1]]]
                changing.sort(key=lambda pair: self.ops[pair[1]].end or 0)
                reading = tuple(pair for pair in flight if reads[pair[1]])
                ends.append(End(slots[place], op.number, tuple(changing), reading, tuple(begun)))
                free.append(slots.pop(place))
            elif op.end is not None:
                slots[place] = free.pop() if free else len(slots)
            elif not reads[place]:
                kind = class_of.setdefault((op.request, op.answer), len(class_of))
                if kind == len(begun):
                    begun.append(0)
                    self.classes.append([])
                begun[kind] += 1
                self.classes[kind].append(place)
        width = len(begun)
        return [
            End(e.slot, e.number, e.changing, e.reading, e.begun + (0,) * (width - len(e.begun)))
            for e in ends
        ]

    def _find_hopes(self, model: Model) -> list[tuple[int, str] | None]:
        """For each end, a slot and the answer of the first request to end that has to get it, if no request
        that may come before it can bring the state back: see `Model.hopeless`."""
        hopes: list[tuple[int, str] | None] = [None] * len(self.ends)
        ahead: tuple[int, str] | None = None
        place_of = {op.number: place for place, op in enumerate(self.ops)}
        for at in range(len(self.ends) - 1, -1, -1):
            end = self.ends[at]
            op = self.ops[place_of[end.number]]
            lost = (self.classes[kind][0] for kind, count in enumerate(end.begun) if count)
            others = [*(place for _, place in end.changing), *lost]
            if not all(model.only_grows(self.ops[place].request) for place in others):
                ahead = None
            elif op.answer is not None and model.only_reads(op.request, op.answer):
                ahead = end.slot, op.answer
            hopes[at] = ahead
        return hopes

    @property
    def is_over(self) -> bool:
        return self.order is not None or not self._stack

    def advance(self, configurations: int, deadline: Deadline) -> None:
        """Visits so many configurations more, unless the search is over before; raises `OutOfBudget`."""
        until = self.visited + configurations
        while self._stack and self.visited < until:
            frame = self._settle(*self._stack.pop())
            if frame is None:
                return
            level, state, bits, used, _ = frame
            self.furthest = max(self.furthest, level)
            if self._is_hopeless(level, state, bits) or self._is_known(level, state, bits, used):
                continue
            self.visited += 1
            if self.visited % CHECK_EVERY == 0:
                deadline.check()
            self._take_lost(frame)
            self._take_changing(frame)

    def _take_lost(self, frame: _Frame) -> None:
        """Lets a request of each class of those that never end take effect, if it changes the state."""
        level, state, bits, used, path = frame
        for kind, count in enumerate(self.ends[level].begun):
            if used[kind] < count:
                op = self.ops[self.classes[kind][used[kind]]]
                more = (*used[:kind], used[kind] + 1, *used[kind + 1 :])
                for said, after in self.outcomes(state, op.request):
                    if after != state and op.answer in (None, said):
                        self._stack.append((level, after, bits, more, (op.number, path)))

    def _take_changing(self, frame: _Frame) -> None:
        """Lets a request in flight take effect; those that end first are tried first."""
        level, state, bits, used, path = frame
        for slot, place in reversed(self.ends[level].changing):
            if not bits >> slot & 1:
                op = self.ops[place]
                for said, after in self.outcomes(state, op.request):
                    if op.answer is None or said == op.answer:
                        self._stack.append((level, after, bits | 1 << slot, used, (op.number, path)))

    def _settle(
        self, level: int, state: State, bits: int, used: tuple[int, ...], path: Path
    ) -> _Frame | None:
        """Lets reads take effect where their answers fit, and passes ends of requests that have taken effect;
        None if an order is found."""
        while True:
            end = self.ends[level]
            for slot, place in end.reading:
                if not bits >> slot & 1:
                    op = self.ops[place]
                    for said, _ in self.outcomes(state, op.request):
                        if op.answer is None or said == op.answer:
                            bits |= 1 << slot
                            path = op.number, path
                            break
            if not bits >> end.slot & 1:
                return level, state, bits, used, path
            bits &= ~(1 << end.slot)
            level += 1
            if level == len(self.ends):
                self.order = list_path(path)
                return None

    def _is_hopeless(self, level: int, state: State, bits: int) -> bool:
        hope = self._hopes[level]
        return hope is not None and not bits >> hope[0] & 1 and self._hopeless(state, hope[1])

    def _is_known(self, level: int, state: State, bits: int, used: tuple[int, ...]) -> bool:
        """Whether a configuration that dominates this one was visited; if not, this one is remembered."""
        seen = self._seen[level]
        olds = seen.get((state, bits))
        if olds is None:
            seen[state, bits] = [used]
            return False
        if any(all(map(int.__le__, old, used)) for old in olds):
            return True
        olds[:] = [old for old in olds if not all(map(int.__le__, used, old))]
        olds.append(used)
        return False


def list_path(path: Path) -> tuple[int, ...]:
    found: list[int] = []
    while path is not None:
        number, path = path
        found.append(number)
    return tuple(reversed(found))
