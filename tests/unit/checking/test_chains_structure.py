"""What the checker builds from structures has the runs that the theory says, and the numbers that it says."""

from collections import Counter
from itertools import islice
from random import Random

import pytest

from random_structures import Forger, allowance, levels_of, markings, random_root, runs, word, words
from seriatim.certificate.chains import Counts, Fixed, Layered, ListedMove, NodeCase, NoRuns, Situated
from seriatim.checking.chains_cases import Known, afterwards, before, in_cases
from seriatim.checking.chains_counts import LevelCounts
from seriatim.checking.chains_structure import (
    Edge,
    Structure,
    along_chain,
    in_layers,
    root,
    trimmed,
    with_values,
)

PLACES = 2
MOVES = 6
"""Runs up to this length are compared."""

seeds = pytest.mark.parametrize("seed", range(40))


def random_structure(seed: int) -> tuple[Forger, Structure]:
    """Not empty, and often with guards and with levels of its own."""
    random = Random(seed)
    forger = Forger(random, PLACES)
    structure = random_root(random, PLACES)
    for _ in range(random.randrange(6)):
        refined = forger.refined(structure)
        if refined.nodes > 0 and len(refined.edges) < 40:
            structure = refined
    return forger, structure


@seeds
def test_a_chain_has_the_runs_that_take_all_its_bridges(seed: int) -> None:
    forger, structure = random_structure(seed)
    levels = levels_of(structure, forger.random)
    for bridges in forger.chains(structure, levels):
        part = along_chain(structure, levels, bridges, allowance())
        expected = {word(structure, r) for r in runs(structure, PLACES, MOVES) if set(bridges) <= set(r)}
        assert words(part, PLACES, MOVES) == expected


@seeds
def test_cases_have_all_runs(seed: int) -> None:
    forger, structure = random_structure(seed)
    cases = forger.situated(structure)
    if cases is not None:
        found = words(in_cases(structure, cases, PLACES, allowance()), PLACES, MOVES)
        assert found == words(structure, PLACES, MOVES)


@seeds
def test_layers_have_the_runs_that_take_edges_so_many_times(seed: int) -> None:
    forger, structure = random_structure(seed)
    layers = forger.layered(structure)
    if layers is not None:
        expected = {
            word(structure, run)
            for run in runs(structure, PLACES, MOVES)
            if layers.times is None or sum(number in layers.edges for number in run) <= layers.times
        }
        assert words(in_layers(structure, layers, allowance()), PLACES, MOVES) == expected


@seeds
def test_copies_of_an_edge_have_the_runs_with_these_numbers(seed: int) -> None:
    forger, structure = random_structure(seed)
    fixed = forger.fixed(structure)
    if fixed is not None:

        def is_listed(run: tuple[int, ...]) -> bool:
            after = zip(run, markings(structure, PLACES, run)[1:], strict=True)
            numbers = [tuple(m[place] for place in fixed.places) for edge, m in after if edge == fixed.edge]
            return set(numbers) <= set(fixed.values)

        expected = {word(structure, run) for run in runs(structure, PLACES, MOVES) if is_listed(run)}
        assert words(with_values(structure, fixed, allowance()), PLACES, MOVES) == expected


@seeds
def test_the_counts_of_every_run_satisfy_the_equations_the_rows_and_the_cuts(seed: int) -> None:
    forger, structure = random_structure(seed)
    for _ in range(3):
        counts = LevelCounts(structure, forger.counts(structure), PLACES, allowance())
        clauses = list(counts.clauses())
        outcome = counts.outcome(2)
        for run in islice(runs(structure, PLACES, MOVES), 300):
            values = [Counter(run)[number] for number in range(len(structure.edges))]
            assert all(any(part.holds(values) for part in clause) for clause in clauses)
            answers = Counter(move.answer for move in word(structure, run))
            assert [form.value(values) for form in outcome] == [answers[0], answers[1]]


