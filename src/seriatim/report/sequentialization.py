"""The result of `ser sequentialize`, for people and as JSON."""

from collections.abc import Iterator
from typing import Any, assert_never

from seriatim.actions.printer import expression_text, gates_line, order_claim, term_text, when_text
from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.certificate.action_run import SizesAt
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.checking.sequentialization.finite import COMES_NEXT, Finding
from seriatim.checking.sequentialization.premises import Premise
from seriatim.codec import codec_of
from seriatim.explain.action_states import change_text, instance_text, pending_text, state_text
from seriatim.explain.premises import tell
from seriatim.report.endings import at_sizes, tell_endings
from seriatim.report.text_look import Style, TextLook
from seriatim.sequencing.outcome import NotProved, Outcome, Proved, Reachability, RunBreaks
from seriatim.text_width import fill

_CLASSES = {
    Reachability.REACHABLE: "a run of the program gets there, so this order cannot work as it is",
    Reachability.STORE: "no run gets there at this size; an abstraction, a gate or another order may help",
    Reachability.UNKNOWN: "it is not known whether a run gets there: there is too much to explore",
}

_ADVICE = {
    Premise.COMMUTES: "put one of both earlier in the order, or give an abstraction with fewer dependencies",
    Premise.NO_REPAIR: "let the others wait meanwhile: `gate {action}: earliest, enabled, waits(…)`",
    Premise.NOT_BLOCKED: "put what it waits for earlier, or give an abstraction that can always do a step",
    Premise.COOPERATION: "give an abstraction that can also stop",
    Premise.KEEPS_GATE: "put the action that interferes earlier in the order",
    Premise.ABSTRACTION: "add the missing branch to the abstraction",
    Premise.ORDER: "correct the fact, or the order",
    Premise.ALWAYS: "correct the fact; it has to hold whatever is executed",
}


def verdict_name(outcome: Outcome) -> str:
    match outcome:
        case Proved():
            return "sequential"
        case RunBreaks():
            return "broken"
        case NotProved():
            return "not proved"
        case _:
            assert_never(outcome)


def outcome_text(name: str, program: ActionProgram, outcome: Outcome, look: TextLook) -> str:
    lines = _lines(name, program, outcome, look)
    return "".join(f"{line}\n" for line in lines)


def _lines(name: str, program: ActionProgram, outcome: Outcome, look: TextLook) -> Iterator[str]:
    title = look.paint(name, Style.STRONG)
    match outcome:
        case Proved():
            yield f"{title}: {look.paint('sequential', Style.GOOD)} {_scope(program, outcome)}"
            yield from _tell_proof(program, outcome, look)
        case RunBreaks():
            sizes = at_sizes(outcome.interpreter.layout.sizes)
            yield f"{title}: {look.paint('BROKEN', Style.BAD)} by a run{sizes}"
            yield from _broken(outcome, look)
        case NotProved():
            yield f"{title}: {look.paint('not proved', Style.CHANGE)}"
            yield from _not_proved(outcome, look)
        case _:
            assert_never(outcome)


def _scope(program: ActionProgram, outcome: Proved) -> str:
    evidence = outcome.certificate.evidence
    assert isinstance(evidence, OrderEvidence)
    if evidence.all_sizes:
        least = ", ".join(f"{size.name} >= {size.least}" for size in program.sizes)
        return f"for all {least}" if least else "always"
    named = [" and ".join(f"{name} = {value}" for name, value in each.parameters) for each in evidence.sizes]
    window = evidence.sizes[0]
    return f"at {'; '.join(named) or 'its only size'}, with free integers from {window.low} to {window.high}"


