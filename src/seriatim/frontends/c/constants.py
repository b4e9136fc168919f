"""Constants of C as numbers, and strings as lists of them."""

import re

_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34}
_PART = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|.)|(.)", re.DOTALL)


def integer_value(text: str) -> int | None:
    """The value of an integer constant, whatever its suffix; None for other constants."""
    digits = text.rstrip("uUlL")
    try:
        return int(digits, 8) if digits.startswith("0") and digits.isdigit() else int(digits, 0)
    except ValueError:
        return None


def character_value(text: str) -> int | None:
    """The value of a constant such as 'a'; None if it is not one plain character."""
    values = characters(text)
    return values[0] if values is not None and len(values) == 1 else None


def characters(text: str) -> list[int] | None:
    """What stands between quotes, as values of the type `char`; None where that depends on the system."""
    if not text.startswith(('"', "'")):
        return None
    found: list[int] = []
    for escaped, plain in _PART.findall(text[1:-1]):
        if plain:
            number = ord(plain)
        elif escaped[0] == "x":
            number = int(escaped[1:], 16)
        elif escaped[0] in "01234567":
            number = int(escaped, 8)
        elif escaped in _ESCAPES:
            number = _ESCAPES[escaped]
        else:
            return None
        if number > (127 if plain else 255):
            return None
        found.append(number - 256 if number > 127 else number)
    return found
