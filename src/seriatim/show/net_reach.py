"""Answers to queries about nets, for people and for machines: a run, or why no run exists."""

from dataclasses import dataclass
from typing import assert_never

from seriatim.budget import Deadline
from seriatim.petri.answering import Found, find
from seriatim.petri.cuts import Cut, CutKind
from seriatim.petri.invariants import NetInvariant, invariant_text
from seriatim.petri.net import PetriNet, after_firings
from seriatim.petri.queries import Quantifier, Query
from seriatim.petri.reachability import Open, Reached, Unreachable
from seriatim.petri.search import Exhausted


@dataclass(frozen=True, slots=True)
class Answer:
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


def answer_query(net: PetriNet, query: Query, max_markings: int, deadline: Deadline) -> Answer:
    """Decides a query."""
    return Answer(query, find(net, query.find_sought(), max_markings, deadline))


WORDS = {True: "holds", False: "does not hold", None: "is open"}


def answer_text(answer: Answer, net: PetriNet) -> str:
    query = answer.query
    lines = [f"{query.quantifier} {query.name or 'query'}: {WORDS[answer.holds]}"]
    match answer.found:
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
            assert_never(answer.found)
    return "\n".join(lines) + "\n"


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


def answer_json(answer: Answer, net: PetriNet) -> dict[str, object]:
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
