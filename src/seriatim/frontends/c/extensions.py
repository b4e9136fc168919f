"""Extensions of compilers that change nothing here: attributes, and names for assemblers."""

from dataclasses import replace

from seriatim.frontends.c.headers import HARMLESS, MODES
from seriatim.frontends.c.macros import Tokens, wrong


def without_extensions(tokens: Tokens, file: str) -> Tokens:
    """Raises `InputError` at attributes and assembly that may matter."""
    found: Tokens = []
    depth = 0
    place = 0
    are_sizes_asked = any(each.text in ("sizeof", "_Alignof") for each in tokens)
    while place < len(tokens):
        token = tokens[place]
        if token.text == "_Alignas" and are_sizes_asked:
            wrong("`_Alignas` where sizes matter", token, file, "leave it out")
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if token.text in ("__attribute__", "__attribute"):
            end = _closing(tokens, place + 1)
            _obey_attributes(tokens[place + 1 : end], found, are_sizes_asked, file)
            place = end
        elif token.text == "__asm__":
            is_name = depth == 0 and bool(found) and found[-1].text not in (";", "}")
            place = _after_assembly(tokens, place, is_name, file)
        else:
            found.append(token)
            place += 1
    return found


def _closing(tokens: Tokens, place: int) -> int:
    """Just after the parenthesis that closes the one at a place; the end, if none does."""
    depth = 0
    for number in range(place, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[number].text, 0)
        if depth <= 0:
            return number + 1
    return len(tokens)


def _obey_attributes(tokens: Tokens, before: Tokens, are_sizes_asked: bool, file: str) -> None:
    """Those in double parentheses; arguments are one level deeper. `mode` changes the type before a name."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth != 2 or token.kind != "name":
            continue
        argument = [each.text for each in tokens[number + 2 : number + 3]]
        is_reserved = bool(before) and before[-1].text.startswith("__")  # A type of a header.
        is_natural = argument == ["__alignof__"] or is_reserved
        is_aligned = token.text.strip("_") == "aligned" and are_sizes_asked and not is_natural
        if token.text.strip("_") in HARMLESS and not is_aligned:
            continue
        mode = "".join(each.text for each in tokens[number + 2 : number + 3]).strip("_")
        if (
            token.text.strip("_") == "mode"
            and mode in MODES
            and [each.text for each in before[-2:-1]] == ["int"]
        ):
            before[-2] = replace(before[-2], text=MODES[mode])
        else:
            wrong(f"the attribute `{token.text}`", token, file, "leave it out")


def _after_assembly(tokens: Tokens, place: int, is_name: bool, file: str) -> int:
    """Passes over a name for the assembler after a declaration, or an empty instruction that only hinders
    compilers."""
    start = place + 1
    while start < len(tokens) and tokens[start].text in ("volatile", "goto"):
        start += 1
    end = _closing(tokens, start)
    words = [each.text for each in tokens[start + 1 : end - 1]]
    is_empty = words[:1] == ['""'] and all(word in (":", ",", '""', '"memory"') for word in words)
    if not is_name and not is_empty:
        wrong("assembly", tokens[place], file, "write it in C")
    return end
