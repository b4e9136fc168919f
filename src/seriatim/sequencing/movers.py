"""Movers: which action can be moved before which other one, in any proof.

A moves before x if, wherever both are pending and neither fails: A can fail after x only if it can before
(LM1); A repairs no failure of x (LM2); and A can do before x whatever it does after x, with the same end
and the same created instances (LM3). If A moves before x and x before A, both commute. An action that moves
before all others is a left mover; one before which all others move is a right mover.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from seriatim.actions.configurations import Configuration, Reached, TooLarge
from seriatim.actions.interpreter import Execution, Interpreter
from seriatim.actions.syntax import ActionProgram, Order, Proof
from seriatim.actions.values import GlobalState, Instance
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import reachable_actions
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.finite import Finding
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.parts import EXCHANGE, conditions_about
from seriatim.sequencing.small import small_sizes
from seriatim.source import InputError

MAX_CONFIGURATIONS = 20_000


class Movement(StrEnum):
    ALWAYS = "always"
    """A solver proves that the move works in all states, for all sizes."""
    IN_RUNS = "in runs"
    """The move works in all runs at a small size; a state that no run reaches may be an exception."""
    NO = "no"
    """A run at a small size refutes the move."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Pair:
    """Whether an action moves before another one."""

    action: str
    other: str
    movement: Movement
    finding: Finding | None = None
    """The refutation, if the action does not move."""


@dataclass(frozen=True, slots=True)
class Movers:
    actions: tuple[str, ...]
    pairs: tuple[Pair, ...]
    interpreter: Interpreter | None

    def pair(self, action: str, other: str) -> Pair:
        return next(each for each in self.pairs if (each.action, each.other) == (action, other))

    def moves(self, action: str, other: str) -> bool:
        return self.pair(action, other).movement in (Movement.ALWAYS, Movement.IN_RUNS)

    def is_left(self, action: str) -> bool:
        return all(self.moves(action, other) for other in self.actions)

    def is_right(self, action: str) -> bool:
        return all(self.moves(other, action) for other in self.actions)


def find_movers(program: ActionProgram, deadline: Deadline) -> Movers:
    """Finds the movers among all actions that `main` can start, directly or not."""
    actions = reachable_actions(program)
    if not actions:
        return Movers((), (), None)
    always = prove_moves(program, actions, deadline)
    interpreter, failures = refute_moves(program, deadline)
    pairs: list[Pair] = []
    for action in actions:
        for other in actions:
            finding = failures.get((action, other))
            if finding is not None:
                pairs.append(Pair(action, other, Movement.NO, finding))
            elif (action, other) in always:
                pairs.append(Pair(action, other, Movement.ALWAYS))
            else:
                unsure = Movement.UNKNOWN if interpreter is None else Movement.IN_RUNS
                pairs.append(Pair(action, other, unsure))
    return Movers(actions, tuple(pairs), interpreter)


def prove_moves(
    program: ActionProgram, actions: tuple[str, ...], deadline: Deadline
) -> frozenset[tuple[str, str]]:
    """The pairs that a solver proves; none if the program has no form for all sizes."""
    given = program.proof
    proof = Proof(actions, Order(actions), always=() if given is None else given.always, gates=(), measure=())
    plain = replace(program, proof=proof)
    try:
        conditions = Conditions(plain, proof)
        kept = (
            ()
            if not proof.always
            else discharge_all(
                conditions_about(conditions, frozenset({Premise.ALWAYS}), actions), SolverName.Z3, deadline
            )
        )
        if any(each.status is not Status.PROVED for each in kept):  # then nothing may be assumed
            proof = replace(proof, always=())
            conditions = Conditions(replace(program, proof=proof), proof)
        exchanges = conditions_about(conditions, EXCHANGE, actions)
    except InputError:
        return frozenset()
    failed = {
        (each.condition.action, each.condition.other)
        for each in discharge_all(exchanges, SolverName.Z3, deadline)
        if each.status is not Status.PROVED
    }
    return frozenset((a, x) for a in actions for x in actions if (a, x) not in failed)


def refute_moves(
    program: ActionProgram, deadline: Deadline
) -> tuple[Interpreter | None, dict[tuple[str, str], Finding]]:
    """The pairs that runs at a small size refute, with the interpreter; None if there are too many runs."""
    for value in (2, 1):
        interpreter = Interpreter(program, small_sizes(program, value))
        try:
            reached = Reached(interpreter, MAX_CONFIGURATIONS, deadline)
        except TooLarge:
            continue
        found: dict[tuple[str, str], Finding] = {}
        for configuration in sorted(reached.configurations, key=lambda each: (len(repr(each)), repr(each))):
            deadline.check()
            for finding in _find_failures(interpreter, configuration):
                assert finding.other is not None
                found.setdefault((finding.action[0], finding.other[0]), finding)
        return interpreter, found
    return None, {}


def _find_failures(interpreter: Interpreter, where: Configuration) -> Iterator[Finding]:
    """Finds the exchanges that do not work in a configuration."""
    state, pending = where
    for action in dict.fromkeys(pending):
        for other in dict.fromkeys(pending):
            if action == other:
                continue
            finding = _find_failure(interpreter, action, other, where, state)
            if finding is not None:
                yield finding


def _find_failure(
    interpreter: Interpreter, action: Instance, other: Instance, where: Configuration, state: GlobalState
) -> Finding | None:
    mine, theirs = interpreter.execute(state, action), interpreter.execute(state, other)
    if mine.fails:
        return None
    if theirs.fails:
        for outcome in mine.outcomes:
            if not interpreter.execute(outcome.state, other).fails:
                return Finding(Premise.NO_REPAIR, action, other, where, through=outcome.state)
        return None
    for outcome in theirs.outcomes:
        late = interpreter.execute(outcome.state, action)
        if late.failure is not None:
            line = late.failure.span.line
            return Finding(Premise.KEEPS_GATE, action, other, where, through=outcome.state, line=line)
        for end in late.outcomes:
            if not _can_swap(interpreter, mine, other, (outcome.created, end.created), end.state):
                return Finding(Premise.COMMUTES, action, other, where, through=outcome.state, after=end.state)
    return None


def _can_swap(
    interpreter: Interpreter,
    mine: Execution,
    other: Instance,
    created: tuple[tuple[Instance, ...], tuple[Instance, ...]],
    end: GlobalState,
) -> bool:
    theirs, own = created
    return any(
        early.created == own
        and any(
            each.state == end and each.created == theirs
            for each in interpreter.execute(early.state, other).outcomes
        )
        for early in mine.outcomes
    )
