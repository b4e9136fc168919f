"""Evidence of the kind `action-run`: the reference interpreter replays the run, which breaks the program."""

from collections.abc import Mapping

from seriatim.actions.configurations import minus, plus
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.syntax import ActionProgram
from seriatim.actions.values import Instance, Sizes, TooFew
from seriatim.certificate.sequentialization import ActionRunEvidence, SizesAt
from seriatim.checking.obligation import Obligation


def sizes_of(given: SizesAt) -> Sizes:
    return Sizes(dict(given.parameters), given.low, given.high)


def instance_text(instance: Instance) -> str:
    name, arguments = instance
    return f"{name}({', '.join(map(str, arguments))})"


def replayed(evidence: ActionRunEvidence, program: ActionProgram) -> Obligation:
    claim = "the run exists, and it breaks the program"
    try:
        interpreter = Interpreter(program, sizes_of(evidence.sizes))
    except TooFew as few:
        return Obligation(claim, False, str(few))
    states: Mapping[str, tuple[object, ...]] = {repr(state): state for state in interpreter.initial_states()}
    if evidence.initial not in states:
        return Obligation(claim, False, "this is not an initial state")
    initial = state = states[evidence.initial]
    pending = START
    for number, (text, target) in enumerate(evidence.steps, 1):
        instance = next((each for each in pending if instance_text(each) == text), None)
        if instance is None:
            return Obligation(claim, False, f"step {number}: {text} is not pending")
        outcomes = [
            o for o in interpreter.execute(state, instance).outcomes if repr((o.state, o.created)) == target
        ]
        if not outcomes:
            return Obligation(claim, False, f"step {number}: {text} does not lead there")
        state, pending = outcomes[0].state, plus(minus(pending, instance), outcomes[0].created)
    return _breaks(evidence, interpreter, initial, state, pending, claim)


def _breaks(
    evidence: ActionRunEvidence,
    interpreter: Interpreter,
    initial: tuple[object, ...],
    state: tuple[object, ...],
    pending: tuple[Instance, ...],
    claim: str,
) -> Obligation:
    if evidence.failing is not None:
        instance = next((each for each in pending if instance_text(each) == evidence.failing), None)
        fails = instance is not None and interpreter.execute(state, instance).fails
        return Obligation(claim, fails, "" if fails else f"{evidence.failing} does not fail there")
    proof = interpreter.program.proof
    facts = () if proof is None else proof.ensures
    broken = not pending and any(not interpreter.holds(f.condition, state, initial, (), {}) for f in facts)
    return Obligation(claim, broken, "" if broken else "everything that is ensured holds there")
