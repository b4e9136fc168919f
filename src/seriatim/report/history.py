"""The output of `ser history`: an order, or the entries that contradict each other, and why."""

from collections.abc import Iterator, Sequence

from seriatim.certificate.history import CountedOrder, TimedOrder
from seriatim.folding import Folded, Repeated
from seriatim.history.automaton import Label
from seriatim.history.decide import NoOrder, Order, Outcome, Question, Undecided
from seriatim.history.log import Entry
from seriatim.history.model import Model, Part, State
from seriatim.history.smallest import Smallest, SmallestCounts
from seriatim.history.stream import Alarm
from seriatim.report.look import Look, Style

FEW = 20
"""How many entries, states or steps are listed."""

Possible = Sequence[tuple[State, tuple[str, ...]]]


def outcome_text(name: str, question: Question, outcome: Outcome, look: Look) -> str:
    return "".join(f"{line}\n" for line in _lines(name, question, outcome, look))


def _lines(name: str, question: Question, outcome: Outcome, look: Look) -> Iterator[str]:
    title = look.paint(name, Style.STRONG)
    count = _entries(len(question.entries))
    match outcome:
        case Order():
            how = "within their times" if question.is_timed else "one after the other"
            yield f"{title}: {look.paint('explained', Style.GOOD)}: {count} took effect {how}"
            yield from _order(question, outcome)
        case NoOrder():
            bad = look.paint("NOT EXPLAINED", Style.BAD)
            yield f"{title}: {bad}: no order of {count} gives these answers"
            yield from _contradiction(question, outcome)
        case Undecided(reason=reason):
            yield f"{title}: {look.paint('undecided', Style.CHANGE)}: {reason}"


def _entries(count: int) -> str:
    return "1 request" if count == 1 else f"{count:,} requests"


# --- an order -----------------------------------------------------------------------------------------------


def _order(question: Question, outcome: Order) -> Iterator[str]:
    evidence = outcome.certificate.evidence
    if isinstance(evidence, TimedOrder):
        for order in evidence.orders:
            if len(question.entries) <= FEW:
                listed = (f"{question.entries[n].text} (line {question.entries[n].line})" for n in order)
                yield f"  In this order: {', '.join(listed)}."
        if len(question.entries) > FEW:
            yield "  --certificate PATH saves the order."
    elif isinstance(evidence, CountedOrder):
        for walk in evidence.orders[:FEW]:
            yield f"  In this order: {_walk_text(walk)}."
        if len(evidence.orders) > FEW:
            yield f"  … and {len(evidence.orders) - FEW} more parts; --certificate PATH saves all orders."


def _walk_text(walk: Sequence[Folded[tuple[str, str]]]) -> str:
    found = [_item_text(item) for item in walk[:FEW]]
    if len(walk) > FEW:
        found.append(f"… ({len(walk) - FEW:,} more)")
    return ", ".join(found) or "nothing"


def _item_text(item: Folded[tuple[str, str]]) -> str:
    if isinstance(item, Repeated):
        return f"({_walk_text(item.items)}) × {item.times:,}"
    return f"{item[0]} → {item[1]}"


# --- a contradiction ----------------------------------------------------------------------------------------


def _contradiction(question: Question, outcome: NoOrder) -> Iterator[str]:
    match outcome.contradiction:
        case Smallest() as told:
            what = (
                "The smallest set of entries"
                if told.is_smallest
                else "Entries, none of which can be left out,"
                if told.is_minimal
                else "Entries"
            )
            yield f"  {what} that no order explains, whatever the others were answered:"
            for number in told.numbers[:FEW]:
                yield f"    {_entry_text(question.entries[number])}"
            if len(told.numbers) > FEW:
                yield f"    … and {len(told.numbers) - FEW} more"
            last = question.entries[told.last]
            is_asserted = told.last in told.numbers and last.answer is not None
            if told.possible is not None:
                yield from _argument(question.model, outcome.part, last, told.possible, is_asserted)
        case SmallestCounts(counts=counts, is_minimal=is_minimal):
            what = (
                "No order explains these answers, whatever the others were" if is_minimal else "The answers"
            )
            yield f"  {what}:"
            for label, count in counts[:FEW]:
                yield f"    {count:,} × {_label_text(question.model, label)}"
            if len(counts) > FEW:
                yield f"    … and {len(counts) - FEW} more kinds of answers"
            if is_minimal:
                label, count = counts[0]
                others = " together with the others" if len(counts) > 1 else ""
                how = _at_most(count - 1)
                said = _label_text(question.model, label)
                yield f"  In every order, {said} {how}{others}: a contradiction!"


def _at_most(count: int) -> str:
    match count:
        case 0:
            return "cannot occur"
        case 1:
            return "occurs at most once"
        case _:
            return f"occurs at most {count:,} times"


def _label_text(model: Model, label: Label) -> str:
    request, answer = label
    return f"{model.spell(request)} → {model.say(request, answer)}"


def _entry_text(entry: Entry) -> str:
    end = "" if entry.end is None else f", ended at {entry.end}"
    return f"line {entry.line}: {entry.text} (began at {entry.start}{end})"


def _argument(model: Model, part: Part, last: Entry, possible: Possible, is_asserted: bool) -> Iterator[str]:
    said = f"{last.request} in line {last.line}"
    if not possible:
        yield f"  There is no state in which {said} could have taken effect: a contradiction!"
        return
    yield f"  While {said} was in flight, the state could only be:"
    for state, answers in possible[:FEW]:
        request = model.request(last.request)
        given = " or ".join(model.say(request, said) for said in answers) or "nothing: it waits"
        yield f"    {model.show(part, state)}: there it answers {given}"
    if len(possible) > FEW:
        yield f"    … and {len(possible) - FEW} more states"
    if is_asserted:
        yield f"  It answered {last.answer}: a contradiction!"
    else:
        yield "  It ended, but could not: a contradiction!"


def alarm_text(name: str, alarm: Alarm, model: Model, look: Look) -> str:
    """Reports the first answer of a stream that nothing can explain."""
    title = look.paint(name, Style.STRONG)
    entry = Entry(alarm.line, alarm.request, alarm.answer)
    lines = [f"{title}: {look.paint('NOT EXPLAINED', Style.BAD)}: line {alarm.line}: {entry.text}"]
    if alarm.possible:
        lines += _argument(model, alarm.part, entry, alarm.possible, is_asserted=True)
    else:
        lines.append("  No order explains the answers so far, whatever comes later.")
    return "".join(f"{line}\n" for line in lines)


# --- JSON ---------------------------------------------------------------------------------------------------

VERDICTS = {Order: "explicable", NoOrder: "inexplicable", Undecided: "undecided"}


def outcome_json(name: str, question: Question, outcome: Outcome, seconds: float) -> dict[str, object]:
    found: dict[str, object] = {
        "file": name,
        "method": "times" if question.is_timed else "counts",
        "model": question.model.name,
        "verdict": VERDICTS[type(outcome)],
        "entries": len(question.entries),
        "timed": question.is_timed,
        "seconds": round(seconds, 3),
    }
    match outcome:
        case Undecided(reason=reason):
            found["reason"] = reason
        case NoOrder(contradiction=Smallest() as told):
            found["smallest"] = told.is_smallest
            found["lines"] = [question.entries[number].line for number in told.numbers]
            if told.possible is not None:
                found["possible"] = [
                    [question.model.show(outcome.part, state), list(said)] for state, said in told.possible
                ]
        case NoOrder(contradiction=SmallestCounts(counts=counts)):
            found["counts"] = [[question.model.spell(r), answer, count] for (r, answer), count in counts]
        case Order():
            pass
    return found
