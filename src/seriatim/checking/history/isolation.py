"""Does a certificate about an isolation level prove its verdict?

*An order that shows a level.* For serializability, snapshot isolation and prefix, the transactions are
executed in that order, and have to read what they read. For the others, the order says which version follows
which; the checker carries along, for each transaction, the latest version of each key in its past, and
compares at each read. A stronger level shows a weaker one.

*An anomaly* is looked up in the operations of the transactions that it names.

*Cycles.* Each step has to follow from what was read, or from a choice that its cycle names. Each level has
its kinds of steps, and cycles of some shapes only; a cycle for a weaker level will do. Then each cycle says
that not all its choices are made, and clauses that follow by unit propagation lead to the empty one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from seriatim.certificate.transactions import (
    REAL_TIME,
    Anomaly,
    Choice,
    Cycle,
    Cycles,
    Level,
    LevelCertificate,
    Step,
    TransactionOrder,
    weaker,
)
from seriatim.checking.allowance import Allowance
from seriatim.checking.history.transactions import Scalar, Transaction, TransactionLog, key_text
from seriatim.checking.obligation import Obligation, Report, report_on

INIT = -1
"""The writer of the initial versions; also their rank."""

List = tuple[Scalar, ...]
Read = tuple[str, List | Scalar | None]
"""A key, and what was found there before the transaction's own writes."""


def verify_level(certificate: LevelCertificate, log: TransactionLog, allowance: Allowance) -> Report:
    """The obligations, up to the first one that does not hold. Raises `GaveUp`, `OutOfBudget`."""
    return report_on(_obligations(certificate, LogFacts(log, allowance)))


def _obligations(certificate: LevelCertificate, facts: "LogFacts") -> Iterator[Obligation]:
    same = certificate.log == facts.log.digest
    yield Obligation("the certificate is about this log", same, "" if same else "the digests differ")
    level, evidence = certificate.level, certificate.evidence
    shown = evidence.level if isinstance(evidence, TransactionOrder) else level
    if {level, shown} & REAL_TIME:
        yield Obligation("the log says when transactions began", facts.log.is_timed, "it has no times")
    match evidence:
        case TransactionOrder(order=order):
            fits = shown is level or level in weaker(shown)
            yield Obligation(
                f"what is {shown.words} is {level.words}", fits, "" if fits else "it need not be"
            )
            yield _obligation(f"the order shows {shown.words}", _show(shown, order, facts))
        case Anomaly() as anomaly:
            yield _obligation(f"{anomaly.name} rules out {level.words}", _look_at(anomaly, level, facts))
        case Cycles(cycles=cycles, clauses=clauses):
            problem: str | None = None
            for cycle in cycles:
                problem = problem or _follow_cycle(cycle, level, facts)
            yield _obligation(f"each cycle rules out {level.words} with its choices", problem)
            yield _obligation("the choices leave no way out", _refute(cycles, clauses, facts.allowance))


def _obligation(claim: str, problem: str | None) -> Obligation:
    return Obligation(claim, problem is None, problem or "")


@dataclass(frozen=True, slots=True)
class Written:
    """A write: its transaction, and which of its writes to the key it is."""

    number: int
    place: int


