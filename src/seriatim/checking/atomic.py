"""Evidence of the kind `atomic`: whoever is answered is answered by its first step, if it needs one at all.

That makes an input serializable: in a complete run everybody is answered, so each request is spawned, takes
at most one step, and answers. Spawning and answering leave the global state as it is, so they may as well
happen right before and right after that step, or next to each other where there is none. This makes the run
a serial one and keeps its outcome.

*No yield.* A big step ends at a `yield` or with an answer. Without a `yield`, it ends with an answer.

*One step.* A flight is a request's name with a local state. Let D be flights that occur in no complete run;
at first D is empty. Let C(g), for global states g, be the smallest sets of flights such that the fresh
ones are in C(initial), and a step from (ℓ, g) to (ℓ', g') with ℓ in C(g) and ℓ' outside D puts ℓ' and all of
C(g) into C(g'). By induction over its steps, a complete run at g has everybody in C(g): whoever moves takes
such a step, and the others are carried along. So a flight from which such steps, of whatever global states,
never lead to an answer can be added to D, and all of it repeated.

Steps that change nothing at all are no part of this: without them, a run is still a run and has the same
outcome. So who waits for something in a loop before it does anything else has taken no step yet.

If no step from the target of another one leads to an answer, then nobody in a complete run answers after two
steps or more: the last of them would be one.
"""

from collections import defaultdict

from seriatim.certificate.format import GlobalState
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


Flight = tuple[str, State]
"""A request with its local state: requests of different names may share local states."""


def one_step(reference: Reference[State], allowance: Allowance) -> Obligation:
    claim = "nobody who has paused is ever answered"
    hopeless: set[Flight[State]] = set()
    while True:
        steps = covered_steps(reference, hopeless, allowance)
        paused = {target for _, target in steps}
        late = {answer for flight, (_, at) in steps if flight in paused for answer in reference.answers(at)}
        if not late:
            return Obligation(claim, True, f"{allowance.spent:,} local states at a global state explored")
        can_be_answered = hopeful(reference, steps)
        if paused <= can_be_answered:
            return Obligation(claim, False, f"somebody can still answer {min(late)}")
        hopeless |= paused - can_be_answered


def covered_steps(
    reference: Reference[State], hopeless: set[Flight[State]], allowance: Allowance
) -> set[tuple[Flight[State], Flight[State]]]:
    """The steps (ℓ, ℓ') from the sets C(g) of this module's docstring; `hopeless` is D."""
    covered: dict[GlobalState, set[Flight[State]]] = defaultdict(set)
    carried: dict[GlobalState, set[GlobalState]] = defaultdict(set)
    """To which g' some step leads from g, so that C(g) is within C(g')."""
    steps: set[tuple[Flight[State], Flight[State]]] = set()
    pending = [
        ((request, state), reference.initial)
        for request in reference.requests
        for state in reference.fresh(request)
    ]
    while pending:
        flight, global_ = pending.pop()
        if flight in covered[global_]:
            continue
        allowance.spend()
        covered[global_].add(flight)
        pending.extend((flight, after) for after in carried[global_])
        request, state = flight
        for at, after in reference.steps(state, global_):
            target = (request, at)
            if target in hopeless or (target, after) == (flight, global_):
                continue
            steps.add((flight, target))
            pending.append((target, after))
            if after not in carried[global_]:
                carried[global_].add(after)
                pending.extend((other, after) for other in covered[global_])
    return steps


def hopeful(
    reference: Reference[State], steps: set[tuple[Flight[State], Flight[State]]]
) -> set[Flight[State]]:
    """The local states that have an answer, or from which these steps lead to one."""
    before: dict[Flight[State], set[Flight[State]]] = defaultdict(set)
    for flight, target in steps:
        before[target].add(flight)
    pending = [(request, at) for request, at in before if reference.answers(at)]
    found = set(pending)
    while pending:
        for flight in before[pending.pop()] - found:
            found.add(flight)
            pending.append(flight)
    return found
