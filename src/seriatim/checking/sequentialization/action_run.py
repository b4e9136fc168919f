"""Checks evidence of the kind `action-run`: replays the run with the reference interpreter."""

from seriatim.actions.configurations import minus, plus
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.syntax import ActionProgram
from seriatim.actions.values import Instance, Sizes, TooFew
from seriatim.certificate.action_run import ActionRunEvidence, SizesAt
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming


def sizes_of(given: SizesAt) -> Sizes:
    return Sizes(dict(given.parameters), given.low, given.high)


def instance_text(instance: Instance) -> str:
    name, arguments = instance
    return f"{name}({', '.join(map(str, arguments))})"


def replay(evidence: ActionRunEvidence, program: ActionProgram) -> Obligation:
    claim = "the run exists, and it breaks the program"
    with claiming(claim):
        _replay(evidence, program)
    return Obligation(claim, True, "")


def _replay(evidence: ActionRunEvidence, program: ActionProgram) -> None:
    try:
        interpreter = Interpreter(program, sizes_of(evidence.sizes))
    except TooFew as few:
        raise DoesNotFollow(str(few)) from None
    states = {repr(state): state for state in interpreter.initial_states()}
    if evidence.initial not in states:
        raise DoesNotFollow("this is not an initial state")
    initial = state = states[evidence.initial]
    pending = START
    for number, (text, target) in enumerate(evidence.steps, 1):
        instance = next((each for each in pending if instance_text(each) == text), None)
        if instance is None:
            raise DoesNotFollow(f"step {number}: {text} is not pending")
        outcomes = interpreter.execute(state, instance).outcomes
        there = next((each for each in outcomes if repr((each.state, each.created)) == target), None)
        if there is None:
            raise DoesNotFollow(f"step {number}: {text} does not lead there")
        state, pending = there.state, plus(minus(pending, instance), there.created)
    if evidence.failing is not None:
        failing = (each for each in pending if instance_text(each) == evidence.failing)
        if not any(interpreter.execute(state, each).fails for each in failing):
            raise DoesNotFollow(f"{evidence.failing} does not fail there")
        return
    proof = program.proof
    lasting = () if proof is None or pending == START else proof.invariants
    ensured = () if proof is None or pending else proof.ensures
    if all(interpreter.holds(each.condition, state, state, pending, {}) for each in lasting) and all(
        interpreter.holds(each.condition, state, initial, (), {}) for each in ensured
    ):
        raise DoesNotFollow("all that is claimed and ensured holds there")