class LogFacts:
    """What the operations of a log say."""

    def __init__(self, log: TransactionLog, allowance: Allowance) -> None:
        self.log = log
        self.allowance = allowance
        self.transactions: Sequence[Transaction] = log.transactions
        self.writes: dict[tuple[str, Scalar], Written] = {}
        self.values: list[dict[str, List]] = []
        """What each transaction wrote to each key."""
        self._seen_writers: set[int] | None = None
        self._lists: dict[str, list[List]] | None = None
        for number, each in enumerate(self.transactions):
            allowance.spend()
            mine: dict[str, List] = {}
            for kind, name, value in each.operations:
                if kind != "r":
                    assert isinstance(value, int | str)
                    key = key_text(name)
                    place = len(mine.get(key, ()))
                    self.writes[key, value] = Written(number, place)
                    mine[key] = (*mine.get(key, ()), value)
            self.values.append(mine)

    def raw_reads(self, number: int) -> Iterator[tuple[str, List | Scalar | None, List]]:
        """Keys, what was read there, and what the transaction itself had written before."""
        own: dict[str, List] = {}
        if self.transactions[number].status != "ok":
            return
        for kind, name, value in self.transactions[number].operations:
            key = key_text(name)
            if kind == "r":
                yield key, value, own.get(key, ())
            else:
                assert isinstance(value, int | str)
                own[key] = (*own.get(key, ()), value)

    def reads(self, number: int) -> Iterator[Read]:
        """Yields what a transaction found, apart from its own writes; what mixes both is left out."""
        for key, value, own in self.raw_reads(number):
            if isinstance(value, tuple):
                if not own or value[-len(own) :] == own:
                    yield key, value[: len(value) - len(own)]
                elif not any(element in own for element in value):
                    yield key, value
            elif value not in own:
                yield key, value

    def mixed(self, number: int) -> Iterator[tuple[str, List, List]]:
        """Yields lists in which a transaction found some of what it wrote, but not all of it at the end."""
        for key, value, own in self.raw_reads(number):
            if isinstance(value, tuple) and not {*own}.isdisjoint(value) and value[-len(own) :] != own:
                yield key, value, own

    def is_internal(self, number: int) -> bool:
        """Whether a transaction read what it had written, and the same again."""
        seen: dict[str, List | Scalar | None] = {}
        for key, value, own in self.raw_reads(number):
            found = value
            if own:
                if isinstance(value, tuple):
                    if value[-len(own) :] != own:
                        return False
                    found = value[: -len(own)]
                elif value != own[-1]:
                    return False
                else:
                    continue
            if key in seen and seen[key] != found:
                return False
            seen[key] = found
        return True

    def has_happened(self, number: int) -> bool:
        """Whether a transaction committed, or a committed one saw its writes."""
        status = self.transactions[number].status
        if status != "info":
            return status == "ok"
        if self._seen_writers is None:
            self._seen_writers = set()
            for reader in range(len(self.transactions)):
                for key, value, _ in self.raw_reads(reader):
                    for each in value if isinstance(value, tuple) else (value,):
                        write = None if each is None else self.writes.get((key, each))
                        if write is not None:
                            self._seen_writers.add(write.number)
        return number in self._seen_writers

    def lists_of(self, key: str) -> list[List]:
        """The lists that were read from a key, each once."""
        if self._lists is None:
            found: dict[str, dict[List, None]] = {}
            for number in range(len(self.transactions)):
                for name, value in self.reads(number):
                    if isinstance(value, tuple):
                        found.setdefault(name, {})[value] = None
            self._lists = {name: list(lists) for name, lists in found.items()}
        return self._lists.get(key, [])


# --- an order -----------------------------------------------------------------------------------------------

POINTS = {
    Level.SERIALIZABLE: "",
    Level.SESSION_SERIALIZABLE: "so",
    Level.STRICT_SERIALIZABLE: "rt",
    Level.SNAPSHOT: "",
    Level.SESSION_SNAPSHOT: "so",
    Level.STRONG_SNAPSHOT: "rt",
    Level.PREFIX: "so",
}
"""Levels that are shown by executing the transactions, and what else their order respects."""

ONE_POINT = (Level.SERIALIZABLE, Level.SESSION_SERIALIZABLE, Level.STRICT_SERIALIZABLE)


def _show(level: Level, order: tuple[int, ...], facts: LogFacts) -> str | None:
    """Says what is wrong with an order; None if it shows the level."""
    times = 2 if level in POINTS and level not in ONE_POINT else 1
    counts = [0] * len(facts.transactions)
    for number in order:
        if number >= len(counts) or facts.transactions[number].status == "fail":
            return f"transaction {number} did not commit, or does not exist"
        counts[number] += 1
    for number, each in enumerate(facts.transactions):
        if counts[number] != times and (counts[number] or each.status == "ok"):
            return f"line {each.line} does not occur as often as it should"
    if level in POINTS:
        return _execute(level, order, facts)
    if level is Level.READ_UNCOMMITTED:
        return _merge(order, facts)
    return Views(level, order, facts).problem()


