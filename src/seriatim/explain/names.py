r"""Names as people see them: different names look different.

Programs have identifiers for names, which are shown as they are. States, requests and responses of network
systems can be any text. What cannot be seen is written as an escape: characters that are not printed, spaces
at either end or in a row, marks that Unicode would join with the letter before (two ways to write `é`), and
the backslash itself.

Claim: different names are shown differently. Why: reading `\\` and the escapes back gives the name, since a
backslash is never anything else.
"""

import re
from collections.abc import Sequence
from unicodedata import combining, normalize

from seriatim.properties.derived import FINAL_VALUES

_NEEDS_A_LOOK = re.compile(r"^ | $|  |\\|[^ -~]")


def visible(name: str) -> str:
    if not _NEEDS_A_LOOK.search(name):
        return name
    is_joined = normalize("NFC", name) == name
    shown = []
    for index, character in enumerate(name):
        if character == " ":
            is_plain = 0 < index < len(name) - 1 and name[index - 1] != " "
        else:
            is_plain = character.isprintable() and (is_joined or not combining(character))
        shown.append(character if is_plain and character != "\\" else _escape(character))
    return "".join(shown)


def _escape(character: str) -> str:
    return "\\x20" if character == " " else character.encode("unicode_escape").decode("ascii")


def completion_text(request: str, response: str) -> str:
    """A request and its answer, such as `incr/1`; a stroke that belongs to one of them is escaped."""
    return "/".join(visible(part).replace("/", "\\x2f") for part in (request, response))


def order_text(order: Sequence[tuple[str, str]]) -> str:
    """Requests with their answers, one after the other; final values last."""
    requests = ", then ".join(completion_text(*each) for each in order if not is_final(each[0]))
    seen = [f"final values {visible(response)}" for handler, response in order if is_final(handler)]
    return "; ".join(filter(None, [requests, *seen]))


def is_final(handler: str) -> bool:
    """Whether this is the observer of final values; no request of a program has its name."""
    if not handler.startswith("("):  # Most names are not, and then nothing is loaded.
        return False
    return handler.startswith(FINAL_VALUES)
