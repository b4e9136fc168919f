"""Parameters of packets: header values, and decisions of tables and hashes, fixed for each packet.

They are parameters of requests, never choices of a run: a choice would be free in one-at-a-time runs, too,
and would hide violations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seriatim.frontends.p4.code import (
    KEYED,
    Const,
    Get,
    Hash,
    Random,
    Table,
    TableEntry,
    Value,
    keyed,
    without_key,
)
from seriatim.frontends.p4.kinds import Enumerated, valid
from seriatim.frontends.p4.scopes import Scopes
from seriatim.source import Span

DRAWN = 2
"""How many of a large range of random numbers are drawn."""

SMALL = 8
"""Hashes and enumerations with at most this many values need no scope."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    values: tuple[int, ...]
    words: tuple[str, ...] = ()
    """The names of the values; empty if they are numbers."""

    def describe(self, value: int, name: str) -> str:
        """Describes a value for the name of a request; `name` is the short name of the parameter."""
        header = name.removesuffix(valid(""))
        if header != name:
            return f"{header} {'valid' if value else 'invalid'}"
        return f"{name} = {self.words[self.values.index(value)] if self.words else value}"


class Need(Exception):
    """Raised when an execution needs the value of a parameter."""

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter.name)
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class HashCall:
    """A hash with its inputs; equal calls have equal values."""

    algorithm: str
    base: int
    size: int
    inputs: tuple[Value, ...]


Outcome = tuple[bool, str, tuple[int, ...] | None]
"""The outcome of a table: whether it was a hit, the action, and its data, if they are known."""