def _tell_proof(program: ActionProgram, outcome: Proved, look: TextLook) -> Iterator[str]:
    proof = outcome.proof
    yield _wrap(f"{order_claim(proof.order)}.", look)
    evidence = outcome.certificate.evidence
    assert isinstance(evidence, OrderEvidence)
    if evidence.terminating:
        yield _wrap("Only runs that terminate are covered: a run that fails may be missed.", look)
    elif outcome.endings is None:
        yield _wrap("No assertion fails. Deadlock and endless runs are not covered.", look)
    else:
        yield _wrap("No assertion fails.", look)
    yield from (_wrap(each, look) for each in tell_endings(outcome.endings or ()))
    for fact in proof.invariants:
        yield _wrap(f"In every state: {expression_text(fact.condition)}", look)
    for fact in proof.ensures:
        yield _wrap(f"At the end: {expression_text(fact.condition)}", look)
    yield from _tell_found(program, proof, outcome, look)
    for obligation in outcome.report.obligations[3 if evidence.all_sizes else 2 :]:
        by = f" ({', '.join(obligation.confirmed_by)})" if obligation.confirmed_by else ""
        detail = f": {obligation.detail}" if obligation.detail else ""
        yield _wrap(f"{look.symbols.holds} {obligation.claim}{detail}{by}", look)
        for solver in obligation.gave_up:
            yield _wrap(f"  not confirmed by {solver}", look)


def _tell_found(program: ActionProgram, proof: Proof, outcome: Proved, look: TextLook) -> Iterator[str]:
    """Lists the parts of the proof that were found and not written by the user, as lines of the language."""
    given = program.proof
    evidence = outcome.certificate.evidence
    assert isinstance(evidence, OrderEvidence)
    if outcome.found.order is not None and proof.actions:
        order = outcome.found.order
        by = " by index" if order.by_index else ""
        yield _wrap(f"found, of {outcome.found.tried} tries: order {', '.join(order.names)}{by}", look)
    if not evidence.all_sizes:
        return
    for fact in proof.always:
        if given is None or fact not in given.always:
            yield _wrap(f"found: always {expression_text(fact.condition)}", look)
    for when in proof.when:
        if given is None or when not in given.when:
            yield _wrap(f"found: {when_text(when)}", look)
    if (given is None or given.measure is None) and proof.measure:
        yield _wrap(f"found: measure {', '.join(map(term_text, proof.measure))}", look)
    if given is None or given.gates is None:
        for action in proof.actions:
            mine = tuple(gate for gate in proof.gates or () if gate.action == action)
            yield _wrap(f"found: {gates_line(action, mine)}", look)


def _wrap(text: str, look: TextLook) -> str:
    return fill(text, look.width, "  ")


def _broken(outcome: RunBreaks, look: TextLook) -> Iterator[str]:
    interpreter, trace = outcome.interpreter, outcome.broken.trace
    yield _wrap(f"initially: {state_text(trace.initial, interpreter)}", look)
    state = trace.initial
    for number, step in enumerate(trace.steps, 1):
        change = change_text(state, step.after[0], interpreter)
        yield _wrap(f"{number}. {instance_text(step.instance, interpreter)}: {change}", look)
        state = step.after[0]
    broken = outcome.broken
    where = f"line {broken.line}: {broken.reason}"
    if broken.instance is None and trace.last[1]:
        yield _wrap(f"Here {where}.", look)
    elif broken.instance is None:
        yield _wrap(f"The run has ended, but {where}.", look)
    else:
        yield _wrap(f"Now {instance_text(broken.instance, interpreter)} fails in {where}.", look)


def _not_proved(outcome: NotProved, look: TextLook) -> Iterator[str]:
    finding, interpreter = outcome.finding, outcome.interpreter
    if finding is None or interpreter is None or outcome.sizes is None:
        yield _wrap(outcome.reason, look)
        if finding is None and outcome.sizes is None:
            yield _wrap("To see concrete states, decide it at fixed sizes with --size.", look)
        return
    who = instance_text(finding.action, interpreter)
    other = None if finding.other is None else instance_text(finding.other, interpreter)
    detail = f" ({finding.detail})" if finding.detail not in ("", COMES_NEXT) else ""
    yield _wrap(f"{finding.premise}: {tell(finding.premise, who, other)}{detail}.", look)
    place = at_sizes(outcome.sizes).strip() or "there"
    yield _wrap(f"{place}: {state_text(finding.where[0], interpreter)}", look)
    yield _wrap(f"pending: {pending_text(finding.where[1], interpreter)}", look)
    yield from _both_orders(finding, outcome, look)
    if outcome.reachability is not None:
        yield _wrap(f"This is {outcome.reachability}: {_CLASSES[outcome.reachability]}.", look)
    if outcome.trace is not None:
        path = ", ".join(instance_text(step.instance, interpreter) for step in outcome.trace.steps)
        yield _wrap(f"A run that gets there: {path or 'nothing is executed yet'}.", look)
    if finding.premise in _ADVICE:
        yield _wrap(f"Try: {_ADVICE[finding.premise].format(action=finding.action[0])}.", look)


