"""Evidence of the kind `sequentialization`: one order of actions covers all runs of a program."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.action_run import SizesAt


@dataclass(frozen=True, slots=True)
class OrderEvidence:
    """Executing actions in one order covers all runs, for all sizes or at some."""

    kind: ClassVar[Literal["sequentialization"]] = "sequentialization"
    proves: ClassVar[Literal[True]] = True

    proof: tuple[str, ...]
    """The block `sequential`, with everything that was found, line by line."""
    terminating: bool
    """Whether failing runs are left out of the claim."""
    all_sizes: bool
    sizes: tuple[SizesAt, ...]
    """The sizes at which it holds; in a claim for all sizes, those where every ordered action is executed."""
