"""What is looked for in programs with threads, in a sentence."""

from seriatim.properties import deadlock_free, safe
from seriatim.properties.property import Property


def asked_about_threads(question: Property) -> str:
    """Some questions are asked about requests as well, in other words."""
    told = {safe.SAFETY: safe.OF_THREADS, deadlock_free.DEADLOCK_FREEDOM: deadlock_free.OF_THREADS}
    return told.get(question) or question.asked()
