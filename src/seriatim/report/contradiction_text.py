"""Why an outcome is not serial, argued up to the contradiction, and the serial outcomes nearest to it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar, assert_never

from seriatim.explain.argument import (
    Argument,
    Blocked,
    Case,
    Cases,
    CaseStep,
    DeadEnd,
    Impossible,
    Nearest,
    Occasion,
    Outline,
    in_order,
)
from seriatim.explain.names import is_final, order_text, visible
from seriatim.program.state import ShownState
from seriatim.properties.property import THE_HANDLERS, Property, consequence
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import may_be_pending
from seriatim.report.text_look import TextLook
from seriatim.text_width import fill

MAX_OCCASIONS = 6
MAX_ORDERS = 3

Moving = TypeVar("Moving", Blocked, CaseStep)


def argument_text(
    argument: Argument | None,
    look: TextLook,
    margin: str,
    question: Property = SERIALIZABILITY,
    about: str = THE_HANDLERS,
) -> str:
    """Lines of text, each with its line break."""
    claim, conclusion = question.refusal(), consequence(question, about)
    points: list[tuple[int, str]]
    match argument:
        case None if may_be_pending(question.states()):
            lead = f"{claim}: all orders were tried, with and without those in flight."
            points = []
        case None:
            lead = f"{claim}; there are too many to argue case by case here, but none of them does."
            points = []
        case Cases(root=root):
            lead = f"{claim}. Suppose that one did:"
            points = list(_case(root, "first", 0))
        case Impossible(handler=handler, response=response, occasions=occasions):
            lead = f"{claim}: {_impossible(handler, response)}:"
            points = [(0, text) for text in _occasions(_reached(handler, occasions), _verb(handler))]
        case Outline(prefixes=prefixes, dead_ends=dead_ends, shortest=shortest):
            lead = (
                f"{claim}: there are {prefixes:,} ways to begin one, too many to show, and all lead to"
                f" one of {dead_ends:,} dead ends. The shortest:"
            )
            points = [(0, _dead_end(end)) for end in shortest]
        case _:
            assert_never(argument)
    end = f"A contradiction: {conclusion}." if points else f"So {conclusion}."
    lines = [fill(lead, look.width, margin)]
    lines += [_point(text, look.width, margin + "  " * depth) for depth, text in points]
    lines.append(fill(end, look.width, margin))
    return "".join(line + "\n" for line in lines)


def out_of_time_text(look: TextLook, margin: str, question: Property, about: str) -> str:
    """Chooses what to say if there was no time left to argue."""
    said = f"{question.refusal()}; there was no time left to argue why. So {consequence(question, about)}."
    return fill(said, look.width, margin) + "\n"


def nearest_text(nearest: Nearest | None, look: TextLook, margin: str) -> str:
    """Lines of text; none if nothing is known."""
    if nearest is None:
        return ""
    if not nearest.orders:
        text = "One at a time, these requests are never all answered: in every order, some wait for ever."
        return fill(text, look.width, margin) + "\n"
    orders = nearest.orders
    outcomes = "outcome" if len(orders) == 1 else "outcomes"
    answers = len(orders[0]) - sum(is_final(handler) for handler, _ in orders[0])
    seen = "answers" if answers == len(orders[0]) else "answers and final values"
    lead = f"Nearest one-at-a-time {outcomes} ({nearest.changed} of {len(orders[0])} {seen} changed):"
    lines = [fill(lead, look.width, margin)]
    lines += [_point(order_text(order), look.width, margin) for order in orders[:MAX_ORDERS]]
    if len(orders) > MAX_ORDERS:
        lines.append(_point(f"{len(orders) - MAX_ORDERS} more", look.width, margin))
    return "".join(line + "\n" for line in lines)


def _point(text: str, width: int, margin: str) -> str:
    """An item of a list, its further lines indented."""
    body = fill(text, width, margin + "  ")
    return f"{margin}- {body[len(margin) + 2 :]}"


# Cases


def _case(case: Case, position: str, depth: int) -> Iterator[tuple[int, str]]:
    """(depth, sentence) for a case and all below it; the sentence before a dead end says that it is one."""
    for one in _requests(case.blocked):
        yield depth, f"{_name(one.handler)} cannot come {position}: {_would(one)}."
    for step in sorted(_requests(case.steps), key=lambda step: (step.handler, step.response)):
        sentence = (
            f"If {_name(step.handler)} comes {position}, it answers {visible(step.response)} and"
            f" {_leaves(case.state, step.next.state)}"
        )
        if _requests(step.next.steps):
            yield depth, f"{sentence}. Then:"
            yield from _case(step.next, "next", depth + 1)
        else:
            yield depth, f"{sentence}; then {_nobody(step.next.blocked, step.handler)}."


def _requests(several: Sequence[Moving]) -> list[Moving]:
    """Those that are requests: final values are looked at when all of these are answered."""
    return [each for each in several if not is_final(each.handler)]


def _nobody(blocked: Sequence[Blocked], previous: str = "") -> str:
    """Why no request can come next, after a request of some handler."""
    return ", and ".join(
        f"the final values {_would(one, '')}"
        if is_final(one.handler)
        else f"{'the next ' if one.handler == previous else ''}{_name(one.handler)} {_would(one, '')}"
        for one in _requests(blocked) or blocked
    )


def _would(blocked: Blocked, subject: str = "it ") -> str:
    if blocked.precede:
        others = " and ".join(map(_name, blocked.precede))
        return f"{subject}began after {others} {'was' if len(blocked.precede) == 1 else 'were'} answered"
    wanted = _either(blocked.wanted)
    if not blocked.possible:
        return f"{subject}would wait for ever instead of answering {wanted}"
    verb = "be" if is_final(blocked.handler) else "answer"
    return f"{subject}would {verb} {_either(blocked.possible)}, not {wanted}"


def _leaves(before: ShownState, after: ShownState) -> str:
    return "changes nothing" if before == after else f"leaves {_state(after, before)}"


# Other ways to present it


def _impossible(handler: str, response: str) -> str:
    if is_final(handler):
        return f"the final values are {visible(response)}, but all that the requests can leave is"
    return (
        f"{_name(handler)} answered {visible(response)}, but alone, in every state that"
        " the others can leave, it answers otherwise"
    )


def _reached(handler: str, occasions: Sequence[Occasion]) -> Sequence[Occasion]:
    """The occasions to speak of: final values can be looked at only when all requests are answered."""
    if not is_final(handler):
        return occasions
    return [replace(each, state=()) for each in occasions if each.possible]


def _verb(handler: str) -> str:
    return "they are" if is_final(handler) else "it answers"


def _occasions(occasions: Sequence[Occasion], verb: str) -> Iterator[str]:
    for occasion in occasions[:MAX_OCCASIONS]:
        when = f"after {order_text(occasion.before)}" if occasion.before else "at the start"
        state = _state(occasion.state)
        yield f"{f'{state}, {when}' if state else when}: {_answers(occasion.possible, verb)}"
    if len(occasions) > MAX_OCCASIONS:
        rest = occasions[MAX_OCCASIONS:]
        answers = in_order(answer for occasion in rest for answer in occasion.possible)
        yield f"in the {len(rest)} other states: {_answers(answers, verb)}"


def _answers(possible: Sequence[str], verb: str) -> str:
    return f"{verb} {_either(possible)}" if possible else "it waits for ever"


def _dead_end(end: DeadEnd) -> str:
    when = f"after {order_text(end.order)}" if end.order else "at first"
    return f"{when}, {_nobody(end.blocked)}"


# Words


def _name(handler: str) -> str:
    return f"`{visible(handler)}`"


def _either(answers: Sequence[str]) -> str:
    shown = [visible(answer) for answer in answers]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def _state(state: ShownState, before: ShownState = ()) -> str:
    """A state; for a program, only the variables that changed."""
    if isinstance(state, str):
        return visible(state)
    return ", ".join(f"{name} = {value}" for name, value in state if (name, value) not in before)