class Inventory:
    """Findings that all executions share: hashes, chosen scopes, tables."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.hashes: dict[HashCall, str] = {}
        self.calls: dict[str, tuple[Hash, HashCall]] = {}
        self.sites: dict[str, set[Span]] = {}
        """The places where each hash is computed, by its name."""
        self.chosen: dict[str, tuple[str, Span | None]] = {}
        """The scopes that were chosen, each as a sentence and with its place, by name."""
        self.tables: dict[str, Table] = {}
        """The tables that the control plane fills, by name."""

    def name_hash(self, step: Hash, call: HashCall) -> str:
        """Names the parameter for the value of a hash."""
        if call not in self.hashes:
            first = name = f"{path_text(step.path).rpartition('.')[2]}@{step.span.line}"
            number = 2
            while name in self.calls:
                name, number = f"{first}#{number}", number + 1
            self.hashes[call] = name
            self.calls[name] = step, call
        found = self.hashes[call]
        self.sites.setdefault(found, set()).add(step.span)
        return found

    def values(self, get: Get, limit: int | None) -> tuple[int, ...]:
        """The values that a path may have; chooses a scope if it has none."""
        if get.path in self.calls:
            return self._hash_values(get, limit)
        if isinstance(get.kind, Enumerated) and len(get.kind.members) <= SMALL:
            return tuple(range(len(get.kind.members)))
        path = without_key(get.path)
        found = self.scopes.of(path, get.kind)
        if found is not None:
            return found
        values = self.scopes.choices.choose(path, path, get.kind, limit)
        return self._note_choice(path, values, get.span)

    def has_values(self, get: Get) -> bool:
        is_small = isinstance(get.kind, Enumerated) and len(get.kind.members) <= SMALL
        scope = self.scopes.of(without_key(get.path), get.kind)
        return get.path in self.calls or is_small or scope is not None

    def _hash_values(self, get: Get, limit: int | None) -> tuple[int, ...]:
        step, call = self.calls[get.path]
        said = self.scopes.fields.get(f"hash@{step.span.line}")
        if said is not None and said.values is not None:
            return said.values
        size = call.size or 1
        if limit is not None:
            size = min(size, max(limit - call.base, 1))
        if size <= SMALL:
            return tuple(range(call.base, call.base + size))
        name = step.path.partition("~")[0].rpartition(".")[2]
        values = self.scopes.choices.choose(name, step.path, step.kind, limit)
        return self._note_choice(name, values, step.span)

    def note_random(self, step: Random, low: int, high: int) -> int:
        """Notes that only the least numbers of a range are drawn; returns how many."""
        sentence = f"chosen: {DRAWN} of the random numbers in {low}..{high}, since they are many"
        self.chosen.setdefault(f"random@{step.span.line}", (sentence, step.span))
        return DRAWN

    def _note_choice(self, name: str, values: tuple[int, ...], span: Span) -> tuple[int, ...]:
        sentence = f"chosen: {path_text(name)} in {values_text(values)}, since it has no scope"
        self.chosen.setdefault(name, (sentence, span if span.line else None))
        return values


class Parameters:
    """The parameters of one packet that have values so far."""

    def __init__(self, inventory: Inventory, bound: dict[str, int]) -> None:
        self.inventory = inventory
        self.bound = bound

    def look_up(self, get: Get) -> Value:
        """The value that a packet brings along; the path itself if nothing has needed its value yet."""
        value = self.bound.get(get.path, self.inventory.scopes.only(without_key(get.path)))
        return get if value is None else Const(value, get.kind)

    def is_known(self, get: Get) -> bool:
        return get.path in self.bound or self.inventory.has_values(get)

    def demand(self, get: Get, limit: int | None = None) -> int:
        """The value of a path; raises `Need` if it has none yet."""
        if get.path in self.bound:
            return self.bound[get.path]
        words = get.kind.members if isinstance(get.kind, Enumerated) else ()
        raise Need(Parameter(get.path, self.inventory.values(get, limit), words))

    def value(self, parameter: Parameter) -> int:
        if parameter.name not in self.bound:
            raise Need(parameter)
        return self.bound[parameter.name]

    def name_hash(self, step: Hash, base: int, size: int, inputs: tuple[Value, ...]) -> str:
        return self.inventory.name_hash(step, HashCall(step.algorithm, base, size, inputs))

    # --- tables -------------------------------------------------------------------------------------------

    def choose(
        self,
        table: Table,
        label: str,
        keys: Sequence[Value],
        depends: bool,
        needs_hit: bool,
        settle: Callable[[Value], int],
        is_settled: Callable[[Value], bool],
    ) -> Outcome:
        """Chooses what a table does with a packet. The choice is a parameter, unless its key depends on a
        register: then the entries decide; if they are not known, there is a parameter for each key."""
        if table.entries is not None and (depends or all(map(is_settled, keys))):
            found = match_entry(table.entries, [settle(key) for key in keys])
            return (False, *table.default) if found is None else (True, found.action, found.data)
        outcomes = outcomes_of(table, needs_hit)
        words = tuple(_describe(outcome) for outcome in outcomes)
        self.inventory.tables[table.name] = table
        name = keyed(label, map(settle, keys)) if depends else label
        choice = self.value(Parameter(name, tuple(range(len(outcomes))), words))
        return outcomes[choice]


def outcomes_of(table: Table, needs_hit: bool) -> list[Outcome]:
    """The possible outcomes of a table, in the order of the values of its parameter.

    The control plane may also change the default action, unless it is constant. If nothing depends on
    whether an entry has matched, an action that entries and the default may choose is one outcome.
    """
    if table.entries is not None:
        entries = [(True, each.action, each.data) for each in table.entries]
        return [*dict.fromkeys(entries), (False, *table.default)]
    is_free = not table.default_is_constant
    hits: list[Outcome] = [
        (True, each.action, None if each.data else ()) for each in table.choices if not each.default_only
    ]
    misses: list[Outcome] = [
        (False, each.action, None if each.data else ())
        for each in table.choices
        if is_free and not each.table_only
    ]
    if not table.keys:
        hits = []
    found = [*hits, *misses, (False, *table.default)]
    seen: dict[object, Outcome] = {}
    for outcome in found:
        seen.setdefault(outcome if needs_hit else outcome[1:], outcome)
    return list(seen.values())


def _describe(outcome: Outcome) -> str:
    is_hit, action, data = outcome
    values = f"({', '.join(map(str, data))})" if data else ""
    return f"{action}{values}{'' if is_hit else ' (miss)'}"


def match_entry(entries: Sequence[TableEntry], keys: Sequence[int]) -> TableEntry | None:
    """The first entry that matches; entries are in the order of their priorities."""
    for entry in entries:
        if all(pattern.matches(key) for pattern, key in zip(entry.patterns, keys, strict=True)):
            return entry
    return None


def values_text(values: tuple[int, ...]) -> str:
    """Writes values as scopes do."""
    if len(values) > 1 and values == tuple(range(values[0], values[-1] + 1)):
        return f"{values[0]}..{values[-1]}"
    return f"{{{', '.join(map(str, values))}}}"


def path_text(path: str) -> str:
    """Writes a path as the program does."""
    plain, _, key = path.partition(KEYED)
    written = plain.partition("~")[0]
    return f"{written} for key {key}" if key else written
