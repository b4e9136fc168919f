"""What transactions observed: who wrote each version, who read it, and what no level above some allows.

A committed transaction (`ok`) happened. One whose outcome is not known (`info`) happened iff a committed one
read a value that it wrote: leaving out one that nobody has seen never hurts. Its own reads are not known.

In logs of lists, the longest list that was read orders the writers of its elements; appends that nobody has
read come after them, in an order that is open. In logs of registers, all orders of writers are open. The
values written to a key differ, so a value tells its writer; otherwise the log is refused.

Some observations contradict a level by themselves, whatever else happened:

| name | what was read | weakest level that rules it out |
|---|---|---|
| garbage | a value that nobody wrote | read uncommitted |
| G1a | a value whose transaction did not commit | read committed |
| G1b | a value that its transaction overwrote, or a part of its appends | read committed |
| future | a value that the reader itself wrote later | read committed |
| duplicate | a list with an element twice | read committed |
| incompatible | two lists, neither of which begins with the other | read committed |
| torn | a list in which the appends of a transaction are apart, or in another order | read committed |
| internal | something else than the transaction itself wrote or read before | read atomic |
"""

from collections.abc import Iterator, Sequence

from seriatim.certificate.transactions import Anomaly, Level
from seriatim.checking.history.transactions import Scalar, Transaction, TransactionLog, key_text
from seriatim.history.reading import problem_at

INIT = -1
"""Writer of the initial version of each key."""

LOCAL: dict[str, Level] = {
    "garbage": Level.READ_UNCOMMITTED,
    "G1a": Level.READ_COMMITTED,
    "G1b": Level.READ_COMMITTED,
    "future": Level.READ_COMMITTED,
    "duplicate": Level.READ_COMMITTED,
    "incompatible": Level.READ_COMMITTED,
    "torn": Level.READ_COMMITTED,
    "internal": Level.READ_ATOMIC,
}
"""The weakest level that rules out each anomaly."""

List = tuple[Scalar, ...]
Write = tuple[int, int]
"""A transaction, and which of its writes to the key this is."""


class Key:
    """What was written to a key and read from it."""

    def __init__(self, name: Scalar) -> None:
        self.name = name
        self.writers: dict[Scalar, Write] = {}
        """The write of each value, by any transaction."""
        self.counts: dict[int, int] = {}
        """How many values each transaction wrote."""
        self.last: dict[int, Scalar] = {}
        """The last value that each transaction wrote."""
        self.longest: List = ()
        self.longest_reader = INIT
        self.clashes: list[tuple[int, List]] = []
        """Lists that do not fit the longest one, with their readers."""
        self.chain: list[int] = []
        """The writers whose order is known."""
        self.tail: list[int] = []
        """The writers that come after them, in an open order."""


