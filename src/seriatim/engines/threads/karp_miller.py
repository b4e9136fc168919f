"""All that any number of threads can reach, as markings that may contain "any number" (Karp and Miller).
 A node is a global state and a marking: how many threads there are like each token, a number or ω. From a
marking that is larger than an ancestor's with the same global state, what led there can be repeated, so
everything that has grown becomes ω. A marking below an older one in the same global state leads to nothing
new. Nodes are never taken back.
 Claim: if it ends, the markings found cover everything that can be reached, and no more than what can be: a
failure is found if and only if there is one. It ends if the values that can be reached are finitely many.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from seriatim.budget import Deadline
from seriatim.systems.threads.finite import FiniteSystem, Held, Move, Token

Marking = dict[Token, float]
"""How many threads there are like each token; ω is infinity."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    globals: Held
    marking: Marking
    parent: "TreeNode | None"


class Failure(Exception):
    """A failing step is covered."""


class Cover:
    """The tree, as far as it is built."""

    def __init__(self, system: FiniteSystem, deadline: Deadline, looks_for_failures: bool = True) -> None:
        self.looks_for_failures = looks_for_failures
        self.system = system
        self.deadline = deadline
        self.nodes: dict[Held, list[Marking]] = {}
        globals_, main = system.start
        self.pending: list[TreeNode] = []
        self.size = 0
        self.add(TreeNode(globals_, {main: 1}, None))

    def build(self, work: int) -> bool:
        """Explores so many nodes; whether that was all. Raises `Failure`."""
        for _ in range(work):
            if not self.pending:
                return True
            self.deadline.check()
            node = self.pending.pop()
            if any(
                other is not node.marking and below(node.marking, other) for other in self.nodes[node.globals]
            ):
                continue
            for move, rest in successors(self.system, node.globals, node.marking):
                if move.failure is not None:
                    if self.looks_for_failures:
                        raise Failure
                    continue
                self.add(TreeNode(move.globals, add_tokens(rest, move), node))
        return not self.pending

    def add(self, node: TreeNode) -> None:
        marking = dict(node.marking)
        ancestor = node.parent
        while ancestor is not None:
            if ancestor.globals == node.globals and below(ancestor.marking, marking):
                for token, count in marking.items():
                    if count > ancestor.marking.get(token, 0):
                        marking[token] = inf
            ancestor = ancestor.parent
        known = self.nodes.setdefault(node.globals, [])
        if any(below(marking, other) for other in known):
            return
        known.append(marking)
        self.size += 1
        self.pending.append(TreeNode(node.globals, marking, node.parent))

    def maximal(self) -> dict[Held, list[Marking]]:
        """The markings that are below no other."""
        return {
            globals_: [
                one for one in found if not any(one is not other and below(one, other) for other in found)
            ]
            for globals_, found in self.nodes.items()
        }

    def width(self) -> dict[str, float]:
        """The largest number of threads of each template at a time; right only in a system that counts."""
        widths = dict.fromkeys(self.system.program.by_name, 0.0)
        for found in self.nodes.values():
            for marking in found:
                counts: dict[str, float] = {}
                for token, count in marking.items():
                    counts[token.template] = counts.get(token.template, 0) + count
                widths |= {name: max(widths[name], count) for name, count in counts.items()}
        return widths


def below(one: Marking, other: Marking) -> bool:
    return all(count <= other.get(token, 0) for token, count in one.items())


def without(marking: Marking, token: Token) -> Marking:
    rest = dict(marking)
    if rest[token] == 1:
        del rest[token]
    else:
        rest[token] -= 1
    return rest


def add_tokens(rest: Marking, move: Move) -> Marking:
    marking = dict(rest)
    for token in (move.token, move.spawned):
        if token is not None:
            marking[token] = marking.get(token, 0) + 1
    return marking


def successors(system: FiniteSystem, globals_: Held, marking: Marking) -> Iterator[tuple[Move, Marking]]:
    """Moves, and the threads that they leave alone."""
    for token in marking:
        rest = without(marking, token)
        for move in system.moves(token, globals_):
            yield move, rest
        if system.join_edges(token, globals_):
            for partner in rest:
                for move in system.joins(token, globals_, partner):
                    yield move, without(rest, partner)
