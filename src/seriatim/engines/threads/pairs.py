"""Which two threads can be there at the same time, in each global state (closure of level 2).

For each global state and each token that can be there, its *row* is the set of tokens that can be beside
it. Claim: if it is closed under steps, as below, every reachable configuration is covered: each of its
threads is in the rows of its global state, and each two of them are in each other's rows. By induction over
steps: let a thread `a` move, and `d` be the thread that it joins, if any. All others are in the row of `a`
(and of `d`), and in each other's rows. In the new global state, they stay in each other's rows as far as
they are in that row; what `a` has become, and a thread that it starts, are beside all of them and beside
each other. Where no step fails, the program is safe.

This forgets how many threads there are, so it is small where markings are many, and it can miss proofs.
"""

from seriatim.budget import Deadline
from seriatim.systems.threads.finite import FiniteSystem, Held, Move, Token

Rows = dict[int, int]
"""By token, the tokens beside it, as bits."""


class PairFailure(Exception):
    """A step that fails is not excluded."""


class Pairs:
    """The closure, as far as it is built."""

    def __init__(self, system: FiniteSystem, deadline: Deadline) -> None:
        self.system = system
        self.deadline = deadline
        self.tokens: list[Token] = []
        self.numbers: dict[Token, int] = {}
        self.states: dict[Held, Rows] = {}
        globals_, main = system.start
        self.states[globals_] = {self.number(main): 0}
        self.pending: dict[Held, None] = {globals_: None}
        self.size = 1

    def number(self, token: Token) -> int:
        if token not in self.numbers:
            self.numbers[token] = len(self.tokens)
            self.tokens.append(token)
        return self.numbers[token]

    def build(self, work: int) -> bool:
        """Looks at so many tokens in global states; whether that was all. Raises `PairFailure`."""
        done = 0
        while self.pending and done < work:
            globals_ = next(iter(self.pending))
            del self.pending[globals_]
            for token in list(self.states[globals_]):
                self.deadline.check()
                done += 1
                self.expand(globals_, token)
        return not self.pending

    def expand(self, globals_: Held, number: int) -> None:
        """All steps of a token."""
        token, rows = self.tokens[number], self.states[globals_]
        for move in self.system.moves(token, globals_):
            self.step(globals_, move, rows[number])
        if self.system.join_edges(token, globals_):
            for partner in bits(rows[number]):
                for move in self.system.joins(token, globals_, self.tokens[partner]):
                    self.step(globals_, move, rows[number] & rows[partner])

    def step(self, globals_: Held, move: Move, beside: int) -> None:
        if move.failure is not None:
            raise PairFailure
        rows = self.states[globals_]
        target = self.states.setdefault(move.globals, {})
        changed = False
        if move.globals != globals_:
            for other in bits(beside):
                changed |= self.put(target, other, rows[other] & beside)
        new = [self.number(each) for each in (move.token, move.spawned) if each is not None]
        for index, each in enumerate(new):
            companions = beside
            for number, other in enumerate(new):
                if number != index:
                    companions |= 1 << other
            changed |= self.put(target, each, companions)
            for other in bits(beside):
                changed |= self.put(target, other, 1 << each)
        if changed:
            self.pending.setdefault(move.globals)

    def put(self, rows: Rows, token: int, beside: int) -> bool:
        """Whether that is new."""
        known = rows.get(token)
        if known is None:
            self.size += 1
            rows[token] = beside
            return True
        if known | beside != known:
            rows[token] = known | beside
            return True
        return False


def bits(number: int) -> list[int]:
    found = []
    while number:
        low = number & -number
        found.append(low.bit_length() - 1)
        number ^= low
    return found