def test_random_structures_have_runs_guards_and_levels() -> None:
    """So the tests above say something."""
    found = [random_structure(seed) for seed in range(40)]
    assert sum(any(edge.guard for edge in structure.edges) for _, structure in found) >= 5
    assert sum(len(words(structure, PLACES, MOVES)) > 3 for _, structure in found) >= 15
    assert sum(len(set(levels_of(structure, forger.random))) > 2 for forger, structure in found) >= 10


# Numbers

BEGIN = ListedMove(0, None, 0, 0, None)
PASS = ListedMove(0, None, 1, 0, None)
FINISH = ListedMove(1, 0, 1, None, 0)
ROOT = Structure(
    nodes=3,
    edges=(
        Edge(0, 0, BEGIN),
        Edge(0, 1, PASS),
        Edge(1, 1, FINISH),
        Edge(0, 2, None),
        Edge(1, 2, None),
    ),
    start=0,
    end=2,
)
"""Requests begin at global state 0, one of them leads to 1, and there they are answered."""

LEVELS = Counts((0, 1, 2), (), ())


def test_the_root_has_moves_then_the_ways_to_the_end() -> None:
    assert root(2, [BEGIN, PASS, FINISH]) == ROOT


def test_trimming_drops_dead_ends_and_equal_edges_and_numbers_the_rest_anew() -> None:
    edges = [
        Edge(4, 1, BEGIN),
        Edge(4, 2, None),
        Edge(1, 3, FINISH, frozenset({(0, 1)})),
        Edge(4, 1, BEGIN),
        Edge(0, 3, None),
        Edge(1, 3, FINISH),
    ]
    expected = (Edge(2, 0, BEGIN), Edge(0, 1, FINISH, frozenset({(0, 1)})), Edge(0, 1, FINISH))
    assert trimmed(5, edges, 4, 3) == Structure(3, expected, 2, 1)
    assert trimmed(5, edges, 2, 3) == Structure(0, (), 0, 0)


def test_a_chain_keeps_the_order_of_what_it_goes_through() -> None:
    expected = Structure(2, (Edge(0, 0, BEGIN), Edge(0, 1, None)), 0, 1)
    assert along_chain(ROOT, LEVELS.levels, (3,), allowance()) == expected


def test_cases_come_between_a_start_and_an_end() -> None:
    """Forwards, nodes 1 to 3 are the cases; after the first request, its place is forgotten."""
    cases = (NodeCase(0, (0,)), NodeCase(0, (None,)), NodeCase(1, (None,)), NodeCase(2, (None,)))
    found = in_cases(ROOT, Situated("forward", cases, NoRuns()), 1, allowance())
    assert found == Structure(
        nodes=6,
        edges=(
            Edge(0, 1, None),
            Edge(1, 2, BEGIN),
            Edge(1, 3, PASS),
            Edge(1, 4, None),
            Edge(2, 2, BEGIN),
            Edge(2, 3, PASS),
            Edge(2, 4, None),
            Edge(3, 3, FINISH),
            Edge(3, 4, None),
            Edge(4, 5, None),
        ),
        start=0,
        end=5,
    )


def test_backwards_edges_are_listed_by_the_cases_to_which_they_lead() -> None:
    """With nobody at the end, nobody can begin shortly before, and somebody has been answered."""
    cases = (NodeCase(2, (0,)), NodeCase(1, (0,)), NodeCase(1, (None,)), NodeCase(0, (None,)))
    found = in_cases(ROOT, Situated("backward", cases, NoRuns()), 1, allowance())
    assert found == Structure(
        nodes=6,
        edges=(
            Edge(0, 4, None),
            Edge(4, 1, None),
            Edge(2, 1, None),
            Edge(3, 2, FINISH),
            Edge(4, 3, PASS),
            Edge(3, 3, FINISH),
            Edge(4, 4, BEGIN),
            Edge(1, 5, None),
        ),
        start=0,
        end=5,
    )


