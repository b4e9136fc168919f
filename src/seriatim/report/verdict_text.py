"""A decision as people read it: a headline, then the run or the reason."""

from collections.abc import Sequence
from typing import assert_never

from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.diagnostic_text import render
from seriatim.engines.stage import Minimality, Obstacle
from seriatim.explain.names import completed, visible
from seriatim.explain.timeline import Timeline, faulty_timeline, timeline
from seriatim.properties.property import consequence, in_words
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import OrderOfPoints
from seriatim.report.folded_table import folded_table
from seriatim.report.look import Look, Style
from seriatim.report.points import proved_points
from seriatim.report.run_table import MARGIN, run_table
from seriatim.report.why import seen_text, shown_run, why_texts
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.run import FaultyRun, Run
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.text_width import filled
from seriatim.verdict import Decision, Faulty, Holds, Refused, Undecided, Violated
from seriatim.workers import Lost

UNDECIDED = "UNDECIDED"
HINT_FOR_LOST = "check this input alone; perhaps it needs more memory than there is: see --max-memory"


def headline(decision: Decision, name: str, look: Look) -> str:
    """One line: the input, the verdict, its size."""
    verdict = decision.verdict
    match verdict:
        case Holds():
            word = in_words(decision.question.verdicts[0])
            return _headline(name, word, Style.GOOD, look, " for any number of requests")
        case Violated(run=run):
            word = in_words(decision.question.verdicts[1]).upper()
            return _headline(name, word, Style.BAD, look, f" ({sizes(run)})")
        case Undecided():
            return _headline(name, UNDECIDED, Style.CHANGE, look)
        case Faulty(faulty=faulty):
            place = f" in line {faulty.fault.span.line} ({sizes_to_fault(faulty)})"
            return _headline(name, "THE PROGRAM MAKES A MISTAKE", Style.BAD, look, place)
        case Refused():
            return _headline(name, "NO VERDICT, because of a mistake in seriatim itself", Style.BAD, look)
        case _:
            assert_never(verdict)


def _headline(name: str, word: str, style: Style, look: Look, rest: str = "") -> str:
    return f"{look.paint(name, Style.STRONG)}: {look.paint(word, style)}{rest}\n"


def verdict_text(decision: Decision, source: SourceText, look: Look) -> str:
    """The headline and all that supports it, each line with its line break."""
    if isinstance(decision.verdict, Violated):
        body = _refutation(decision.verdict, decision, source, look)
    elif isinstance(decision.verdict, Faulty):
        body = _mistake(decision.verdict, decision.unfolding, source, look)
    else:
        body = paragraphs(conclusions(decision), look)
        body += "".join(_item(step.words(), look) for step in proved_points(decision))
    asked = paragraphs([decision.question.asked()], look)
    return headline(decision, source.name, look) + asked + body


def evidence_text(
    decision: Decision, source: SourceText, saved_as: str | None, is_explained: bool = False
) -> str:
    """Where the evidence is, or how to keep it, and how to see more of it; empty if there is none."""
    match decision.verdict:
        case Holds() if saved_as is not None:
            return f"{MARGIN}Evidence saved. To re-check it: ser verify {saved_as} {source.name}\n"
        case Violated() if saved_as is not None:
            return (
                f"{MARGIN}Evidence saved. To step through it: ser replay {saved_as} {source.name}\n"
                f"{MARGIN}                To re-check it: ser verify {saved_as} {source.name}\n"
            )
        case Holds(certificate=certificate):
            keep = f"{MARGIN}To keep the proof, add --certificate FILE; `ser verify` re-checks it.\n"
            is_told = is_explained or isinstance(certificate.evidence, AtomicEvidence | NoCycleEvidence)
            is_told |= isinstance(decision.question.states(), OrderOfPoints)
            return keep + ("" if is_told else f"{MARGIN}To see more of it, add --explain.\n")
        case Violated():
            keep = f"{MARGIN}To keep it, add --certificate FILE; then see `ser replay` and `ser verify`.\n"
            is_mendable = source.name.endswith(".ser") and decision.question == SERIALIZABILITY
            return keep + (f"{MARGIN}To mend it: ser fix {source.name}\n" if is_mendable else "")
        case Undecided() | Refused() | Faulty():
            return ""
        case _:
            assert_never(decision.verdict)


def conclusions(decision: Decision) -> list[str]:
    """What follows, or why nothing does; of a refutation, what its run shows."""
    verdict, question = decision.verdict, decision.question
    match verdict:
        case Holds(reason=reason):
            return [reason]
        case Violated():
            return [f"{question.refusal()}: {consequence(question)}.", _minimality(verdict)]
        case Undecided(reason=reason, hint=hint, clean_up_to=clean_up_to):
            known = [_clean(clean_up_to), _single_steps(verdict.single_steps), _obstacle(verdict.obstacle)]
            return [_sentence(reason), *known, *_hint(hint)]
        case Faulty():
            return [f"{verdict.diagnostic().message}."]
        case Refused():
            reached = "A verdict was reached, but its evidence does not stand up to the check"
            return [f"{reached}: {verdict.complaint}", "Please report this, with the input."]
        case _:
            assert_never(verdict)


