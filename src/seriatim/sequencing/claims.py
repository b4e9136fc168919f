"""Do runs get stuck, and do all of them end? Exactly at given sizes; for all sizes where a reason is known.

**Every run ends** for all sizes if no action starts itself, directly or through others: an execution starts
finitely many instances, each of a later action, so all instances of a run form a tree of finite depth with
finite branching, which is finite.

**No run gets stuck** for all sizes if one order covers all runs, failures included, without abstractions, and
`main` can do a step in every initial state. Take a run that ends with something pending. Move its steps into
the order, as the theorem does, until the next instance of the order is not executed in the run. It is
pending at the end. Its gate holds where it comes next, and other steps keep it (LM1), so it holds at the end;
there the instance can do a step (LM4), and so the run was not stuck. If there is no next instance, nothing is
pending. An abstraction may do steps that its action cannot do, so LM4 says nothing about the action then.
"""

from dataclasses import dataclass

from seriatim.actions.configurations import TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import MAIN, ActionProgram, Async
from seriatim.actions.values import Sizes
from seriatim.actions.walk import statements
from seriatim.budget import OutOfTime
from seriatim.checking.allowance import GaveUp
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge
from seriatim.sequencing.decide import Decision
from seriatim.sequencing.endings import Ending, Endings, find_endings
from seriatim.sequencing.outcome import Proved
from seriatim.sequencing.small import MAX_INITIAL, MAX_SMALL, initial_count, small_sizes

MOST = 1_000_000
"""The most configurations at sizes that the user gives."""

SMALL = (1, 2, 3)
"""Sizes at which a run is looked for that ends otherwise, before anything is proved."""


@dataclass(frozen=True, slots=True)
class Holds:
    """All runs end as claimed; `sizes` is empty if that is so for all sizes, which `reason` explains."""

    sizes: tuple[Sizes, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Violated:
    """A run that does not end as claimed."""

    endings: Endings


@dataclass(frozen=True, slots=True)
class Unknown:
    reason: str


Claim = Holds | Violated | Unknown


def decide_claim(decision: Decision, ending: Ending) -> Claim:
    """Decides how runs end, at the sizes of a decision or for all. Raises `OutOfBudget`."""
    if decision.settings.sizes:
        return _decide_at_sizes(decision, ending)
    for value in SMALL:
        sizes = small_sizes(decision.program, value)
        if initial_count(decision.program, sizes) > MAX_INITIAL:
            continue
        try:
            endings = find_endings(Interpreter(decision.program, sizes), MAX_SMALL, decision.deadline)
        except TooLarge:
            break
        if endings.violates(ending):
            return Violated(endings)
    if ending is Ending.TERMINATING:
        return _prove_terminating(decision.program)
    return _prove_deadlock_free(decision)


def _decide_at_sizes(decision: Decision, ending: Ending) -> Claim:
    for sizes in decision.settings.sizes:
        interpreter = Interpreter(decision.program, sizes)
        try:
            endings = find_endings(interpreter, MOST, decision.deadline)
        except TooLarge:
            return Unknown(f"there are more than {MOST:,} configurations at {sizes.text()}")
        if endings.violates(ending):
            return Violated(endings)
    return Holds(decision.settings.sizes, "all configurations were explored")


def _prove_terminating(program: ActionProgram) -> Claim:
    again = find_recursive(program)
    if again is None:
        return Holds((), "no action starts itself, directly or through others")
    return Unknown(f"{again} can start itself again, and no run without end was found at small sizes")


def find_recursive(program: ActionProgram) -> str | None:
    """An action that can start itself, directly or through others; None if no action does."""
    starts = {
        action.name: {each.action for each in statements(action.body) if isinstance(each, Async)}
        for action in program.actions
    }
    ended: set[str] = set()
    while True:
        new = {name for name, started in starts.items() if name not in ended and started <= ended}
        if not new:
            break
        ended |= new
    left = [name for name in starts if name not in ended]
    return next((name for name in left if name != MAIN), None)


def _prove_deadlock_free(decision: Decision) -> Claim:
    try:
        outcome = decision.decide()
    except (GaveUp, OutOfTime) as stopped:
        return Unknown(f"no order is proved to cover all runs: {stopped}")
    if not isinstance(outcome, Proved) or decision.settings.terminating:
        return Unknown("no order is proved to cover all runs, and no run gets stuck at small sizes")
    if outcome.proof.abstractions:
        what = outcome.proof.abstractions[0].name
        return Unknown(f"the proof abstracts {what}, which may wait where its abstraction does not")
    begins = Conditions(decision.program, outcome.proof).begins_everywhere()
    if discharge(begins, decision.settings.solvers[0], decision.deadline).status is not Status.PROVED:
        return Unknown("main may wait for ever in some initial state")
    return Holds((), "one order covers all runs, and what comes next in it can do a step (LM4)")
