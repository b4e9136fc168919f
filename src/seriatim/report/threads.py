"""What is looked for in programs with threads, in a sentence, and what several questions have come to."""

from collections.abc import Sequence

from seriatim.properties import deadlock_free, safe
from seriatim.properties.property import Property, in_words
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.result import Holds, Result

NOUNS = {safe.SAFETY: "failures", RACE_FREEDOM: "data races", deadlock_free.DEADLOCK_FREEDOM: "hangs"}
"""What the questions that are asked together look for."""


def asked_about_threads(question: Property, others: Sequence[Property] = ()) -> str:
    """Some questions are asked about requests as well, in other words."""
    if others:
        found = "failed assertions, values outside their ranges, divisions by 0, memory that is not there"
        return f"Looked for: {', '.join([found, *(NOUNS[each] for each in others)])}."
    told = {safe.SAFETY: safe.OF_THREADS, deadlock_free.DEADLOCK_FREEDOM: deadlock_free.OF_THREADS}
    return told.get(question) or question.asked()


def told_together(result: Result) -> tuple[str, str]:
    """The words for all questions with the answer yes, and those for questions that stay open."""
    answers = [(result.property, result.answer), *((each.property, each.answer) for each in result.also)]
    held = [in_words(each.verdicts[0]) for each, answer in answers if isinstance(answer, Holds)]
    open_ones = [NOUNS[each] for each, answer in answers if not isinstance(answer, Holds)]
    rest = f"; {_listed(open_ones)} undecided" if open_ones else ""
    return _listed(held), rest


def told_about_others(result: Result) -> list[str]:
    """Why the other questions have their answers."""
    found = []
    for each in result.also:
        noun, answer = NOUNS[each.property], each.answer
        if isinstance(answer, Holds):
            found.append(f"No {noun}: {_lowered(answer.reason)}")
        else:
            found.append(f"Undecided whether there are {noun}: {_lowered(answer.reason)}.")
    return found


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
