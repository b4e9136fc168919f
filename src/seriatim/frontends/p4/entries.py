"""Reads table entries in the format of simple_switch_CLI: `table_add t a 10.0.0.0/8 => 1`."""

import re

from seriatim.frontends.p4.code import Pattern, TableEntry
from seriatim.frontends.p4.refusal import MARK, quote_name, refuse
from seriatim.frontends.p4.syntax import Control, Program, Table
from seriatim.frontends.p4.tables import Given, GivenEntries
from seriatim.source import InputError, quote

HOW = "write `table_add TABLE ACTION KEY … => DATA …`, or `table_set_default TABLE ACTION DATA …`"


def read_entries(text: str, program: Program) -> GivenEntries:
    """Reads the entries of tables; raises `InputError`."""
    tables = {
        f"{control.name}.{table.name}": table
        for control in program.declarations
        if isinstance(control, Control)
        for table in control.locals
        if isinstance(table, Table)
    }
    found: dict[str, Given] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0] not in ("table_add", "table_set_default") or len(words) < 3:
            raise _wrong(number, line)
        name = next((each for each in tables if each == words[1] or each.endswith(f".{words[1]}")), None)
        if name is None:
            raise refuse(MARK, f"line {number} of the entries: no table {quote(words[1])}", None, HOW)
        given = found.get(name, Given(()))
        action = words[2].rpartition(".")[2]
        if words[0] == "table_set_default":
            data = tuple(_number(word, number, line) for word in words[3:] if word != "=>")
            found[name] = Given(given.entries, (action, data))
        else:
            entry = _entry(tables[name], action, words[3:], number, line)
            found[name] = Given((*given.entries, entry), given.default)
    return {
        name: Given(tuple(sorted(each.entries, key=lambda entry: entry.priority)), each.default)
        for name, each in found.items()
    }


def _entry(table: Table, action: str, words: list[str], number: int, line: str) -> TableEntry:
    if "=>" not in words:
        words = [*words, "=>"]
    arrow = words.index("=>")
    keys, data = words[:arrow], words[arrow + 1 :]
    if len(keys) != len(table.keys):
        has = f"{quote_name(table.name)} has {len(table.keys)}"
        message = f"line {number} of the entries: {len(keys)} keys, but {has}"
        raise refuse(MARK, message, None, HOW)
    matches = [key.match for key in table.keys]
    patterns = tuple(_pattern(word, match, number, line) for word, match in zip(keys, matches, strict=True))
    priority = number
    if any(match in ("ternary", "range", "optional") for match in matches):
        if not data:
            hint = "entries with ternary or range keys end with a priority"
            raise refuse(MARK, f"line {number} of the entries: no priority", None, hint)
        priority = _number(data.pop(), number, line)
    elif "lpm" in matches:
        priority = -sum(each.prefix for each in patterns)
    return TableEntry(patterns, action, tuple(_number(word, number, line) for word in data), priority)


def _pattern(word: str, match: str, number: int, line: str) -> Pattern:
    if match == "lpm" and "/" in word:
        value, _, length = word.partition("/")
        bits = int(length) if length.isdigit() else -1
        width = 48 if ":" in value else 32
        if not 0 <= bits <= width:
            raise _wrong(number, line)
        mask = ((1 << bits) - 1) << (width - bits)
        return Pattern(_number(value, number, line) & mask, mask, prefix=bits)
    if "&&&" in word:
        value, _, bits_text = word.partition("&&&")
        return Pattern(_number(value, number, line), _number(bits_text, number, line))
    if "->" in word:
        low, _, high = word.partition("->")
        return Pattern(low=_number(low, number, line), high=_number(high, number, line))
    return Pattern(_number(word, number, line), -1, prefix=64)


def _number(word: str, number: int, line: str) -> int:
    """Reads a number, an IPv4 address or an Ethernet address."""
    if re.fullmatch(r"\d+(\.\d+){3}", word):
        return sum(int(part) << (8 * place) for place, part in enumerate(reversed(word.split("."))))
    if re.fullmatch(r"[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}", word):
        return int("".join(part.zfill(2) for part in word.split(":")), 16)
    try:
        return int(word, 0)
    except ValueError:
        raise _wrong(number, line) from None


def _wrong(number: int, line: str) -> InputError:
    return refuse(MARK, f"line {number} of the entries cannot be read: {quote(line.strip())}", None, HOW)
