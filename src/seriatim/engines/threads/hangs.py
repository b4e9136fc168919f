"""Hangs: a search for a configuration in which no thread can go on, and a proof that nobody waits for ever.

Breadth-first over configurations, like the search for failures (`seriatim.engines.threads.search`). If all
that can be reached has been seen, more is asked for a proof: from every configuration, each thread that waits
has a way on which it goes on, or on which the program ends. Otherwise some thread may wait for ever while
others go on; that is neither a hang nor free of one.
"""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.closure import closure
from seriatim.engines.threads.search import Node, Search
from seriatim.program.threads.hangs import has_ended_program
from seriatim.program.threads.semantics import Origin
from seriatim.systems.threads.finite import FiniteSystem, Token
from seriatim.systems.threads.runs import TokenStep


@dataclass(frozen=True, slots=True)
class Hanging:
    """A run after which no thread can go on, and how many there are at a time, main left out."""

    steps: tuple[TokenStep, ...]
    threads: int


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A thread that may wait for ever while others go on."""

    token: Token


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything was seen, and nobody waits for ever."""


class HangSearch:
    """A search that can be continued."""

    def __init__(self, system: FiniteSystem, deadline: Deadline) -> None:
        self.system = system
        self.deadline = deadline
        self.search = Search(system, deadline)
        self.guessed: str | None = None
        """A variable whose value a step had to guess; what hangs then is not known for all values."""
        self.following: dict[Node, list[tuple[int, Node]]] = {}
        """The steps on which somebody can rely: who moved, by number, and what follows."""

    @property
    def explored(self) -> int:
        return self.search.explored

    def advance(self, work: int) -> Hanging | WaitingThread | Seen | None:
        search = self.search
        for _ in range(work):
            if not search.layers.bucket:
                if not search.layers.is_cut:
                    return self.find_waiting()
                search.clean_up_to = search.bound
                search.begin(search.bound + 1)
                self.following = {}
            self.deadline.check()
            search.explored += 1
            node = search.layers.bucket.popleft()
            can_go_on = False
            steps: list[tuple[int, Node]] = []
            for step, after in search.successors(node):
                by_chance = self.is_by_chance(step)
                can_go_on |= not by_chance
                self.note(step)
                if after is None:
                    search.layers.is_cut = True
                    continue
                if not by_chance:
                    steps.append((search.numbers[step[0]], after))
                search.layers.reach(node, step, after, spawns=False)
            self.following[node] = steps
            if not can_go_on and not self.is_over(node):
                return Hanging(tuple(search.layers.path(node)), search.bound)
        return None

    def is_by_chance(self, step: TokenStep) -> bool:
        token, move, _ = step
        return self.system.program.by_name[token.template].edges[move.edge].by_chance

    def note(self, step: TokenStep) -> None:
        for unknown, _ in step[1].chosen:
            if unknown.origin is not Origin.HAVOC:
                self.guessed = unknown.name

    def is_over(self, node: Node) -> bool:
        """Whether the program has ended, or all threads have finished."""
        tokens = [self.search.tokens[number] for number in node[1]]
        return all(token.is_finished for token in tokens) or any(map(self.ends, tokens))

    def ends(self, token: Token) -> bool:
        return has_ended_program(self.system.program.by_name[token.template], token.place)

    def find_waiting(self) -> WaitingThread | Seen:
        """A thread that waits for ever in some configuration."""
        before: dict[Node, list[Node]] = {}
        for node, steps in self.following.items():
            for _, after in steps:
                before.setdefault(after, []).append(node)
        ended = [
            node for node in self.following if any(self.ends(self.search.tokens[each]) for each in node[1])
        ]
        movers = {node: {number for number, _ in steps} for node, steps in self.following.items()}
        waiting = {
            number
            for node in self.following
            for number in node[1]
            if number not in movers[node] and not self.search.tokens[number].is_finished
        }
        for number in sorted(waiting):
            token = self.search.tokens[number]
            if self.ends(token):
                continue
            moving = {node for node in self.following if number in movers[node]}
            good = closure(moving.union(ended), lambda node: before.get(node, ()), self.deadline.check)
            if any(number in node[1] and node not in good for node in self.following):
                return WaitingThread(token)
        return Seen()