def _execute(level: Level, order: tuple[int, ...], facts: LogFacts) -> str | None:
    state: dict[str, list[Scalar]] = {}
    version: dict[str, int] = {}
    begun: dict[int, int] = {}
    ended: dict[int, int] = {}
    at_start: dict[int, dict[str, int]] = {}
    for place, number in enumerate(order):
        facts.allowance.spend()
        line = facts.transactions[number].line
        if number not in begun:
            begun[number] = place
            at_start[number] = {key: version.get(key, INIT) for key in facts.values[number]}
            for key, value, own in facts.raw_reads(number):
                found = state.get(key, [])
                if isinstance(value, tuple):
                    expected: List | Scalar | None = (*found, *own)
                else:
                    expected = own[-1] if own else found[-1] if found else None
                if expected != value and not (value is None and not expected):
                    return f"in this order, line {line} does not read {key} as it did"
            if level not in ONE_POINT:
                continue
        ended[number] = place
        for key, values in facts.values[number].items():
            if level is not Level.PREFIX and version.get(key, INIT) != at_start[number][key]:
                return f"{key} was written between the snapshot and the commit of line {line}"
            state.setdefault(key, []).extend(values)
            version[key] = number
    return _respects(POINTS[level], begun, ended, facts)


def _respects(what: str, begun: dict[int, int], ended: dict[int, int], facts: LogFacts) -> str | None:
    """Whether each transaction begins after those that come before it, in its process or in time."""
    problem = "the order does not respect {}: line {} came first"
    numbers = sorted(begun, key=lambda n: (facts.transactions[n].start or 0, n))
    if what == "so":
        last: dict[str, int] = {}
        for number in numbers:
            each = facts.transactions[number]
            if each.process is None:
                continue
            before = last.get(each.process)
            if before is not None and ended[before] >= begun[number]:
                return problem.format("processes", facts.transactions[before].line)
            if each.status == "ok":
                last[each.process] = number
    if what == "rt":
        ends = sorted((e, n) for n in begun if (e := facts.transactions[n].end) is not None)
        at, latest = 0, (-1, 0)
        for number in numbers:
            start = facts.transactions[number].start
            while start is not None and at < len(ends) and ends[at][0] < start:
                latest = max(latest, (ended[ends[at][1]], ends[at][1]))
                at += 1
            if start is not None and latest[0] >= begun[number]:
                return problem.format("times", facts.transactions[latest[1]].line)
    return None


def _merge(order: tuple[int, ...], facts: LogFacts) -> str | None:
    """Read uncommitted: what committed transactions appended, in this order, contains each list that was
    read, apart from what did not commit; and transactions of which nobody has read anything come last, where
    the lists of a key fit together."""
    rank = {number: at for at, number in enumerate(order)}
    for number in order:
        facts.allowance.spend()
        for key, value, _ in facts.raw_reads(number):
            for each in value if isinstance(value, tuple) else () if value is None else (value,):
                if (key, each) not in facts.writes:
                    return f"line {facts.transactions[number].line} read {each}, which nobody wrote to {key}"
    latest: dict[str, tuple[int, int]] = {}
    read: dict[str, set[int]] = {}
    for key in {key for key, _ in facts.writes}:
        lists = facts.lists_of(key)
        longest = max(lists, key=len, default=())
        for value in lists:
            writes = (facts.writes[key, element] for element in value)
            kept = [(rank[w.number], w.place) for w in writes if _committed(w.number, facts)]
            if any(a >= b for a, b in pairwise(kept)):
                return f"{list(value)} was not read from {key} in this order"
            if value == longest and kept and all(longest[: len(each)] == each for each in lists):
                latest[key] = kept[-1]
        read[key] = {facts.writes[key, element].number for element in longest}
    for (key, element), write in facts.writes.items():
        is_unread = write.number not in read[key] and _committed(write.number, facts)
        if key in latest and is_unread and (rank[write.number], write.place) < latest[key]:
            return f"{element} was not read from {key}, but comes before what was"
    return None


def _committed(number: int, facts: LogFacts) -> bool:
    return facts.transactions[number].status == "ok"


WITHOUT_INT = (Level.READ_COMMITTED, Level.CURSOR_STABILITY, Level.MONOTONIC_ATOMIC_VIEW)
"""Levels at which a transaction need not read what it wrote, nor the same again."""


