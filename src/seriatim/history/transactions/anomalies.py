"""All anomalies of a log of transactions, by their usual names, with counts.

Verdicts do not rest on these counts. Cycles are those of what is known, without guesses at orders of
versions: short ones, and not more than one through each transaction of a kind. A lost update is two
transactions or more that read the same version of a key and wrote the key; a dirty update is a version that
was made from one whose transaction did not commit.
"""

from collections import Counter
from collections.abc import Iterator

from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.transactions import Level, Step
from seriatim.history.transactions.dependencies import LevelGraph
from seriatim.history.transactions.names import cycle_name
from seriatim.history.transactions.observe import Observed

USUAL = {
    "garbage": "garbage-read",
    "future": "future-read",
    "duplicate": "duplicate-elements",
    "incompatible": "incompatible-order",
    "torn": "torn-appends",
}
"""The usual names of what contradicts levels by itself, where they differ from ours."""

CYCLES_OF = (
    Level.CONSISTENT_VIEW,
    Level.SERIALIZABLE,
    Level.SESSION_SERIALIZABLE,
    Level.STRICT_SERIALIZABLE,
)
"""The levels whose graphs are searched; the kinds of their steps give the names of their cycles."""


def count_anomalies(observed: Observed, deadline: Deadline) -> dict[str, int]:
    """How many anomalies of each name were found; cycles only as far as the time allows."""
    found = Counter({USUAL.get(name, name): count for name, count in observed.counts.items()})
    found["lost-update"] = _count_lost_updates(observed)
    found["dirty-update"] = _count_dirty_updates(observed)
    cycles = {(name, frozenset(steps)) for name, steps in _cycles(observed, deadline)}
    found.update(name for name, _ in cycles)
    return {name: found[name] for name in sorted(found) if found[name]}


def _cycles(observed: Observed, deadline: Deadline) -> Iterator[tuple[str, list[Step]]]:
    orders = [key.chain + (key.tail if len(key.tail) == 1 else []) for key in observed.keys]
    for level in CYCLES_OF:
        if level is Level.STRICT_SERIALIZABLE and not observed.log.is_timed:
            continue
        try:
            deadline.check()
        except OutOfTime:
            return
        graph = LevelGraph(observed, level, orders)
        for edges in graph.find_cycles()[0]:
            steps = graph.steps_of(edges)
            name = cycle_name(step.why for step in steps)
            if name:
                yield name, steps


def _count_lost_updates(observed: Observed) -> int:
    writers: Counter[tuple[int, int]] = Counter()
    for reader, k, writer in dict.fromkeys(observed.reads_from):
        if reader in observed.keys[k].last and observed.happened[reader]:
            writers[k, writer] += 1
    return sum(count > 1 for count in writers.values())


def _count_dirty_updates(observed: Observed) -> int:
    """Lists alone show on which version an append was made."""
    count = 0
    for key in observed.keys:
        is_dirty = False
        for element in key.longest:
            write = key.writers.get(element)
            if write is None:
                continue
            if observed.transactions[write[0]].status == "fail":
                is_dirty = True
            elif is_dirty:
                count += 1
                break
    return count
