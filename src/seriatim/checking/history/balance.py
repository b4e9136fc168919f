"""Is there a walk with at least so many edges of each label? By counts that are balanced and connected.

See `docs/theory/histories.md`. Few requests are tried in all orders; otherwise a solver is asked for balanced
counts, and what it finds has to be connected; where it is not, that is forbidden, until nothing is left. At
each state between 0 and 1 more comes in than goes out, with 1 more in the first state: so exactly one state
is the last one, since all differences together are 1.
"""

from collections.abc import Mapping

from seriatim.arithmetic.solvers.models import find_model
from seriatim.certificate.history import Answered
from seriatim.checking.allowance import Allowance
from seriatim.checking.history.objects import State, Thing

MAX_EDGES = 20_000
FEW = 8

Edge = tuple[int, Answered, int]


def has_walk(
    least: Mapping[Answered, int],
    totals: Mapping[str, int],
    lost: Mapping[str, int],
    thing: Thing,
    allowance: Allowance,
) -> bool | None:
    """With so many of each request, and up to so many more; None if nobody can tell. Raises `GaveUp`."""
    size = sum(totals.values()) + sum(lost.values())
    edges = None if size <= FEW else _edges(thing, [*totals, *lost], size, allowance)
    if edges is None:
        return _tried(least, totals, lost, thing, allowance)
    return _balanced(least, totals, lost, edges, allowance)


def _edges(thing: Thing, requests: list[str], depth: int, allowance: Allowance) -> list[Edge] | None:
    numbers: dict[State, int] = {thing.initial: 0}
    level: list[State] = [thing.initial]
    edges: list[Edge] = []
    for _ in range(depth):
        following: list[State] = []
        for state in level:
            allowance.spend()
            for request in dict.fromkeys(requests):
                for said, after in thing.after(state, request):
                    if after not in numbers:
                        numbers[after] = len(numbers)
                        following.append(after)
                    edges.append((numbers[state], (request, said), numbers[after]))
        if len(edges) > MAX_EDGES:
            return None
        level = following
    return edges


def _tried(
    least: Mapping[Answered, int],
    totals: Mapping[str, int],
    lost: Mapping[str, int],
    thing: Thing,
    allowance: Allowance,
) -> bool:
    """All orders, by what is left to ask and to be answered."""
    names, wanted = sorted({*totals, *lost}), sorted(least)
    asked = tuple(totals.get(name, 0) + lost.get(name, 0) for name in names)
    may = tuple(lost.get(name, 0) for name in names)
    start = thing.initial, asked, tuple(least[each] for each in wanted)
    stack, seen = [start], {start}
    while stack:
        allowance.spend()
        state, left, missing = stack.pop()
        if not any(missing) and all(a <= b for a, b in zip(left, may, strict=True)):
            return True
        for at, name in enumerate(names):
            if not left[at]:
                continue
            for said, after in thing.after(state, name):
                rest = (*left[:at], left[at] - 1, *left[at + 1 :])
                still = tuple(
                    max(0, count - (each == (name, said)))
                    for each, count in zip(wanted, missing, strict=True)
                )
                following = after, rest, still
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
    return False


def _balanced(
    least: Mapping[Answered, int],
    totals: Mapping[str, int],
    lost: Mapping[str, int],
    edges: list[Edge],
    allowance: Allowance,
) -> bool | None:
    taken = [f"x{at}" for at in range(len(edges))]
    claims = _claims(least, totals, lost, edges, taken)
    declared = [f"(declare-const {name} Int)" for name in taken]
    while True:
        text = "\n".join(["(set-logic ALL)", *declared, *(f"(assert {claim})" for claim in claims), ""])
        found = find_model(text, taken, allowance.deadline)
        if not isinstance(found, dict):
            return found
        apart = _apart([edge for name, edge in zip(taken, edges, strict=True) if found.get(name)])
        if not apart:
            return True
        out = [name for name, edge in zip(taken, edges, strict=True) if edge[0] in apart]
        into = [n for n, e in zip(taken, edges, strict=True) if e[2] in apart and e[0] not in apart]
        claims.append(f"(or (= {_sum(out)} 0) (>= {_sum(into)} 1))")


def _claims(
    least: Mapping[Answered, int],
    totals: Mapping[str, int],
    lost: Mapping[str, int],
    edges: list[Edge],
    taken: list[str],
) -> list[str]:
    """As much goes out of each state as comes in, but for the first and the last one; and the counts."""
    claims = [f"(>= {name} 0)" for name in taken]
    extra: dict[int, list[str]] = {0: []}
    labels: dict[Answered, list[str]] = {}
    requests: dict[str, list[str]] = {}
    for name, (source, label, target) in zip(taken, edges, strict=True):
        extra.setdefault(target, []).append(name)
        extra.setdefault(source, []).append(f"(- {name})")
        labels.setdefault(label, []).append(name)
        requests.setdefault(label[0], []).append(name)
    for state, parts in extra.items():
        claims.append(f"(<= 0 {_sum([*parts, '1'] if state == 0 else parts)} 1)")
    claims += [f"(>= {_sum(labels.get(label, []))} {count})" for label, count in least.items()]
    for request in {*totals, *lost}:
        low = totals.get(request, 0)
        claims.append(f"(<= {low} {_sum(requests.get(request, []))} {low + lost.get(request, 0)})")
    return claims


def _sum(parts: list[str]) -> str:
    return f"(+ 0 0 {' '.join(parts)})"


def _apart(used: list[Edge]) -> set[int]:
    """States with used edges that used edges do not connect with the first one."""
    reached = {0}
    while more := {target for source, _, target in used if source in reached} - reached:
        reached |= more
    return {source for source, _, _ in used} - reached
