"""Reserved words, words of other languages, and which one was meant by a word that is none of them."""

from collections.abc import Iterable

from seriatim.frontends.ser.keywords import CALLED, DECLARING, RESERVED
from seriatim.frontends.ser.variable_warnings import one_slip

STATEMENTS = ("yield", "return")
"""Reserved words that can be a whole statement."""

WORDS = (*sorted(RESERVED), *CALLED, *DECLARING)

OTHERS = {
    "break": "there is no `break`: put the condition into the loop, or `return`",
    "continue": "there is no `continue`: put the rest of the loop into an `if`",
    "pass": "a block that does nothing is `0`, or `{ }`",
    "skip": "a block that does nothing is `0`, or `{ }`",
}
"""Statements of other languages."""

VALUES = {"true": 1, "false": 0, "none": 0, "null": 0}
"""Values of other languages in lowercase, and the integer to write."""


def meant_word(name: str, words: Iterable[str] = WORDS) -> str | None:
    """The reserved word that a name was probably meant to be."""
    return next((word for word in words if name != word and is_slip(name, word)), None)


def is_slip(name: str, word: str) -> bool:
    return name.casefold() == word or one_slip(name, word)


def value_hint(name: str) -> str | None:
    """Chooses what to write instead of a value of another language."""
    value = VALUES.get(name.lower())
    return None if value is None else f"there are only integers: write {value}"
