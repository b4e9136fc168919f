"""What was asked and what was observed, in a line each, for people."""

from typing import assert_never

from seriatim.properties.question import (
    ConflictSerializability,
    Linearizability,
    Observed,
    Question,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
    in_words,
    verdict_names,
)


def asked_text(question: Question) -> str:
    """Nothing, if it is what is asked unless something else is."""
    match question:
        case Serializability(observed=()):
            return ""
        case Serializability(observed=observed):
            return f"Observed: the answers, and {_final_values(observed)}."
        case ConflictSerializability():
            return "Observed: who reads and writes which variable before whom."
        case StrictSerializability(barriers=barriers):
            return f"Observed: the answers{_time(barriers)}."
        case Linearizability(barriers=barriers, pending=pending):
            runs = "; requests may be in flight at the end" if pending else ""
            return f"Compared with a specification: the answers{_time(barriers)}{runs}."
        case StaticLinearizability():
            return "Compared with a specification: the answers, in the order of points in the code."
        case _:
            assert_never(question)


def _final_values(observed: Observed) -> str:
    names = "all globals" if observed == "all" else ", ".join(observed)
    return f"the final values of {names}"


def _time(barriers: int) -> str:
    if barriers == 0:
        return ", whatever the time"
    count = f"{barriers} barrier{'' if barriers == 1 else 's'}"
    return f", and who was answered before whom began, up to {count} of time"


def refusal(question: Question) -> str:
    """What a violation shows, up to the full stop."""
    match question:
        case Serializability(observed=()):
            return "No one-at-a-time order gives these answers"
        case Serializability():
            return "No one-at-a-time order gives these answers and final values"
        case ConflictSerializability():
            return "No one-at-a-time order keeps all conflicts in their order"
        case StrictSerializability(barriers=0):
            return "No one-at-a-time order gives these answers"
        case StrictSerializability():
            return "No one-at-a-time order that respects time gives these answers"
        case Linearizability(barriers=0):
            return "The specification allows these answers in no order"
        case Linearizability() | StaticLinearizability():
            return "The specification allows these answers in no order that respects time"
        case _:
            assert_never(question)


def so_they_are_not(question: Question) -> str:
    """What follows from a violation."""
    return f"the handlers are {in_words(verdict_names(question)[1])}"
