"""isl: constraints as it gives them, deadlines, and what happens where it is not installed."""

import sys
from itertools import product

import pytest

from seriatim.arithmetic.solvers.isl import NaturalSets
from seriatim.budget import Deadline, OutOfTime
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.method import Method
from seriatim.result import Undecided
from seriatim.source import SourceText


def test_quotients_are_natural_however_isl_writes_them() -> None:
    """In two dimensions, where isl divides differences."""
    sets = NaturalSets(2, Deadline())
    outside = sets.conjunctions(sets.difference(sets.all(), [sets.linear((2, 0), [(3, 0), (1, 2)])]))
    for form, divisor in (quotient for part in outside for quotient in part.quotients):
        assert divisor > 1
        assert form.constant >= 0
        assert all(coefficient > 0 for _, coefficient in form.terms)
    for x, y in product(range(12), repeat=2):
        inside = y % 2 == 0 and (x - 2 - y // 2) >= 0 and (x - 2 - y // 2) % 3 == 0
        assert any(part.holds((x, y)) for part in outside) is not inside


def test_the_only_vector_without_entries_is_in_or_out() -> None:
    sets = NaturalSets(0, Deadline())
    assert len(sets.conjunctions(sets.all())) == 1
    assert sets.is_empty(sets.difference(sets.all(), [sets.linear((), [])]))


def test_work_stops_at_the_deadline() -> None:
    sets = NaturalSets(2, Deadline(-1.0))
    with pytest.raises(OutOfTime):
        sets.difference(sets.all(), [sets.linear((1, 0), [(2, 3)])])


def test_without_isl_the_papers_method_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "islpy", None)
    content = read_input(SourceText("x.ser", "request a { yield; 1 }"))
    verdict = decide(content, Options(method=Method.PAPER)).answer
    assert isinstance(verdict, Undecided)
    assert verdict.reason == "isl is not installed"
    assert verdict.hint == "pip install 'seriatim[paper]'"
