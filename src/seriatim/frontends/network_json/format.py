"""Network systems as JSON, in the format of the paper's tool; `network_system.schema.json` describes it.

States, requests and responses are whatever is named. They are numbered in the order in which they are first
named, the initial global state first, then through the requests, the responses and the transitions.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import assert_never

from seriatim.frontends.network_json.text import NAME, Members, Path, Value, locate, parse
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.system_printer import INITIAL, Entry
from seriatim.source import Diagnostic, InputError, Severity, SourceText, quote

SECTIONS = {
    "requests": ("request", "local"),
    "responses": ("local", "response"),
    "transitions": ("local", "global", "local'", "global'"),
}
"""The lists of the format, and what their entries name."""

DEPTH = 3
"""How deeply the format nests: an object of lists of entries."""

MAX_SUGGESTIONS = 20
"""How many names are compared with all others, to guess which one was meant."""

MAX_COMPARED = 100
"""How long these names may be."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_system(text: str, file: str = "") -> NetworkSystem:
    """The system that the text of a file describes; raises `InputError` with everything wrong with it.

    Entries that are repeated change nothing, and neither do responses of local states where no request ever
    is. Tools write both, so they are warnings.
    """
    source = SourceText(file, text)
    reader = _FormatReader()
    reader.read(parse(source, DEPTH))
    if not reader.findings:
        reader.findings.extend(_find_undeclared(reader, "transitions"))
    if reader.findings:
        raise InputError(_diagnostics(reader.findings, source, Severity.ERROR))
    in_vain = [*_first(reader.repeated), *_first(_find_undeclared(reader, "responses"))]
    system = _number_states(reader.initial, reader.entries)
    return replace(system, warnings=tuple(_diagnostics(in_vain, source, Severity.WARNING)))


def _diagnostics(findings: "list[_Finding]", source: SourceText, severity: Severity) -> list[Diagnostic]:
    """Diagnostics in the order of the text."""
    places = locate(source, {finding.path for finding in findings})
    return [
        Diagnostic(finding.code, finding.message, places[finding.path], finding.hint, severity)
        for finding in sorted(findings, key=lambda finding: places[finding.path])
    ]


def _first(findings: "list[_Finding]") -> "list[_Finding]":
    """The first finding, which says how many more there are of its kind."""
    if len(findings) < 2:
        return findings
    others = len(findings) - 1
    more = "is 1 more" if others == 1 else f"are {others:,} more"
    return [replace(findings[0], message=f"{findings[0].message}; there {more} like it")]


def _number_states(initial: str, sections: dict[str, dict[Entry, Path]]) -> NetworkSystem:
    globals_ = {initial: 0}
    locals_: dict[str, int] = {}
    requests: dict[str, int] = {}
    responses: dict[str, int] = {}

    def number(names: dict[str, int], name: str) -> int:
        return names.setdefault(name, len(names))

    req = tuple(
        (number(requests, request), number(locals_, local)) for request, local in sections["requests"]
    )
    resp = tuple(
        (number(locals_, local), number(responses, response)) for local, response in sections["responses"]
    )
    delta = tuple(
        (number(locals_, local), number(globals_, global_), number(locals_, target), number(globals_, after))
        for local, global_, target, after in sections["transitions"]
    )
    return NetworkSystem(
        globals=tuple(globals_),
        locals=tuple(LocalState(name) for name in locals_),
        requests=tuple(requests),
        responses=tuple(responses),
        initial=0,
        req=req,
        resp=resp,
        delta=delta,
    )


@dataclass(frozen=True, slots=True)
class _Finding:
    """A diagnostic whose place is not looked up yet."""

    path: Path
    code: str
    message: str
    hint: str | None = None


