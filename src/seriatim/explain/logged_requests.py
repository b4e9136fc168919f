"""The account of a log of requests: an order, or the entries that contradict each other, and why."""

from collections.abc import Iterator, Sequence

from seriatim.certificate.history import CountedOrder, TimedOrder
from seriatim.explain.account import Account, Bar, Finding, Reason, Shown, draw_bars
from seriatim.folding import Folded, Repeated
from seriatim.history.automaton import Label
from seriatim.history.decide import NoOrder, Order, Question
from seriatim.history.log import Entry
from seriatim.history.model import Model, Part, State
from seriatim.history.smallest import Smallest, SmallestCounts

FEW = 20
"""How many entries, states or steps are listed."""

Possible = Sequence[tuple[State, tuple[str, ...]]]


def account_of_requests(question: Question, outcome: Order | NoOrder) -> Account:
    count = count_requests(len(question.entries))
    facts: dict[str, object] = {
        "model": question.model.name,
        "entries": len(question.entries),
        "timed": question.is_timed,
    }
    if isinstance(outcome, Order):
        times = "within its time" if len(question.entries) == 1 else "within their times"
        how = times if question.is_timed else "one after the other"
        told = tuple(Reason(line) for line in _order(question, outcome))
        return Account(f"{count} took effect {how}", (Finding("explained", True),), told, facts)
    facts |= _facts(question, outcome)
    told = tuple(_contradiction(question, outcome))
    return Account(
        f"no order of {count} gives these answers", (Finding("NOT EXPLAINED", False),), told, facts
    )


def count_requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count:,} requests"


def _facts(question: Question, outcome: NoOrder) -> dict[str, object]:
    match outcome.contradiction:
        case Smallest() as told:
            found: dict[str, object] = {
                "smallest": told.is_smallest,
                "lines": [question.entries[number].line for number in told.numbers],
            }
            if told.possible is not None:
                states = ((question.model.show(outcome.part, state), said) for state, said in told.possible)
                found["possible"] = [[state, list(said)] for state, said in states]
            return found
        case SmallestCounts(counts=counts):
            return {"counts": [[question.model.spell(r), answer, count] for (r, answer), count in counts]}


# --- an order -----------------------------------------------------------------------------------------------


def _order(question: Question, outcome: Order) -> Iterator[str]:
    evidence = outcome.certificate.evidence
    if isinstance(evidence, TimedOrder):
        for order in evidence.orders:
            if len(question.entries) <= FEW:
                listed = (f"{question.entries[n].text} (line {question.entries[n].line})" for n in order)
                yield f"In this order: {', '.join(listed)}."
        if len(question.entries) > FEW:
            yield "--certificate PATH saves the order."
    elif isinstance(evidence, CountedOrder):
        for walk in evidence.orders[:FEW]:
            yield f"In this order: {_walk_text(walk, question.model)}."
        if len(evidence.orders) > FEW:
            yield f"… and {len(evidence.orders) - FEW} more parts; --certificate PATH saves all orders."


def _walk_text(walk: Sequence[Folded[tuple[str, str]]], model: Model) -> str:
    found = [_item_text(item, model) for item in walk[:FEW]]
    if len(walk) > FEW:
        found.append(f"… ({len(walk) - FEW:,} more)")
    return ", ".join(found) or "nothing"


def _item_text(item: Folded[tuple[str, str]], model: Model) -> str:
    if isinstance(item, Repeated):
        return f"({_walk_text(item.items, model)}) × {item.times:,}"
    return f"{item[0]} → {model.say(model.request(item[0]), item[1])}"


# --- a contradiction ----------------------------------------------------------------------------------------


def _contradiction(question: Question, outcome: NoOrder) -> Iterator[Reason]:
    match outcome.contradiction:
        case Smallest() as told:
            what = (
                "The smallest set of entries"
                if told.is_smallest
                else "Entries, none of which can be left out,"
                if told.is_minimal
                else "Entries"
            )
            lines = [_entry_text(question.entries[number]) for number in told.numbers[:FEW]]
            if len(told.numbers) > FEW:
                lines.append(f"… and {len(told.numbers) - FEW} more")
            title = f"{what} that no order explains, whatever the others were answered:"
            yield Reason(title, tuple(lines), _bars(question, told.numbers))
            last = question.entries[told.last]
            is_asserted = told.last in told.numbers and last.answer is not None
            if told.possible is not None:
                yield from argue(question.model, outcome.part, last, told.possible, is_asserted)
        case SmallestCounts(counts=counts, is_minimal=is_minimal):
            what = (
                "No order explains these answers, whatever the others were" if is_minimal else "The answers"
            )
            lines = [f"{count:,} × {_label_text(question.model, label)}" for label, count in counts[:FEW]]
            if len(counts) > FEW:
                lines.append(f"… and {len(counts) - FEW} more kinds of answers")
            yield Reason(f"{what}:", tuple(lines))
            if is_minimal:
                label, count = counts[0]
                others = " together with the others" if len(counts) > 1 else ""
                how = _at_most(count - 1)
                said = _label_text(question.model, label)
                yield Reason(f"In every order, {said} {how}{others}: a contradiction!")


def _bars(question: Question, numbers: Sequence[int]) -> tuple[Bar, ...]:
    """The entries of a contradiction, and some of those that were in flight with the last one of them."""
    last = question.entries[max(numbers, key=lambda n: (question.entries[n].end or 0, n))]
    shown = dict.fromkeys(numbers[:FEW])
    for number, entry in enumerate(question.entries):
        if len(shown) >= FEW:
            break
        if _overlaps(entry, last):
            shown[number] = None
    entries = (question.entries[number] for number in shown)
    return draw_bars([Shown(e.line, e.process, e.text, e.start, e.end) for e in entries])


def _overlaps(entry: Entry, last: Entry) -> bool:
    if entry.start is None or last.start is None or last.end is None:
        return False
    return entry.start <= last.end and (entry.end is None or entry.end >= last.start)


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


def argue(model: Model, part: Part, last: Entry, possible: Possible, is_asserted: bool) -> Iterator[Reason]:
    """Why an entry could not have been answered like this."""
    said = f"{last.request} in line {last.line}"
    if not possible:
        yield Reason(f"There is no state in which {said} could have taken effect: a contradiction!")
        return
    lines: list[str] = []
    for state, answers in possible[:FEW]:
        request = model.request(last.request)
        given = " or ".join(model.say(request, answer) for answer in answers) or "nothing: it waits"
        lines.append(f"{model.show(part, state)}: there it answers {given}")
    if len(possible) > FEW:
        lines.append(f"… and {len(possible) - FEW} more states")
    yield Reason(f"While {said} was in flight, the state could only be:", tuple(lines))
    end = f"It answered {last.answer}" if is_asserted else "It ended, but could not"
    yield Reason(f"{end}: a contradiction!")
