"""Does a certificate about a log prove its verdict?

An order is followed, entry by entry. That no order explains some entries is shown by looking for one, by
another method than the one that found out: for logs with times, a search over which entries have taken effect
(Wing and Gong, with Lowe's memory); without times, over counts of what is left, or by the balance of edges
that a solver refutes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from seriatim.certificate.history import (
    Answered,
    Contradiction,
    CountedContradiction,
    CountedOrder,
    HistoryCertificate,
    TimedOrder,
)
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.history.objects import State, Thing
from seriatim.checking.obligation import Obligation, Report, report_on
from seriatim.checking.unexplained import unexplained
from seriatim.folding import Folded, Repeated

Time = float | Decimal
NEVER: Time = Decimal("Infinity")
SHORT = 5_000
"""Entries of logs that are looked at whole."""

FEW_STATES = 1_000
"""How many states to explore before a solver is asked: logs tend to have many entries."""


@dataclass(frozen=True, slots=True)
class Logged:
    """What an entry of a log says, in the words of the model."""

    request: str
    answer: str | None
    start: Time
    end: Time
    """Infinite if it was never answered."""


@dataclass(frozen=True, slots=True)
class About:
    """What a certificate has to be about: the digests of a model and of a log, and the entries."""

    model: str
    log: str
    entries: tuple[Logged, ...]


def verify_history(
    certificate: HistoryCertificate, about: About, thing: Thing, allowance: Allowance
) -> Report:
    """The obligations, up to the first one that does not hold. Raises `GaveUp`, `OutOfBudget`."""
    return report_on(_obligations(certificate, about, thing, allowance))


def _obligations(
    certificate: HistoryCertificate, about: About, thing: Thing, allowance: Allowance
) -> Iterator[Obligation]:
    entries = about.entries
    for what, same in (("model", certificate.model == about.model), ("log", certificate.log == about.log)):
        yield Obligation(f"the certificate is about this {what}", same, "" if same else "the digests differ")
    match certificate.evidence:
        case TimedOrder(orders=orders):
            yield _each_once(orders, entries)
            yield _of_one_part([[entries[number].request for number in order] for order in orders], thing)
            for order in orders:
                yield _followed([entries[number] for number in order], thing, allowance)
        case CountedOrder(orders=walks):
            yield _without_times(entries)
            yield _as_often(walks, entries)
            yield _of_one_part([[request for request, _ in _counted(walk)] for walk in walks], thing)
            for walk in walks:
                yield _walked(walk, thing, allowance)
        case Contradiction(entries=numbers):
            yield _unexplained(numbers, entries, thing, allowance)
        case CountedContradiction(counts=counts):
            yield _uncounted(counts, entries, thing, allowance)


# --- orders -------------------------------------------------------------------------------------------------


def _each_once(orders: Iterable[tuple[int, ...]], entries: Sequence[Logged]) -> Obligation:
    claim = "each entry that was answered is in the order, once"
    seen = Counter(number for order in orders for number in order)
    if any(number >= len(entries) or count > 1 for number, count in seen.items()):
        return Obligation(claim, False, "an entry occurs twice, or does not exist")
    missing = next((n for n, entry in enumerate(entries) if entry.answer is not None and n not in seen), None)
    detail = f"{len(seen):,} entries" if missing is None else f"entry {missing + 1} is missing"
    return Obligation(claim, missing is None, detail)


def _of_one_part(orders: Iterable[Iterable[str]], thing: Thing) -> Obligation:
    """Each order begins with the initial state: so no two of them may be about the same part."""
    claim = "each order is about one part, and no other order is"
    seen: set[str] = set()
    for order in orders:
        parts = {thing.part(request) for request in order}
        if len(parts) > 1:
            return Obligation(claim, False, "an order is about several parts")
        if parts & seen:
            return Obligation(claim, False, "two orders are about the same part")
        seen |= parts
    return Obligation(claim, True, f"parts: {len(seen):,}")


def _without_times(entries: Sequence[Logged]) -> Obligation:
    has_times = any(entry.start > -NEVER for entry in entries)
    detail = "the order does not say which entries it is about" if has_times else ""
    return Obligation("the log has no times", not has_times, detail)


def _followed(order: list[Logged], thing: Thing, allowance: Allowance) -> Obligation:
    """Follows the order of one part; entries of other parts do not affect it."""
    claim = "the order respects times, and each request gets its answer"
    latest: Time = -NEVER
    states: set[State] = {thing.initial}
    for place, entry in enumerate(order, 1):
        allowance.spend()
        if entry.end < latest:
            return Obligation(claim, False, f"entry {place} of the order ended before an earlier one began")
        latest = max(latest, entry.start)
        states = _step(thing, states, entry.request, entry.answer)
        if not states:
            return Obligation(claim, False, f"entry {place} of the order gets another answer")
    return Obligation(claim, True, f"{len(order):,} entries")


def _step(thing: Thing, states: Iterable[State], request: str, answer: str | None) -> set[State]:
    return {
        after
        for state in states
        for said, after in thing.after(state, request)
        if answer is None or said == answer
    }


def _as_often(walks: Iterable[tuple[Folded[Answered], ...]], entries: Sequence[Logged]) -> Obligation:
    claim = "the order has as many requests with each answer as the log"
    found: Counter[Answered] = Counter()
    for walk in walks:
        found += _counted(walk)
    wanted: Counter[Answered] = Counter()
    lost: Counter[str] = Counter()
    for entry in entries:
        if entry.answer is None:
            lost[entry.request] += 1
        else:
            wanted[entry.request, entry.answer] += 1
    extra: Counter[str] = Counter()
    for (request, _), count in (found - wanted).items():
        extra[request] += count
    fits = not wanted - found and all(count <= lost[request] for request, count in extra.items())
    return Obligation(claim, fits, f"{wanted.total():,} entries" if fits else "the counts differ")


def _counted(walk: Iterable[Folded[Answered]]) -> Counter[Answered]:
    found: Counter[Answered] = Counter()
    for item in walk:
        if isinstance(item, Repeated):
            for answered, count in _counted(item.items).items():
                found[answered] += count * item.times
        else:
            found[item] += 1
    return found


def _walked(walk: tuple[Folded[Answered], ...], thing: Thing, allowance: Allowance) -> Obligation:
    claim = "each request of the order gets its answer"
    states = frozenset(_along(walk, frozenset({thing.initial}), thing, allowance))
    return Obligation(claim, bool(states), "a request gets another answer" if not states else "")


def _along(
    walk: Iterable[Folded[Answered]], states: frozenset[State], thing: Thing, allowance: Allowance
) -> frozenset[State]:
    """All states after a walk. A stretch is repeated until sets of states repeat themselves: then only what
    is left of whole rounds matters."""
    for item in walk:
        allowance.spend()
        if not isinstance(item, Repeated):
            states = frozenset(_step(thing, states, *item))
            continue
        seen: dict[frozenset[State], int] = {}
        left = item.times
        while left and states:
            if states in seen:
                left %= seen[states] - left
                seen = {}
                continue
            seen[states] = left
            states = _along(item.items, states, thing, allowance)
            left -= 1
    return states


# --- contradictions -----------------------------------------------------------------------------------------


def _unexplained(
    numbers: tuple[int, ...], entries: Sequence[Logged], thing: Thing, allowance: Allowance
) -> Obligation:
    """Entries of other parts do not matter. In long logs, neither do those that began after these ended."""
    claim = "no order explains these answers, whatever the other requests were answered"
    if not numbers or any(number >= len(entries) for number in numbers):
        return Obligation(claim, False, "there are no such entries")
    parts = {thing.part(entries[number].request) for number in numbers}
    if len(parts) > 1:
        return Obligation(claim, False, "these entries are about several parts")
    kept = set(numbers)
    apart = _must_precede_each_other([entries[n] for n in numbers], entries, thing, allowance)
    if apart is not None:
        return Obligation(claim, True, apart)
    last = NEVER if len(entries) <= SHORT else max(entries[number].end for number in numbers)
    chosen: list[Logged] = []
    for number, entry in enumerate(entries):
        if thing.part(entry.request) in parts and entry.start <= last:
            answer = entry.answer if number in kept else None
            chosen.append(
                Logged(entry.request, answer, entry.start, entry.end if entry.end <= last else NEVER)
            )
    explained = has_order(chosen, thing, allowance)
    return Obligation(claim, not explained, "there is an order" if explained else f"{len(chosen):,} entries")


def _must_precede_each_other(
    kept: list[Logged], entries: Sequence[Logged], thing: Thing, allowance: Allowance
) -> str | None:
    """Why these entries have no order, if each value of their part is written once: then the write of a value
    and its reads stand together in every order. So they contradict each other if nobody wrote the value, if a
    read ended before its write began, or if each of two values has to come before the other one."""
    writes = _writes(thing.part(kept[0].request), entries, thing, allowance)
    if writes is None:
        return None
    together: dict[str, list[Logged]] = {}
    for entry in kept:
        value = thing.written(entry.request) or entry.answer
        if value is None:
            return None
        if value not in writes and value != thing.initial:
            return "nobody wrote a value that was read"
        if value in writes and entry.end < writes[value].start:
            return "a value was read before it was written"
        together.setdefault(value, [writes[value]] if value in writes else []).append(entry)
    for value, write in writes.items():
        mine = together.get(value, [write])
        for other, members in together.items():
            is_first = other == thing.initial or _comes_first(members, mine)
            if other != value and is_first and _comes_first(mine, members):
                return "each of two values had to be written before the other one"
    return None


def _writes(
    part: str, entries: Sequence[Logged], thing: Thing, allowance: Allowance
) -> dict[str, Logged] | None:
    """The writes to a register by their values; None if a value is written twice, or is the initial one, or
    if some request does more than read and write."""
    found: dict[str, Logged] = {}
    for entry in entries:
        allowance.spend()
        if thing.part(entry.request) == part:
            value = thing.written(entry.request)
            if value is None or value == thing.initial or value in found:
                return None
            if value:
                found[value] = entry
    return found


def _comes_first(one: list[Logged], other: list[Logged]) -> bool:
    return any(a.end < b.start for a in one for b in other)


def has_order(entries: list[Logged], thing: Thing, allowance: Allowance) -> bool:
    """Whether entries can take effect one after the other, each within its time, with its answer.

    The next entry is one that began before any other one that is left ended. What is reached once is not
    looked at again. Those that never ended need not take effect; of several with the same request, the one
    that began first may as well be the first to do so. A request that only reads takes effect as soon as it
    gets its answer. And where a text can only grow until it is read, it has to begin what will be read.
    """
    entries = sorted(entries, key=lambda entry: entry.start)
    places = {time: at for at, time in enumerate(sorted({t for e in entries for t in (e.start, e.end)}))}
    starts = [places[entry.start] for entry in entries]
    ends = [places[entry.end] for entry in entries]
    never = places.get(NEVER, len(places))
    reads = [thing.only_reads(entry.request) for entry in entries]
    grows = [thing.only_grows(entry.request) for entry in entries]
    rewrites = [n for n, entry in enumerate(entries) if not grows[n]]
    pledges = {
        number: sum(1 << n for n in rewrites if starts[n] <= ends[number])
        for number, entry in enumerate(entries)
        if entry.answer is not None and reads[number] and grows[number]
    }
    after = Following(entries, thing)
    stack: list[tuple[int, int, State]] = [(0, 0, thing.initial)]
    """The first entry that is left; those behind it that have taken effect, as bits; and the state."""
    seen = set(stack)
    while stack:
        allowance.spend()
        first, ahead, state = stack.pop()
        left = _window(starts, ends, first, ahead)
        if all(ends[number] == never for number in left):
            return True
        if pledges and _is_hopeless(entries, pledges, left, ahead << first | (1 << first) - 1, state):
            continue
        fits = next((n for n in left if reads[n] and after.of(state, n)), None)
        lost: set[tuple[str, str | None]] = set()
        for number in left if fits is None else (fits,):
            if ends[number] == never:
                if after.kinds[number] in lost:
                    continue
                lost.add(after.kinds[number])
            taken = ahead | 1 << number - first
            passed = (taken ^ taken + 1).bit_length() - 1
            for new in after.of(state, number):
                following = first + passed, taken >> passed, new
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
    return False


class Following:
    """The states after an entry has taken effect, each asked for once."""

    def __init__(self, entries: Sequence[Logged], thing: Thing) -> None:
        self.thing = thing
        self.kinds = [(entry.request, entry.answer) for entry in entries]
        self._known: dict[tuple[str, str | None], dict[State, set[State]]] = {kind: {} for kind in self.kinds}

    def of(self, state: State, number: int) -> set[State]:
        mine = self._known[self.kinds[number]]
        if state not in mine:
            mine[state] = _step(self.thing, (state,), *self.kinds[number])
        return mine[state]


def _is_hopeless(
    entries: Sequence[Logged], pledges: Mapping[int, int], left: Iterable[int], done: int, state: State
) -> bool:
    """Whether a text that can only grow does not begin what is left to be read."""
    return any(
        number in pledges
        and not pledges[number] & ~done
        and not str(entries[number].answer).startswith(str(state))
        for number in left
    )


def _window(starts: list[int], ends: list[int], first: int, ahead: int) -> list[int]:
    """The remaining entries that began before any other remaining entry ended: all, if none of them did."""
    found: list[int] = []
    bound = len(starts) + len(ends)
    for number in range(first, len(starts)):
        if starts[number] > bound:
            break
        if not ahead & 1:
            found.append(number)
            bound = min(bound, ends[number])
        ahead >>= 1
    return found


def _uncounted(
    counts: tuple[tuple[Answered, int], ...], entries: Sequence[Logged], thing: Thing, allowance: Allowance
) -> Obligation:
    claim = "no order has these numbers of answers, whatever the other requests were answered"
    there: Counter[Answered] = Counter()
    totals: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    parts = {thing.part(request) for (request, _), _ in counts}
    if len(parts) != 1:
        return Obligation(claim, False, "these answers are about several parts, or none")
    for entry in entries:
        if thing.part(entry.request) not in parts:
            continue
        if entry.answer is None:
            lost[entry.request] += 1
        else:
            there[entry.request, entry.answer] += 1
            totals[entry.request] += 1
    if len(dict(counts)) < len(counts):
        return Obligation(claim, False, "an answer is listed twice")
    if any(there[answered] < count for answered, count in counts):
        return Obligation(claim, False, "the log has fewer of them")
    wanted: Counter[str] = Counter()
    for (request, _), count in counts:
        wanted[request] += count
    others = {
        request: (totals[request] - wanted[request], totals[request] - wanted[request] + lost[request])
        for request in {*totals, *lost}
    }
    return unexplained(claim, thing, Counter(dict(counts)), Context(allowance), others, FEW_STATES)
