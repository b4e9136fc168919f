"""Regular expressions of automata, and their Parikh images, against the words of the automaton."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.linear_sets import Vector
from seriatim.arithmetic.semilinear.algebra import Algebra, TooManyComponents
from seriatim.arithmetic.semilinear.kleene import Automaton, regular_expression
from seriatim.arithmetic.semilinear.regex import parikh_image, size, write_regex
from seriatim.arithmetic.semilinear.sets import Word
from seriatim.budget import Deadline
from seriatim.frontends.all import read_input
from seriatim.source import SourceText
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits

LENGTH = 6

BENCHMARKS = Path(__file__).parents[5] / "shared" / "benchmarks"


@st.composite
def labelled_automata(draw: st.DrawFn) -> tuple[Automaton, tuple[int, ...]]:
    """An automaton, and which of two letters each edge counts as."""
    states = draw(st.integers(1, 4))
    state = st.integers(0, states - 1)
    edges = draw(st.lists(st.tuples(state, state), max_size=6))
    labels = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges)))
    accepting = draw(st.frozensets(state))
    return Automaton(tuple(range(states)), 0, accepting, tuple(edges)), tuple(labels)


def vectors_of_words(automaton: Automaton, labels: tuple[int, ...]) -> set[Vector]:
    """How often each letter occurs, for all words up to a length."""
    reached = {(automaton.initial, (0, 0))}
    found: set[Vector] = set()
    for _ in range(LENGTH + 1):
        found |= {counts for state, counts in reached if state in automaton.accepting}
        reached = {
            (target, (counts[0] + (label == 0), counts[1] + (label == 1)))
            for state, counts in reached
            for (source, target), label in zip(automaton.edges, labels, strict=True)
            if source == state
        }
    return found


@given(labelled_automata(), st.booleans(), st.booleans(), st.booleans())
def test_the_image_is_that_of_the_automatons_words(
    given_automaton: tuple[Automaton, tuple[int, ...]], by_degree: bool, prunes: bool, short_cuts: bool
) -> None:
    automaton, labels = given_automaton
    regex = regular_expression(automaton, by_degree)
    words = [Word((int(label == 0), int(label == 1)), (edge,)) for edge, label in enumerate(labels)]
    try:
        image = parikh_image(regex, words, Algebra(2, Deadline(), prunes, short_cuts))
    except TooManyComponents:
        assert not (prunes and short_cuts)
        return
    expected = vectors_of_words(automaton, labels)
    short = [(a, b) for a in range(LENGTH + 1) for b in range(LENGTH + 1 - a)]
    assert {vector for vector in short if image.contains(vector)} == expected
    for part in image.components:
        for word in (part.base, *part.periods):
            counts = Counter(labels[edge] for edge in word.letters)
            assert (counts[0], counts[1]) == word.counts, "letters add up to the vector"


def test_letters_of_a_base_are_a_path_and_those_of_a_period_a_cycle_through_it() -> None:
    automaton = Automaton((0, 1, 2), 0, frozenset({0, 1, 2}), ((0, 1), (1, 2), (2, 1), (1, 1), (2, 0)))
    words = [Word(tuple(int(i == edge) for i in range(5)), (edge,)) for edge in range(5)]
    image = parikh_image(regular_expression(automaton), words, Algebra(5, Deadline()))
    for part in image.components:
        visited = [0]
        for edge in part.base.letters:
            source, target = automaton.edges[edge]
            assert source == visited[-1]
            visited.append(target)
        for period in part.periods:
            at = automaton.edges[period.letters[0]][0]
            assert at in visited
            for edge in period.letters:
                source, target = automaton.edges[edge]
                assert source == at
                at = target
            assert at == automaton.edges[period.letters[0]][0]


def test_expressions_are_written_with_as_few_brackets_as_needed() -> None:
    automaton = Automaton((0, 1), 0, frozenset({1}), ((0, 0), (0, 1), (1, 0), (1, 1)))
    text = write_regex(regular_expression(automaton), lambda letter: "abcd"[letter])
    assert text == "a* b (d | c a* b)*"


def test_fewest_edges_first_nests_fewer_stars() -> None:
    """A hub with loops through leaves: eliminating the hub first would nest stars as deep as there are
    leaves."""
    leaves = range(1, 6)
    edges = tuple(edge for leaf in leaves for edge in ((0, leaf), (leaf, 0)))
    automaton = Automaton((0, *leaves), 0, frozenset({0}), edges)
    assert size(regular_expression(automaton)).star_height == 1
    assert size(regular_expression(automaton, by_degree=False)).star_height > 1


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="the paper's inputs are not here")
def test_many_edges_over_few_letters_stay_few_components() -> None:
    """A shopping cart: 36 edges between 3 states, over 9 letters."""
    path = BENCHMARKS / "b2.json"
    unfolding = unfold(read_input(SourceText(path.name, path.read_text())), Limits(), Deadline())
    serial = SerialAutomaton(unfolding, 100).reachable()
    edges = [
        (source, completion, target)
        for source, leaving in serial.items()
        for completion, targets in leaving.items()
        for target in targets
    ]
    assert len(edges) == 36
    completions = sorted({completion for _, completion, _ in edges})
    automaton = Automaton(tuple(serial), 0, frozenset(serial), tuple((s, t) for s, _, t in edges))
    words = [Word(tuple(int(c == completion) for c in completions)) for _, completion, _ in edges]
    image = parikh_image(regular_expression(automaton), words, Algebra(len(completions), Deadline()))
    assert len(image.components) < 10
