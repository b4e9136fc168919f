"""Decides an asynchronous program; the evidence of the result has been checked."""

from time import monotonic

from seriatim.actions.meaning import Failed
from seriatim.actions.printer import expression_text, order_claim
from seriatim.actions.syntax import ActionProgram
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfBudget
from seriatim.checking.allowance import GaveUp
from seriatim.explain.action_states import change_text, instance_text, pending_text, state_text
from seriatim.explain.premises import tell
from seriatim.explain.timeline import Moment, ShownRun, ShownTurn, Timeline
from seriatim.explain.why import Fails
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.method import Minimality
from seriatim.properties.sequential import SEQUENTIAL
from seriatim.result import Answer, Holds, Result, Undecided, Unusable, Violated
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.orders import lacks_order
from seriatim.sequencing.outcome import NotProved, Outcome, Proved, RunBreaks
from seriatim.source import Diagnostic, InputError, SourceText, Span

MORE = "see the failed premise in full, or give facts: ser sequentialize {name}"
UNREADABLE = "guard it, such as `1 <= i <= N => …`"


def decide_actions(
    source: SourceText,
    program: ActionProgram,
    deadline: Deadline,
    solvers: tuple[SolverName, ...] = (SolverName.Z3,),
) -> Result:
    """Decides for all sizes whether one order covers every run; looks for an order if the text has none."""
    began = monotonic()
    settings = Settings(find_order=lacks_order(program.proof), solvers=solvers)
    try:
        answer = answer_by(source, program, Decision(program, settings, read_proof, deadline).decide())
    except Failed as failed:
        message = f"{failed.reason}, in a condition that is not part of an action"
        answer = Unusable((Diagnostic("SER562", message, failed.span, UNREADABLE),))
    except InputError as error:
        answer = Unusable(tuple(error.diagnostics))
    except GaveUp as stopped:
        answer = Undecided(str(stopped), MORE.format(name=source.name), 0)
    except OutOfBudget as out:
        answer = Undecided(out.spent, out.hint, 0)
    return Result(source, SEQUENTIAL, answer, seconds=round(monotonic() - began, 6), actor="action")


def answer_by(source: SourceText, program: ActionProgram, outcome: Outcome) -> Answer:
    match outcome:
        case Proved():
            return Holds(outcome.certificate, proof_in_words(program, outcome))
        case RunBreaks():
            return violation(source, outcome)
        case NotProved():
            return Undecided(premise_in_words(outcome), MORE.format(name=source.name), 0)


def proof_in_words(program: ActionProgram, outcome: Proved) -> str:
    sizes = ", ".join(f"{size.name} >= {size.least}" for size in program.sizes)
    scope = f" for all {sizes}" if sizes else ""
    told = [f" In every state: {expression_text(fact.condition)}." for fact in outcome.proof.invariants]
    told += [f" At the end: {expression_text(fact.condition)}." for fact in outcome.proof.ensures]
    covered = order_claim(outcome.proof.order)
    return f"{covered}{scope}. No assertion fails. Deadlock and endless runs are not covered.{''.join(told)}"


def premise_in_words(outcome: NotProved) -> str:
    finding, interpreter = outcome.finding, outcome.interpreter
    if finding is None or interpreter is None or outcome.sizes is None:
        return f"no proof by one order was found: {outcome.reason}"
    other = None if finding.other is None else instance_text(finding.other, interpreter)
    sentence = tell(finding.premise, instance_text(finding.action, interpreter), other)
    here = (
        f"{state_text(finding.where[0], interpreter)}; pending: {pending_text(finding.where[1], interpreter)}"
    )
    return f"no proof by this order: {sentence} (at {outcome.sizes.text()}: {here})"


def violation(source: SourceText, outcome: RunBreaks) -> Violated:
    """The run that breaks the program: each executed action is a turn of its own."""
    interpreter, broken = outcome.interpreter, outcome.broken
    program, trace = interpreter.program, broken.trace
    turns: list[ShownTurn] = []
    lines = source.text.splitlines()
    state = trace.initial
    steps = [(step.instance, step.after[0]) for step in trace.steps]
    if broken.instance is not None:
        steps.append((broken.instance, trace.last[0]))
    for number, (instance, after) in enumerate(steps, 1):
        is_last = broken.instance is not None and number == len(steps)
        line = broken.line if is_last else program.action(instance[0]).span.line
        told = broken.reason if is_last else change_text(state, after, interpreter)
        turns.append(
            ShownTurn(
                request=number,
                handler=instance_text(instance, interpreter),
                moments=(Moment(line, (_line(lines, line),), result=told),),
                before=state_text(state, interpreter),
                after=state_text(after, interpreter),
                response=None,
                pauses_at=None,
                is_switch=False,
                is_first=True,
                fails=is_last,
                pauses=False,
            )
        )
        state = after
    shown = Timeline(state_text(trace.initial, interpreter), tuple(turns), actor="action")
    run = ShownRun(shown, len(turns), len(turns), 0)
    span = Span(broken.line, 1, broken.line, 2)
    sizes = interpreter.layout.sizes
    where = f" at {sizes.text()}" if sizes.parameters else ""
    diagnostic = Diagnostic(
        "SER563", f"{broken.reason}{where}", span, "the run shows the order of the actions"
    )
    return Violated(outcome.certificate, run, Minimality.UNKNOWN, len(turns), Fails(diagnostic))


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
