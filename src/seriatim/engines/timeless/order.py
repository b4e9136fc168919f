"""Which completions may change places in a serial order, and whether time ever asks others to.

Let A be the serial automaton. A pair (c, d) of different letters is *fixed* if some state s of A has s·c·d
⊄ s·d·c: d after c cannot always be replaced by c after d. Let S be the first letters of fixed pairs, and T
the second ones.

Claim: a serializable system is strictly serializable, for any number of barriers, if no run has requests p
and q where p is answered, with a letter of T, before q begins, and q is answered with a letter of S.

Why: take a complete run, and a serial word w with its letters; its requests are the letters of w, in some
way. Draw an edge from x to y if x stands before y in w and their letters are a fixed pair, or if x is
answered before y begins. Were there a cycle, it would have edges of both kinds: those of the first kind go
forward in w, and time has no cycles. Time is transitive, so a stretch of edges of time is one edge, from p
to q; before it comes an edge into p, so p's letter is in T, and behind it one from q, so q's letter is in
S. There is no such pair. So there is an order w' with all edges. To get from w to w', exchange neighbours
that stand the other way round in w': such a pair (c, d) of w is not fixed, or both letters are the same.
Each exchange keeps, or adds to, the states that the word reaches. So w' is a serial word, and it respects
time.

That no run has such a pair is seen on a closure: a request that begins after an answer of T begins in a
global state that can come after one; wherever it gets from there, it is not answered with a letter of S.
"""

from seriatim.budget import Deadline
from seriatim.closure import closure
from seriatim.systems.automaton import INITIAL_STATE, Automaton, Edges
from seriatim.systems.closure import Coverage, bits
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import Unfolding

MAX_STATES = 300
"""The most states of the serial automaton."""


def fixed_letters(serial: Automaton, deadline: Deadline) -> tuple[frozenset[int], frozenset[int]] | None:
    """S and T; None if the serial automaton is large."""
    states: dict[int, Edges] = {}
    pending = [INITIAL_STATE]
    while pending:
        state = pending.pop()
        if state in states:
            continue
        if len(states) == MAX_STATES:
            return None
        deadline.check()
        try:
            states[state] = serial.after(state)
        except LimitReached:
            return None
        pending.extend(after for targets in states[state].values() for after in targets)
    first: set[int] = set()
    second: set[int] = set()
    for edges in states.values():
        deadline.check()
        for c, middle in edges.items():
            for d in {letter for state in middle for letter in states[state]} - {c}:
                if not two_steps(states, edges, c, d) <= two_steps(states, edges, d, c):
                    first.add(c)
                    second.add(d)
    return frozenset(first), frozenset(second)


def two_steps(states: dict[int, Edges], edges: Edges, one: int, other: int) -> set[int]:
    """Returns the states that can follow `one` and then `other`."""
    return {end for middle in edges.get(one, ()) for end in states[middle].get(other, ())}


def comes_too_late(
    system: Unfolding, coverage: Coverage, first: frozenset[int], second: frozenset[int], deadline: Deadline
) -> bool:
    """Whether, as far as the closure tells, a request may begin after an answer of T and be answered by S."""
    edges: dict[int, set[int]] = {}
    ended: set[int] = set()
    for global_ in coverage.globals():
        deadline.check()
        for local in bits(coverage.find_covered(global_)):
            for target, reached in system.moves(local, global_):
                edges.setdefault(global_, set()).add(reached)
                if target < 0 and ~target in second:
                    ended.add(reached)
    after = closure(ended, lambda global_: edges.get(global_, ()))
    late = {(start, global_) for start in system.starts for global_ in after}
    waiting = list(late)
    while waiting:
        deadline.check()
        local, global_ = waiting.pop()
        moves = system.moves(local, global_)
        if any(target < 0 and ~target in first for target, _ in moves):
            return True
        following = {move for move in moves if move[0] >= 0}
        following |= {(local, reached) for reached in edges.get(global_, ())}
        for pair in following - late:
            late.add(pair)
            waiting.append(pair)
    return False
