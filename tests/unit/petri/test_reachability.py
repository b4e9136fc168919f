"""Reachability against exploration: runs replay, refutations are confirmed, and the two never meet."""

from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation, at_least, is_zero, total
from seriatim.budget import Deadline
from seriatim.petri.goals import must_be_empty
from seriatim.petri.net import Marking, PetriNet, Transition, after_firings
from seriatim.petri.reachability import Open, Reached, Unreachable, confirms, reach, slice_for
from seriatim.petri.slicing import whole_slice
from testkit.generators.nets import TOY, explored, nets

MAX_MARKINGS = 500


@st.composite
def questions(draw: st.DrawFn) -> tuple[PetriNet, Conjunction]:
    """A net and a goal: linear constraints on some places, and perhaps one on a quotient."""
    net = draw(nets())
    dimension = len(net.places)
    place = st.integers(0, dimension - 1)
    quotients = draw(st.sampled_from([(), ((total([0]), 2),)]))
    variable = st.integers(0, dimension + len(quotients) - 1)
    forms = st.builds(
        lambda terms, constant: Form(tuple(sorted(terms.items())), constant),
        st.dictionaries(variable, st.sampled_from([-2, -1, 1, 2]), max_size=2),
        st.integers(-2, 2),
    )
    constraints = draw(st.lists(st.builds(Constraint, forms, st.sampled_from(Relation)), max_size=3))
    empty = [is_zero(total([each])) for each in draw(st.frozensets(place))]
    return net, Conjunction(dimension, quotients, (*constraints, *empty))


@given(questions(), st.booleans())
def test_answers_agree_with_exploration(question: tuple[PetriNet, Conjunction], slices: bool) -> None:
    net, goal = question
    part = slice_for(net, goal) if slices else whole_slice(net)
    answer = reach(net, goal, MAX_MARKINGS, Deadline(), part)
    reachable = any(goal.holds(marking) for marking in explored(net))
    match answer:
        case Reached(firings=firings):
            marking = after_firings(net, firings)
            assert marking is not None
            assert goal.holds(marking)
        case Unreachable(cuts=cuts):
            assert not reachable
            assert confirms(net, goal, cuts, Deadline())
        case Open():
            assert not any(goal.holds(marking) for marking in explored(net, 50))


@given(questions())
def test_places_that_must_be_empty_are_empty_in_the_goal(question: tuple[PetriNet, Conjunction]) -> None:
    net, goal = question
    for place in must_be_empty(goal):
        assert not any(marking[place] and goal.holds(marking) for marking in explored(net))


def exactly(marking: Marking) -> Conjunction:
    return Conjunction(
        len(marking), (), tuple(is_zero(total([place], -tokens)) for place, tokens in enumerate(marking))
    )


def test_the_papers_toy_net_reaches_its_final_marking() -> None:
    goal = exactly((0, 0, 0, 0, 1, 1))
    answer = reach(TOY, goal, MAX_MARKINGS, Deadline(), slice_for(TOY, goal))
    assert isinstance(answer, Reached)
    assert after_firings(TOY, answer.firings) == (0, 0, 0, 0, 1, 1)


def test_the_papers_toy_net_never_has_its_token_twice() -> None:
    goal = exactly((0, 1, 1, 0, 0, 0))
    assert isinstance(reach(TOY, goal, MAX_MARKINGS, Deadline(), slice_for(TOY, goal)), Unreachable)


def test_with_two_tokens_it_does() -> None:
    richer = PetriNet(TOY.places, TOY.transitions, (0, 2, 0, 0, 0, 0))
    answer = reach(richer, exactly((0, 1, 1, 0, 0, 0)), MAX_MARKINGS, Deadline())
    assert isinstance(answer, Reached)
    assert after_firings(richer, answer.firings) == (0, 1, 1, 0, 0, 0)


def test_tokens_that_only_each_other_could_bring_are_refuted_by_a_cut() -> None:
    """The state equation alone allows t0 and t1 once each, although neither can fire first."""
    net = PetriNet(
        ("a", "b", "done"), (Transition("t0", (0,), (1, 2)), Transition("t1", (1,), (0, 2))), (0, 0, 0)
    )
    goal = Conjunction(3, (), (at_least(total([2]), 2), is_zero(total([0])), is_zero(total([1]))))
    answer = reach(net, goal, MAX_MARKINGS, Deadline())
    assert isinstance(answer, Unreachable)
    assert answer.cuts
    assert not confirms(net, goal, (), Deadline())