class Views:
    """Read committed to PSI: the order gives versions, and each transaction a view of them."""

    def __init__(self, level: Level, order: tuple[int, ...], facts: LogFacts) -> None:
        self.level = level
        self.order = order
        self.facts = facts
        self.place = {number: at for at, number in enumerate(order)}
        self.ranks: dict[str, dict[int, int]] = {}
        """For each key, its writers with the numbers of their versions."""
        self.whole: dict[str, list[Scalar]] = {}
        self.versions: dict[str, dict[int, int]] = {}
        """For each key, the lengths of its versions, with their writers."""
        for number in order:
            for key, values in facts.values[number].items():
                self.ranks.setdefault(key, {})[number] = len(self.ranks.get(key, ()))
                self.whole.setdefault(key, []).extend(values)
                self.versions.setdefault(key, {0: INIT})[len(self.whole[key])] = number
        self.writers = {key: list(ranks) for key, ranks in self.ranks.items()}
        self.past: dict[int, dict[str, int]] = {}
        self.before: dict[int, int] = {}
        if level in (Level.CAUSAL, Level.PARALLEL_SNAPSHOT):
            last: dict[str, int] = {}
            for number in sorted(order, key=lambda n: (facts.transactions[n].start or 0, n)):
                process = facts.transactions[number].process
                if process is not None:
                    if process in last:
                        self.before[number] = last[process]
                    if facts.transactions[number].status == "ok":
                        last[process] = number

    def problem(self) -> str | None:
        for number in self.order:
            self.facts.allowance.spend()
            line = self.facts.transactions[number].line
            if self.level not in WITHOUT_INT and not self.facts.is_internal(number):
                return f"line {line} does not read what it wrote or read before"
            if not all(self._is_written(number, *each) for each in self.facts.mixed(number)):
                return f"line {line} read what no committed transaction had written before"
            views: list[tuple[str, int]] = []
            for key, value in self.facts.reads(number):
                writer = self._writer_of(key, value)
                if writer is None or writer == number:
                    return f"line {line} read no version of {key}"
                if writer != INIT and self.place[writer] > self.place[number]:
                    return f"line {line} read {key} before it was written"
                views.append((key, writer))
            if self.level is Level.CURSOR_STABILITY and not self._is_next(number, views):
                return f"between what line {line} read and what it wrote, another one wrote the same key"
            if self.level is Level.MONOTONIC_ATOMIC_VIEW and not self._is_monotonic(views):
                return f"line {line} read an old version of a key, but saw a later one before"
            seen = self._see(number, views)
            if seen is None:
                return f"what comes before line {line} comes after it in this order"
            for key, writer in views:
                rank = self.ranks[key][writer] if writer != INIT else INIT
                if seen.get(key, INIT) > rank:
                    return f"line {line} read an old version of {key}, but depends on a later one"
        return None

    def _is_written(self, number: int, key: str, value: List, own: List) -> bool:
        """Whether a list has elements of transactions in the order alone, each once, and none that its reader
        wrote later."""
        writes = [self.facts.writes.get((key, element)) for element in value]
        return len(set(value)) == len(value) and all(
            write is not None
            and write.number in self.place
            and (write.number != number or write.place < len(own))
            for write in writes
        )

    def _writer_of(self, key: str, value: List | Scalar | None) -> int | None:
        if isinstance(value, tuple):
            if tuple(self.whole.get(key, ())[: len(value)]) != value:
                return None
            return self.versions.get(key, {0: INIT}).get(len(value))
        if value is None:
            return INIT
        write = self.facts.writes.get((key, value))
        if write is None or write.number not in self.place:
            return None
        return write.number if self.facts.values[write.number][key][-1] == value else None

    def _see(self, number: int, views: list[tuple[str, int]]) -> dict[str, int] | None:
        """The latest version of each key that a transaction depends on; None if an order goes backwards."""
        if self.level in WITHOUT_INT:
            return {}
        sources = [source for key, writer in views for source in self._sources(key, writer)]
        seen: dict[str, int] = {}
        if self.level is Level.READ_ATOMIC:
            for source in dict.fromkeys(sources):
                self._merge_past(seen, {}, source)
            return seen
        if number in self.before:
            sources.append(self.before[number])
        if self.level in (Level.CONSISTENT_VIEW, Level.PARALLEL_SNAPSHOT):
            for key in self.facts.values[number]:
                rank = self.ranks[key][number]
                if rank:
                    sources.append(self.writers[key][rank - 1])
        for source in dict.fromkeys(sources):
            if self.place[source] >= self.place[number]:
                return None
            self._merge_past(seen, self.past[source], source)
        self.past[number] = seen
        return seen

    def _sources(self, key: str, writer: int) -> list[int]:
        """The writers of what was read."""
        if writer == INIT:
            return []
        if not self.facts.log.has_lists:
            return [writer]
        return self.writers[key][: self.ranks[key][writer] + 1]

    def _is_next(self, number: int, views: list[tuple[str, int]]) -> bool:
        """Whether each version that a transaction wrote is the next one after what it read."""
        return all(
            self.ranks[key][number] == (self.ranks[key][writer] if writer != INIT else INIT) + 1
            for key, writer in views
            if key in self.facts.values[number]
        )

    def _is_monotonic(self, views: list[tuple[str, int]]) -> bool:
        """Whether each read shows all that earlier ones have shown of its key."""
        seen: dict[str, int] = {}
        for key, writer in views:
            if seen.get(key, INIT) > (self.ranks[key][writer] if writer != INIT else INIT):
                return False
            for source in self._sources(key, writer):
                self._merge_past(seen, {}, source)
        return True

    def _merge_past(self, seen: dict[str, int], past: dict[str, int], source: int) -> None:
        self.facts.allowance.spend(len(past) + 1)
        for key, rank in past.items():
            if seen.get(key, INIT) < rank:
                seen[key] = rank
        for key in self.facts.values[source]:
            seen[key] = max(seen.get(key, INIT), self.ranks[key][source])