def lost_text(lost: Lost, name: str, look: Look, is_short: bool) -> str:
    """The headline of an input whose process was lost, and what happened, unless it is to be short."""
    line = _headline(name, UNDECIDED, Style.CHANGE, look)
    return line if is_short else line + paragraphs([_sentence(lost.reason), *_hint(HINT_FOR_LOST)], look)


def stages_text(decision: Decision) -> str:
    """Where the time went, a line for each stage."""
    width = max(map(len, decision.stages))
    lines = [f"{name:<{width}}  {seconds * 1000:8.1f} ms" for name, seconds in decision.stages.items()]
    return "".join(f"{MARGIN}{line}\n" for line in lines)


def sizes(run: Run, never_begun: int = 0) -> str:
    """How long a run is, and of how many requests, among them those that never began."""
    return f"{counted(run.requests() + never_begun, 'request')}, {counted(len(run.turns), 'step')}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def paragraphs(texts: Sequence[str], look: Look) -> str:
    return "".join(filled(text, look.width, MARGIN) + "\n" for text in texts if text)


def _refutation(verdict: Violated, decision: Decision, source: SourceText, look: Look) -> str:
    """The run, why nothing allowed explains it, what comes near, and whether it is minimal."""
    shown = shown_run(verdict, decision, source)
    run = timeline_text(shown, look) + paragraphs([seen_text(verdict.why, look)], look)
    why = why_texts(verdict, decision, look, MARGIN)
    seen = "" if decision.confirmation is None else decision.confirmation.sentence
    parts = [part for part in (run, *why, paragraphs([_minimality(verdict), seen], look)) if part]
    return "\n" + "\n".join(parts)


def _item(text: str, look: Look) -> str:
    return f"{MARGIN}- {filled(text, look.width, MARGIN + '  ').lstrip()}\n"


def _mistake(verdict: Faulty, origin: Origin, source: SourceText, look: Look) -> str:
    """What is wrong where, and the run that gets there."""
    assert isinstance(origin, ProgramUnfolding), "only programs make mistakes"
    shown = faulty_timeline(verdict.faulty, origin, source)
    start = paragraphs([f"at the start: {shown.state_text(shown.initial)}"], look)
    return f"{render(verdict.diagnostic(), source)}\n{start}\n{run_table(shown, look)}"


def sizes_to_fault(faulty: FaultyRun) -> str:
    """How long a run to a mistake is, with the step that makes it."""
    requests = max(faulty.run.requests(), faulty.request + 1)
    return f"{counted(requests, 'request')}, {counted(len(faulty.run.turns) + 1, 'step')}"


def run_text(run: Run, origin: Origin, source: SourceText, look: Look) -> str:
    """The start, the table of a run, and its outcome."""
    return timeline_text(timeline(run, origin, source), look)


def timeline_text(shown: Timeline, look: Look) -> str:
    start = shown.state_text(shown.initial)
    beginning = paragraphs([f"at the start: {start}"], look) + "\n" if start else ""
    outcome = filled(f"answers: {outcome_text(shown, look) or 'none'}", look.width, MARGIN)
    table = folded_table(shown, look) if shown.is_folded else run_table(shown, look)
    return f"{beginning}{table}\n{look.paint(outcome, Style.STRONG)}\n"


def outcome_text(shown: Timeline, look: Look) -> str:
    """The answers as a multiset: `incr/1 ×2, get/0`."""
    return ", ".join(
        completed(handler, response) + (f" {look.symbols.times}{count:,}" if count > 1 else "")
        for handler, response, count in shown.outcome()
    )


def _minimality(verdict: Violated) -> str:
    match verdict.minimality:
        case Minimality.PROVED:
            return "There is no counterexample with fewer requests."
        case Minimality.BOUNDED:
            flight = counted(verdict.in_flight, "request")
            return (
                f"There is none with fewer requests among the runs with at most {flight} in flight at a time."
            )
        case Minimality.UNKNOWN:
            return "There may be a counterexample with fewer requests."
        case _:
            assert_never(verdict.minimality)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _clean(requests: int) -> str:
    return f"There is no violation with up to {counted(requests, 'request')}." if requests else ""


def _single_steps(handlers: Sequence[str]) -> str:
    if not handlers:
        return ""
    names = ", ".join(f"`{visible(handler)}`" for handler in handlers)
    return f"Each request of {names} can be taken for a single step: nothing that happens in between matters."


def _obstacle(obstacle: Obstacle | None) -> str:
    if obstacle is None:
        return ""
    after = "" if obstacle.line is None else f", going on after line {obstacle.line},"
    return (
        f"What stands in the way of a proof: `{visible(obstacle.handler)}`{after} may answer"
        f" {visible(obstacle.response)} where no order of the requests that took effect before allows that."
    )


def _hint(hint: str | None) -> list[str]:
    return [] if hint is None else [f"hint: {hint}"]
