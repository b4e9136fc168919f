"""Gates from small runs: conjuncts of the menu that hold wherever an action can be delayed there.

Every valid gate holds on all configurations where the action comes next and on those that others lead to
from there. So a conjunct that is false on one of them, at some size, belongs to no valid gate.
"""

from collections.abc import Iterable, Iterator

from seriatim.actions.configurations import Configuration
from seriatim.actions.syntax import ActionProgram, Gate, GateKind, Proof
from seriatim.actions.values import Instance
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.premises import EXCHANGE
from seriatim.sequencing.small import Small


def plain_gates(proof: Proof) -> tuple[Gate, ...]:
    """Nothing earlier is pending, and the action can do a step: enough for most programs."""
    return tuple(Gate(name, kind) for name in proof.actions for kind in (GateKind.EARLIEST, GateKind.ENABLED))


def waiting_gates(proof: Proof, runs: Iterable[Small]) -> tuple[Gate, ...]:
    """All conjuncts "the others wait" that small runs do not refute."""
    candidates = {Gate(one, GateKind.WAITS, other) for one in proof.actions for other in proof.actions}
    for small in runs:
        for instance, where in _delayed(small):
            for gate in [each for each in candidates if each.action == instance[0]]:
                if not _waits(small, instance, where, gate.other):
                    candidates.remove(gate)
    return tuple(sorted(candidates, key=lambda each: (each.action, each.other or "")))


def failing_pairs(program: ActionProgram, proof: Proof, deadline: Deadline) -> frozenset[tuple[str, str]]:
    """Pairs of actions whose exchange these gates do not make possible."""
    conditions = Conditions(program, proof).about(EXCHANGE, proof.actions)
    return frozenset(
        (each.condition.action, each.condition.other)
        for each in discharge_all(conditions, SolverName.Z3, deadline)
        if each.status is not Status.PROVED and each.condition.other is not None
    )


def _delayed(small: Small) -> Iterator[tuple[Instance, Configuration]]:
    for instance, configurations in small.report.delayed.items():
        for where in configurations:
            yield instance, where


def _waits(small: Small, instance: Instance, where: Configuration, other: str | None) -> bool:
    state, rest = where
    others = [each for each in rest if each[0] == other and each != instance]
    return not any(small.interpreter.execute(state, each).outcomes for each in others)