# --- anomalies ----------------------------------------------------------------------------------------------

RULED_OUT = {
    "garbage": Level.READ_UNCOMMITTED,
    "duplicate": Level.READ_UNCOMMITTED,
    "torn": Level.READ_UNCOMMITTED,
    "G1a": Level.READ_COMMITTED,
    "G1b": Level.READ_COMMITTED,
    "future": Level.READ_COMMITTED,
    "incompatible": Level.READ_COMMITTED,
    "internal": Level.READ_ATOMIC,
}
"""The weakest level that rules out an anomaly, perhaps only in a stricter form."""


def _look_at(anomaly: Anomaly, level: Level, facts: LogFacts) -> str | None:
    """Says what is wrong with an anomaly; None if it rules out the level."""
    weakest = RULED_OUT.get(anomaly.name)
    if weakest is None or (level is not weakest and weakest not in weaker(level)):
        return "this level allows it"
    if not anomaly.transactions or any(n >= len(facts.transactions) for n in anomaly.transactions):
        return "there is no such transaction"
    reader, *others = anomaly.transactions
    if facts.transactions[reader].status != "ok":
        return "the reader did not commit"
    is_strict = level is Level.READ_UNCOMMITTED
    if _is_anomalous(anomaly.name, anomaly.key, reader, others, is_strict, facts):
        return None
    return f"line {facts.transactions[reader].line} does not show it"


def _is_anomalous(
    name: str, key: str, reader: int, others: list[int], is_strict: bool, facts: LogFacts
) -> bool:
    found = [value for each, value in facts.reads(reader) if each == key]
    match name:
        case "garbage":
            return any((key, each) not in facts.writes for each in _all_read(key, reader, facts))
        case "G1a":
            writes = (facts.writes.get((key, each)) for each in _all_read(key, reader, facts))
            return any(w is not None and facts.transactions[w.number].status == "fail" for w in writes)
        case "future":
            return _reads_ahead(key, reader, facts)
        case "internal":
            return not facts.is_internal(reader)
        case "duplicate":
            whole = found if is_strict else [v for each, v, _ in facts.raw_reads(reader) if each == key]
            return any(
                _has_twice(key, value, is_strict, facts) for value in whole if isinstance(value, tuple)
            )
        case "torn":
            return any(_is_torn(key, value, is_strict, facts) for value in found if isinstance(value, tuple))
        case "G1b":
            return any(_is_intermediate(key, value, reader, facts) for value in found)
        case _:
            lists = [value for value in found if isinstance(value, tuple)]
            theirs = [v for n in others for each, v in facts.reads(n) if each == key and isinstance(v, tuple)]
            return any(a[: len(b)] != b[: len(a)] for a in lists for b in theirs)


def _all_read(key: str, reader: int, facts: LogFacts) -> Iterator[Scalar]:
    for each, value, _ in facts.raw_reads(reader):
        if each == key:
            yield from value if isinstance(value, tuple) else () if value is None else (value,)


