"""The unfolding of a network system that is given in full."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from seriatim.program.network_system import NetworkSystem
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Fault
from seriatim.systems.unfolding import Move

if TYPE_CHECKING:
    from seriatim.systems.run import Run


class SystemUnfolding:
    """A network system, seen through its macro steps; globals are renumbered so that the initial one is 0.

    A request that arrives at a local state with a response may answer at once; whether it answers at once
    or later makes no difference to anyone, so later is left out. A fresh request whose local state has a
    response may answer at once.
    """

    def __init__(self, system: NetworkSystem, dead_ends: bool = False) -> None:
        self.system = system
        self.dead_ends = dead_ends
        """Whether to keep moves to dead ends, which no complete run has."""
        self.requests = system.requests
        self.global_names: tuple[str, ...] = ()
        """Global states have no structure."""
        self.faults: Mapping[tuple[int, int], Fault] = {}
        """No step fails."""
        self.global_order = [system.initial, *(g for g in range(len(system.globals)) if g != system.initial)]
        self._global = {old: new for new, old in enumerate(self.global_order)}
        self.global_values: list[tuple[int, ...]] = [()] * len(self.global_order)
        self.completions: list[tuple[int, str]] = []
        self.local_states: list[tuple[int, int]] = []
        """(request, local state of the system)."""
        self._completions: dict[tuple[int, int], int] = {}
        self._locals: dict[tuple[int, int], int] = {}
        self._responses: dict[int, list[int]] = {}
        for local, response in system.resp:
            self._responses.setdefault(local, []).append(response)
        self._delta: dict[int, dict[int, list[Move]]] = {}
        for local, global_, target, after in system.delta:
            steps = self._delta.setdefault(local, {})
            steps.setdefault(self._global[global_], []).append((target, self._global[after]))
        self.starts = tuple(dict.fromkeys(self._local(request, local) for request, local in system.req))
        self.known_moves: dict[tuple[int, int], tuple[Move, ...]] = {}

    @property
    def content(self) -> NetworkSystem:
        """The network system."""
        return self.system

    @property
    def origin(self) -> "SystemUnfolding":
        """Itself: it is not derived from another."""
        return self

    @property
    def observer(self) -> None:
        """None: there is no observer of final values."""

    def way_back(self, run: "Run") -> "tuple[Run, tuple[int, ...]]":
        """The same run: this is the input."""
        return run, ()

    def stores(self) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
        """It has no variables."""
        return iter(())

    def request_of(self, local: int) -> int:
        return self.local_states[local][0]

    def can_answer(self, local: int) -> bool:
        """Whether a request may answer where it is, without a further step."""
        return self.local_states[local][1] in self._responses

    def global_state(self, global_: int) -> GlobalState:
        """A global state by its name."""
        return self.system.globals[self.global_order[global_]]

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        key = (local, global_)
        known = self.known_moves.get(key)
        if known is None:
            known = self.known_moves[key] = self._moves(local, global_)
        return known

    def _moves(self, local: int, global_: int) -> tuple[Move, ...]:
        request, state = self.local_states[local]
        found: dict[Move, None] = {}
        if local in self.starts:
            for response in self._responses.get(state, ()):
                found[~self._completion(request, response), global_] = None
        for target, after in self._delta.get(state, {}).get(global_, ()):
            for response in self._responses.get(target, ()):
                found[~self._completion(request, response), after] = None
            if target in self._delta or (self.dead_ends and target not in self._responses):
                found[self._local(request, target), after] = None
        found.pop((local, global_), None)
        return tuple(found)

    def _local(self, request: int, state: int) -> int:
        index = self._locals.get((request, state))
        if index is None:
            index = self._locals[request, state] = len(self.local_states)
            self.local_states.append((request, state))
        return index

    def _completion(self, request: int, response: int) -> int:
        index = self._completions.get((request, response))
        if index is None:
            index = self._completions[request, response] = len(self.completions)
            self.completions.append((request, self.system.responses[response]))
        return index
