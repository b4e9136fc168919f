"""Finds measures from small runs: tuples of counts that some step of the moved action always lowers."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, permutations

from seriatim.actions.configurations import plus
from seriatim.actions.interpreter import Outcome
from seriatim.actions.syntax import ActionProgram, Collection, Proof, Term
from seriatim.actions.values import Instance
from seriatim.sequencing.small import Small

Changes = tuple[int, ...]


def find_measure(program: ActionProgram, proof: Proof, runs: Iterable[Small]) -> tuple[Term, ...] | None:
    """The shortest tuple that works on small runs; None if no tuple does."""
    terms = _terms(program, proof)
    rows = {row for small in runs for _, row in _rows(small, terms)}
    chosen = _choose(rows, len(terms))
    return None if chosen is None else tuple(terms[each] for each in chosen)


def explain_missing_measure(program: ActionProgram, proof: Proof, runs: Iterable[Small]) -> str:
    """Which actions no measure gets smaller with, and what they would have to lower."""
    terms = _terms(program, proof)
    rows = {row for small in runs for row in _rows(small, terms)}
    names = [name for name in proof.actions if any(each == name for each, _ in rows)]
    blamed = next(
        (
            group
            for size in range(1, len(names) + 1)
            for group in combinations(names, size)
            if _choose({row for name, row in rows if name in group}, len(terms)) is None
        ),
        tuple(names),
    )
    counted = [f"pending instances of {term.name}" for term in terms if term.is_action]
    counted += [f"messages in {term.name}" for term in terms if not term.is_action]
    what = f"the number of {', of '.join(counted)}"
    if len(blamed) == 1:
        return f"no measure gets smaller with {blamed[0]}: each of its steps would have to lower {what}"
    both = " and ".join(blamed)
    return f"no measure gets smaller with {both}: each lowers what the others raise; count {what}"


def _terms(program: ActionProgram, proof: Proof) -> list[Term]:
    sized = [v.name for v in program.variables if isinstance(v.type, Collection)]
    return [Term(name, True) for name in proof.actions] + [Term(name, False) for name in sized]


def _choose(rows: set[frozenset[Changes]], terms: int) -> tuple[int, ...] | None:
    """The shortest tuple of terms that some step of each row lowers; None if there is none."""
    for length in range(terms + 1):
        for chosen in permutations(range(terms), length):
            if all(any(_lowers(change, chosen) for change in row) for row in rows):
                return chosen
    return None


def _lowers(change: Changes, chosen: tuple[int, ...]) -> bool:
    return next((change[each] for each in chosen if change[each]), 0) < 0


def _rows(small: Small, terms: list[Term]) -> set[tuple[str, frozenset[Changes]]]:
    """For each configuration where an action is moved: the action, and how each of its steps changes the
    counts."""
    found: set[tuple[str, frozenset[Changes]]] = set()
    for instance, configurations in small.report.delayed.items():
        for state, rest in configurations:
            pending = Counter(plus(rest, (instance,)))
            execution = small.interpreter.execute_abstractly(state, instance, pending)
            changes = (_change(small, terms, instance, state, each) for each in execution.outcomes)
            found.add((instance[0], frozenset(changes)))
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