def _reads_ahead(key: str, reader: int, facts: LogFacts) -> bool:
    for each, value, own in facts.raw_reads(reader):
        if each == key:
            later = facts.values[reader].get(key, ())[len(own) :]
            if any(v in later for v in (value if isinstance(value, tuple) else (value,))):
                return True
    return False


def _has_twice(key: str, value: List, is_strict: bool, facts: LogFacts) -> bool:
    """Strictly: an element of a transaction that committed."""
    writes = [facts.writes.get((key, each)) for each in value]
    kept = [w for w in writes if not is_strict or (w is not None and _committed(w.number, facts))]
    return len(set(kept)) < len(kept) and None not in kept


def _is_torn(key: str, value: List, is_strict: bool, facts: LogFacts) -> bool:
    """Whether the appends of a transaction are apart, in another order, or not complete before the next ones.
    Strictly: those of one that committed are in another order."""
    writes = [facts.writes.get((key, each)) for each in value]
    if is_strict:
        places: dict[int, int] = {}
        for write in writes:
            if write is not None and _committed(write.number, facts):
                if places.get(write.number, -1) > write.place:
                    return True
                places[write.number] = write.place
        return False
    expected: Written | None = None
    for write in writes:
        if write is None:
            return False
        if (expected is None and write.place) or (expected is not None and write != expected):
            return True
        is_last = write.place + 1 == len(facts.values[write.number][key])
        expected = None if is_last else Written(write.number, write.place + 1)
    return False


def _is_intermediate(key: str, value: List | Scalar | None, reader: int, facts: LogFacts) -> bool:
    last = (value[-1] if value else None) if isinstance(value, tuple) else value
    write = None if last is None else facts.writes.get((key, last))
    if write is None or write.number == reader:
        return False
    return facts.values[write.number][key][-1] != last


# --- cycles -------------------------------------------------------------------------------------------------

DEPENDENCY_KINDS = frozenset({"wr", "ww", "rw"})
KINDS: dict[Level, frozenset[str]] = {
    Level.READ_UNCOMMITTED: frozenset({"ww"}),
    Level.READ_COMMITTED: frozenset({"wr", "ww"}),
    Level.CURSOR_STABILITY: DEPENDENCY_KINDS,
    Level.MONOTONIC_ATOMIC_VIEW: frozenset({"wr", "ww", "seen"}),
    Level.READ_ATOMIC: frozenset({"wr", "ww", "seen"}),
    Level.CAUSAL: frozenset({"wr", "ww", "so", "seen"}),
    Level.CONSISTENT_VIEW: DEPENDENCY_KINDS,
    Level.PARALLEL_SNAPSHOT: DEPENDENCY_KINDS | {"so"},
    Level.PREFIX: DEPENDENCY_KINDS | {"so"},
    Level.SNAPSHOT: DEPENDENCY_KINDS,
    Level.SESSION_SNAPSHOT: DEPENDENCY_KINDS | {"so"},
    Level.STRONG_SNAPSHOT: DEPENDENCY_KINDS | {"rt"},
    Level.SERIALIZABLE: DEPENDENCY_KINDS,
    Level.SESSION_SERIALIZABLE: DEPENDENCY_KINDS | {"so"},
    Level.STRICT_SERIALIZABLE: DEPENDENCY_KINDS | {"rt"},
}
"""The kinds of steps that count at each level."""

APART: dict[Level, frozenset[str]] = {
    Level.PREFIX: frozenset({"rw", "ww"}),
    Level.SNAPSHOT: frozenset({"rw"}),
    Level.SESSION_SNAPSHOT: frozenset({"rw"}),
    Level.STRONG_SNAPSHOT: frozenset({"rw"}),
}
"""After these kinds of steps, which end at a commit, no rw may follow, which begins at a snapshot."""


def _follow_cycle(cycle: Cycle, level: Level, facts: LogFacts) -> str | None:
    """Says what is wrong with a cycle; None if it rules out the level, provided that its choices are made."""
    facts.allowance.spend(1 + len(cycle.steps) + len(cycle.choices))
    for key, first, second in cycle.choices:
        for number in (first, second):
            if number >= len(facts.transactions) or key not in facts.values[number]:
                return "a choice is about transactions that do not write its key"
    if not cycle.steps:
        return _follow_ring(cycle.choices)
    for number in (n for step in cycle.steps for n in (step.source, step.target)):
        if number >= len(facts.transactions) or not facts.has_happened(number):
            return "a transaction of the cycle did not happen, or does not exist"
    ends = [step.target for step in cycle.steps]
    if ends != [step.source for step in (*cycle.steps[1:], cycle.steps[0])]:
        return "the steps do not go round"
    problems: list[str] = []
    for each in (level, *sorted(weaker(level))):
        problem = _fits_shape(cycle, each) or _fits_facts(cycle, each, facts)
        if problem is None:
            return None
        problems.append(problem)
    return problems[0]


