"""Evidence of the kind `thread-modular`: what holds of main and any k other threads, whatever else is
there.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_predicates import Predicate
from seriatim.codec import Positive


@dataclass(frozen=True, slots=True)
class ThreadModularEvidence:
    """Safe: the predicates hold at the start and after every step, and exclude that a step fails."""

    kind: ClassVar[Literal["thread-modular"]] = "thread-modular"
    proves: ClassVar[Literal[True]] = True

    level: Positive
    """How many threads besides main predicates look at, at most."""
    flows: tuple[Flow, ...]
    """Sums that never change."""
    predicates: tuple[Predicate, ...]
    """Where no formula is given, main and the threads never are."""
