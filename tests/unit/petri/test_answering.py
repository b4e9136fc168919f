"""Predicates about nets: every way to an answer agrees with exploring the net."""

from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Constraint, Form, Relation, at_least, at_most, combination, total
from seriatim.budget import Deadline
from seriatim.petri.answering import count_at_once, find
from seriatim.petri.invariants import NetInvariant, find_invariant, invariant_text, is_invariant
from seriatim.petri.net import PetriNet, Transition, after_firings
from seriatim.petri.plain_invariants import read_invariant
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
def test_invariants_that_are_read_off_exclude_only_what_is_unreachable(
    question: tuple[PetriNet, Predicate],
) -> None:
    net, predicate = question
    found = read_invariant(net, predicate, Deadline())
    if found is not None:
        assert not any(holds(predicate, marking) for marking in explored(net))


LEFT_BEHIND = PetriNet(
    ("pool", "taken", "given"),
    (Transition("take", (0, 0, 0, 0), (0, 0, 0, 1)), Transition("give", (0,), (0, 0, 2))),
    (3, 0, 0),
)
"""What takes from the pool leaves three tokens there, so no more is taken than was given."""

ROUND = PetriNet(
    ("rest", "run", "walk", "note"),
    (
        Transition("go", (0, 0), (1, 2)),
        Transition("race", (1, 1), (1, 1, 1)),
        Transition("stop", (1,), (0,)),
        Transition("halt", (2,), (0,)),
        Transition("write", (1,), (1, 3)),
    ),
    (2, 0, 0, 0),
)
"""Three places have four markings, beside a note that grows."""


def test_invariants_are_read_off_sums_and_floors() -> None:
    found = read_invariant(
        LEFT_BEHIND, at_least(combination([(1, total([1])), (-1, total([2]))]), 1), Deadline()
    )
    assert found is not None
    assert [invariant_text(part, LEFT_BEHIND.places) for part in found.parts] == [
        "(pool + taken + -given) = 3",
        "pool >= 3",
    ]


def test_invariants_are_read_off_the_markings_of_few_places() -> None:
    two_run, many_notes = at_least(total([1]), 2), at_least(total([3]), 5)
    found = read_invariant(ROUND, two_run, Deadline())
    assert found is not None
    (part,) = found.parts
    assert invariant_text(part, ROUND.places).count("rest") == 4
    assert isinstance(find(ROUND, two_run, 100_000, Deadline()), NetInvariant)
    assert read_invariant(ROUND, Some((two_run, many_notes)), Deadline()) is None


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
