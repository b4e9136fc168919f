"""Predicates about nets: every way to an answer agrees with exploring the net."""

from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Constraint, Form, Relation, at_least, at_most, total
from seriatim.budget import Deadline
from seriatim.petri.answering import count_at_once, find
from seriatim.petri.invariants import NetInvariant, find_invariant, invariant_text, is_invariant
from seriatim.petri.net import PetriNet, Transition, after_firings
from seriatim.petri.queries import All, Not, Predicate, Some, holds
from seriatim.petri.reachability import Open, Reached, Unreachable
from seriatim.petri.search import Exhausted
from testkit.generators.nets import explored, nets

CYCLE = PetriNet(
    ("idle", "busy", "lock", "done"),
    (Transition("take", (0, 2), (1,)), Transition("leave", (1,), (0, 2)), Transition("bell", (1,), (1, 3))),
    (2, 0, 1, 0),
)
"""Two workers with one lock; a bell may ring as often as it likes, so there are infinitely many markings."""


@st.composite
def sought(draw: st.DrawFn) -> tuple[PetriNet, Predicate]:
    net = draw(nets())
    forms = st.builds(
        lambda terms, constant: Form(tuple(sorted(terms.items())), constant),
        st.dictionaries(st.integers(0, len(net.places) - 1), st.sampled_from([-1, 1]), max_size=2),
        st.integers(-2, 2),
    )
    atoms: st.SearchStrategy[Predicate] = st.builds(Constraint, forms, st.sampled_from(Relation))
    some = st.lists(atoms, min_size=1, max_size=3).map(lambda parts: Some(tuple(parts)))
    return net, All(tuple(draw(st.lists(st.one_of(atoms, some, some.map(Not)), max_size=3))))


@given(sought())
def test_answers_about_predicates_agree_with_exploration(question: tuple[PetriNet, Predicate]) -> None:
    net, predicate = question
    found = find(net, predicate, 300, Deadline())
    match found:
        case Reached(firings=firings):
            marking = after_firings(net, firings)
            assert marking is not None
            assert holds(predicate, marking)
        case Open():
            pass
        case _:
            assert not any(holds(predicate, marking) for marking in explored(net))


@given(sought())
def test_counting_at_once_excludes_only_what_is_unreachable(question: tuple[PetriNet, Predicate]) -> None:
    net, predicate = question
    if isinstance(count_at_once(net, predicate, Deadline()), Unreachable):
        assert not any(holds(predicate, marking) for marking in explored(net))


def test_a_search_that_ends_is_an_answer() -> None:
    net = PetriNet(("a", "b"), (Transition("t", (0,), (1,)), Transition("u", (1,), (0,))), (1, 0))
    assert find(net, at_least(total([0, 1]), 2), 100, Deadline()) == Exhausted(2)
    stuck = PetriNet(("a",), (Transition("t", (0,), ()),), (0,))
    assert find(stuck, at_least(total([0]), 1), 100, Deadline()) == Exhausted(1)


def test_an_invariant_excludes_what_is_sought_among_infinitely_many_markings() -> None:
    invariant = find_invariant(CYCLE, at_least(total([1]), 2), Deadline())
    assert invariant is not None
    assert all(invariant_text(part, CYCLE.places) for part in invariant.parts)


def test_no_invariant_excludes_what_a_run_reaches() -> None:
    assert find_invariant(CYCLE, at_least(total([3]), 3), Deadline()) is None


def test_formulas_that_are_no_invariants_are_refused() -> None:
    asked = at_least(total([1]), 2)
    for wrong in (
        NetInvariant((("<=", ("!1", 0)),)),  # a step breaks it
        NetInvariant((("<=", ("!0", 1)),)),  # the start breaks it
        NetInvariant((True,)),  # it excludes nothing
    ):
        assert not is_invariant(CYCLE, asked, wrong, Deadline())
    right = NetInvariant((("=", (("+", ("!1", "!2")), 1)),))
    assert is_invariant(CYCLE, asked, right, Deadline())


def test_a_deadlock_of_many_transitions_is_one_question() -> None:
    """Forty philosophers: the predicate has 2^40 cases."""
    count = 40
    forks = [f"fork{i}" for i in range(count)]
    places = (*forks, *(f"think{i}" for i in range(count)), *(f"eat{i}" for i in range(count)))
    transitions = []
    for i in range(count):
        pair = (i, (i + 1) % count)
        transitions.append(Transition(f"take{i}", (*pair, count + i), (2 * count + i,)))
        transitions.append(Transition(f"put{i}", (2 * count + i,), (*pair, count + i)))
    net = PetriNet(places, tuple(transitions), (*(1,) * count, *(1,) * count, *(0,) * count))
    stuck = All(tuple(Some(tuple(at_most(total([p]), 0) for p in set(t.pre))) for t in transitions))
    assert isinstance(count_at_once(net, stuck, Deadline()), Unreachable)
