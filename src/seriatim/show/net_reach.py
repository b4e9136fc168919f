"""Answers to queries about nets, for people and for machines: a run, or why no run exists."""

from dataclasses import dataclass
from typing import assert_never

from seriatim.budget import Deadline
from seriatim.petri.answering import Found, find
from seriatim.petri.boundedness import Pump
from seriatim.petri.cuts import Cut, CutKind
from seriatim.petri.invariants import NetInvariant, invariant_text
from seriatim.petri.maximum import Between, Maximum, find_maximum
from seriatim.petri.net import PetriNet, after_firings
from seriatim.petri.queries import Bound, Quantifier, Query
from seriatim.petri.reachability import Open, Reached, Unreachable
from seriatim.petri.search import Exhausted


@dataclass(frozen=True, slots=True)
class ReachAnswer:
    """A query and its answer; the evidence has been checked on the whole net."""

    query: Query
    found: Found

    @property
    def holds(self) -> bool | None:
        """Whether the query holds; None if that is not known."""
        match self.found:
            case Reached():
                return self.query.quantifier is Quantifier.EXISTS
            case Unreachable() | Exhausted() | NetInvariant():
                return self.query.quantifier is Quantifier.ALWAYS
            case Open():
                return None
            case _:
                assert_never(self.found)


@dataclass(frozen=True, slots=True)
class Most:
    """How many tokens some places have at most."""

    query: Bound
    found: Maximum | Pump | Between

    @property
    def holds(self) -> bool | None:
        """Whether the number is known."""
        return None if isinstance(self.found, Between) else True


def answer_bound(net: PetriNet, query: Bound, max_markings: int, deadline: Deadline) -> Most:
    return Most(query, find_maximum(net, query.places, max_markings, deadline))


def answer_query(net: PetriNet, query: Query, max_markings: int, deadline: Deadline) -> ReachAnswer:
    """Decides a query."""
    return ReachAnswer(query, find(net, query.find_sought(), max_markings, deadline))


WORDS = {True: "holds", False: "does not hold", None: "is open"}


def answer_text(answer: ReachAnswer | Most, net: PetriNet) -> str:
    if isinstance(answer, Most):
        return most_text(answer, net)
    query = answer.query
    lines = [f"{query.quantifier} {query.name or 'query'}: {WORDS[answer.holds]}"]
    lines += found_lines(answer.found, net)
    return "\n".join(lines) + "\n"


def found_lines(found: Found, net: PetriNet) -> list[str]:
    """The evidence in an answer, as lines."""
    lines: list[str] = []
    match found:
        case Reached(firings=firings):
            names = [net.transitions[index].name for index in firings]
            if any(name in net.meanings for name in names):
                lines.append("  fire:")
                lines += [f"    {name}: {net.meanings.get(name, name)}" for name in names]
            else:
                lines.append(f"  fire: {' '.join(names) or '(nothing)'}")
            marking = after_firings(net, firings) or ()
            lines.append(f"  tokens then: {tokens_text(net, marking)}")
        case Unreachable(cuts=cuts):
            lines.append("  Counting excludes it: every reachable marking M is M₀ + C·x for natural counts x")
            lines.append("  of firings that satisfy these cuts, and no such marking is sought.")
            lines += [f"    {cut_text(net, cut)}" for cut in cuts] or ["    (none is needed)"]
        case Exhausted(markings=1):
            lines.append("  No transition can ever fire, so the marking at the start is the only one.")
        case Exhausted(markings=markings):
            lines.append(f"  The net reaches {markings:,} markings; all of them were tried.")
        case NetInvariant(parts=parts):
            lines.append("  Every reachable marking satisfies this, and no marking that is sought does:")
            lines += [f"    {invariant_text(part, net.places)}" for part in parts]
        case Open(why=why):
            lines.append(f"  {why}")
        case _:
            assert_never(found)
    return lines


def most_text(answer: Most, net: PetriNet) -> str:
    name = answer.query.name or "query"
    match answer.found:
        case Maximum(tokens=tokens, run=run, above=above):
            lines = [f"most tokens {name}: {tokens:,}", *found_lines(Reached(run), net)]
            lines += ["  More are never reached:", *found_lines(above, net)]
        case Between(tokens=tokens, run=run, why=why):
            lines = [f"most tokens {name}: at least {tokens:,}; whether there can be more is open"]
            lines += [*found_lines(Reached(run), net), f"  {why}"]
        case Pump():
            lines = [f"most tokens {name}: there is no bound", *pump_lines(answer.found, net)]
        case _:
            assert_never(answer.found)
    return "\n".join(lines) + "\n"