def _follow_ring(choices: tuple[Choice, ...]) -> str | None:
    """Whether choices about one key go round."""
    following = {first: second for _, first, second in choices}
    if len({key for key, _, _ in choices}) != 1 or len(following) != len(choices):
        return "the choices are not about one key, or branch"
    start = at = choices[0][1]
    for _ in choices:
        if at not in following:
            return "the choices do not go round"
        at = following[at]
    return None if at == start else "the choices do not go round"


def _fits_shape(cycle: Cycle, level: Level) -> str | None:
    whys = [step.why for step in cycle.steps]
    if not KINDS[level] >= set(whys):
        return f"a step of a kind that does not count for {level.words}"
    if level in (Level.CONSISTENT_VIEW, Level.PARALLEL_SNAPSHOT) and whys.count("rw") > 1:
        return "more than one rw"
    before = whys[-1:] + whys[:-1]
    if any(a in APART.get(level, ()) and b == "rw" for a, b in zip(before, whys, strict=True)):
        return "an rw after a step that ends at a commit"
    return None


def _fits_facts(cycle: Cycle, level: Level, facts: LogFacts) -> str | None:
    choices = frozenset(cycle.choices)
    for step in cycle.steps:
        if not _is_step(step, level, choices, facts):
            source, target = (facts.transactions[n].line for n in (step.source, step.target))
            return f"nothing shows that line {source} came before line {target} ({step.why})"
    return None


def _is_step(step: Step, level: Level, choices: frozenset[Choice], facts: LogFacts) -> bool:
    source, target = step.source, step.target
    first, second = facts.transactions[source], facts.transactions[target]
    key = step.key or ""
    match step.why:
        case "so":
            is_earlier = (first.start or 0, source) < (second.start or 0, target)
            return first.process == second.process is not None and is_earlier and first.status == "ok"
        case "rt":
            return first.end is not None and second.start is not None and first.end < second.start
        case "wr":
            return source != target and _reads_from(target, source, key, facts)
        case "ww":
            return source != target and _is_overwritten(source, target, key, level, choices, facts)
        case "rw":
            counts = level is not Level.CURSOR_STABILITY or key in facts.values[source]
            return counts and source != target and _overtakes(source, target, key, choices, facts)
        case "seen":
            return _is_hidden(step, level, facts)
        case _:
            return False


def _reads_from(reader: int, writer: int, key: str, facts: LogFacts) -> bool:
    mine = facts.values[writer].get(key)
    if not mine:
        return False
    for name, value in facts.reads(reader):
        if name == key and (mine[-1] in value if isinstance(value, tuple) else mine[-1] == value):
            return True
    return False


def _is_overwritten(
    source: int, target: int, key: str, level: Level, choices: frozenset[Choice], facts: LogFacts
) -> bool:
    """Whether one transaction wrote a version before another: by choice, or because a list says so."""
    mine, theirs = facts.values[source].get(key), facts.values[target].get(key)
    if not mine or not theirs:
        return False
    if (key, source, target) in choices and level is not Level.READ_UNCOMMITTED:
        return True
    lists = facts.lists_of(key)
    if level is Level.READ_UNCOMMITTED:
        if not (_committed(source, facts) and _committed(target, facts)):
            return False
        if any(_stands_before(mine, theirs, value) for value in lists):
            return True
        longest = max(lists, key=len, default=())
        fit = all(longest[: len(value)] == value for value in lists)
        return fit and any(e in longest for e in mine) and all(e not in longest for e in theirs)
    return any(
        _stands_before(mine, theirs, value) or (mine[0] in value and theirs[-1] not in value)
        for value in lists
    )


def _stands_before(mine: List, theirs: List, value: List) -> bool:
    """Whether a list has some element of one transaction before one of another."""
    mine_places = [at for at, element in enumerate(value) if element in mine]
    return bool(mine_places) and any(element in theirs for element in value[mine_places[0] :])


