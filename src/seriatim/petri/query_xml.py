"""Queries to and from the XML of the Model Checking Contest."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import assert_never
from xml.sax.saxutils import escape

from seriatim.arithmetic.formula import Constraint, Form, Relation, at_least, combination, is_zero, total
from seriatim.petri.net import PetriNet
from seriatim.petri.pnml import xml_id
from seriatim.petri.queries import All, Bound, Not, Predicate, Quantifier, Query, Some
from seriatim.petri.xml_elements import Element, read_xml
from seriatim.source import Diagnostic, InputError

NAMESPACE = "http://mcc.lip6.fr/"
LARGEST = 10**24
"""The largest product; larger ones would take too long to multiply and to print."""

_QUANTIFIERS = {
    ("exists-path", "finally"): Quantifier.EXISTS,
    ("all-paths", "globally"): Quantifier.ALWAYS,
}


def read_queries(text: str, net: PetriNet) -> tuple[Query | Bound, ...]:
    """Reads queries; raises `InputError` if the text is not a query, or names something the net lacks."""
    root = read_xml(text)
    properties = root.all("property")
    if root.name != "property-set" or not properties:
        raise _make_error(root, f"<property> in <property-set> expected, not <{root.name}>")
    return tuple(_QueryReader(net).query(each) for each in properties)


class _QueryReader:
    def __init__(self, net: PetriNet) -> None:
        self.net = net
        # Names as other tools write them, and ids as we do; where one is both, it is an id.
        self.places = {name: index for index, name in enumerate(net.places)}
        self.places |= {xml_id(name): index for index, name in enumerate(net.places)}
        self.transitions = {t.name: t for t in net.transitions}
        self.transitions |= {xml_id(t.name): t for t in net.transitions}

    def query(self, element: Element) -> Query | Bound:
        name = element.first("id")
        outer = self.only(self.child(element, "formula"))
        if outer.name == "place-bound":
            return Bound("" if name is None else name.text.strip(), self.sum(outer))
        inner = self.only(outer) if len(outer.children) == 1 else outer
        quantifier = _QUANTIFIERS.get((outer.name, inner.name))
        if quantifier is None:
            hint = "<exists-path><finally>…, <all-paths><globally>…, or <place-bound>…"
            raise _make_error(outer, f"<{outer.name}> does not begin a reachability formula", hint)
        return Query("" if name is None else name.text.strip(), quantifier, self.predicate(self.only(inner)))

    def predicate(self, element: Element) -> Predicate:
        match element.name:
            case "conjunction":
                return All(tuple(map(self.predicate, element.children)))
            case "disjunction":
                return Some(tuple(map(self.predicate, element.children)))
            case "negation":
                return Not(self.predicate(self.only(element)))
            case "true":
                return All(())
            case "false":
                return Some(())
            case "is-fireable":
                return Some(tuple(self.fireable(name) for name in element.all("transition")))
            case "deadlock":
                return Not(Some(tuple(self.require_enabled(name) for name in self.transitions)))
            case "integer-le" | "integer-lt" | "integer-ge" | "integer-gt" | "integer-eq" | "integer-ne":
                return self.comparison(element)
            case _:
                raise _make_error(element, f"<{element.name}> is not known in a reachability formula")

    def comparison(self, element: Element) -> Predicate:
        if len(element.children) != 2:
            raise _make_error(element, f"<{element.name}> compares two sides, not {len(element.children)}")
        left, right = map(self.form, element.children)
        rest = combination([(1, right), (-1, left)])
        match element.name:
            case "integer-le":
                return at_least(rest, 0)
            case "integer-lt":
                return at_least(rest, 1)
            case "integer-ge":
                return at_least(combination([(-1, rest)]), 0)
            case "integer-gt":
                return at_least(combination([(-1, rest)]), 1)
            case "integer-eq":
                return is_zero(rest)
            case _:
                return Not(is_zero(rest))

    def form(self, element: Element) -> Form:
        match element.name:
            case "integer-constant":
                return total((), self.constant(element))
            case "tokens-count":
                return self.sum(element)
            case "integer-sum":
                return combination((1, self.form(child)) for child in element.children)
            case "integer-difference" if element.children:
                first, *others = map(self.form, element.children)
                return combination([(1, first), *((-1, other) for other in others)])
            case "integer-product":
                return self.multiple(element)
            case _:
                raise _make_error(
                    element, f"<{element.name}> is not a sum of constants and numbers of tokens"
                )

    def sum(self, element: Element) -> Form:
        """The tokens of the places that an element lists."""
        strange = next((child for child in element.children if child.name != "place"), None)
        if strange is not None:
            raise _make_error(strange, f"<{strange.name}> in <{element.name}> is not understood")
        if not element.children:
            raise _make_error(element, f"<{element.name}> lists no place")
        return total(self.place(name) for name in element.children)

    def multiple(self, element: Element) -> Form:
        factor, form = 1, total((), 1)
        for child in map(self.form, element.children):
            if not child.terms:
                factor *= child.constant
                if abs(factor) > LARGEST:
                    raise _make_error(element, f"a product of constants beyond {LARGEST:,}")
            elif not form.terms:
                form = combination([(form.constant, child)])
            else:
                raise _make_error(element, "a product of numbers of tokens is not linear")
        return combination([(factor, form)])

    def constant(self, element: Element) -> int:
        text = element.text.strip()
        if not re.fullmatch(r"-?[0-9]{1,12}", text):
            raise _make_error(element, f"not an integer: {text[:40]!r}")
        return int(text)

    def place(self, element: Element) -> int:
        name = element.text.strip()
        if name not in self.places:
            raise _make_error(element, f"the net has no place {name!r}", code="SER905")
        return self.places[name]

    def fireable(self, element: Element) -> Predicate:
        name = element.text.strip()
        if name not in self.transitions:
            raise _make_error(element, f"the net has no transition {name!r}", code="SER905")
        return self.require_enabled(name)

    def require_enabled(self, name: str) -> Predicate:
        needed = Counter(self.transitions[name].pre)
        return All(tuple(at_least(total([place]), count) for place, count in sorted(needed.items())))

    def child(self, element: Element, name: str) -> Element:
        found = element.first(name)
        if found is None:
            raise _make_error(element, f"<{element.name}> has no <{name}>")
        return found

    def only(self, element: Element) -> Element:
        if len(element.children) != 1:
            raise _make_error(element, f"<{element.name}> has {len(element.children)} parts instead of one")
        return element.children[0]


def _make_error(element: Element, message: str, hint: str | None = None, code: str = "SER904") -> InputError:
    return InputError([Diagnostic(code, message, element.span, hint)])


def write_queries(queries: Sequence[Query], net: PetriNet) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<property-set xmlns="{NAMESPACE}">']
    for query in queries:
        path, when = next(names for names, each in _QUANTIFIERS.items() if each is query.quantifier)
        lines += [
            "<property>",
            f"<id>{escape(query.name)}</id>",
            f"<formula><{path}><{when}>",
            *_predicate(query.predicate, net),
            f"</{when}></{path}></formula>",
            "</property>",
        ]
    return "\n".join([*lines, "</property-set>"]) + "\n"


def _predicate(predicate: Predicate, net: PetriNet) -> list[str]:
    match predicate:
        case Constraint(form=form, relation=relation):
            negative = Form(tuple((v, -c) for v, c in form.terms if c < 0), max(0, -form.constant))
            positive = Form(tuple((v, c) for v, c in form.terms if c > 0), max(0, form.constant))
            if relation is Relation.IS_NATURAL:
                return [_at_most(negative, positive, net)]
            if negative == Form(()) or positive == Form(()):  # One side is 0, and no side is below 0.
                return [_at_most(combination([(1, negative), (1, positive)]), Form(()), net)]
            both = (_at_most(negative, positive, net), _at_most(positive, negative, net))
            return ["<conjunction>", *both, "</conjunction>"]
        case All(parts=parts):
            return [
                "<conjunction>",
                *(line for part in parts for line in _predicate(part, net)),
                "</conjunction>",
            ]
        case Some(parts=parts):
            return [
                "<disjunction>",
                *(line for part in parts for line in _predicate(part, net)),
                "</disjunction>",
            ]
        case Not(part=part):
            return ["<negation>", *_predicate(part, net), "</negation>"]
        case _:
            assert_never(predicate)


def _at_most(left: Form, right: Form, net: PetriNet) -> str:
    """The one comparison that all tools know."""
    return f"<integer-le>{_form(left, net)}{_form(right, net)}</integer-le>"


def _form(form: Form, net: PetriNet) -> str:
    """A sum; multiples are products, everything else is a number of tokens or a constant."""
    parts = [
        _tokens([variable], net)
        if c == 1
        else f"<integer-product>{_constant(c)}{_tokens([variable], net)}</integer-product>"
        for variable, c in form.terms
    ]
    if all(c == 1 for _, c in form.terms) and form.terms:
        parts = [_tokens([variable for variable, _ in form.terms], net)]
    if form.constant or not parts:
        parts.append(_constant(form.constant))
    return parts[0] if len(parts) == 1 else f"<integer-sum>{''.join(parts)}</integer-sum>"


def _constant(value: int) -> str:
    return f"<integer-constant>{value}</integer-constant>"


def _tokens(places: Sequence[int], net: PetriNet) -> str:
    names = "".join(f"<place>{xml_id(net.places[place])}</place>" for place in places)
    return f"<tokens-count>{names}</tokens-count>"
