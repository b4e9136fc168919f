"""Search for a failing run: breadth-first over global states and multisets of threads.
 At most k threads besides main are there at a time, for k = 0, 1, 2, …, so the first failure that is found
needs the fewest threads, and with so many the fewest steps. If a search ends without meeting its bound, and
the values tried stand for all (`FiniteSystem.inexact` is None), no run fails, and there are never more than
k threads besides main.
 A search in *long steps* passes some places without a stop: while a thread is at one of them, nobody else
moves. It sees fewer orders, so a run that it finds may not be the shortest one.

An *impatient* search does not insist on the fewest threads either. If one thread can do very much, such as
counting down from a large number, it goes on with two, and so on, and comes back with more patience.

Where the system forgets ids (`FiniteSystem.forgets`), so does the search: then what it finds is a run with
true ids, and what it has seen without success proves nothing to others, who do not forget.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.engines.shared.layers import Layers
from seriatim.systems.threads.finite import FiniteSystem, Held, Token, without_id
from seriatim.systems.threads.runs import TokenStep

Crowd = tuple[int, ...]
"""Threads by the numbers of their tokens, sorted."""

Node = tuple[Held, Crowd]

MANY_THREADS = 5
"""Threads besides main after which an impatient search comes back to one."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A failing run, and how many threads there are at a time, main left out."""

    steps: tuple[TokenStep, ...]
    threads: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """A step, with the numbers of the tokens of its thread afterwards, if that is kept, and of a new one."""

    step: TokenStep
    moved: tuple[int, ...]
    spawned: int | None


@dataclass(frozen=True, slots=True)
class Exhausted:
    """All that can be reached was seen, with at most so many threads besides main; none fails."""

    threads: int


class Search:
    """A search that can be continued."""

    def __init__(
        self,
        system: FiniteSystem,
        deadline: Deadline,
        passed: Collection[tuple[str, int]] = (),
        patience: int | None = None,
    ) -> None:
        self.system = system
        self.patience = patience
        """How many nodes an impatient search looks at before it goes on with more threads."""
        self.has_forgotten = False
        """Whether some thread has lost its id to another one."""
        self.passed = frozenset(passed)
        """Templates and places at which a thread is not interrupted."""
        self.deadline = deadline
        self.tokens: list[Token] = []
        self.numbers: dict[Token, int] = {}
        self._moves: dict[tuple[int, Held], tuple[list[Numbered], bool]] = {}
        self.clean_up_to = -1
        """No failure was found with at most so many threads besides main; -1 if that is not known at all."""
        self.explored = 0
        self.begin(0)

    def begin(self, bound: int) -> None:
        self.bound = bound
        globals_, main = self.system.start
        start: Node = (globals_, (self.number(main),))
        self.layers: Layers[Node, TokenStep] = Layers(start)

    def number(self, token: Token) -> int:
        if token not in self.numbers:
            self.numbers[token] = len(self.tokens)
            self.tokens.append(token)
        return self.numbers[token]

    def advance(self, work: int) -> Failing | Exhausted | None:
        """Explores so many nodes; None if there are more."""
        for _ in range(work):
            if not self.layers.bucket:
                self.clean_up_to = self.bound
                if not self.layers.is_cut:
                    return Exhausted(self.bound)
                self.begin(self.bound + 1)
            elif self.patience is not None and len(self.layers.came_from) > self.patience:
                self.lose_patience(self.patience)
            self.deadline.check()
            self.explored += 1
            node = self.layers.bucket.popleft()
            for step, after in self.successors(node):
                if step[1].failure is not None:
                    return Failing((*self.layers.path(node), step), self.bound)
                if after is None:
                    self.layers.is_cut = True
                else:
                    self.layers.reach(node, step, after, spawns=False)
        return None

    def lose_patience(self, patience: int) -> None:
        if self.bound < MANY_THREADS:
            self.begin(self.bound + 1)
        else:
            self.patience = 4 * patience
            self.begin(1)

    def successors(self, node: Node) -> Iterator[tuple[TokenStep, Node | None]]:
        """Steps, and what they lead to; None if that would be too many threads."""
        globals_, crowd = node
        hurried = [number for number in crowd if self.is_passing(number)] if self.passed else []
        for index, number in enumerate(crowd):
            if (index and crowd[index - 1] == number) or (hurried and number != hurried[0]):
                continue
            rest = crowd[:index] + crowd[index + 1 :]
            moves, may_join = self.moves(number, globals_)
            for numbered in moves:
                yield numbered.step, self.after(numbered, rest)
            if not may_join:
                continue
            token = self.tokens[number]
            for other, taken in enumerate(rest):
                if other and rest[other - 1] == taken:
                    continue
                partner = self.tokens[taken]
                for move in self.system.joins(token, globals_, partner):
                    numbered = self.number_step((token, move, partner))
                    yield numbered.step, self.after(numbered, rest[:other] + rest[other + 1 :])

    def moves(self, number: int, globals_: Held) -> tuple[list[Numbered], bool]:
        """The steps of a thread for which it needs nobody else, and whether it may join."""
        key = (number, globals_)
        if key not in self._moves:
            token = self.tokens[number]
            found = [self.number_step((token, move, None)) for move in self.system.moves(token, globals_)]
            self._moves[key] = found, bool(self.system.join_edges(token, globals_))
        return self._moves[key]

    def number_step(self, step: TokenStep) -> Numbered:
        _, move, _ = step
        moved = () if move.token is None else (self.number(move.token),)
        return Numbered(step, moved, None if move.spawned is None else self.number(move.spawned))

    def is_passing(self, number: int) -> bool:
        token = self.tokens[number]
        return (token.template, token.place) in self.passed

    def after(self, numbered: Numbered, rest: Crowd) -> Node | None:
        kept = [*rest, *numbered.moved]
        if numbered.spawned is not None:
            if self.system.forgets:
                spawned = self.tokens[numbered.spawned]
                kept = [self.forgotten(number, spawned) for number in kept]
            kept.append(numbered.spawned)
        kept.sort()
        tokens = self.tokens
        if len(kept) > self.bound and sum([tokens[each].id is not None for each in kept]) > self.bound:
            return None
        return numbered.step[1].globals, tuple(kept)

    def forgotten(self, number: int, spawned: Token) -> int:
        """A thread when another one is started, which may take its id."""
        after = without_id(self.tokens[number], spawned.id)
        self.has_forgotten |= after != self.tokens[number]
        return self.number(after)
