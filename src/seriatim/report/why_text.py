"""Why a run violates a property, in paragraphs: the argument up to its contradiction, nearest outcomes."""

from typing import assert_never

from seriatim.explain.why import (
    AccessShown,
    Cycle,
    Effect,
    Fails,
    FinalValues,
    Held,
    InTime,
    NothingExplains,
    Points,
    Stuck,
    Timed,
    Waits,
    Why,
)
from seriatim.properties.property import THE_HANDLERS, Property
from seriatim.report.contradiction_text import argument_text, nearest_text, out_of_time_text
from seriatim.report.text_look import TextLook
from seriatim.result import Suspicion
from seriatim.source import Diagnostic
from seriatim.text_width import fill, printable


def why_texts(
    why: Why, question: Property, look: TextLook, margin: str, about: str = THE_HANDLERS
) -> tuple[str, ...]:
    """The argument about some handlers, and the nearest outcomes."""
    match why:
        case NothingExplains(argument=None, is_cut=True):
            return (out_of_time_text(look, margin, question, about),)
        case NothingExplains(argument=argument, nearest=nearest):
            argued = argument_text(argument, look, margin, question, about)
            return argued, nearest_text(nearest, look, margin)
        case Cycle():
            return (_cycle(why, look, margin),)
        case Points(effects=effects):
            return (_points(effects, look, margin),)
        case Fails(diagnostic=diagnostic):
            return (_fault(diagnostic, look, margin),)
        case Stuck():
            return (stuck_text(why, look, margin),)
        case _:
            assert_never(why)


def suspicion_texts(suspicion: Suspicion, question: Property, look: TextLook, margin: str) -> tuple[str, ...]:
    """The argument about a model; the source may behave differently."""
    return why_texts(suspicion.why, question, look, margin, "the handlers of the model")


def seen_text(why: Why, look: TextLook) -> str:
    """Says what was observed besides answers; empty if the run already shows it."""
    seen = why.seen if isinstance(why, NothingExplains) else None
    match seen:
        case None:
            return ""
        case FinalValues(values=values):
            return f"final values: {printable(values)}"
        case InTime(requests=requests):
            return f"in time: {', '.join(_time_text(request, look) for request in requests)}"
        case _:
            assert_never(seen)


def _time_text(timed: Timed, look: TextLook) -> str:
    """Answers with the intervals in which requests began and ended, such as `inc/0 [1,1] ×2`."""
    name = printable(timed.handler)
    if timed.answer is None:
        text = f"{name} in flight [{timed.began},{look.symbols.ellipsis}]"
    else:
        text = f"{name}/{printable(timed.answer)}"
    return f"{text} {look.symbols.times}{timed.times}" if timed.times > 1 else text


def _cycle(cycle: Cycle, look: TextLook, margin: str) -> str:
    """An item for each conflict."""
    lines = [fill("Suppose that one request at a time could have done this:", look.width, margin)]
    for conflict in cycle.conflicts:
        first, second = conflict.first, conflict.second
        name = printable(conflict.variable)
        order = f"so request {first.request} comes before request {second.request}"
        sentence = f"{_access(first, name)} before {_access(second, 'it')}, {order}."
        lines.append(_item(sentence, look, margin))
    requests = [conflict.first.request for conflict in cycle.conflicts]
    arrow = f" {look.symbols.arrow} "
    round_ = arrow.join(str(request) for request in (*requests, requests[0]))
    lines.append(
        _item(f"So request {requests[0]} would come before itself ({round_}): a contradiction!", look, margin)
    )
    return "".join(f"{line}\n" for line in lines)


def _access(shown: AccessShown, variable: str) -> str:
    where = "" if shown.line is None else f" in line {shown.line}"
    return f"request {shown.request}, `{printable(shown.handler)}`, {shown.access}s {variable}{where}"


def _points(effects: tuple[Effect, ...], look: TextLook, margin: str) -> str:
    """The order of the points, an item for each, and what is wrong with it."""
    lines = [fill("In this run, requests take effect in this order:", look.width, margin)]
    lines += [_item(f"{_effect(effect)}.", look, margin) for effect in effects]
    lines.append(fill("The specification does not allow these answers in that order.", look.width, margin))
    return "".join(f"{line}\n" for line in lines)


def _effect(effect: Effect) -> str:
    where = "with its answer" if effect.line is None else f"in line {effect.line}"
    name = f"`{printable(effect.handler)}`"
    return f"request {effect.request}, {name}, {where}, and answers {printable(effect.response)}"


def _fault(diagnostic: Diagnostic, look: TextLook, margin: str) -> str:
    where = "" if diagnostic.span is None else f"in line {diagnostic.span.line}, "
    return f"{fill(_sentence(f'{where}{diagnostic.message}.'), look.width, margin)}\n"


def _item(sentence: str, look: TextLook, margin: str) -> str:
    return f"{margin}- {fill(_sentence(sentence), look.width, margin + '  ').lstrip()}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def stuck_text(stuck: Stuck, look: TextLook, margin: str) -> str:
    """Which requests wait for what, which one has set that, and why no other request can free them."""
    lines = [fill("These requests can never complete:", look.width, margin)]
    lines += [_item(_waits(each, stuck), look, margin) for each in stuck.waits]
    names = ", ".join(map(printable, stuck.unchanged))
    if names:
        nobody = f"Whatever requests arrive, nothing that can still happen changes {names}."
    else:
        nobody = "Whatever requests arrive, nothing that can still happen lets them go on."
    lines.append(fill(nobody, look.width, margin))
    return "".join(f"{line}\n" for line in lines)


def _waits(waits: Waits, stuck: Stuck) -> str:
    where = "" if waits.line is None else f" in line {waits.line}"
    held = "; ".join(_held_text(each, stuck) for each in waits.holds)
    reason = f": {held}" if held else ""
    return f"Request {waits.request}, `{printable(waits.handler)}`, waits{where}{reason}."


def _held_text(held: Held, stuck: Stuck) -> str:
    value = f"{printable(held.variable)} is {printable(held.value)}"
    if held.by is None:
        return f"{value}, as at the start"
    line = "" if held.line is None else f" in line {held.line}"
    waits_too = held.by in {each.request for each in stuck.waits}
    now = ", which has ended" if held.has_ended else ", which waits itself" if waits_too else ""
    return f"{value} since request {held.by}, `{printable(held.handler)}`{now}, set it{line}"
