"""All reductions in turn, until none changes anything: what every engine gains from.

If in the end every request is a single step, the system is serializable (`MacroSystem.is_atomic`). In any
case the smaller system has the same answer: its counterexamples expand into runs of the given one, and a
proof for it is a proof for the given one. Only complete runs are kept; nothing else may be asked of it.

This ends, because each step leaves fewer locals; or as many, and fewer that moves lead to; or as many of
both, and fewer moves.
"""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.reductions.bisimulation import Quotient, quotient
from seriatim.reductions.collapse import Collapse, collapse
from seriatim.reductions.fusion import Fusion, fuse
from seriatim.reductions.pruning import Pruning, prune
from seriatim.reductions.wait_states import WaitStates, drop_wait_states
from seriatim.systems.run import Run
from seriatim.systems.slicing import MacroSystem

MAX_CHECKS = 3_000_000
"""How much all fusions together may look at."""

Reduction = Pruning | Collapse | Quotient | WaitStates | Fusion


@dataclass(frozen=True, slots=True)
class ReducedSystem:
    """A system, the steps that made it smaller, and the way back."""

    given: MacroSystem
    steps: tuple[Reduction, ...]
    """Each one begins with the system in which the one before ends."""

    @property
    def system(self) -> MacroSystem:
        """What is left. Its numbers mean what they mean in the origin of the given system."""
        return self.steps[-1].after if self.steps else self.given

    def expand(self, run: Run) -> Run:
        """A complete run of `system` as one of the given system, and so of its origin: same outcome."""
        for step in reversed(self.steps):
            run = step.expand(run)
        return run


def prepass(system: MacroSystem, deadline: Deadline, max_checks: int = MAX_CHECKS) -> ReducedSystem:
    """Prunes, collapses, merges, drops wait states and fuses, until nothing changes.

    If `max_checks` are used up, the result is what was reached by then. Raises `OutOfBudget`.
    """
    steps: list[Reduction] = []

    def apply(step: Reduction) -> None:
        deadline.check()
        if step.after is not step.before:
            steps.append(step)

    def now() -> MacroSystem:
        return steps[-1].after if steps else system

    checks = 0
    fused: MacroSystem | None = None
    apply(prune(now()))
    while True:
        apply(collapse(now()))
        apply(quotient(now(), deadline))
        apply(drop_wait_states(now(), deadline))
        apply(prune(now()))
        if now() is fused or checks >= max_checks:
            return ReducedSystem(system, tuple(steps))
        fusion = fuse(now(), max_checks - checks, deadline)
        checks += fusion.checks
        apply(fusion)
        apply(prune(now()))
        fused = now()
