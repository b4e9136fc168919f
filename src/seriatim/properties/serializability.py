"""Serializability as a problem for engines: a system, and the automaton whose outcomes are allowed.

Serializable means Int ⊆ Ser: every multiset of completions of a complete interleaved run is one of a serial run.
"""

from dataclasses import dataclass

from seriatim.network.multiset import Multisets
from seriatim.network.serial import SerialAutomaton
from seriatim.network.unfolding import INITIAL_GLOBAL, Unfolding


@dataclass(frozen=True, slots=True)
class Problem:
    """Is every outcome of the system an outcome of the specification?"""

    system: Unfolding
    specification: SerialAutomaton


class SerialOutcomes:
    """Membership in Ser, by dynamic programming over sub-multisets of completions.

    States(Z) is the set of global states in which a serial run with the completions Z can end: the union over c in Z of the
    c-successors of States(Z − c). Z is in Ser iff States(Z) is not empty.
    """

    def __init__(self, specification: SerialAutomaton, multisets: Multisets) -> None:
        self.specification = specification
        self.multisets = multisets
        self._states: dict[int, frozenset[int]] = {0: frozenset((INITIAL_GLOBAL,))}

    def states(self, outcome: int) -> frozenset[int]:
        """Raises `LimitReached` if the serial runs below the outcome can't be explored exhaustively."""
        pending = [outcome]
        while pending:
            current = pending[-1]
            if current in self._states:
                pending.pop()
                continue
            smaller = [(c, self.multisets.remove(current, c)) for c in self.multisets.distinct(current)]
            missing = [rest for _, rest in smaller if rest not in self._states]
            if missing:
                pending.extend(missing)
                continue
            ends: set[int] = set()
            for completion, rest in smaller:
                for global_ in self._states[rest]:
                    ends.update(self.specification.after(global_).get(completion, ()))
            self._states[current] = frozenset(ends)
        return self._states[outcome]

    def allows(self, outcome: int) -> bool:
        return bool(self.states(outcome))