class Observed:
    """The observations of a log. Raises `InputError` if a value is written twice to a key."""

    def __init__(self, log: TransactionLog) -> None:
        self.log = log
        self.transactions: Sequence[Transaction] = log.transactions
        self.keys: list[Key] = []
        self._numbers: dict[Scalar, int] = {}
        self.anomalies: dict[str, Anomaly] = {}
        """The first anomaly of each name."""
        self.counts: dict[str, int] = {}
        """How many there are of each."""
        self.raw_reads: list[tuple[int, int, int | Scalar | None]] = []
        """(reader, key, length of the list or value)."""
        self.reads_from: list[tuple[int, int, int]] = []
        """(reader, key, writer)."""
        self.happened = [each.status == "ok" for each in self.transactions]
        for number, each in enumerate(self.transactions):
            self._take_writes(number, each)
        for number, each in enumerate(self.transactions):
            if each.status == "ok":
                if log.has_lists:
                    self._take_lists(number, each)
                else:
                    self._take_values(number, each)
        self._see_unanswered()
        if log.has_lists:
            self._resolve_lists()
        else:
            self._resolve_values()
        for key in self.keys:
            known = set(key.chain)
            key.tail = [t for t in key.last if self.happened[t] and t not in known]
        self.session_edges = list(self._find_sessions())

    @property
    def size(self) -> int:
        return len(self.transactions)

    def first_anomaly(self, level: Level, weaker: frozenset[Level]) -> Anomaly | None:
        """An anomaly that rules out this level, or one of those that are weaker."""
        return next((a for name, a in self.anomalies.items() if LOCAL[name] in weaker | {level}), None)

    def _key(self, name: Scalar) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.keys)
            self.keys.append(Key(name))
        return number

    def _note(self, name: str, key: int, *transactions: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1
        if name not in self.anomalies:
            self.anomalies[name] = Anomaly(name, transactions, key_text(self.keys[key].name))

    def _take_writes(self, number: int, transaction: Transaction) -> None:
        for kind, name, value in transaction.operations:
            if kind == "r":
                self._key(name)
                continue
            assert isinstance(value, int | str)
            key = self.keys[self._key(name)]
            if value in key.writers:
                earlier = self.transactions[key.writers[value][0]].line
                message = f"{value} is written to {name} here and in line {earlier}"
                hint = "write different values to a key, so that reads tell whose they are"
                raise problem_at(transaction.line, message, hint)
            place = key.counts.get(number, 0)
            key.writers[value] = number, place
            key.counts[number] = place + 1
            key.last[number] = value

    # --- lists ----------------------------------------------------------------------------------------------

    def _take_lists(self, number: int, transaction: Transaction) -> None:
        own: dict[int, List] = {}
        seen: dict[int, List] = {}
        for kind, name, value in transaction.operations:
            k = self._numbers[name]
            if kind != "r":
                assert isinstance(value, int | str)
                own[k] = (*own.get(k, ()), value)
                continue
            assert isinstance(value, tuple)
            mine = own.get(k, ())
            if number in self.keys[k].last:
                if self._reads_ahead(number, k, value, len(mine)):
                    self._note("future", k, number)
                if len(set(value)) < len(value):
                    self._note("duplicate", k, number)
            if mine and value[-len(mine) :] != mine:
                self._note("internal", k, number)
                self._look_up(number, k, value)
                if any(element in mine for element in value):
                    continue
            else:
                value = value[: len(value) - len(mine)]
            if k in seen and seen[k] != value:
                self._note("internal", k, number)
            seen[k] = value
            self._take_list(number, k, value)

    def _reads_ahead(self, number: int, k: int, value: List, done: int) -> bool:
        writers = self.keys[k].writers
        return any(writers.get(e, (INIT, 0))[0] == number and writers[e][1] >= done for e in value)

    def _take_list(self, number: int, k: int, value: List) -> None:
        key = self.keys[k]
        size, known = len(value), len(key.longest)
        if size <= known:
            fits = key.longest[:size] == value
        else:
            fits = value[:known] == key.longest
            if fits:
                self._look_up(number, k, value[known:])
                key.longest, key.longest_reader = value, number
                if len(set(value)) < size:
                    self._note("duplicate", k, number)
        if fits:
            self.raw_reads.append((number, k, size))
        else:
            self._look_up(number, k, value)
            if len(set(value)) < size:
                self._note("duplicate", k, number)
            key.clashes.append((number, value))
            self._note("incompatible", k, number, key.longest_reader)

    def _look_up(self, number: int, k: int, elements: List) -> None:
        key = self.keys[k]
        for element in elements:
            write = key.writers.get(element)
            if write is None:
                self._note("garbage", k, number)
            elif self.transactions[write[0]].status == "fail":
                self._note("G1a", k, number)
            elif write[0] != number:
                self.happened[write[0]] = True

    def _resolve_lists(self) -> None:
        versions: list[list[int | None]] = []
        for k, key in enumerate(self.keys):
            versions.append(self._order_writers(k, key))
        for reader, k, size in self.raw_reads:
            assert isinstance(size, int)
            writer = versions[k][size]
            if writer is None:
                write = self.keys[k].writers.get(self.keys[k].longest[size - 1])
                if write is not None and write[0] != reader and self.happened[write[0]]:
                    self._note("G1b", k, reader)
            elif writer != reader:
                self.reads_from.append((reader, k, writer))

    def _order_writers(self, k: int, key: Key) -> list[int | None]:
        """Fills the chain; the writer of each version, by length; None if it is not complete."""
        found: list[int | None] = [INIT]
        expected: Write | None = None
        """The element that has to come next, because its transaction appended more."""
        for element in key.longest:
            write = key.writers.get(element)
            if write is None or not self.happened[write[0]]:
                found.append(None)
                expected = None
                continue
            number, place = write
            if (expected is None and place) or (expected is not None and write != expected):
                self._note("torn", k, key.longest_reader)
            if not key.chain or key.chain[-1] != number:
                key.chain.append(number)
            is_complete = place + 1 == key.counts[number]
            expected = None if is_complete else (number, place + 1)
            found.append(number if is_complete else None)
        return found

    # --- registers ------------------------------------------------------------------------------------------

    def _take_values(self, number: int, transaction: Transaction) -> None:
        own: dict[int, Scalar] = {}
        seen: dict[int, Scalar | None] = {}
        for kind, name, value in transaction.operations:
            k = self._numbers[name]
            assert not isinstance(value, tuple)
            if kind != "r":
                assert value is not None
                own[k] = value
                continue
            if k in own:
                if own[k] == value:
                    continue
                self._note("internal", k, number)
            elif seen.setdefault(k, value) != value:
                self._note("internal", k, number)
            self.raw_reads.append((number, k, value))

    def _resolve_values(self) -> None:
        for reader, k, value in self.raw_reads:
            if value is None:
                self.reads_from.append((reader, k, INIT))
                continue
            key = self.keys[k]
            write = key.writers.get(value)
            if write is None:
                self._note("garbage", k, reader)
            elif self.transactions[write[0]].status == "fail":
                self._note("G1a", k, reader)
            elif write[0] == reader:
                own = self.transactions[reader].operations
                places = [at for at, (f, name, v) in enumerate(own) if name == key.name and v == value]
                reads = [at for at in places if own[at][0] == "r"]
                writes = [at for at in places if own[at][0] == "w"]
                if min(reads) < writes[0]:
                    self._note(
                        "future", k, reader
                    )  # Later, it is an own value that was overwritten: internal.
            else:
                if key.last[write[0]] != value:
                    self._note("G1b", k, reader)
                self.reads_from.append((reader, k, write[0]))

    def _see_unanswered(self) -> None:
        """Registers: transactions whose outcome is not known happened if a value of theirs was read."""
        if not self.log.has_lists:
            for reader, k, value in self.raw_reads:
                if value is not None:
                    write = self.keys[k].writers.get(value)
                    if write is not None and write[0] != reader and self._may_have_happened(write[0]):
                        self.happened[write[0]] = True

    def _may_have_happened(self, number: int) -> bool:
        return self.transactions[number].status != "fail"

    # --- sessions -------------------------------------------------------------------------------------------

    def _find_sessions(self) -> Iterator[tuple[int, int]]:
        """Each transaction after the last one of its process whose end is known."""
        last: dict[str, int] = {}
        order = sorted(range(self.size), key=lambda n: (self.transactions[n].start or 0, n))
        for number in order:
            process = self.transactions[number].process
            if process is None or not self.happened[number]:
                continue
            if process in last:
                yield last[process], number
            if self.transactions[number].status == "ok":
                last[process] = number