def _both_orders(finding: Finding, outcome: NotProved, look: TextLook) -> Iterator[str]:
    """Shows both orders side by side."""
    interpreter = outcome.interpreter
    if interpreter is None or finding.other is None or finding.through is None:
        return
    before = finding.where[0]
    action, other = (instance_text(each, interpreter) for each in (finding.action, finding.other))
    if finding.premise is Premise.NO_REPAIR:
        yield _wrap(f"{other} fails here; after {action} it does not.", look)
        yield _wrap(f"{action}: {change_text(before, finding.through, interpreter)}", look)
        return
    yield _wrap(f"{other}: {change_text(before, finding.through, interpreter)}", look)
    if finding.after is not None:
        yield _wrap(f"{action}: {change_text(finding.through, finding.after, interpreter)}", look)
        yield _wrap(f"The other way round, {action} does one of these first:", look)
        for state in outcome.early[:4]:
            yield _wrap(f"- {change_text(before, state, interpreter)}", look)
        if not outcome.early:
            yield _wrap("- nothing: it is blocked", look)


def outcome_json(name: str, outcome: Outcome, seconds: float) -> dict[str, Any]:
    found: dict[str, Any] = {
        "file": name,
        "property": "sequential",
        "verdict": verdict_name(outcome),
        "seconds": round(seconds, 3),
    }
    match outcome:
        case Proved():
            evidence = outcome.certificate.evidence
            assert isinstance(evidence, OrderEvidence)
            found["method"] = "conditions" if evidence.all_sizes else "exploration"
            found["sizes"] = (
                "all" if evidence.all_sizes else codec_of(tuple[SizesAt, ...]).write(evidence.sizes)
            )
            found["terminating"] = evidence.terminating
            found["proof"] = list(evidence.proof)
            if outcome.endings is not None:
                found["stuck"] = any(each.stuck for each in outcome.endings)
                found["endless"] = any(each.endless for each in outcome.endings)
            found["obligations"] = [
                {"claim": each.claim, "by": list(each.confirmed_by), "open": list(each.gave_up)}
                for each in outcome.report.obligations
            ]
        case RunBreaks():
            interpreter = outcome.interpreter
            found["method"] = "exploration"
            found["sizes"] = dict(interpreter.layout.sizes.parameters)
            found["run"] = [
                {"step": instance_text(s.instance, interpreter), "state": state_text(s.after[0], interpreter)}
                for s in outcome.broken.trace.steps
            ]
            found["reason"] = f"line {outcome.broken.line}: {outcome.broken.reason}"
        case NotProved():
            found["method"] = "none"
            found |= _not_proved_json(outcome)
        case _:
            assert_never(outcome)
    return found


def _not_proved_json(outcome: NotProved) -> dict[str, Any]:
    finding, interpreter = outcome.finding, outcome.interpreter
    if finding is None or interpreter is None:
        return {"reason": outcome.reason, "premise": None if finding is None else str(finding.premise)}
    other = None if finding.other is None else instance_text(finding.other, interpreter)
    who = instance_text(finding.action, interpreter)
    return {
        "reason": tell(finding.premise, who, other),
        "premise": str(finding.premise),
        "class": None if outcome.reachability is None else str(outcome.reachability),
        "action": who,
        "other": other,
        "sizes": None if outcome.sizes is None else dict(outcome.sizes.parameters),
        "state": state_text(finding.where[0], interpreter),
        "pending": [instance_text(each, interpreter) for each in finding.where[1]],
        "line": finding.line or None,
    }
