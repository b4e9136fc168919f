"""Which serial orders explain what requests have answered so far, while others are still in flight.

Take a run that need not be complete: some requests have answered, the multiset C of completions; some are in
flight, the multiset P of handlers. A serial run *explains* it if its completions are C and one answer each of
some requests in P: these have taken effect, the others have not. Where nobody is in flight, a serial run that
explains it is one with the same outcome, so the run is serializable if and only if something explains it.

Claim: if no serial run has the completions C, one answer each of some requests in P, and *any other requests
beside them*, then no complete run that begins with this one is serializable. For such a run has the outcome
C, one answer of each request in P, and answers of requests that begin later; a serial run with that outcome
would be one of those. The converse need not hold: the serial run may need what the run as it is does not
allow.

Both questions are reachability in the serial automaton, with what is left of C and P beside its state.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.explain.explored import Explicability
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding

MAX_NODES = 10_000
"""How many combinations of a serial state and what is left are explored."""

MAX_NODES_WITH_OTHERS = 2_000
"""The same if other requests may help; without a bound on values, there can be infinitely many."""

MAX_SERIAL_STATES = 10_000

Multiset = tuple[tuple[int, int], ...]
"""Members with how often they occur, sorted."""


@dataclass(frozen=True, slots=True)
class Explaining:
    """A global state in which a serial run ends that explains a run, and one such serial run."""

    state: int
    order: tuple[int, ...]
    """Completions, in the order of the serial run."""


@dataclass(frozen=True, slots=True)
class Found:
    """Serial runs that explain a run so far."""

    kind: Explicability
    explaining: tuple[Explaining, ...] = ()


@dataclass(frozen=True, slots=True)
class _Node:
    state: int
    done: Multiset
    """Completions that are not in the order yet."""
    pending: Multiset
    """Requests in flight, by handler, that are not in the order yet."""


class Explainer:
    """Serial runs of one system; remembers its serial automaton."""

    def __init__(self, unfolding: Unfolding, deadline: Deadline) -> None:
        self.unfolding = unfolding
        self.serial = SerialAutomaton(unfolding, MAX_SERIAL_STATES, deadline)
        self.deadline = deadline

    def explain(self, done: Multiset, pending: Multiset) -> Found:
        """Serial runs that explain completions, while requests of these handlers are in flight."""
        try:
            found = tuple(self._ends(done, pending))
        except LimitReached:
            return Found(Explicability.UNKNOWN)
        if found:
            return Found(Explicability.EXPLAINED, found)
        with_others = self._walk(_Node(INITIAL_GLOBAL, done, pending), MAX_NODES_WITH_OTHERS, True)
        try:
            helps = any(not node.done for node, _ in with_others)
        except LimitReached:
            return Found(Explicability.UNEXPLAINED)
        return Found(Explicability.BY_OTHERS if helps else Explicability.NEVER)

    def _ends(self, done: Multiset, pending: Multiset) -> Iterator[Explaining]:
        """The final states of explaining runs, each with a shortest order."""
        seen: set[int] = set()
        for node, order in self._walk(_Node(INITIAL_GLOBAL, done, pending), MAX_NODES, False):
            if not node.done and node.state not in seen:
                seen.add(node.state)
                yield Explaining(node.state, order)

    def _walk(
        self, start: _Node, max_nodes: int, with_others: bool
    ) -> Iterator[tuple[_Node, tuple[int, ...]]]:
        """Everything that serial runs reach, shortest first, each with an order."""
        seen = {start}
        level: list[tuple[_Node, tuple[int, ...]]] = [(start, ())]
        while level:
            yield from level
            following: list[tuple[_Node, tuple[int, ...]]] = []
            for node, order in level:
                self.deadline.check()
                for completion, after in self._steps(node, with_others):
                    if after not in seen:
                        seen.add(after)
                        following.append((after, (*order, completion)))
                if len(seen) > max_nodes:
                    raise LimitReached("--max-states", max_nodes)
            level = following

    def _steps(self, node: _Node, with_others: bool) -> Iterator[tuple[int, _Node]]:
        for completion, states in self.serial.after(node.state).items():
            done = _without(node.done, completion)
            handler, _ = self.unfolding.completions[completion]
            pending = _without(node.pending, handler)
            for state in states:
                if done is not None:
                    yield completion, _Node(state, done, node.pending)
                if pending is not None:
                    yield completion, _Node(state, node.done, pending)
                if with_others:
                    yield completion, _Node(state, node.done, node.pending)


def _without(items: Multiset, item: int) -> Multiset | None:
    """A multiset without one copy of an item; None if the item is not in it."""
    counts = dict(items)
    if item not in counts:
        return None
    counts[item] -= 1
    return tuple(sorted((member, count) for member, count in counts.items() if count))
