"""Evidence of the kind `atomic`: whoever is answered is answered by its first step, if it needs one at all.

That makes an input serializable: in a complete run everybody is answered, so each request is spawned, takes
at most one step, and answers. Spawning and answering leave the global state as it is, so they may as well
happen right before and right after that step, or next to each other where there is none. This makes the run
a serial one and keeps its outcome.

*No yield.* A big step ends at a `yield` or with an answer. Without a `yield`, it ends with an answer.

*One step.* Let G and L be the smallest sets of global and local states that contain the initial one and the
fresh ones, such that steps from any ℓ in L at any g in G stay within them; let P ⊆ L be what the steps
lead to. Every run stays within G and L, by induction on its length. Suppose that no step from P, at any g in
G, leads to a local state with an answer. A request that answers after two steps or more has taken the last of
them from P, to a local state with an answer: there is no such request.
"""

from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import Reference, State
from seriatim.language.syntax import Program, yields
from seriatim.network.inputs import Input


def no_yield(content: Input) -> Obligation:
    claim = "no handler contains `yield`"
    if not isinstance(content, Program):
        return Obligation(claim, False, "the input is a network system, which has no text to show it")
    for handler in content.handlers:
        if yields(handler.body):
            return Obligation(claim, False, f"`{handler.name}` does")
    return Obligation(claim, True, "so every request is a single step")


def one_step(reference: Reference[State], allowance: Allowance) -> Obligation:
    globals_ = {reference.initial}
    locals_ = {state for request in reference.requests for state in reference.fresh(request)}
    paused: set[State] = set()
    answers: set[tuple[State, str]] = set()
    """(ℓ, response): a step from ℓ leads to a local state with this response."""
    pending = [(state, reference.initial) for state in locals_]
    while pending:
        state, global_ = pending.pop()
        allowance.spend()
        for target, after in reference.steps(state, global_):
            paused.add(target)
            answers.update((state, response) for response in reference.answers(target))
            if after not in globals_:
                globals_.add(after)
                pending.extend((known, after) for known in locals_)
            if target not in locals_:
                locals_.add(target)
                pending.extend((target, known) for known in globals_)
    late = [response for state, response in answers if state in paused]
    return Obligation(
        "nobody who has paused is ever answered",
        not late,
        f"somebody can still answer {min(late)}"
        if late
        else f"{len(locals_):,} local states at {len(globals_):,} global states explored",
    )