def pump_lines(pump: Pump, net: PetriNet) -> list[str]:
    names = [each.name for each in net.transitions]
    before = after_firings(net, pump.prefix) or ()
    after = after_firings(net, (*pump.prefix, *pump.loop)) or ()
    more = tuple(now - then for now, then in zip(after, before, strict=True))
    return [
        f"  fire: {' '.join(names[index] for index in pump.prefix) or '(nothing)'}",
        f"  then, as often as you like: {' '.join(names[index] for index in pump.loop)}",
        f"  which adds: {tokens_text(net, more)}",
    ]


TECHNIQUES = {
    Reached: "EXPLICIT",
    Exhausted: "EXPLICIT",
    Pump: "EXPLICIT",
    Unreachable: "STRUCTURAL_REDUCTION TOPOLOGICAL SAT_SMT",
    NetInvariant: "SAT_SMT",
}
"""What the Model Checking Contest calls the ways to an answer."""


def contest_line(answer: ReachAnswer | Most) -> str:
    """An answer in the format of the Model Checking Contest. It has no word for an unknown answer or for a
    number without a bound, so there is none."""
    name = answer.query.name
    if isinstance(answer, Most):
        if not isinstance(answer.found, Maximum):
            return f"FORMULA {name} CANNOT_COMPUTE"
        known = {TECHNIQUES.get(type(answer.found.above), "EXPLICIT"), "EXPLICIT"}
        return f"FORMULA {name} {answer.found.tokens} TECHNIQUES {' '.join(sorted(known))}"
    if answer.holds is None:
        return f"FORMULA {name} CANNOT_COMPUTE"
    truth = "TRUE" if answer.holds else "FALSE"
    return f"FORMULA {name} {truth} TECHNIQUES {TECHNIQUES[type(answer.found)]}"


def tokens_text(net: PetriNet, marking: tuple[int, ...]) -> str:
    held = [
        meant(net, name) if tokens == 1 else f"{meant(net, name)}×{tokens}"
        for name, tokens in zip(net.places, marking, strict=True)
        if tokens
    ]
    return ", ".join(held) or "none"


def meant(net: PetriNet, name: str) -> str:
    """A place with its meaning."""
    return f"{name} ({net.meanings[name]})" if name in net.meanings else name


def cut_text(net: PetriNet, cut: Cut) -> str:
    places = ", ".join(meant(net, net.places[place]) for place in sorted(cut.places))
    match cut.kind:
        case CutKind.SIPHON:
            return f"siphon {{{places}}}: nothing takes from it before something brings a token in"
        case CutKind.TRAP:
            return f"trap {{{places}}}: a token that was in it is still in it, unless something took it out"
        case _:
            assert_never(cut.kind)


def answer_json(answer: ReachAnswer | Most, net: PetriNet) -> dict[str, object]:
    if isinstance(answer, Most):
        return most_json(answer, net)
    result: dict[str, object] = {
        "query": answer.query.name,
        "quantifier": answer.query.quantifier.value,
        "holds": answer.holds,
    }
    match answer.found:
        case Reached(firings=firings):
            marking = after_firings(net, firings) or ()
            result["firings"] = [net.transitions[index].name for index in firings]
            if net.meanings:
                result["meanings"] = dict(net.meanings)
            result["marking"] = {
                name: tokens for name, tokens in zip(net.places, marking, strict=True) if tokens
            }
        case Unreachable(cuts=cuts):
            result["cuts"] = [
                {"kind": cut.kind.value, "places": [net.places[place] for place in sorted(cut.places)]}
                for cut in cuts
            ]
        case Exhausted(markings=markings):
            result["markings"] = markings
        case NetInvariant(parts=parts):
            result["invariant"] = [invariant_text(part, net.places) for part in parts]
        case Open(why=why):
            result["reason"] = why
        case _:
            assert_never(answer.found)
    return result


def most_json(answer: Most, net: PetriNet) -> dict[str, object]:
    def names(firings: tuple[int, ...]) -> list[str]:
        return [net.transitions[index].name for index in firings]

    match answer.found:
        case Maximum(tokens=tokens, run=run):
            return {"query": answer.query.name, "most": tokens, "firings": names(run)}
        case Between(tokens=tokens, run=run, why=why):
            found = {"query": answer.query.name, "at_least": tokens, "firings": names(run)}
            return {**found, "reason": why}
        case Pump(prefix=prefix, loop=loop):
            return {"query": answer.query.name, "most": None, "firings": names(prefix), "loop": names(loop)}
        case _:
            assert_never(answer.found)
