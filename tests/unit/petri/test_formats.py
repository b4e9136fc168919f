"""Nets and queries in the formats of other tools: what is written is read back, what is wrong is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation, at_least, is_zero, total
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import Solution
from seriatim.budget import Deadline
from seriatim.petri.net import Marking, PetriNet, Transition, fire
from seriatim.petri.pnml import read_pnml, write_pnml, xml_id
from seriatim.petri.queries import (
    All,
    Bound,
    Not,
    Predicate,
    Quantifier,
    Query,
    Some,
    TooManyCases,
    cases,
    clauses,
    holds,
)
from seriatim.petri.query_net import query_net
from seriatim.petri.query_xml import read_queries, write_queries
from seriatim.petri.reachability import Reached, reach
from seriatim.petri.reading import read_net
from seriatim.petri.tina import read_tina, write_tina
from seriatim.source import InputError, SourceText
from testkit.generators.nets import TOY, explored, nets

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
    assert isinstance(again, Query)
    assert (again.name, again.quantifier) == (query.name, query.quantifier)
    try:
        goals = cases(query.predicate, len(net.places))
    except TooManyCases:
        goals = None
    for marking in explored(net, 40):
        assert holds(again.predicate, marking) == holds(query.predicate, marking)
        if goals is not None:
            assert any(goal.holds(marking) for goal in goals) == holds(query.predicate, marking)


@given(queries())
def test_clauses_have_a_solution_exactly_where_the_predicate_holds(
    given_query: tuple[PetriNet, Query],
) -> None:
    net, query = given_query
    found, more = clauses(query.predicate, len(net.places))
    for marking in list(explored(net, 5))[:5]:
        solver = NaturalSolver(1_000_000)
        for tokens in marking:
            solver.add((is_zero(total([solver.variable()], -tokens)),))
        for _ in range(more):
            solver.variable()
        for clause in found:
            solver.add(clause)
        solved = isinstance(solver.solve((), Deadline()), Solution)
        assert solved == holds(query.predicate, marking)


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

BOUND = """<property-set><property><id>a</id><formula><place-bound>
%s
</place-bound></formula></property></property-set>"""


def test_an_upper_bound_adds_up_places() -> None:
    places = "<place>P1</place><place>P2</place><place>P1</place>"
    assert read_queries(BOUND % places, TOY) == (Bound("a", total([0, 1, 0])),)


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
    assert isinstance(query, Query)
    assert holds(query.predicate, marking) is expected


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("pl a (1)\ntr t a -> b?\n", "SER902", 2),
        ("net x\npl a\nqq b\n", "SER902", 3),
        ("tr t [1,2] a -> b\n", "SER902", 1),
        ("tr t a*0 -> b\n", "SER902", 1),
        ("pl a\ntr t a?0 -> b\n", "SER902", 2),
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


def test_a_read_arc_beside_an_ordinary_one_needs_the_larger_number() -> None:
    """`p p?1` can fire with one token and takes it; `p p?3` needs three and takes one."""

    def ends(text: str, tokens: int) -> Marking | None:
        net = read_tina(f"pl p ({tokens})\n{text}\n")
        return fire(net.initial, net.transitions[0])

    assert ends("tr t p p?1 -> q", 1) == (0, 1)
    assert ends("tr t p?1 p -> q", 1) == (0, 1)
    assert ends("tr t p p?3 -> q", 2) is None
    assert ends("tr t p p?3 -> q", 3) == (2, 1)
    assert ends("tr t p*2 p?1 -> q", 2) == (0, 1)
    assert ends("tr t p?2 p?3 -> q", 2) is None
    assert ends("tr t p?2 p?3 -> q", 3) == (3, 1)


NET = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml" xmlns:x="urn:x"><net id="n"><page id="g">
<place id="p">%s</place><transition id="t">%s</transition><arc id="a" source="p" target="t"%s>%s</arc>
</page></net></pnml>"""


@pytest.mark.parametrize(
    ("where", "part", "named"),
    [
        (3, '<type value="inhibitor"/>', "inhibitor"),
        (3, "<inscription><text>0</text></inscription>", "no tokens"),
        (3, '<type value="reset"/>', "reset"),
        (3, "<type><text>inhibitor</text></type>", "<text>"),
        (3, "<type>inhibitor</type>", "inhibitor"),
        (3, '<toolspecific tool="TINA" version="1"><inhibitor/></toolspecific>', "<inhibitor>"),
        (3, '<toolspecific tool="X" version="1">reset</toolspecific>', "note"),
        (3, "<arctype><text>inhibitor</text></arctype>", "<arctype>"),
        (3, '<x:type value="normal"/>', "urn:x"),
        (3, "<inscription><text>1</text></inscription><inscription><text>2</text></inscription>", "twice"),
        (2, ' type="inhibitor"', "`type=`"),
        (2, ' weight="3"', "`weight=`"),
        (0, "<capacity><text>1</text></capacity>", "<capacity>"),
        (0, "<initialMarking><text>1</text></initialMarking>" * 2, "twice"),
        (1, "<priority><text>2</text></priority>", "<priority>"),
        (1, '<toolspecific tool="WoPeD" version="1"><operator type="101"/></toolspecific>', "<operator>"),
    ],
)
def test_what_pnml_says_beyond_places_and_arcs_is_refused_by_name(where: int, part: str, named: str) -> None:
    parts = ["", "", "", ""]
    parts[where] = part
    assert read_pnml(NET % ("", "", "", "")).places == ("p",)
    with pytest.raises(InputError) as caught:
        read_pnml(NET % tuple(parts))
    (found,) = caught.value.diagnostics
    assert found.code == "SER903"
    assert named in found.message


def test_ids_are_given_once_to_whatever_part() -> None:
    for ids in (("p", "p", "a"), ("p", "t", "p"), ("g", "t", "a")):
        place, transition, arc = ids
        with pytest.raises(InputError, match="given twice"):
            read_pnml(
                f'<pnml><net id="n"><page id="g"><place id="{place}"/><transition id="{transition}"/>'
                f'<arc id="{arc}" source="{place}" target="{transition}"/></page></net></pnml>'
            )


def test_how_a_net_is_drawn_does_not_matter() -> None:
    drawn = '<graphics><position x="1" y="2"/></graphics>'
    note = f'<toolspecific tool="any" version="1">{drawn}</toolspecific>'
    units = '<toolspecific tool="nupn" version="1.1"><structure/></toolspecific>'
    assert read_pnml(NET % (drawn + note, drawn, "", drawn + note)).places == ("p",)
    assert read_pnml((NET % ("", "", "", "")).replace("</net>", units + "</net>")).places == ("p",)


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
        (BOUND % "", "SER904"),
        (BOUND % "<place>P9</place>", "SER905"),
        (BOUND % "<place>P1</place><transition>t1</transition>", "SER904"),
        (
            FORMULA % "<integer-le><integer-constant>1</integer-constant>"
            "<tokens-count><place>P1</place><other>P1</other></tokens-count></integer-le>",
            "SER904",
        ),
    ],
)
def test_wrong_queries_are_refused_with_their_place(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_queries(text, TOY)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span is None) == (code, False)


@pytest.mark.parametrize("text", ["", "net x\n", "<pnml><net/></pnml>"])
def test_a_file_without_places_and_transitions_is_no_net(text: str) -> None:
    with pytest.raises(InputError, match="no places and no transitions"):
        read_net(SourceText("x.net", text))
