"""Proof by commit points: every request takes effect in one step, in the order of these steps.

Let λ be a partial function from locals to completions; a local in its domain is *committed*. It has to be
so that

  (a) no fresh request is committed; (b) no move leads from a committed to an uncommitted local, or to a
  local committed to another completion, or to
      another completion;
  (c) with D = {g₀} at the start, D' = D along moves that keep λ, and D' = the c-successors of D in the serial
      automaton along moves that *commit* to c (from an uncommitted local to one committed to c, or to the
      completion c itself), no pair (g, ∅) is reachable, where any covered local may move at any time.

Claim: then the system is serializable. Why: take a complete run. Each of its requests is fresh at first and
answered in the end, so by (a) and (b) it commits exactly once, to the completion with which it is answered.
Along the run the pairs (g, D) are among those of (c), and D is the set of states that the serial automaton
reaches by the word of commits so far. D is never empty, so this word is serial, and its multiset of letters
is the run's outcome.

Only a unique future completion can be committed to; `cuts` proposes sets of committed locals, cheapest
first. Which steps are possible at g is taken from a coverage; the number of requests plays no part.
"""

from collections import deque
from collections.abc import Iterator

from seriatim.budget import Deadline
from seriatim.network.serial import SerialAutomaton
from seriatim.network.slicing import MacroSystem
from seriatim.network.unfolding import INITIAL_GLOBAL
from seriatim.properties.answer import GaveUp, ProvedByCommits

MAX_PAIRS = 200_000
"""Pairs (g, D) explored for one cut."""

CHECK_EVERY = 256
NO_COMMIT = -1


def commit_points(
    system: MacroSystem, specification: SerialAutomaton, deadline: Deadline
) -> ProvedByCommits | GaveUp:
    """Tries the cuts in turn."""
    future = futures(system)
    for committed in cuts(system, future):
        if holds(system, specification, committed, deadline):
            return ProvedByCommits(system.coverage, committed)
    return GaveUp("no choice of commit points that was tried explains all interleavings")


def futures(system: MacroSystem) -> dict[int, int]:
    """The locals that can be answered in one way only, and how."""
    before: dict[int, set[int]] = {}
    possible: dict[int, set[int]] = {}
    pending: list[int] = []
    for (local, _), moves in system.table.items():
        for target, _ in moves:
            before.setdefault(target, set()).add(local)
            if target < 0 and target not in possible:
                possible[target] = {~target}
                pending.append(target)
    while pending:
        target = pending.pop()
        for local in before.get(target, ()):
            own = possible.setdefault(local, set())
            if len(own) < 2 and not possible[target] <= own:  # two are as good as many
                own |= possible[target]
                pending.append(local)
    return {local: min(own) for local, own in possible.items() if local >= 0 and len(own) == 1}


def cuts(system: MacroSystem, future: dict[int, int]) -> Iterator[dict[int, int]]:
    """Candidates for λ: commit at the answer; when no write is left; as soon as the answer is certain."""
    yield {}
    certain = closed(system, {local: c for local, c in future.items() if local not in system.starts})
    writers = may_write(system)
    quiet = closed(system, {local: c for local, c in certain.items() if local not in writers})
    if quiet:
        yield quiet
    if certain != quiet:
        yield certain


def closed(system: MacroSystem, committed: dict[int, int]) -> dict[int, int]:
    """The largest part of λ that satisfies (b)."""
    before: dict[int, set[int]] = {}
    bad: list[int] = []
    for (local, _), moves in system.table.items():
        for target, _ in moves:
            if target >= 0:
                before.setdefault(target, set()).add(local)
                if local in committed and target not in committed:
                    bad.append(local)
    kept = dict(committed)
    while bad:
        local = bad.pop()
        if kept.pop(local, None) is not None:
            bad.extend(other for other in before.get(local, ()) if other in kept)
    return kept


def may_write(system: MacroSystem) -> set[int]:
    """The locals from which some move that changes the global state can still come."""
    before: dict[int, set[int]] = {}
    writers: set[int] = set()
    for (local, global_), moves in system.table.items():
        for target, after in moves:
            if after != global_:
                writers.add(local)
            if target >= 0:
                before.setdefault(target, set()).add(local)
    pending = sorted(writers)
    while pending:
        for local in before.get(pending.pop(), ()):
            if local not in writers:
                writers.add(local)
                pending.append(local)
    return writers


def holds(
    system: MacroSystem, specification: SerialAutomaton, committed: dict[int, int], deadline: Deadline
) -> bool:
    """Whether no pair (g, ∅) is reachable: condition (c)."""
    effects = effects_of(system, committed)
    start = frozenset((INITIAL_GLOBAL,))
    words = [start]
    numbers = {start: 0}
    after_commit: dict[tuple[int, int], int] = {}

    def advanced(word: int, completion: int) -> int:
        key = (word, completion)
        result = after_commit.get(key)
        if result is None:
            states = frozenset(
                after for state in words[word] for after in specification.after(state).get(completion, ())
            )
            result = numbers.setdefault(states, len(words))
            if result == len(words):
                words.append(states)
            after_commit[key] = result
        return result

    seen = {(INITIAL_GLOBAL, 0)}
    pending = deque(seen)
    count = 0
    while pending:
        global_, word = pending.popleft()
        count += 1
        if count % CHECK_EVERY == 0:
            deadline.check()
        for after, completion in effects.get(global_, ()):
            then = word if completion == NO_COMMIT else advanced(word, completion)
            if not words[then]:
                return False
            pair = (after, then)
            if pair not in seen:
                seen.add(pair)
                pending.append(pair)
                if len(seen) > MAX_PAIRS:
                    return False
    return True


def effects_of(system: MacroSystem, committed: dict[int, int]) -> dict[int, tuple[tuple[int, int], ...]]:
    """For each global state what a step there can do to (g, D): (g', completion committed to or
    NO_COMMIT)."""
    effects: dict[int, dict[tuple[int, int], None]] = {}
    for (local, global_), moves in system.table.items():
        here = effects.setdefault(global_, {})
        for target, after in moves:
            if local in committed:
                completion = NO_COMMIT
            elif target < 0:
                completion = ~target
            else:
                completion = committed.get(target, NO_COMMIT)
            if completion != NO_COMMIT or after != global_:
                here[after, completion] = None
    return {global_: tuple(here) for global_, here in effects.items()}
