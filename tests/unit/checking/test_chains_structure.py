"""What the checker builds from structures has the runs that the theory says, and the numbers that it says."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Literal

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts
from seriatim.certificate.chain_proofs import Fixed, Layered, NodeCase, NoRuns, Situated
from seriatim.certificate.chains import ListedMove
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.chains_cases import afterwards, before, split_into_cases
from seriatim.checking.chains_counts import LevelCounts
from seriatim.checking.chains_structure import (
    Edge,
    Structure,
    copy_level,
    fix_values,
    follow_chain,
    root,
    trim,
)
from seriatim.checking.situations import Known
from testkit.generators.structures import (
    Forger,
    Run,
    allowance,
    levels_of,
    markings,
    random_root,
    runs,
    word,
    words,
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


Refinements = Iterator[tuple[Structure, Callable[[Run], bool]]]
"""What is built from a structure, and which of its runs that has."""


def chains(forger: Forger, structure: Structure) -> Refinements:
    levels = levels_of(structure, forger.random)
    for bridges in forger.chains(structure, levels):
        yield follow_chain(structure, levels, bridges, allowance()), set(bridges).issubset


def cases(forger: Forger, structure: Structure) -> Refinements:
    step = forger.situated(structure)
    if step is not None:
        yield split_into_cases(structure, step, PLACES, allowance()), lambda _: True


def layers(forger: Forger, structure: Structure) -> Refinements:
    step = forger.layered(structure)
    if step is not None:
        edges, times = step.edges, step.times
        yield (
            copy_level(structure, step, allowance()),
            lambda run: times is None or sum(number in edges for number in run) <= times,
        )


def copies(forger: Forger, structure: Structure) -> Refinements:
    step = forger.fixed(structure)
    if step is not None:
        edge, places, values = step.edge, step.places, step.values

        def is_listed(run: Run) -> bool:
            after = zip(run, markings(structure, PLACES, run)[1:], strict=True)
            return {tuple(m[place] for place in places) for taken, m in after if taken == edge} <= set(values)

        yield fix_values(structure, step, allowance()), is_listed


REFINEMENTS: dict[str, Callable[[Forger, Structure], Refinements]] = {
    "a chain has the runs that take all its bridges": chains,
    "cases have all runs": cases,
    "layers have the runs that take edges so many times": layers,
    "copies of an edge have the runs with these numbers": copies,
}


@seeds
@pytest.mark.parametrize("refinements", REFINEMENTS.values(), ids=REFINEMENTS.keys())
def test_what_is_built_has_the_runs_that_it_should(
    refinements: Callable[[Forger, Structure], Refinements], seed: int
) -> None:
    forger, structure = random_structure(seed)
    for built, keeps in refinements(forger, structure):
        expected = {word(structure, run) for run in runs(structure, PLACES, MOVES) if keeps(run)}
        assert words(built, PLACES, MOVES) == expected


@seeds
def test_the_counts_of_every_run_satisfy_the_equations_the_rows_and_the_cuts(seed: int) -> None:
    forger, structure = random_structure(seed)
    for _ in range(3):
        counts = LevelCounts(structure, forger.counts(structure), PLACES, allowance())
        clauses = [*((row,) for row in counts.rows()), *counts.clauses()]
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
ONE_LEVEL = Counts((0, 0, 0), (), ())


def drawn(structure: Structure) -> str:
    """Start, end and number of nodes; then the edges in their order, with moves and guards."""
    names = {None: "", BEGIN: " begin", PASS: " pass", FINISH: " finish"}
    edges = (
        f"{edge.source}-{edge.target}{names[edge.move]}"
        + "".join(f" #{place}={number}" for place, number in sorted(edge.guard))
        for edge in structure.edges
    )
    return f"{structure.start} to {structure.end} of {structure.nodes}: {', '.join(edges)}"


def test_the_root_has_moves_then_the_ways_to_the_end() -> None:
    assert root(2, [BEGIN, PASS, FINISH]) == ROOT
    assert drawn(ROOT) == "0 to 2 of 3: 0-0 begin, 0-1 pass, 1-1 finish, 0-2, 1-2"


def test_trimming_drops_dead_ends_and_equal_edges_and_numbers_the_rest_anew() -> None:
    edges = [
        Edge(4, 1, BEGIN),
        Edge(4, 2, None),
        Edge(1, 3, FINISH, frozenset({(0, 1)})),
        Edge(4, 1, BEGIN),
        Edge(0, 3, None),
        Edge(1, 3, FINISH),
    ]
    assert drawn(trim(edges, 4, 3)) == "2 to 1 of 3: 2-0 begin, 0-1 finish #0=1, 0-1 finish"
    assert trim(edges, 2, 3) == Structure(0, (), 0, 0)


def built(step: tuple[int, ...] | Situated | Layered | Fixed, allowance: Allowance) -> Structure:
    """From the root; a tuple is a chain of bridges."""
    match step:
        case Situated():
            return split_into_cases(ROOT, step, 1, allowance)
        case Layered():
            return copy_level(ROOT, step, allowance)
        case Fixed():
            return fix_values(ROOT, step, allowance)
        case bridges:
            return follow_chain(ROOT, LEVELS.levels, bridges, allowance)


def situated(direction: Literal["forward", "backward"], *cases: tuple[int, int | None]) -> Situated:
    return Situated(direction, tuple(NodeCase(node, (number,)) for node, number in cases), NoRuns())


BUILT: dict[str, tuple[tuple[int, ...] | Situated | Layered | Fixed, str]] = {
    "a chain keeps the order of what it goes through": ((3,), "0 to 1 of 2: 0-0 begin, 0-1"),
    # Nodes 1 to 4 are the cases; after the first request, its place is forgotten.
    "cases come between a start and an end": (
        situated("forward", (0, 0), (0, None), (1, None), (2, None)),
        "0 to 5 of 6: 0-1, 1-2 begin, 1-3 pass, 1-4, 2-2 begin, 2-3 pass, 2-4, 3-3 finish, 3-4, 4-5",
    ),
    # With nobody at the end, nobody can begin shortly before, and somebody has been answered.
    "backwards, edges are listed by the cases to which they lead": (
        situated("backward", (2, 0), (1, 0), (1, None), (0, None)),
        "0 to 5 of 6: 0-4, 4-1, 2-1, 3-2 finish, 4-3 pass, 3-3 finish, 4-4 begin, 1-5",
    ),
    # The counted edge leads from one copy of node 0 to the other, and all others leave from both.
    "copies of a node follow each other": (
        Layered(LEVELS, 0, (0,), 1, NoRuns()),
        "0 to 3 of 4: 0-1 begin, 0-2 pass, 1-2 pass, 2-2 finish, 0-3, 1-3, 2-3",
    ),
    "without a number, the second copy counts no further": (
        Layered(LEVELS, 0, (0,), None, NoRuns()),
        "0 to 3 of 4: 0-1 begin, 1-1 begin, 0-2 pass, 1-2 pass, 2-2 finish, 0-3, 1-3, 2-3",
    ),
    # Copy 1 of node 0 and copy 0 of node 1 are trimmed away.
    "copies of the end lead to one": (
        Layered(ONE_LEVEL, 0, (1,), 1, NoRuns()),
        "0 to 4 of 5: 0-0 begin, 0-1 pass, 1-1 finish, 0-2, 1-3, 2-4, 3-4",
    ),
    "copies of an edge take its place": (
        Fixed(LEVELS, 1, (0,), ((2,), (1,), (2,)), NoRuns()),
        "0 to 2 of 3: 0-0 begin, 0-1 pass #0=2, 0-1 pass #0=1, 1-1 finish, 0-2, 1-2",
    ),
    "an edge without numbers is gone": (
        Fixed(LEVELS, 1, (0,), (), NoRuns()),
        "0 to 1 of 2: 0-0 begin, 0-1",
    ),
}


@pytest.mark.parametrize(("step", "expected"), BUILT.values(), ids=BUILT.keys())
def test_what_is_built_has_these_nodes_and_edges_in_this_order(
    step: tuple[int, ...] | Situated | Layered | Fixed, expected: str
) -> None:
    assert drawn(built(step, allowance())) == expected


@pytest.mark.parametrize("step", [step for step, _ in BUILT.values()], ids=BUILT.keys())
def test_nothing_is_built_for_nothing(step: tuple[int, ...] | Situated | Layered | Fixed) -> None:
    with pytest.raises(GaveUp):
        built(step, Allowance(0, Deadline()))


@pytest.mark.parametrize(
    ("cases", "places"),
    [((NodeCase(0, (5,)),) * 200, 1), (tuple(NodeCase(node, (None,) * 200) for node in range(3)), 200)],
    ids=["cases that do not fit", "places"],
)
def test_many_cases_and_many_places_are_too_much(cases: tuple[NodeCase, ...], places: int) -> None:
    with pytest.raises(GaveUp):
        split_into_cases(ROOT, Situated("forward", cases, NoRuns()), places, Allowance(50, Deadline()))


GUARDED = Edge(0, 1, PASS, frozenset({(0, 2)}))
THERE_AND_BACK = Edge(0, 0, ListedMove(0, 0, 0, 0, None))


@pytest.mark.parametrize(
    ("known", "edge", "expected"),
    [
        ((1,), ROOT.edges[0], (2,)),
        ((None,), ROOT.edges[0], (None,)),
        ((1,), ROOT.edges[2], (0,)),
        ((0,), ROOT.edges[2], None),
        ((5,), ROOT.edges[3], (5,)),
        ((1,), GUARDED, (2,)),
        ((2,), GUARDED, None),
        ((None,), GUARDED, (2,)),
        ((0,), THERE_AND_BACK, None),
        ((1,), THERE_AND_BACK, (1,)),
    ],
)
def test_what_is_known_after_an_edge(known: Known, edge: Edge, expected: Known | None) -> None:
    assert afterwards(edge, known) == expected


@pytest.mark.parametrize(
    ("expected", "edge", "known"),
    [
        ((0,), ROOT.edges[0], (1,)),
        (None, ROOT.edges[0], (0,)),
        ((1,), ROOT.edges[2], (0,)),
        ((None,), ROOT.edges[2], (None,)),
        ((1,), GUARDED, (2,)),
        (None, GUARDED, (1,)),
        ((1,), GUARDED, (None,)),
        (None, Edge(0, 1, PASS, frozenset({(0, 0)})), (None,)),
        (None, THERE_AND_BACK, (0,)),
        ((1,), THERE_AND_BACK, (1,)),
    ],
)
def test_what_is_known_before_an_edge(expected: Known | None, edge: Edge, known: Known) -> None:
    assert before(edge, known) == expected
