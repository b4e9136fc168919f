"""Certificates about nets: claims with their evidence, as JSON, and the check of them.

A claim is checked against the net and its evidence alone. Runs, pumps, weights and barriers need no solver;
to see that all markings were tried, they are tried again; cuts and invariants are formulas that a solver has
to refute again. Places and transitions are numbers, in the order of the net.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, assert_never

from seriatim.arithmetic.formula import Constraint, Form, Relation
from seriatim.arithmetic.solvers.horn import Term
from seriatim.budget import Deadline
from seriatim.codec import Codec, Natural, codec_of, expect_keys
from seriatim.petri.answering import refutes
from seriatim.petri.boundedness import Enumerated, Pump, Weighted, bounds, grows, is_pump, search
from seriatim.petri.covering import Covered, Covering, Need, Uncovered, is_covered, is_uncovered
from seriatim.petri.cuts import Cut, CutKind
from seriatim.petri.invariants import NetInvariant, is_invariant
from seriatim.petri.maximum import Maximum, more_than
from seriatim.petri.net import PetriNet, after_firings
from seriatim.petri.queries import All, Not, Predicate, Quantifier, Some, holds
from seriatim.petri.reachability import Reached, Unreachable
from seriatim.petri.search import Exhausted, run_to
from seriatim.petri.tina import write_tina
from seriatim.source import Diagnostic, InputError
from seriatim.strict_json import integer, one_of, parse, wrong

FORMAT, VERSION = "seriatim-net-certificate", 1

MAX_DEPTH = 400
"""How deeply predicates and invariants may nest."""


_PAIR = codec_of(tuple[Natural, int])


def _read_term(value: object, where: str, depth: int = 0) -> Term:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, str) and value[:1] == "!" and value[1:].isdigit():
        return value
    if isinstance(value, list) and value and isinstance(value[0], str) and depth < MAX_DEPTH:
        if value[0] not in (
            "and",
            "or",
            "not",
            "=>",
            "=",
            "<=",
            "<",
            ">=",
            ">",
            "+",
            "-",
            "*",
            "ite",
            "distinct",
        ):
            raise wrong(where, "an operator of SMT-LIB")
        return value[0], tuple(_read_term(each, where, depth + 1) for each in value[1:])
    raise wrong(where, "a formula")


def _write_term(term: Term) -> object:
    return [term[0], *map(_write_term, term[1])] if isinstance(term, tuple) else term


def _read_predicate(value: Any, where: str, depth: int = 0) -> Predicate:
    if depth > MAX_DEPTH or not isinstance(value, dict) or len(value) != 1:
        raise wrong(where, "a predicate")
    ((kind, inside),) = value.items()
    match kind:
        case "all" | "some" if isinstance(inside, list):
            parts = tuple(_read_predicate(each, where, depth + 1) for each in inside)
            return All(parts) if kind == "all" else Some(parts)
        case "not":
            return Not(_read_predicate(inside, where, depth + 1))
        case Relation.IS_ZERO.value | Relation.IS_NATURAL.value if isinstance(inside, list) and inside:
            constant, *terms = inside
            return Constraint(
                Form(tuple(_PAIR.read(each, where) for each in terms), integer(constant, where)),
                Relation(kind),
            )
        case _:
            raise wrong(where, "a predicate")


def _write_predicate(predicate: Predicate) -> object:
    match predicate:
        case Constraint(form=form, relation=relation):
            return {relation.value: [form.constant, *map(list, form.terms)]}
        case All(parts=parts):
            return {"all": list(map(_write_predicate, parts))}
        case Some(parts=parts):
            return {"some": list(map(_write_predicate, parts))}
        case Not(part=part):
            return {"not": _write_predicate(part)}
        case _:
            assert_never(predicate)


def _read_quantifier(value: object, where: str) -> Quantifier:
    return Quantifier(one_of(value, where, tuple(each.value for each in Quantifier)))


Formula = Annotated[Any, Codec(_read_predicate, _write_predicate)]
"""A predicate about markings."""


# --- questions ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Coverable:
    targets: tuple[Need, ...]
    open_places: tuple[Natural, ...]


@dataclass(frozen=True, slots=True)
class Bounded:
    pass


@dataclass(frozen=True, slots=True)
class Reachable:
    name: str
    quantifier: Annotated[Quantifier, Codec(_read_quantifier, str)]
    predicate: Formula


@dataclass(frozen=True, slots=True)
class Most:
    name: str
    tokens: Natural
    places: tuple[tuple[Natural, Natural], ...]
    """Places, each with how often it is counted."""

    @property
    def form(self) -> Form:
        return Form(self.places)


Asked = Coverable | Bounded | Reachable | Most

# --- evidence -----------------------------------------------------------------------------------------------


def _read_kind(value: object, where: str) -> CutKind:
    return CutKind(one_of(value, where, tuple(each.value for each in CutKind)))


@dataclass(frozen=True, slots=True)
class Cuts:
    cuts: tuple[tuple[Annotated[CutKind, Codec(_read_kind, str)], tuple[Natural, ...]], ...]


@dataclass(frozen=True, slots=True)
class Invariant:
    parts: tuple[Annotated[Any, Codec(_read_term, _write_term)], ...]


@dataclass(frozen=True, slots=True)
class Highest:
    """A run to the most tokens, and evidence that there are never more."""

    run: tuple[Natural, ...]
    above: "Annotated[Any, Codec(_read_evidence, _write_evidence)]"


Evidence = (
    Covered | Uncovered | Pump | Weighted | Enumerated | Reached | Cuts | Invariant | Exhausted | Highest
)

KINDS: Mapping[str, type] = {
    "coverable": Coverable,
    "bounded": Bounded,
    "reachable": Reachable,
    "most": Most,
}

EVIDENCE: Mapping[str, type] = {
    "covering-run": Covered,
    "barrier": Uncovered,
    "pump": Pump,
    "weights": Weighted,
    "all-markings": Enumerated,
    "run": Reached,
    "cuts": Cuts,
    "invariant": Invariant,
    "markings": Exhausted,
    "maximum": Highest,
}


def _tagged(kinds: Mapping[str, type]) -> Codec:
    def read(value: Any, where: str) -> Any:
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            raise wrong(where, f"an object whose `kind` is one of {', '.join(kinds)}")
        return codec_of(kinds[kind]).read({key: each for key, each in value.items() if key != "kind"}, where)

    def write(value: Any) -> object:
        name = next(name for name, kind in kinds.items() if isinstance(value, kind))
        return {"kind": name, **codec_of(kinds[name]).write(value)}

    return Codec(read, write)


def _read_evidence(value: object, where: str) -> Any:
    return _tagged(EVIDENCE).read(value, where)


def _write_evidence(value: object) -> Any:
    return _tagged(EVIDENCE).write(value)


@dataclass(frozen=True, slots=True)
class NetClaim:
    question: Annotated[Any, _tagged(KINDS)]
    holds: bool
    evidence: Annotated[Any, Codec(_read_evidence, _write_evidence)]


def digest(net: PetriNet) -> str:
    """A digest of what a net does and how its parts are called."""
    plain = PetriNet(net.places, net.transitions, net.initial)
    return sha256(write_tina(plain).encode()).hexdigest()


def write_certificate(net: PetriNet, claims: tuple[NetClaim, ...]) -> str:
    found = {"format": FORMAT, "version": VERSION, "net_sha256": digest(net)}
    return json.dumps({**found, "claims": [codec_of(NetClaim).write(each) for each in claims]}) + "\n"


def read_certificate(text: str, net: PetriNet) -> tuple[NetClaim, ...]:
    """Reads a certificate about this net; raises `InputError`."""
    value: Any = parse(text)
    keys = ("format", "version", "net_sha256", "claims")
    expect_keys(value, "", keys, keys)
    if value["format"] != FORMAT or value["version"] != VERSION:
        raise InputError([Diagnostic("SER403", f"this is not a {FORMAT} of version {VERSION}")])
    if value["net_sha256"] != digest(net):
        raise InputError([Diagnostic("SER415", "the certificate is about another net")])
    claims: tuple[NetClaim, ...] = codec_of(tuple[NetClaim, ...]).read(value["claims"], "claims")
    if not claims:
        raise wrong("claims", "at least one claim")
    return claims


# --- checks -------------------------------------------------------------------------------------------------


def is_confirmed(net: PetriNet, open_places: frozenset[int], claim: NetClaim, deadline: Deadline) -> bool:
    """Whether the evidence of a claim shows what it claims; takes nothing for granted but the net, and which
    of its places may hold more tokens at the start."""
    asked: Asked = claim.question
    if isinstance(asked, Coverable):
        return frozenset(asked.open_places) == open_places and _is_coverability_shown(net, asked, claim)
    if open_places:
        return False
    match asked:
        case Bounded():
            return _is_boundedness_shown(net, claim, deadline)
        case Reachable():
            return _is_answer_shown(net, asked, claim, deadline)
        case Most():
            return _is_maximum_shown(net, asked, claim, deadline)
        case _:
            assert_never(asked)


def _is_coverability_shown(net: PetriNet, asked: Coverable, claim: NetClaim) -> bool:
    if not all(_are_places(net, [place for place, _ in each]) for each in asked.targets):
        return False
    question = Covering(net, asked.targets, frozenset(asked.open_places))
    if isinstance(claim.evidence, Covered):
        return claim.holds and is_covered(question, claim.evidence)
    return (
        isinstance(claim.evidence, Uncovered) and not claim.holds and is_uncovered(question, claim.evidence)
    )


def _is_boundedness_shown(net: PetriNet, claim: NetClaim, deadline: Deadline) -> bool:
    match claim.evidence:
        case Pump():
            return not claim.holds and is_pump(net, claim.evidence)
        case Weighted():
            return claim.holds and bounds(net, claim.evidence)
        case Enumerated(markings=markings):
            seen = search(net, markings + 1, deadline, is_deep=False)
            return claim.holds and isinstance(seen, Enumerated)
        case _:
            return False


def _is_answer_shown(net: PetriNet, asked: Reachable, claim: NetClaim, deadline: Deadline) -> bool:
    is_exists = asked.quantifier is Quantifier.EXISTS
    sought = asked.predicate if is_exists else Not(asked.predicate)
    if not _are_places(net, _places(sought)):
        return False
    if isinstance(claim.evidence, Reached):
        return claim.holds == is_exists and _reaches(net, sought, claim.evidence.firings)
    return claim.holds != is_exists and _excludes(net, sought, claim.evidence, deadline)


def _is_maximum_shown(net: PetriNet, asked: Most, claim: NetClaim, deadline: Deadline) -> bool:
    """The maximum is so many tokens; or it is not, since there is none."""
    if not _are_places(net, [place for place, _ in asked.places]):
        return False
    match claim.evidence:
        case Highest(run=run, above=above):
            is_reached = _reaches(net, more_than(asked.form, asked.tokens - 1), run)
            more = more_than(asked.form, asked.tokens)
            return claim.holds and is_reached and _excludes(net, more, above, deadline)
        case Pump():
            counted = {place for place, factor in asked.places if factor}
            return not claim.holds and not counted.isdisjoint(grows(net, claim.evidence))
        case _:
            return False


def _are_places(net: PetriNet, places: list[int]) -> bool:
    return all(place < len(net.places) for place in places)


def _places(predicate: Predicate) -> list[int]:
    match predicate:
        case Constraint(form=form):
            return [place for place, _ in form.terms]
        case All(parts=parts) | Some(parts=parts):
            return [place for part in parts for place in _places(part)]
        case Not(part=part):
            return _places(part)
        case _:
            assert_never(predicate)


def _reaches(net: PetriNet, sought: Predicate, firings: tuple[int, ...]) -> bool:
    if not all(0 <= index < len(net.transitions) for index in firings):
        return False
    marking = after_firings(net, firings)
    return marking is not None and holds(sought, marking)


def _excludes(net: PetriNet, sought: Predicate, evidence: object, deadline: Deadline) -> bool:
    """Whether evidence shows that no reachable marking is sought."""
    match evidence:
        case Cuts(cuts=cuts):
            if not all(_are_places(net, list(places)) for _, places in cuts):
                return False
            found = tuple(Cut(kind, frozenset(places)) for kind, places in cuts)
            if any(
                each.kind is CutKind.SIPHON and any(net.initial[p] for p in each.places) for each in found
            ):
                return False
            return refutes(net, sought, found, deadline)
        case Invariant(parts=parts):
            if not all(_variables_fit(part, net) for part in parts):
                return False
            return is_invariant(net, sought, NetInvariant(parts), deadline)
        case Exhausted(markings=markings):
            return isinstance(
                run_to(net, lambda marking: holds(sought, marking), markings + 1, deadline), Exhausted
            )
        case _:
            return False


def _variables_fit(term: Term, net: PetriNet) -> bool:
    match term:
        case str():
            return int(term[1:]) < len(net.places)
        case (_, arguments):
            return all(_variables_fit(each, net) for each in arguments)
        case _:
            return True


def evidence_of(found: object) -> object:
    """The evidence in an answer to a query about reachable markings."""
    match found:
        case Unreachable(cuts=cuts):
            return Cuts(tuple((cut.kind, tuple(sorted(cut.places))) for cut in cuts))
        case NetInvariant(parts=parts):
            return Invariant(parts)
        case Maximum(run=run, above=above):
            return Highest(run, evidence_of(above))
        case _:
            return found
