"""Evidence of the kind `petrified`: a bound on the threads of each template, and what holds within it."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_predicates import Predicate
from seriatim.codec import Positive


@dataclass(frozen=True, slots=True)
class PetrifiedEvidence:
    """Safe: there are never more threads of a template than the bound, and so many do not fail."""

    kind: ClassVar[Literal["petrified"]] = "petrified"
    proves: ClassVar[Literal[True]] = True

    bound: Positive
    bounded: tuple[Predicate, ...]
    """Predicates that exclude a fork when its template already has as many threads as the bound."""
    safe: tuple[Predicate, ...]
    """Predicates that exclude a failing step."""
