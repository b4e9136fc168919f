"""A result as people read it: a headline, then the run or the reason."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from seriatim.diagnostic_text import render
from seriatim.explain.names import completion_text, order_text, visible
from seriatim.frontends.protocol import FOR_CHOSEN, is_for_chosen
from seriatim.method import Minimality, Obstacle
from seriatim.properties.property import Property, consequence, in_words
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import NeverFails, NeverStuck, OrderOfPoints
from seriatim.report.commit_text import commit_words
from seriatim.report.folded_table import folded_table
from seriatim.report.run_table import run_table
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.report.threads import asked_about_threads, told_about_others, told_together
from seriatim.report.why_text import seen_text, suspicion_texts, why_texts
from seriatim.result import (
    Faulty,
    Holds,
    Lost,
    Recorded,
    Refused,
    Result,
    Suspicion,
    Undecided,
    Unusable,
    Violated,
)
from seriatim.source import SourceText
from seriatim.text_width import fill

if TYPE_CHECKING:
    from seriatim.explain.account import Account
    from seriatim.explain.argument import Completion
    from seriatim.explain.explanation import CommitStep
    from seriatim.explain.timeline import Actor, Sample, ShownRun, Timeline

UNDECIDED = "UNDECIDED"
FEW_FINDINGS = 6
"""More findings about a log than this have a line each."""
HINT_FOR_LOST = "check this input alone; perhaps it needs more memory than there is: see --max-memory"


def headline(result: Result, look: TextLook) -> str:
    """One line: the input, the verdict, its size."""
    answer, name = result.answer, result.source.name
    match answer:
        case Holds():
            word, rest = in_words(result.property.verdicts[0]), ""
            if result.also:
                word, rest = what_holds(result)
            scope = " for all sizes" if result.actor == "action" else f" for any number of {result.actor}s"
            about = f", {FOR_CHOSEN}" if is_for_chosen(result.approximations) else ""
            return _headline(name, word, Style.GOOD, look, scope + about + rest)
        case Violated(run=run):
            word = in_words(result.property.verdicts[1]).upper()
            called = f": {answer.name}" if answer.name else ""
            return _headline(name, word, Style.BAD, look, f"{called} ({sizes(run)})")
        case Undecided(suspicion=Suspicion(run=run)):
            rest = f": a violation is possible ({sizes(run)})"
            return _headline(name, UNDECIDED, Style.CHANGE, look, rest)
        case Undecided() | Lost():
            held = what_holds(result)[0] if result.also else ""
            return _headline(name, UNDECIDED, Style.CHANGE, look, f" ({held})" if held else "")
        case Faulty(diagnostic=diagnostic, run=run):
            line = "" if diagnostic.span is None else f" in line {diagnostic.span.line}"
            return _headline(name, "A STEP FAILS", Style.BAD, look, f"{line} ({sizes(run)})")
        case Recorded(account=account):
            return account_headline(name, account, look)
        case Refused():
            return _headline(name, "NO VERDICT, because of a bug in Seriatim", Style.BAD, look)
        case Unusable():
            return _headline(name, "BAD INPUT", Style.BAD, look)
        case _:
            assert_never(answer)


def _headline(name: str, word: str, style: Style, look: TextLook, rest: str = "") -> str:
    return f"{look.paint(name, Style.STRONG)}: {look.paint(word, style)}{rest}\n"


def account_headline(name: str, account: "Account", look: TextLook) -> str:
    """The findings and the size; several findings are on a line of their own, many are listed."""
    styles = {True: Style.GOOD, False: Style.BAD, None: Style.CHANGE}
    told = [look.paint(each.text, styles[each.holds]) for each in account.findings]
    title = look.paint(name, Style.STRONG)
    if len(told) == 1:
        return f"{title}: {told[0]}: {account.size}\n"
    many = len(told) > FEW_FINDINGS
    lines = told if many else [", ".join(told)]
    return f"{title}: {account.size}\n" + "".join(f"{MARGIN}{line}\n" for line in lines)


def account_text(account: "Account") -> str:
    lines = (
        line
        for reason in account.reasons
        for line in (reason.title, *(MARGIN + each for each in reason.lines))
    )
    return "".join(f"{MARGIN}{line}\n" for line in lines)


def verdict_text(result: Result, look: TextLook) -> str:
    """The headline and all that supports it, each line with its line break; for bad input, the errors."""
    answer = result.answer
    if isinstance(answer, Unusable):
        return "".join(render(diagnostic, result.source) for diagnostic in answer.diagnostics)
    told = "" if result.compared is None else result.compared.sentence
    asked = "" if isinstance(answer, Lost) else paragraphs([asked_text(result), told], look)
    match answer:
        case Violated():
            seen = "" if result.confirmation is None else result.confirmation.sentence
            body = _refutation(answer, result.property, look) + paragraphs([seen], look)
            if answer.fixes:
                body += f"{MARGIN}Each of these changes is enough:\n"
                body += "".join(_item(fix, look) for fix in answer.fixes)
        case Faulty():
            body = _mistake(answer, result.source, look)
        case Holds(points=points):
            body = paragraphs([*conclusions(result), *_other_conclusions(result)], look)
            body += _points(points, look)
        case Undecided(suspicion=Suspicion() as suspicion):
            body = paragraphs(conclusions(result), look) + _suspicion(suspicion, result.property, look)
        case Recorded(account=account):
            body = account_text(account)
        case Undecided() | Refused() | Lost():
            body = paragraphs([*conclusions(result), *_other_conclusions(result)], look)
        case _:
            assert_never(answer)
    return headline(result, look) + asked + body + _stuck(result, look)


def asked_text(result: Result) -> str:
    """Says what is compared, or what is looked for."""
    if result.actor != "thread":
        return result.property.asked()
    return asked_about_threads(result.property, [each.property for each in result.also])


def what_holds(result: Result) -> tuple[str, str]:
    """The words for all questions with the answer yes, and those for questions that stay open."""
    return told_together(result)


def _other_conclusions(result: Result) -> list[str]:
    """Why other questions of the same check have their answers."""
    if not result.also:
        return []
    return told_about_others(result)


def evidence_text(result: Result, saved_as: str | None, is_explained: bool = False) -> str:
    """Where the evidence is, or how to save it and see more of it; empty without evidence."""
    answer, name = result.answer, result.source.name
    match answer:
        case Holds() if saved_as is not None:
            return f"{MARGIN}Evidence saved. To re-check it: ser verify {saved_as} {name}\n"
        case Violated() if saved_as is not None:
            return (
                f"{MARGIN}Evidence saved. To step through it: ser replay {saved_as} {name}\n"
                f"{MARGIN}                To re-check it: ser verify {saved_as} {name}\n"
            )
        case Holds(certificate=certificate):
            keep = f"{MARGIN}To keep the proof, add --certificate FILE; `ser verify` re-checks it.\n"
            is_told = is_explained or certificate.evidence.kind in ("atomic", "no-cycle")
            says_all = isinstance(result.property.states(), OrderOfPoints | NeverFails | NeverStuck)
            is_told |= says_all and result.actor == "request"
            return keep + ("" if is_told else f"{MARGIN}To see more, add --explain.\n")
        case Violated():
            keep = f"{MARGIN}To keep it, add --certificate FILE; then see `ser replay` and `ser verify`.\n"
            is_fixable = name.endswith((".ser", ".py")) and result.property == SERIALIZABILITY
            of_handlers = (
                is_explained and name.endswith((".ser", ".py", ".sql")) and result.actor == "request"
            )
            in_log = f"{MARGIN}To ask whether a log of answers shows it: ser history {name} LOG\n"
            fix = f"{MARGIN}To fix it: ser fix {name}\n" if is_fixable else ""
            return f"{keep}{fix}{in_log if of_handlers else ''}"
        case Undecided() | Refused() | Faulty() | Unusable() | Lost() | Recorded():
            return ""
        case _:
            assert_never(answer)


def conclusions(result: Result) -> list[str]:
    """The conclusion, or why there is none; for a violation, what its run shows."""
    answer, question = result.answer, result.property
    match answer:
        case Holds(reason=reason):
            return [reason]
        case Violated():
            what = consequence(question) if result.actor == "request" else "the program is unsafe"
            return [f"{question.refusal()}: {what}.", _minimality(answer)]
        case Undecided(reason=reason, hint=hint, clean_up_to=clean_up_to):
            known = [
                _clean(clean_up_to, result.actor),
                _single_steps(answer.single_steps),
                _obstacle(answer.obstacle),
            ]
            return [_sentence(reason), *known, *_hint(hint)]
        case Faulty(diagnostic=diagnostic):
            return [f"{diagnostic.message}."]
        case Recorded(account=account):
            told = ", ".join(finding.text for finding in account.findings)
            return [f"{_sentence(told)[:-1]}: {account.size}.", *(reason.title for reason in account.reasons)]
        case Refused():
            reached = "A verdict was reached, but the checker refuses its evidence"
            return [f"{reached}: {answer.complaint}", "Please report this, with the input."]
        case Unusable(diagnostics=diagnostics):
            return [f"{diagnostic.message}." for diagnostic in diagnostics]
        case Lost(reason=reason):
            return [_sentence(reason), *_hint(HINT_FOR_LOST)]
        case _:
            assert_never(answer)


def stages_text(result: Result) -> str:
    """Where the time went, a line for each stage."""
    width = max(map(len, result.stages))
    lines = [f"{name:<{width}}  {seconds * 1000:8.1f} ms" for name, seconds in result.stages.items()]
    return "".join(f"{MARGIN}{line}\n" for line in lines)


def sizes(run: "ShownRun", never_begun: int = 0) -> str:
    """The size of a run: its requests, including those that never began, and its steps."""
    return f"{count_text(run.requests + never_begun, run.timeline.actor)}, {count_text(run.steps, 'step')}"


def count_text(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def paragraphs(texts: Sequence[str], look: TextLook) -> str:
    return "".join(fill(text, look.width, MARGIN) + "\n" for text in texts if text)


def _refutation(violated: Violated, question: Property, look: TextLook) -> str:
    """The run, why nothing allowed explains it, the nearest outcomes, and whether it is minimal."""
    run = timeline_text(violated.run.timeline, look) + paragraphs([seen_text(violated.why, look)], look)
    why = why_texts(violated.why, question, look, MARGIN)
    parts = [part for part in (run, *why, paragraphs([_minimality(violated)], look)) if part]
    return "\n" + "\n".join(parts)


def _suspicion(suspicion: Suspicion, question: Property, look: TextLook) -> str:
    """The run of the model, which the source may have, too."""
    run = suspicion.run
    heading = look.paint(f"{MARGIN}POSSIBLE VIOLATION", Style.CHANGE) + ":\n"
    why = suspicion_texts(suspicion, question, look, MARGIN)
    return "\n" + "\n".join(part for part in (heading, timeline_text(run.timeline, look), *why) if part)


def _stuck(result: Result, look: TextLook) -> str:
    """The run behind the warning about requests that wait for ever."""
    if result.stuck is None:
        return ""
    heading = look.paint(f"{MARGIN}STUCK", Style.CHANGE) + f" ({sizes(result.stuck.run)}):\n"
    run = run_table(result.stuck.run.timeline, look)
    return f"\n{heading}\n{run}\n{''.join(why_texts(result.stuck.why, result.property, look, MARGIN))}"


def _points(points: "Sequence[CommitStep]", look: TextLook) -> str:
    if not points:
        return ""
    return "".join(_item(commit_words(step), look) for step in points)


def _item(text: str, look: TextLook) -> str:
    return f"{MARGIN}- {fill(text, look.width, MARGIN + '  ').lstrip()}\n"


def _mistake(faulty: Faulty, source: SourceText, look: TextLook) -> str:
    """The mistake, its place, and the run that leads to it."""
    shown = faulty.run.timeline
    start = paragraphs([f"at the start: {shown.state_text(shown.initial)}"], look)
    return f"{render(faulty.diagnostic, source)}\n{start}\n{run_table(shown, look)}"


def timeline_text(shown: "Timeline", look: TextLook) -> str:
    start = shown.state_text(shown.initial)
    beginning = paragraphs([f"at the start: {start}"], look) + "\n" if start else ""
    if shown.actor == "thread":
        return beginning + run_table(shown, look)
    outcome = fill(f"answers: {outcome_text(shown, look) or 'none'}", look.width, MARGIN)
    table = _fold(shown, look) if shown.is_folded else run_table(shown, look)
    return f"{beginning}{table}\n{look.paint(outcome, Style.STRONG)}\n"


def _fold(shown: "Timeline", look: TextLook) -> str:
    return folded_table(shown, look)


def outcome_text(shown: "Timeline", look: TextLook) -> str:
    """The answers as a multiset: `incr/1 ×2, get/0`."""
    return ", ".join(
        completion_text(handler, response) + (f" {look.symbols.times}{count:,}" if count > 1 else "")
        for handler, response, count in shown.outcome()
    )


def _minimality(verdict: Violated) -> str:
    if verdict.run.timeline.actor == "thread":
        return _fewest_threads(verdict)
    match verdict.minimality:
        case Minimality.PROVED:
            return "There is no counterexample with fewer requests."
        case Minimality.BOUNDED:
            flight = count_text(verdict.in_flight, "request")
            return f"No run with at most {flight} in flight at a time has fewer requests."
        case Minimality.UNKNOWN:
            return f"There may be a counterexample with fewer {verdict.run.timeline.actor}s."
        case _:
            assert_never(verdict.minimality)


def _fewest_threads(verdict: Violated) -> str:
    if verdict.minimality is Minimality.PROVED:
        return "No failing run has fewer threads at a time, and none with so many has fewer steps."
    return "There may be a failing run with fewer threads or fewer steps."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _clean(requests: int, actor: "Actor") -> str:
    return f"There is no violation with up to {count_text(requests, actor)}." if requests else ""


def _single_steps(handlers: Sequence[str]) -> str:
    if not handlers:
        return ""
    names = ", ".join(f"`{visible(handler)}`" for handler in handlers)
    return (
        f"Each request of {names} can be treated as a single step: nothing that happens in between matters."
    )


def _obstacle(obstacle: Obstacle | None) -> str:
    if obstacle is None:
        return ""
    after = "" if obstacle.line is None else f", continuing after line {obstacle.line},"
    return (
        f"Obstacle to a proof: `{visible(obstacle.handler)}`{after} may answer"
        f" {visible(obstacle.response)} where no order of the requests that took effect before allows that."
    )


def _hint(hint: str | None) -> list[str]:
    return [] if hint is None else [f"hint: {hint}"]


def explained_by(order: "Sequence[Completion]") -> str:
    return f"One at a time, the same answers come from: {order_text(order)}"


def interleaving_text(sample: "Sample", look: TextLook) -> str:
    """A sample run and the serial order that explains it, after a blank line."""
    story = timeline_text(sample.run.timeline, look)
    return f"\n{MARGIN}For example:\n\n{story}{paragraphs([explained_by(sample.order)], look)}"
