"""What is said about the counts of a structure's edges is what the theory says, to the letter."""

import pytest

from seriatim.arithmetic.formula import Clause, Constraint, Form
from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts, LevelCut, PrefixRow
from seriatim.certificate.chains import ListedMove
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.chains_counts import LevelCounts
from seriatim.checking.chains_structure import Edge, Structure
from seriatim.checking.obligation import DoesNotFollow

BEGIN, PASS, MOVE, FINISH, LATE = (
    ListedMove(0, None, 0, 0, None),
    ListedMove(0, None, 1, 0, None),
    ListedMove(0, 0, 1, 0, None),
    ListedMove(1, 0, 1, None, 0),
    ListedMove(1, None, 1, None, 1),
)
STRUCTURE = Structure(
    nodes=4,
    edges=(
        Edge(0, 0, BEGIN),
        Edge(0, 1, PASS, frozenset({(0, 2), (1, 0)})),
        Edge(0, 1, MOVE),
        Edge(1, 1, FINISH),
        Edge(1, 1, LATE),
        Edge(1, 2, MOVE),
        Edge(2, 1, None, frozenset({(0, 7)})),
        Edge(0, 3, None),
        Edge(1, 3, None),
        Edge(1, 3, FINISH),
    ),
    start=0,
    end=3,
)
"""Edges 1 and 2 and the last three are bridges; within level 1, edge 5 moves a request on the spot."""

LEVELS = (0, 1, 1, 2)


def counts(
    rows: tuple[PrefixRow, ...] = (), cuts: tuple[LevelCut, ...] = (), states: int = 1_000
) -> LevelCounts:
    return LevelCounts(STRUCTURE, Counts(LEVELS, rows, cuts), 2, Allowance(states, Deadline()))


def shown(form: Form) -> str:
    """`1 + x0 - 2·x3`."""
    terms = [f"{c:+}·x{v}".replace("1·", "") for v, c in form.terms]
    return " ".join((str(form.constant), *terms))


def clause_shown(clause: Clause) -> str:
    def constraint_shown(constraint: Constraint) -> str:
        return f"{shown(constraint.form)} {constraint.relation}"

    return " or ".join(map(constraint_shown, clause))


EQUATIONS = [
    "1 -x1 -x2 -x7 = 0",
    "0 +x1 +x2 -x5 +x6 -x8 -x9 = 0",
    "0 +x5 -x6 = 0",
    "-1 +x7 +x8 +x9 = 0",
    "0 +x0 +x1 -x3 -x9 = 0",
    "0 = 0",
]
"""Kirchhoff's law for each node; what comes to each place also leaves it."""

BRIDGES = [
    "0 -x1 >= 0 or -2 +x0 +x1 = 0",
    "0 -x1 >= 0 or 0 = 0",
    "0 -x2 >= 0 or -1 +x0 >= 0",
]
"""The guard of edge 1, and who is there before edge 2, which gives back what it takes. Nothing is said about
what inner edges and the last one need: numbers that they change are natural afterwards as well."""


def test_the_equations_are_about_nodes_places_and_bridges() -> None:
    assert [clause_shown((row,)) for row in counts().rows()] == EQUATIONS
    assert [clause_shown(clause) for clause in counts().clauses()] == BRIDGES


def test_outcomes_count_the_edges_that_answer() -> None:
    assert [shown(form) for form in counts().outcome(3)] == ["0 +x3 +x9", "0 +x4", "0"]


ROWS = {
    PrefixRow(0, 0, "entry"): "0 >= 0",
    PrefixRow(0, 0, "exit"): "0 +x0 >= 0",
    PrefixRow(1, 0, "entry"): "0 +x0 +x1 >= 0",
    PrefixRow(1, 0, "exit"): "0 +x0 +x1 -x3 >= 0",
    PrefixRow(9, 0, "entry"): "0 +x0 +x1 -x3 -x9 >= 0",
    PrefixRow(1, 1, "exit"): "0 >= 0",
}
CUTS = {
    # Whoever leaves node 2 came to it.
    LevelCut(1, "siphon", (2,), ()): "0 -x6 >= 0 or -1 +x5 >= 0",
    # Nodes of the level are entered by bridges, or by other nodes of it.
    LevelCut(1, "siphon", (1,), ()): "0 -x3 -x4 -x5 >= 0 or -1 +x1 +x2 +x6 >= 0",
    LevelCut(1, "siphon", (1, 2), ()): "0 -x3 -x4 -x5 -x6 >= 0 or -1 +x1 +x2 >= 0",
    # Whoever is taken from the place was there when the run came to the level.
    LevelCut(1, "siphon", (), (0,)): "0 -x3 -x5 >= 0 or -1 +x0 +x1 >= 0",
    LevelCut(1, "siphon", (2,), (0, 1)): "0 -x3 -x5 -x6 >= 0 or -1 +x0 +x1 >= 0",
    # Whoever comes to node 1 leaves it, to node 2 or for good.
    LevelCut(1, "trap", (1,), ()): "0 -x3 -x4 -x6 >= 0 or -1 +x5 +x8 +x9 >= 0",
    LevelCut(1, "trap", (2,), ()): "0 -x5 >= 0 or -1 +x6 >= 0",
    # Whoever is given to the place is taken from it, or there when the run leaves the level.
    LevelCut(1, "trap", (), (0,)): "0 -x5 >= 0 or -1 +x0 +x1 >= 0",
    LevelCut(0, "trap", (0,), (0,)): "0 -x0 >= 0 or -1 +x0 +x1 +x2 +x7 >= 0",
}


@pytest.mark.parametrize(("row", "expected"), ROWS.items(), ids=map(str, ROWS))
def test_rows_are_numbers_of_requests(row: PrefixRow, expected: str) -> None:
    *_, found = counts(rows=(row,)).rows()
    assert clause_shown((found,)) == expected


@pytest.mark.parametrize(("cut", "expected"), CUTS.items(), ids=map(str, CUTS))
def test_cuts_say_that_what_is_used_is_filled(cut: LevelCut, expected: str) -> None:
    *_, found = counts(cuts=(cut,)).clauses()
    assert clause_shown(found) == expected


def test_bridges_lead_to_a_level() -> None:
    assert [counts().level_after(edge) for edge in (1, 7)] == [1, 2]
    with pytest.raises(DoesNotFollow):
        counts().level_after(5)


def test_whatever_is_said_costs_something() -> None:
    for say in (
        lambda: counts(states=0).entry(1, 0),
        lambda: counts(states=0).exit(1, 0),
        lambda: next(counts(states=0).rows()),
    ):
        with pytest.raises(GaveUp):
            say()


def test_each_cut_costs_something() -> None:
    without = counts()
    assert len(list(without.clauses())) == len(BRIDGES)
    with pytest.raises(GaveUp):
        list(counts(cuts=(LevelCut(1, "siphon", (2,), ()),), states=without.allowance.spent).clauses())
