"""Strict readers for JSON: integers only, no repeated keys, no unexpected keys.

Each reader takes a value and its place, and raises `InputError` if the value is not as expected.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from seriatim.program.state import GlobalState, ShownState
from seriatim.source import Diagnostic, InputError, Span, quote

Word = TypeVar("Word", bound=str | int)
Item = TypeVar("Item")


def state_fields(state: ShownState) -> object:
    """A global state as JSON."""
    return state if isinstance(state, str) else dict(state)


def global_state(value: object, where: str) -> GlobalState:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return values(value, where)
    raise wrong(where, "the name of a state, or an object with the integer value of each variable")


def shown_state(value: object, where: str) -> ShownState:
    return tuple(plain_data(value, where).items()) if isinstance(value, dict) else string(value, where)


def plain_data(value: object, where: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise wrong(where, "an object")


def values(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if isinstance(value, dict) and all(map(is_integer, value.values())):
        return tuple(sorted(value.items()))
    raise wrong(where, "an object with the integer value of each variable")


def members(value: object, what: str, keys: tuple[str, ...]) -> dict[str, object]:
    """The members of an object that has these keys and no others."""
    if not isinstance(value, dict):
        raise error("SER405", f"{what} is not an object")
    require(value, what, keys)
    for key in value:
        if key not in keys:
            raise error("SER404", f"{what} has a key {quote(key)}, which means nothing there")
    return value


@dataclass(frozen=True, slots=True)
class Record:
    """An object with the expected keys, to be read member by member."""

    fields: dict[str, object]
    prefix: str
    """The text before keys in messages."""

    def read(self, key: str, reader: Callable[[object, str], Item]) -> Item:
        return reader(self.fields[key], self.prefix + key)

    def items(self, key: str, item: Callable[[object, str], Item]) -> tuple[Item, ...]:
        return items(self.fields[key], self.prefix + key, item)

    def one_of(self, key: str, words: tuple[Word, ...]) -> Word:
        return one_of(self.fields[key], self.prefix + key, words)


def record(value: object, where: str, keys: tuple[str, ...]) -> Record:
    return Record(members(value, f"`{where}`", keys), f"{where}.")


def document(value: object, what: str, keys: tuple[str, ...]) -> Record:
    """The outermost object; its keys alone name its members in messages."""
    return Record(members(value, what, keys), "")


def require(members: dict[str, object], what: str, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in members:
            raise error("SER404", f"{what} lacks the key `{key}`")


def items(value: object, where: str, item: Callable[[object, str], Item]) -> tuple[Item, ...]:
    if not isinstance(value, list):
        raise wrong(where, "a list")
    return tuple(item(entry, f"{where}[{index}]") for index, entry in enumerate(value))


def one_of(value: object, where: str, words: tuple[Word, ...]) -> Word:
    for word in words:
        if type(value) is type(word) and value == word:  # True and 1.0 equal 1
            return word
    raise wrong(where, " or ".join(json.dumps(word) for word in words))


def string(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise wrong(where, "a string")
    return value


def string_or_nothing(value: object, where: str) -> str | None:
    return None if value is None else string(value, where)


def integer_from(least: int, value: object, where: str) -> int:
    if not is_integer(value) or value < least:
        raise wrong(where, f"an integer from {least} on")
    return value


def integer(value: object, where: str) -> int:
    if not is_integer(value):
        raise wrong(where, "an integer")
    return value


def natural(value: object, where: str) -> int:
    return integer_from(0, value, where)


def positive(value: object, where: str) -> int:
    return integer_from(1, value, where)


def integer_up_to(most: int, value: object, where: str) -> int:
    if not is_integer(value) or not 0 <= value <= most:
        raise wrong(where, f"an integer from 0 to {most}")
    return value


def boolean(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(where, "true or false")
    return value


def is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def parse(text: str) -> object:
    """Parses JSON text without repeated keys and with integers only."""
    try:
        value: object = json.loads(
            text, object_pairs_hook=_distinct, parse_float=_no_fraction, parse_constant=_no_constant
        )
    except json.JSONDecodeError as found:
        place = Span(found.lineno, found.colno, found.lineno, found.colno + 1)
        raise InputError([Diagnostic("SER401", "from here on, this is not JSON", place)]) from None
    except RecursionError:
        raise error("SER401", "lists and objects are nested too deeply") from None
    except ValueError:  # The only other cause is Python's limit on digits.
        raise error("SER405", "a number has too many digits") from None
    return value


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise error("SER402", f"the key {quote(key)} is given twice in the same object")
        members[key] = value
    return members


def _no_fraction(number: str) -> object:
    raise error("SER405", f"{quote(number)} is not an integer", "certificates contain integers only")


def _no_constant(word: str) -> object:
    raise error("SER401", f"not JSON: {quote(word)} is not a number")


def wrong(where: str, expected: str) -> InputError:
    return error("SER405", f"`{where}` is not {expected}")


def error(code: str, message: str, hint: str | None = None) -> InputError:
    return InputError([Diagnostic(code, message, hint=hint)])
