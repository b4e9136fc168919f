"""Explanations as items of a list, and a counterexample as a table of firings."""

from collections.abc import Iterator
from typing import assert_never

from seriatim.checking.words import counted, state_words, values_words
from seriatim.explain.argument import Completion
from seriatim.explain.explanation import (
    CommitStep,
    Equation,
    Explanation,
    Firing,
    Flight,
    Formula,
    MoreFormulas,
    MoreStates,
    OutOfReach,
    Reason,
    Reduced,
    Remark,
    StateFacts,
    Uninterrupted,
)
from seriatim.explain.names import visible
from seriatim.report.commit_text import commit_words, join_words
from seriatim.report.families import join_families
from seriatim.report.repair_text import blame_remarks
from seriatim.report.tables import TextTable, table_text
from seriatim.report.text_look import TextLook
from seriatim.text_width import fill, printable

MAX_FLIGHTS = 6
"""How many ways to be in flight are listed for each global state."""

INDENTED = "    "


def explanation_text(explanation: Explanation, look: TextLook) -> str:
    """Paragraphs with their line breaks; empty if there is nothing to add."""
    remarks = [reason_words(reason) for reason in join_families(explanation.reasons)]
    if explanation.blame is not None:
        remarks += blame_remarks(explanation.blame)
    items = "".join(_item(remark, look) for remark in remarks)
    if explanation.firings:
        table = table_text(_firing_table(explanation.firings)).replace("×", look.symbols.times)
        return f"\n{table}\n{items}\n" if explanation.blame is not None else f"\n{table}\n"
    return f"\n{items}\n" if items else ""


def _item(text: str, look: TextLook) -> str:
    return INDENTED[2:] + "- " + fill(printable(text), look.width, INDENTED).lstrip() + "\n"


def _firing_table(firings: tuple[Firing, ...]) -> TextTable:
    rows = (
        (
            str(number),
            firing.what,
            state_words(firing.state),
            _multiset(firing.in_flight),
            _multiset(firing.answered),
        )
        for number, firing in enumerate(firings)
    )
    header = ("step", "firing", "global state", "in flight", "answered")
    return TextTable("As firings of the Petri net of all interleavings:", header, tuple(rows))


def _multiset(items: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(item if count == 1 else f"{item} ×{count}" for item, count in items)


# Reasons


def reason_words(reason: Reason) -> str:
    match reason:
        case Uninterrupted(handler=handler, line=line):
            return f"`{handler}` (line {line}) has no `yield`: no other request runs in between."
        case CommitStep():
            return commit_words(reason)
        case Remark(sentence=sentence):
            return sentence
        case Reduced(handler=handler, left=None):
            return (
                f"`{handler}` takes effect with its answer: what others do in between could happen before it."
            )
        case Reduced(handler=handler, left=left):
            return (
                f"`{handler}` has taken effect once it has only `{left}` left to do: what others do in"
                " between could happen before it until then, and after it from then on."
            )
        case StateFacts():
            return _facts_words(reason)
        case MoreStates(count=count):
            return f"And so on, for {count} more global states."
        case Formula():
            return _formula_words(reason)
        case MoreFormulas(count=count):
            return f"And so on, for {counted(count, 'more formula')}."
        case OutOfReach():
            return "There is more to explain, but finding it takes too long."
        case _:
            assert_never(reason)


def _formula_words(formula: Formula) -> str:
    said = "; ".join(formula.facts) or "nothing more is known"
    if not formula.requests:
        return f"Always: {said}."
    resting = [
        f"{'another ' if requests_before else ''}`{visible(handler)}` has `{visible(code)}` left to do"
        + (", and has taken effect" if committed else "")
        for requests_before, (handler, code, committed) in enumerate(formula.requests)
    ]
    return f"While {join_words(resting, 'and')}: {said}."


def _facts_words(facts: StateFacts) -> str:
    flying = sorted({_flight_words(each) for each in facts.in_flight})
    others = len(flying) - MAX_FLIGHTS
    shown = [*flying[:MAX_FLIGHTS], *([f"{others} others"] if others > 0 else [])]
    who = f"in flight may be {join_words(shown, 'and')}" if shown else "no request is halfway"
    if not facts.can_rest:
        return f"In {state_words(facts.state)}, {who}; there is always a request in flight."
    said = ", ".join(_tell_known(facts)) or "any numbers of answers"
    return f"In {state_words(facts.state)}, {who}. If no request is in flight: {said}."


def _tell_known(facts: StateFacts) -> Iterator[str]:
    yield from map(equation_words, facts.equations)
    yield from (f"at most one {_name(completion)}" for completion in facts.at_most_one)
    if facts.never:
        yield join_words([f"no {_name(completion)}" for completion in facts.never], "and")


def _flight_words(flight: Flight) -> str:
    values = f" with {values_words(flight.values)}" if flight.values else ""
    place = f"`{visible(flight.code)}`" if flight.line is None else f"line {flight.line}"
    return f"`{visible(flight.handler)}` in {place}{values}"


def _name(completion: Completion) -> str:
    return "/".join(completion)


def equation_words(equation: Equation) -> str:
    """An equation with only additions on either side."""
    sides = []
    for sign in (1, -1):
        terms = [
            _name(completion) if abs(factor) == 1 else f"{abs(factor)} {_name(completion)}"
            for factor, completion in equation.terms
            if factor * sign > 0
        ]
        if equation.constant * sign > 0:
            terms.append(str(abs(equation.constant)))
        sides.append(" + ".join(terms) or "0")
    return " = ".join(sides)
