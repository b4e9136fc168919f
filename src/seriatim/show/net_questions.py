"""Answers about coverability and boundedness of nets, for people and for machines."""

import re
from typing import assert_never

from seriatim.petri.boundedness import Enumerated, Pump, Weighted
from seriatim.petri.covering import Covered, Covering, Need, Uncovered
from seriatim.petri.net import PetriNet
from seriatim.show.net_reach import meant, pump_lines, tokens_text
from seriatim.source import Diagnostic, InputError

_PART = re.compile(r"\s*(?P<name>.+?)\s*(?:>=\s*(?P<tokens>[0-9]{1,12})\s*)?")

MAX_SHOWN = 20
"""How many parts of a barrier are shown."""


def read_target(text: str, net: PetriNet) -> Need:
    """A target such as `p1 >= 2, p3`; raises `InputError`."""
    places = {name: place for place, name in enumerate(net.places)}
    found: dict[int, int] = {}
    for part in text.split(","):
        match = _PART.fullmatch(part)
        name = "" if match is None else match["name"]
        if name not in places:
            hint = f"write, for example, {', '.join(f'{each} >= 1' for each in net.places[:2])}"
            message = f"no place {name!r} in the target" if name else "a target names places"
            raise InputError([Diagnostic("SER909", message, hint=hint)])
        if places[name] in found:
            raise InputError([Diagnostic("SER909", f"the target names {name} twice")])
        found[places[name]] = 1 if match is None or match["tokens"] is None else int(match["tokens"])
    return tuple(sorted(found.items()))


def need_text(net: PetriNet, need: Need) -> str:
    return ", ".join(f"{meant(net, net.places[place])} >= {tokens}" for place, tokens in need) or "anything"


def covering_text(question: Covering, answer: Covered | Uncovered) -> str:
    net = question.net
    what = "the target" if len(question.targets) == 1 else f"one of {len(question.targets):,} targets"
    lines: list[str] = []
    match answer:
        case Covered(start=start, firings=firings):
            lines = [f"covered: a run reaches at least {what}"]
            if question.open_places:
                lines.append(f"  start: {tokens_text(net, start)}")
            names = " ".join(net.transitions[index].name for index in firings)
            lines.append(f"  fire: {names or '(nothing)'}")
        case Uncovered(weights=weights, basis=basis):
            lines = [f"not covered: no run reaches at least {what}"]
            if weights:
                lines.append("  No transition increases these sums, and too much is needed for some targets:")
                lines += [f"    {sum_text(net, weight)}" for weight in weights[:MAX_SHOWN]]
                lines += _more(len(weights))
            if basis:
                lines.append(
                    "  The start has fewer tokens than each of these, and so has all that leads there:"
                )
                lines += [f"    {need_text(net, need)}" for need in basis[:MAX_SHOWN]]
                lines += _more(len(basis))
    return "\n".join(lines) + "\n"


def _more(count: int) -> list[str]:
    return [f"    and {count - MAX_SHOWN:,} more"] if count > MAX_SHOWN else []


def sum_text(net: PetriNet, weight: Need) -> str:
    held = sum(factor * net.initial[place] for place, factor in weight)
    parts = (f"{factor}·{net.places[place]}" if factor > 1 else net.places[place] for place, factor in weight)
    return f"{' + '.join(parts)} (at the start {held:,})"


def covering_json(question: Covering, answer: Covered | Uncovered) -> dict[str, object]:
    net = question.net
    if isinstance(answer, Covered):
        names = [net.transitions[index].name for index in answer.firings]
        start = {name: held for name, held in zip(net.places, answer.start, strict=True) if held}
        return {"covered": True, "start": start, "firings": names}
    return {
        "covered": False,
        "weights": [_named(net, weight) for weight in answer.weights],
        "basis": [_named(net, need) for need in answer.basis],
    }


def _named(net: PetriNet, need: Need) -> dict[str, int]:
    return {net.places[place]: tokens for place, tokens in need}


def boundedness_text(net: PetriNet, answer: Pump | Weighted | Enumerated) -> str:
    lines: list[str] = []
    match answer:
        case Pump():
            lines = ["not bounded: tokens grow without a bound", *pump_lines(answer, net)]
        case Weighted(weights=weights):
            lines = ["bounded", "  No transition increases this sum:", f"    {sum_text(net, weights)}"]
        case Enumerated(markings=markings):
            lines = ["bounded", f"  The net reaches {markings:,} markings; all of them were tried."]
        case _:
            assert_never(answer)
    return "\n".join(lines) + "\n"


def boundedness_json(net: PetriNet, answer: Pump | Weighted | Enumerated) -> dict[str, object]:
    match answer:
        case Pump(prefix=prefix, loop=loop):
            runs = ([net.transitions[index].name for index in each] for each in (prefix, loop))
            return {"bounded": False, **dict(zip(("firings", "loop"), runs, strict=True))}
        case Weighted(weights=weights):
            return {"bounded": True, "weights": _named(net, weights)}
        case Enumerated(markings=markings):
            return {"bounded": True, "markings": markings}