def _overtakes(reader: int, writer: int, key: str, choices: frozenset[Choice], facts: LogFacts) -> bool:
    """Whether a transaction read a version before another one's."""
    theirs = facts.values[writer].get(key)
    if not theirs:
        return False
    for name, value in facts.reads(reader):
        if name != key:
            continue
        if isinstance(value, tuple):
            if theirs[-1] not in value:
                return True
        elif value is None:
            return True
        else:
            write = facts.writes.get((key, value))
            if write is not None and (key, write.number, writer) in choices:
                return True
    return False


def _is_hidden(step: Step, level: Level, facts: LogFacts) -> bool:
    """Whether the reader at the end of the path depends on the source, which wrote the key, but read the key
    as the target left it; or, if source and target are the same, as it was at first."""
    key, path = step.key or "", step.path
    if not path or path[0].source != step.source or key not in facts.values[step.source]:
        return False
    reader = path[-1].target
    if reader == step.source or not _is_past(path, level, facts):
        return False
    reads = list(facts.reads(reader))
    if level is Level.MONOTONIC_ATOMIC_VIEW:
        first = next(at for at, read in enumerate(reads) if _shows(read, path[0], facts))
        reads = reads[first + 1 :]
    found = [value for name, value in reads if name == key]
    if step.target == step.source:
        return any(value in (None, ()) for value in found)
    mine = facts.values[step.target].get(key)
    last = [value[-1] if isinstance(value, tuple) and value else value for value in found]
    return bool(mine) and mine is not None and mine[-1] in last


def _is_past(path: tuple[Step, ...], level: Level, facts: LogFacts) -> bool:
    """Whether a path leads through what transactions read, and, for causal, through processes."""
    if any(n >= len(facts.transactions) for each in path for n in (each.source, each.target)):
        return False
    if any(a.target != b.source for a, b in pairwise(path)):
        return False
    is_direct = level in (Level.READ_ATOMIC, Level.MONOTONIC_ATOMIC_VIEW)
    if is_direct and (len(path) > 1 or path[0].why != "wr"):
        return False
    for each in path:
        if each.why not in ("wr", "so") or not facts.has_happened(each.source):
            return False
        if each.why == "wr" and facts.log.has_lists:
            if not _reads_any(each.target, each.source, each.key or "", facts):
                return False
        elif not _is_step(each, level, frozenset(), facts):
            return False
    return True


def _reads_any(reader: int, writer: int, key: str, facts: LogFacts) -> bool:
    step = Step(writer, reader, "wr", key)
    return any(isinstance(read[1], tuple) and _shows(read, step, facts) for read in facts.reads(reader))


def _shows(read: Read, step: Step, facts: LogFacts) -> bool:
    """Whether a read shows something that the source of a step wrote."""
    key, value = read
    mine = facts.values[step.source].get(key, ())
    if key != step.key or not mine:
        return False
    return any(each in mine for each in value) if isinstance(value, tuple) else value == mine[-1]


# --- clauses ------------------------------------------------------------------------------------------------


def _refute(
    cycles: Iterable[Cycle], clauses: Sequence[tuple[Choice, ...]], allowance: Allowance
) -> str | None:
    """Whether no choices avoid all cycles: each clause says that one of its choices is not made; each follows
    from those before it, by unit propagation, and the empty one from all."""
    known = [frozenset(cycle.choices) for cycle in cycles]
    for clause in clauses:
        if not _propagates(known, frozenset(clause), allowance):
            return "a clause does not follow"
        known.append(frozenset(clause))
    return None if _propagates(known, frozenset(), allowance) else "there may be a way out"


def _propagates(known: list[frozenset[Choice]], clause: frozenset[Choice], allowance: Allowance) -> bool:
    """Whether making all choices of a clause leads to a clause whose choices are all made."""
    made = set(clause)
    while True:
        size = len(made)
        for each in known:
            allowance.spend()
            if any(_reverse(choice) in made for choice in each):
                continue
            left = each - made
            if not left:
                return True
            if len(left) == 1:
                made.add(_reverse(next(iter(left))))
        if len(made) == size:
            return False


def _reverse(choice: Choice) -> Choice:
    key, first, second = choice
    return key, second, first
