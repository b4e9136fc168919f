"""Coverability and boundedness of nets: every answer agrees with trying all markings, and is checked."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Form
from seriatim.budget import Deadline
from seriatim.petri.answering import find
from seriatim.petri.boundedness import Enumerated, Pump, Weighted, bounds, decide_boundedness, is_pump
from seriatim.petri.coverability import decide_covering, run_by_counts, search_backwards
from seriatim.petri.covering import (
    Covered,
    Covering,
    Need,
    Uncovered,
    is_above,
    is_covered,
    is_uncovered,
)
from seriatim.petri.maximum import Between, Maximum, find_maximum, more_than
from seriatim.petri.mist import is_mist, read_mist, write_mist
from seriatim.petri.net import PetriNet, Transition, after_firings
from seriatim.petri.reachability import Reached
from seriatim.petri.search import Exhausted
from seriatim.source import InputError
from testkit.generators.nets import TOY, explored, nets

MOST = 400
"""How many markings brute force looks at."""

MUTEX = """
vars  # two kinds of workers and a lock
    free a b lock
rules
    free >= 1, lock >= 1 -> free' = free - 1, lock' = lock - 1, a' = a + 1;
    free >= 1, lock >= 1 -> free' = free-1, lock' = lock-1, b' = b+1;
    a >= 1 -> a' = a - 1, free' = free + 1, lock' = lock + 1;
    b >= 1 -> b' = b - 1, free' = free + 1, lock' = lock + 1;
    true -> ;
init
    free >= 1, a = 0, b = 0, lock = 1
target
    a >= 1, b >= 1
    a >= 2
invariants
    lock = 1, a = 1, b = 1
