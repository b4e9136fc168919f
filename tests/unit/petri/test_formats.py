"""Nets and queries in the formats of other tools: what is written is read back, what is wrong is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_nets import TOY, explored, nets
from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation, at_least, total
from seriatim.budget import Deadline
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.pnml import read_pnml, write_pnml, xml_id
from seriatim.petri.queries import All, Not, Predicate, Quantifier, Query, Some, cases, holds
from seriatim.petri.query_net import query_net
from seriatim.petri.query_xml import read_queries, write_queries
from seriatim.petri.reachability import Reached, reach
from seriatim.petri.tina import read_tina, write_tina
from seriatim.source import InputError

odd_names = st.lists(st.text(min_size=1, max_size=5), min_size=3, max_size=3, unique=True)


@given(nets())
def test_what_tina_and_pnml_hold_is_read_back(net: PetriNet) -> None:
    assert read_tina(write_tina(net)) == net
    assert read_pnml(write_pnml(net)) == net


@given(odd_names)
def test_any_names_are_written_to_tina_and_read_back(names: list[str]) -> None:
    net = PetriNet((names[0], names[1]), (Transition(names[2], (0, 0), (1,)),), (2, 0))
    assert read_tina(write_tina(net)) == net


def test_odd_white_space_is_white_space() -> None:
    assert read_tina("pl a (\x1c2\u00a0)").initial == (2,)


@given(odd_names)
def test_ids_of_different_names_are_different(names: list[str]) -> None:
    assert len({xml_id(name) for name in names}) == len(names)


@st.composite
def queries(draw: st.DrawFn) -> tuple[PetriNet, Query]:
    net = draw(nets())
    forms = st.builds(
        lambda terms, constant: Form(tuple(sorted(terms.items())), constant),
        st.dictionaries(st.integers(0, len(net.places) - 1), st.sampled_from([-2, -1, 1, 2]), max_size=3),
        st.integers(-2, 2),
    )
    atoms: st.SearchStrategy[Predicate] = st.builds(Constraint, forms, st.sampled_from(Relation))
    predicates = st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda parts: All(tuple(parts))),
            st.lists(inner, max_size=3).map(lambda parts: Some(tuple(parts))),
            inner.map(Not),
        ),
        max_leaves=5,
    )
    return net, Query("asked", draw(st.sampled_from(Quantifier)), draw(predicates))


@given(queries())
def test_queries_are_read_back_and_have_the_cases_that_their_meaning_says(
    given_query: tuple[PetriNet, Query],
) -> None:
    net, query = given_query
    (again,) = read_queries(write_queries([query], net), net)
    assert (again.name, again.quantifier) == (query.name, query.quantifier)
    goals = cases(query.predicate, len(net.places))
    for marking in explored(net, 40):
        assert holds(again.predicate, marking) == holds(query.predicate, marking)
        assert any(goal.holds(marking) for goal in goals) == holds(query.predicate, marking)


def test_a_quotient_becomes_a_place_that_holds_it() -> None:
    """An odd number of tokens on P1 of the toy net: P1 − 2·⌊P1 / 2⌋ = 1."""
    odd = Form(((0, 1), (6, -2)), -1)
    goal = Conjunction(6, ((total([0]), 2),), (Constraint(odd, Relation.IS_ZERO), at_least(total([0]), 3)))
    larger, query = query_net(TOY, [goal], "odd")
    assert larger.places[-1] == "q1"
    (case,) = cases(query.predicate, len(larger.places))
    answer = reach(larger, case, 1_000, Deadline())
    assert isinstance(answer, Reached)
    assert [answer.firings.count(index) for index in (0, 5)] == [3, 1]


FORMULA = """<property-set><property><id>a</id><formula><exists-path><finally>
%s
</finally></exists-path></formula></property></property-set>"""


@pytest.mark.parametrize(
    ("inner", "marking", "expected"),
    [
        ("<is-fireable><transition>t2</transition></is-fireable>", (1, 1, 0, 0, 0, 0), True),
        ("<is-fireable><transition>t2</transition></is-fireable>", (0, 1, 0, 0, 0, 0), False),
        ("<deadlock/>", (0, 0, 0, 0, 0, 0), False),
        (
            "<integer-lt><integer-constant>1</integer-constant>"
            "<tokens-count><place>P1</place><place>P2</place></tokens-count></integer-lt>",
            (1, 1, 0, 0, 0, 0),
            True,
        ),
    ],
)
def test_formulas_mean_what_the_contest_says(inner: str, marking: tuple[int, ...], expected: bool) -> None:
    (query,) = read_queries(FORMULA % inner, TOY)
    assert holds(query.predicate, marking) is expected


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("pl a (1)\ntr t a -> b?\n", "SER902", 2),
        ("net x\npl a\nqq b\n", "SER902", 3),
        ("tr t [1,2] a -> b\n", "SER902", 1),
        ("tr t a -> b\ntr t b -> a\n", "SER902", 2),
        ("pr t > u\n", "SER902", 1),
        ("tr t a*5000 -> b\n", "SER903", 1),
        ("pl a (1)\npl b (" + "9" * 5000 + ")\n", "SER902", 2),
        ("tr t a*" + "9" * 5000 + " -> b\n", "SER902", 1),
        ("pl a (\u0661)\n", "SER902", 1),
    ],
)
def test_wrong_tina_is_refused_with_its_place(text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_tina(text)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert found.span is not None
    assert found.span.line == line


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<pnml>\n<net", "SER901"),
        ('<!DOCTYPE pnml [<!ENTITY a "aa">]>\n<pnml>&a;</pnml>', "SER901"),
        ('<!DOCTYPE pnml SYSTEM "file:///etc/passwd">\n<pnml/>', "SER901"),
        ('<!DOCTYPE pnml [<!ENTITY % a SYSTEM "a.dtd">%a;]>\n<pnml/>', "SER901"),
        ("<a>" * 600 + "</a>" * 600, "SER901"),
        ("<pnml/>", "SER903"),
        ('<pnml><net type="symmetricnet"/></pnml>', "SER903"),
        ('<pnml><net><place id="a"/><place id="a"/></net></pnml>', "SER903"),
        ('<pnml><net><place id="a"/><arc source="a" target="b"/></net></pnml>', "SER903"),
        ("<pnml><net><place/></net></pnml>", "SER903"),
        (
            '<pnml><net><place id="a"><initialMarking><text>-1</text></initialMarking></place></net></pnml>',
            "SER903",
        ),
    ],
)
def test_wrong_pnml_is_refused_with_its_place(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_pnml(text)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span is None) == (code, False)


@pytest.mark.parametrize("encoding", ["UTF-8", "latin-1", "UTF-16", "UTE-8"])
def test_what_encoding_a_text_declares_does_not_matter(encoding: str) -> None:
    """It is decoded already, whatever it was stored in."""
    text = f'<?xml version="1.0" encoding="{encoding}"?><pnml><net><place id="é"/></net></pnml>'
    assert read_pnml(text).places == ("é",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<property-set/>", "SER904"),
        (FORMULA % "<until/>", "SER904"),
        (FORMULA % "<integer-le/>", "SER904"),
        (FORMULA % "<integer-eq><integer-difference/><integer-sum/></integer-eq>", "SER904"),
        (
            FORMULA % f"<integer-eq><integer-product>{'<integer-constant>-999999</integer-constant>' * 5}"
            "</integer-product><integer-sum/></integer-eq>",
            "SER904",
        ),
        (FORMULA % ("<negation>" * 120 + "<true/>" + "</negation>" * 120), "SER901"),
        (FORMULA % "<is-fireable><transition>nobody</transition></is-fireable>", "SER905"),
        (
            FORMULA % "<integer-le><integer-constant>x</integer-constant>"
            "<tokens-count><place>P1</place></tokens-count></integer-le>",
            "SER904",
        ),
        (
            FORMULA % "<integer-le><integer-constant>1</integer-constant>"
            "<tokens-count><place>P9</place></tokens-count></integer-le>",
            "SER905",
        ),
        ((FORMULA % "<true/>").replace("finally", "next"), "SER904"),
    ],
)
def test_wrong_queries_are_refused_with_their_place(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_queries(text, TOY)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span is None) == (code, False)
