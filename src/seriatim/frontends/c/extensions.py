"""Extensions of compilers: attributes go; `typeof`, `a ?: b` and `case 1 ... 3` become standard C."""

from dataclasses import replace
from itertools import pairwise

from seriatim.frontends.c.constants import integer_value
from seriatim.frontends.c.headers import HARMLESS, MODES
from seriatim.frontends.c.macros import Tokens, wrong

TYPEOF = "__seriatim_type"
"""How names begin that stand for the type of an expression."""
AUTO = "__seriatim_auto"
"""The type of a variable that has the type of its first value."""
SAME = "__seriatim_same"
"""In `a ? b : c`, stands for the value of `a`."""
KEPT = "__seriatim_kept"
"""The value of `a`, once it is known."""
MAX_CASES = 256

_TYPEOF = ("typeof", "__typeof__", "__typeof", "typeof_unqual", "__typeof_unqual__")


def without_extensions(tokens: Tokens, file: str) -> Tokens:
    """Raises `InputError` at attributes and assembly that may matter."""
    return with_types(with_cases(with_whole_choices(without_attributes(tokens, file)), file), file)


def with_whole_choices(tokens: Tokens) -> Tokens:
    """`a ?: b` has a middle."""
    found = tokens[:1]
    for before, token in pairwise(tokens):
        if (before.text, token.text) == ("?", ":"):
            found.append(replace(token, kind="name", text=SAME))
        found.append(token)
    return found


def with_cases(tokens: Tokens, file: str) -> Tokens:
    """`case 1 ... 3:` is `case 1: case 2: case 3:`."""
    found: Tokens = []
    place = 0
    while place < len(tokens):
        words = [each.text for each in tokens[place : place + 5]]
        if words[:1] == ["case"] and words[2:3] == ["..."] and words[4:] == [":"]:
            first, last = integer_value(words[1]), integer_value(words[3])
            if first is None or last is None or not 0 <= last - first < MAX_CASES:
                wrong("these cases", tokens[place], file, "write a case for each number")
            sign = replace(tokens[place], kind="sign", text=":")
            for number in range(first, last + 1):
                found += [tokens[place], replace(tokens[place], kind="number", text=str(number)), sign]
            place += 5
        else:
            found.append(tokens[place])
            place += 1
    return found


def with_types(tokens: Tokens, file: str) -> Tokens:
    """`typeof(e)` is a name, which a function at the end explains; the parser takes the name for a type."""
    found: Tokens = []
    asked: list[Tokens] = []
    has_auto = False
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.text in _TYPEOF:
            if token.text.startswith(("typeof_", "__typeof_u")):
                wrong(f"`{token.text}`", token, file, "name the type")
            end = _closing(tokens, place + 1)
            if any(each.text in _TYPEOF for each in tokens[place + 1 : end]):
                wrong("`typeof` within `typeof`", token, file, "name the type")
            found.append(replace(token, text=f"{TYPEOF}{len(asked)}"))
            asked.append(tokens[place + 1 : end])
            place = end
            continue
        has_auto = has_auto or token.text == "__auto_type"
        found.append(replace(token, text=AUTO) if token.text == "__auto_type" else token)
        place += 1
    names = [f"{TYPEOF}{number}" for number in range(len(asked))] + [AUTO] * has_auto
    if not names:
        return tokens
    first, last = tokens[0], tokens[-1]
    before = [replace(first, text=word) for name in names for word in ("typedef", "int", name, ";")]
    after: Tokens = []
    for name, inside in zip(names, asked, strict=False):
        after += [replace(last, text=word) for word in ("void", name + "_", "(", "void", ")", "{", "sizeof")]
        after += [*inside, *(replace(last, text=word) for word in (";", "}"))]
    return before + found + after


def without_attributes(tokens: Tokens, file: str) -> Tokens:
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
