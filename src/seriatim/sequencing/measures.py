"""Finds measures from small runs: tuples of counts that some step of the moved action always lowers."""

from collections import Counter
from collections.abc import Iterable
from itertools import permutations

from seriatim.actions.configurations import plus
from seriatim.actions.interpreter import Outcome
from seriatim.actions.syntax import ActionProgram, Collection, Proof, Term
from seriatim.actions.values import Instance
from seriatim.sequencing.small import Small

Changes = tuple[int, ...]


def find_measure(program: ActionProgram, proof: Proof, runs: Iterable[Small]) -> tuple[Term, ...] | None:
    """The shortest tuple that works on small runs; None if no tuple does."""
    sized = [v.name for v in program.variables if isinstance(v.type, Collection)]
    terms = [Term(name, True) for name in proof.actions] + [Term(name, False) for name in sized]
    rows = {row for small in runs for row in _rows(small, terms)}
    for length in range(len(terms) + 1):
        for chosen in permutations(range(len(terms)), length):
            if all(any(_lowers(change, chosen) for change in row) for row in rows):
                return tuple(terms[each] for each in chosen)
    return None


def _lowers(change: Changes, chosen: tuple[int, ...]) -> bool:
    return next((change[each] for each in chosen if change[each]), 0) < 0


def _rows(small: Small, terms: list[Term]) -> set[frozenset[Changes]]:
    """For each configuration where an action is moved: how each of its steps changes the counts."""
    found: set[frozenset[Changes]] = set()
    for instance, configurations in small.report.delayed.items():
        for state, rest in configurations:
            pending = Counter(plus(rest, (instance,)))
            execution = small.interpreter.execute_abstractly(state, instance, pending)
            changes = (_change(small, terms, instance, state, each) for each in execution.outcomes)
            found.add(frozenset(changes))
    return found


def _change(
    small: Small, terms: list[Term], instance: Instance, state: tuple[object, ...], outcome: Outcome
) -> Changes:
    found: list[int] = []
    for term in terms:
        if term.is_action:
            created = sum(1 for name, _ in outcome.created if name == term.name)
            found.append(created - (instance[0] == term.name))
        else:
            sizes = [_messages(small, term.name, each) for each in (state, outcome.state)]
            found.append(sizes[1] - sizes[0])
    return tuple(found)


def _messages(small: Small, name: str, state: tuple[object, ...]) -> int:
    """How many messages a global has, over all elements of an array."""
    content = state[small.interpreter.layout.numbers[name]]
    assert isinstance(content, tuple)
    return sum(map(len, content)) if small.interpreter.program.variable(name).ranges else len(content)