"""


@st.composite
def questions(draw: st.DrawFn) -> Covering:
    net = draw(nets())
    places = range(len(net.places))
    needs = st.dictionaries(st.sampled_from(places), st.integers(1, 3), max_size=3)
    targets = draw(st.lists(needs.map(lambda need: tuple(sorted(need.items()))), min_size=1, max_size=2))
    return Covering(net, tuple(targets), draw(st.frozensets(st.sampled_from(places), max_size=1)))


def tried(question: Covering) -> tuple[bool, bool]:
    """Whether brute force covers a target, and whether it has seen all markings; up to 3 tokens are put into
    each open place."""
    covered, is_all = False, not question.open_places
    for more in range(4 if question.open_places else 1):
        initial = list(question.net.initial)
        for place in question.open_places:
            initial[place] += more
        found = explored(replace(question.net, initial=tuple(initial)), MOST)
        covered = covered or any(is_above(m, target) for m in found for target in question.targets)
        is_all = is_all and len(found) < MOST
    return covered, is_all


@given(questions())
def test_coverability_agrees_with_trying_all_markings(question: Covering) -> None:
    covered, is_all = tried(question)
    for answer in (decide_covering(question, Deadline()), search_backwards(question, Deadline())):
        if isinstance(answer, Covered):
            assert is_covered(question, answer)
            assert covered or not is_all
        else:
            assert is_uncovered(question, answer)
            assert not covered


@given(questions())
def test_runs_by_counts_cover(question: Covering) -> None:
    found = run_by_counts(question, Deadline())
    assert found is None or is_covered(question, found)


@given(questions(), st.randoms(use_true_random=False))
def test_changed_barriers_are_believed_only_where_nothing_is_covered(
    question: Covering, random: object
) -> None:
    assert hasattr(random, "choice")
    answer = search_backwards(question, Deadline())
    weights, basis = (answer.weights, answer.basis) if isinstance(answer, Uncovered) else ((), ())
    needs: list[Need] = [(), *question.targets, *basis, *weights, ((0, 1),), ((0, 2),)]
    for _ in range(8):
        forged = Uncovered(
            (*weights[1:], random.choice(needs)), (*basis[: random.choice([0, 1, 9])], random.choice(needs))
        )
        if is_uncovered(question, forged):
            assert not tried(question)[0]


@given(nets())
def test_boundedness_agrees_with_trying_all_markings(net: PetriNet) -> None:
    is_all = len(explored(net, MOST)) < MOST
    match decide_boundedness(net, 4 * MOST, Deadline()):
        case Pump() as pump:
            assert is_pump(net, pump)
            assert not is_all
        case Weighted() as weighted:
            assert bounds(net, weighted)
        case Enumerated(markings=markings):
            assert markings == len(explored(net, 10_000))
        case None:
            assert not is_all


@given(nets(), st.data())
def test_the_most_tokens_are_those_of_all_markings(net: PetriNet, data: st.DataObject) -> None:
    counted = data.draw(
        st.dictionaries(st.integers(0, len(net.places) - 1), st.integers(1, 2), min_size=1, max_size=2)
    )
    form = Form(tuple(sorted(counted.items())))
    found = explored(net, MOST)
    most = max(map(form.value, found))
    match find_maximum(net, form, 600, Deadline()):
        case Maximum(tokens=tokens, run=run):
            marking = after_firings(net, run)
            assert marking is not None
            assert form.value(marking) == tokens >= most
            assert tokens == most or len(found) >= MOST
        case Pump() as pump:
            assert is_pump(net, pump)
            assert len(found) >= MOST
        case Between(tokens=tokens):
            assert tokens >= most or len(found) >= MOST


def test_a_maximum_far_from_the_start_is_exact() -> None:
    net = PetriNet(("a", "b"), (Transition("t", (0,), (1,)),), (9_000, 0))
    found = find_maximum(net, Form(((1, 1),)), 5_000, Deadline())
    assert isinstance(found, Maximum)
    assert found.tokens == 9_000
    assert len(found.run) == 9_000


def test_tokens_without_a_bound_have_no_maximum() -> None:
    assert isinstance(find_maximum(TOY, Form(((0, 1),)), 2_000, Deadline()), Pump)
    found = find_maximum(TOY, Form(((3, 1),)), 2_000, Deadline())
    assert isinstance(found, Maximum)
    assert found.tokens == 1


def test_what_is_more_than_the_most_is_not_found() -> None:
    net = PetriNet(("a",), (Transition("t", (0,), ()),), (3,))
    assert isinstance(find(net, more_than(Form(((0, 1),)), 3), 100, Deadline()), Exhausted)
    assert isinstance(find(net, more_than(Form(((0, 1),)), 2), 100, Deadline()), Reached)


# --- MIST ---------------------------------------------------------------------------------------------------


def test_a_file_of_mist_is_read() -> None:
    question = read_mist(MUTEX)
    assert is_mist(MUTEX)
    assert question.net.places == ("free", "a", "b", "lock")
    assert question.open_places == {0}
    assert question.targets == (((1, 1), (2, 1)), ((1, 2),))
    assert question.net.transitions[0] == Transition("rule1@5", (0, 3), (1,))
    assert isinstance(decide_covering(question, Deadline()), Uncovered)
    reachable = replace(question, targets=(((0, 7), (1, 1)),))
    found = decide_covering(reachable, Deadline())
    assert isinstance(found, Covered)
    assert found.start[0] >= 8


@given(questions())
def test_files_of_mist_say_what_was_written(question: Covering) -> None:
    named = [each for each in question.targets if each]
    if not named or not all(each.pre for each in question.net.transitions):
        return
    written = read_mist(write_mist(replace(question, targets=tuple(named))))
    assert written.net.initial == question.net.initial
    assert [(t.pre, t.post) for t in written.net.transitions] == [
        (t.pre, t.post) for t in question.net.transitions
    ]
    assert (written.targets, written.open_places) == (tuple(dict.fromkeys(named)), question.open_places)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("a' = a + 1;", "a' = a + b;", "only rules of the form"),
        ("a' = a + 1;", "a' = 0;", "only rules of the form"),
        ("a' = a + 1;", "a' = b + 1;", "only rules of the form"),
        ("a' = a + 1;", "a' = a + 1, a' = a + 1;", "a is changed twice"),
        ("a' = a + 1;", "b' = b - 1;", "takes more tokens from b than its guard"),
        ("free >= 1, lock >= 1 ->", "free >= 1, lock = 1 ->", "`>=` expected after lock"),
        ("free >= 1, lock >= 1 ->", "free >= 1, lock in [1, 2] ->", "`>=` expected after lock"),
        ("free >= 1, lock >= 1 ->", "lock >= 1, lock >= 1 ->", "lock is compared twice"),
        ("a >= 1, b >= 1\n", "a >= 1, b = 1\n", "`>=` expected after b"),
        ("b = 0, lock = 1", "b = 0", "`init` does not say how many tokens lock has"),
        ("free a b lock", "free a b lock a", "the place a is declared twice"),
        ("a >= 2", "c >= 2", "`vars` does not list c"),
        ("target", "goal", "`target` expected"),
        ("true -> ;", "true -> ; ?", "unexpected '?'"),
        ("a >= 2", "a >= 2000000000000000", "a number with at most"),
        ("a' = a + 1;", "a' = a + 5000;", "an arc of weight"),
    ],
)
def test_what_is_not_understood_is_refused(old: str, new: str, message: str) -> None:
    assert old in MUTEX
    with pytest.raises(InputError, match=message) as found:
        read_mist(MUTEX.replace(old, new, 1))
    assert found.value.diagnostics[0].span is not None