GUARDED = Edge(0, 1, PASS, frozenset({(0, 2)}))
THERE_AND_BACK = Edge(0, 0, ListedMove(0, 0, 0, 0, None))


@pytest.mark.parametrize(
    ("edge", "known", "expected"),
    [
        (ROOT.edges[0], (1,), (2,)),
        (ROOT.edges[0], (None,), (None,)),
        (ROOT.edges[2], (1,), (0,)),
        (ROOT.edges[2], (0,), None),
        (ROOT.edges[3], (5,), (5,)),
        (GUARDED, (1,), (2,)),
        (GUARDED, (2,), None),
        (GUARDED, (None,), (2,)),
        (THERE_AND_BACK, (0,), None),
        (THERE_AND_BACK, (1,), (1,)),
    ],
)
def test_what_is_known_after_an_edge(edge: Edge, known: Known, expected: Known | None) -> None:
    assert afterwards(edge, known) == expected


@pytest.mark.parametrize(
    ("edge", "known", "expected"),
    [
        (ROOT.edges[0], (1,), (0,)),
        (ROOT.edges[0], (0,), None),
        (ROOT.edges[2], (0,), (1,)),
        (ROOT.edges[2], (None,), (None,)),
        (GUARDED, (2,), (1,)),
        (GUARDED, (1,), None),
        (GUARDED, (None,), (1,)),
        (Edge(0, 1, PASS, frozenset({(0, 0)})), (None,), None),
        (THERE_AND_BACK, (0,), None),
        (THERE_AND_BACK, (1,), (1,)),
    ],
)
def test_what_is_known_before_an_edge(edge: Edge, known: Known, expected: Known | None) -> None:
    assert before(edge, known) == expected


def test_copies_of_a_node_follow_each_other() -> None:
    """Two copies of node 0; the counted edge leads from one to the other, and all others leave from both."""
    found = in_layers(ROOT, Layered(LEVELS, 0, (0,), 1, NoRuns()), allowance())
    assert found == Structure(
        nodes=4,
        edges=(
            Edge(0, 1, BEGIN),
            Edge(0, 2, PASS),
            Edge(1, 2, PASS),
            Edge(2, 2, FINISH),
            Edge(0, 3, None),
            Edge(1, 3, None),
            Edge(2, 3, None),
        ),
        start=0,
        end=3,
    )


def test_without_a_number_the_second_copy_counts_no_further() -> None:
    found = in_layers(ROOT, Layered(LEVELS, 0, (0,), None, NoRuns()), allowance())
    assert found.edges[:2] == (Edge(0, 1, BEGIN), Edge(1, 1, BEGIN))


def test_copies_of_the_end_lead_to_one() -> None:
    """All nodes are at one level. Copy 1 of node 0 and copy 0 of node 1 are trimmed away."""
    found = in_layers(ROOT, Layered(Counts((0, 0, 0), (), ()), 0, (1,), 1, NoRuns()), allowance())
    assert (found.nodes, found.start, found.end) == (5, 0, 4)
    assert found.edges[-2:] == (Edge(2, 4, None), Edge(3, 4, None))


def test_copies_of_an_edge_take_its_place() -> None:
    found = with_values(ROOT, Fixed(LEVELS, 1, (0,), ((2,), (1,), (2,)), NoRuns()), allowance())
    copies = (Edge(0, 1, PASS, frozenset({(0, 2)})), Edge(0, 1, PASS, frozenset({(0, 1)})))
    assert found == Structure(3, (ROOT.edges[0], *copies, *ROOT.edges[2:]), 0, 2)


def test_an_edge_without_numbers_is_gone() -> None:
    found = with_values(ROOT, Fixed(LEVELS, 1, (0,), (), NoRuns()), allowance())
    assert found == Structure(2, (Edge(0, 0, BEGIN), Edge(0, 1, None)), 0, 1)