class _FormatReader:
    """Reads as much as follows the format, and takes note of what does not."""

    def __init__(self) -> None:
        self.initial = ""
        self.entries: dict[str, dict[Entry, Path]] = {key: {} for key in SECTIONS}
        """For each section its entries, each with its place."""
        self.findings: list[_Finding] = []
        self.repeated: list[_Finding] = []

    def report(self, path: Path, code: str, message: str, hint: str | None = None) -> None:
        self.findings.append(_Finding(path, code, message, hint))

    def read(self, document: Value) -> None:
        keys = (INITIAL, *SECTIONS)
        if not isinstance(document, Members):
            hint = f"a network system is an object with the keys {_quote_names(keys)}"
            self.report((), "SER102", f"the text is {_kind(document)}, not an object", hint)
            return
        first: dict[str, int] = {}
        meant: set[str | None] = set()
        for member, (key, value) in enumerate(document.pairs):
            if first.setdefault(key, member) != member:
                self.report((member, NAME), "SER105", f"the key {quote(key)} is given twice")
            elif key == INITIAL:
                self.initial = self.name(key, value, (member,)) or ""
            elif key in SECTIONS:
                self.section(key, value, (member,))
            else:
                close = _closest(key, keys) if len(self.findings) < MAX_SUGGESTIONS else None
                meant.add(close)
                hint = _suggestion(close) or f"the keys are {_quote_names(keys)}"
                self.report((member, NAME), "SER104", f"there is no key {quote(key)}", hint)
        for key in keys:
            if key not in first and key not in meant:
                self.report((), "SER103", f"the key `{key}` is missing", _example(key))

    def section(self, key: str, value: Value, path: Path) -> None:
        if not isinstance(value, list):
            self.report(path, "SER102", f"`{key}` is {_kind(value)}, not a list", _example(key))
            return
        known = self.entries[key]
        for number, item in enumerate(value):
            place = (*path, number)
            entry = self.entry(key, item, place)
            if entry is not None and known.setdefault(entry, place) != place:
                hint = f"{_place(key, known[entry])} says the same; remove one of them"
                repeats = f"{_place(key, place)} repeats an entry"
                self.repeated.append(_Finding(place, "SER108", repeats, hint))

    def entry(self, key: str, item: Value, path: Path) -> Entry | None:
        size = len(SECTIONS[key])
        if not isinstance(item, list):
            self.report(path, "SER102", f"{_place(key, path)} is {_kind(item)}, not a list", _example(key))
            return None
        if len(item) != size:
            message = f"{_place(key, path)} should have {size} names, and has {len(item)}"
            self.report(path, "SER106", message, _example(key))
            return None
        names = [self.name(key, name, (*path, i)) for i, name in enumerate(item)]
        found = tuple(name for name in names if name is not None)
        return found if len(found) == size else None

    def name(self, key: str, value: Value, path: Path) -> str | None:
        if not isinstance(value, str):
            self.report(path, "SER102", f"{_place(key, path)} is {_kind(value)}, not a string")
        elif not value:
            self.report(path, "SER107", f"{_place(key, path)} is empty", "give it a name")
        elif _SURROGATE.search(value):
            message = f"{_place(key, path)} holds half of a character, {quote(value)}"
            self.report(path, "SER107", message, "write the character itself, or both halves of it")
        else:
            return value
        return None


def _find_undeclared(reader: _FormatReader, key: str) -> list[_Finding]:
    """Local states with a response or a step, and no way to get there; each where it first stands."""
    starts = {local for _, local in reader.entries["requests"]}
    declared = starts | {target for _, _, target, _ in reader.entries["transitions"]}
    undeclared: dict[str, _Finding] = {}
    for (local, *_), path in reader.entries[key].items():
        if local not in declared and local not in undeclared:
            close = _closest(local, declared) if len(undeclared) < MAX_SUGGESTIONS else None
            hint = _suggestion(close) or "a request is where it starts, and where a transition takes it"
            message = f"{_place(key, path)} names {quote(local)}, a local state where no request ever is"
            undeclared[local] = _Finding((*path, 0), "SER109", message, hint)
    return list(undeclared.values())


def _kind(value: Value) -> str:
    match value:
        case str():
            return "a string"
        case bool() | None:
            return {True: "`true`", False: "`false`", None: "`null`"}[value]
        case float():
            return "a number"
        case list():
            return "a list"
        case Members():
            return "an object"
        case _:
            assert_never(value)


def _place(key: str, path: Path) -> str:
    """The name of a value in messages; the key replaces the first number of the path."""
    return f"`{key}{''.join(f'[{number}]' for number in path[1:])}`"


def _example(key: str) -> str:
    if key == INITIAL:
        return f'write `"{INITIAL}": "…"`, with the name of a global state'
    names = ", ".join(SECTIONS[key])
    return f"`{key}` is a list of entries [{names}]"


def _quote_names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _closest(name: str, known: Iterable[str]) -> str | None:
    """The name that may have been meant. Long names are left alone: to compare them takes too long."""
    short = sorted(other for other in known if len(other) <= MAX_COMPARED)
    close = get_close_matches(name, short, n=1) if len(name) <= MAX_COMPARED else []
    return close[0] if close else None


def _suggestion(name: str | None) -> str | None:
    return None if name is None else f"did you mean {quote(name)}?"
