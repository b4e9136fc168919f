"""Gates from small runs: possible conjuncts that hold wherever an action can be delayed there.

Every valid gate holds in all configurations where the action comes next, and in those that other actions lead
to from there. So a conjunct that is false in one of them, at some size, belongs to no valid gate.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from seriatim.actions.configurations import Configuration, plus
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.order import Ordering
from seriatim.actions.syntax import ActionProgram, Gate, GateKind, Proof
from seriatim.actions.values import Instance
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.gates import NO_EARLIER
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.parts import EXCHANGE, conditions_about
from seriatim.sequencing.small import Small


def plain_gates(proof: Proof, runs: Iterable[Small] = ()) -> tuple[Gate, ...]:
    """The gates "nothing earlier is pending" and "the action can do a step", except those that small runs
    refute. They are enough for most programs."""
    kinds = (GateKind.EARLIEST, GateKind.ENABLED)
    candidates = {Gate(name, kind): None for name in proof.actions for kind in kinds}
    for small in runs:
        ordering = Ordering(proof, small.interpreter.meanings)
        for instance, where in _delayed_instances(small):
            if not _is_earliest(ordering, instance, where):
                candidates.pop(Gate(instance[0], GateKind.EARLIEST), None)
            if not _is_enabled(small.interpreter, instance, where):
                candidates.pop(Gate(instance[0], GateKind.ENABLED), None)
    return tuple(candidates)


def drop_unstable_gates(
    program: ActionProgram, proof: Proof, gates: tuple[Gate, ...], deadline: Deadline
) -> tuple[Gate, ...]:
    """Drops "nothing earlier is pending" for actions where other actions can make it false."""
    while True:
        whole = replace(proof, gates=gates, measure=proof.measure or ())
        kept = frozenset({Premise.KEEPS_GATE})
        conditions = conditions_about(Conditions(program, whole), kept, proof.actions)
        asked = [each for each in conditions if NO_EARLIER in each.label]
        lost = {
            each.condition.action
            for each in discharge_all(asked, SolverName.Z3, deadline)
            if each.status is not Status.PROVED
        }
        if not lost:
            return gates
        gates = tuple(each for each in gates if each.kind is not GateKind.EARLIEST or each.action not in lost)


def waiting_gates(proof: Proof, runs: Iterable[Small]) -> tuple[Gate, ...]:
    """Proposes gates by which an action comes only while certain others wait, as far as no small run refutes
    them."""
    candidates = {Gate(one, GateKind.WAITS, other) for one in proof.actions for other in proof.actions}
    for small in runs:
        for instance, where in _delayed_instances(small):
            for gate in [each for each in candidates if each.action == instance[0]]:
                if not _waits(small, instance, where, gate.other):
                    candidates.remove(gate)
    return tuple(sorted(candidates, key=lambda each: (each.action, each.other or "")))


def failing_pairs(
    program: ActionProgram, proof: Proof, deadline: Deadline, moved: frozenset[str] | None = None
) -> frozenset[tuple[str, str]]:
    """Pairs of actions whose exchange these gates do not make possible; only of some moved actions, if given.
    An exchange depends on the gate of the moved action alone."""
    actions = tuple(each for each in proof.actions if moved is None or each in moved)
    conditions = conditions_about(Conditions(program, proof), EXCHANGE, actions)
    return frozenset(
        (each.condition.action, each.condition.other)
        for each in discharge_all(conditions, SolverName.Z3, deadline)
        if each.status is not Status.PROVED and each.condition.other is not None
    )


def _delayed_instances(small: Small) -> Iterator[tuple[Instance, Configuration]]:
    for instance, configurations in small.report.delayed.items():
        for where in configurations:
            yield instance, where


def _is_earliest(ordering: Ordering, instance: Instance, where: Configuration) -> bool:
    """Whether nothing earlier is pending; keys never change, so any state of a run will do."""
    state, rest = where
    return ordering.least((instance, *rest), state) == instance


def _is_enabled(interpreter: Interpreter, instance: Instance, where: Configuration) -> bool:
    state, rest = where
    pending = Counter(plus(rest, (instance,)))
    return bool(interpreter.execute_abstractly(state, instance, pending).outcomes)


def _waits(small: Small, instance: Instance, where: Configuration, other: str | None) -> bool:
    state, rest = where
    others = [each for each in rest if each[0] == other and each != instance]
    return not any(small.interpreter.execute(state, each).outcomes for each in others)
