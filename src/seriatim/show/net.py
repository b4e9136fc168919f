"""The Petri net of all interleavings (paper, Figure 3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.explain.names import completion_text, visible
from seriatim.explain.picture import DrawnEdge, DrawnNode, Picture, Role
from seriatim.petri.from_system import Answered, Global, InFlight, InterleavingNet, Place
from seriatim.petri.net import Transition
from seriatim.report.tables import Page, TextTable
from seriatim.show.labels import count_text, local_lines


@dataclass(frozen=True, slots=True)
class NetView:
    interleaving: InterleavingNet

    def page(self) -> Page:
        net = self.interleaving.net
        size = (count_text(len(net.places), "place"), count_text(len(net.transitions), "transition"))
        heading = f"Petri net: {', '.join(size)}"
        transitions = tuple(
            (
                transition.name,
                what,
                ", ".join(self._names(transition.pre)),
                ", ".join(self._names(transition.post)),
            )
            for transition, what in zip(net.transitions, self._causes(), strict=True)
        )
        return Page(
            heading,
            (
                TextTable("Places", ("place", "tokens", "kind", "request", "state"), tuple(self._places())),
                TextTable("Transitions", ("transition", "what", "takes", "gives"), transitions),
            ),
        )

    def _places(self) -> Iterator[tuple[str, ...]]:
        for name, tokens, place in self._marked_places():
            meaning = self._meaning(place)
            kind = meaning["kind"].replace("_", " ")
            *_, state = meaning.values()
            yield name, str(tokens or ""), kind, visible(meaning.get("request", "")), visible(state)

    def _causes(self) -> Iterator[str]:
        for cause in self.interleaving.causes:
            yield f"{cause.kind} {visible(self.interleaving.system.requests[cause.request])}"

    def data(self) -> dict[str, object]:
        requests = self.interleaving.system.requests
        return {
            "places": [
                {"name": name, "tokens": tokens} | self._meaning(place)
                for name, tokens, place in self._marked_places()
            ],
            "transitions": [
                {
                    "name": transition.name,
                    "kind": cause.kind.value,
                    "request": requests[cause.request],
                    "takes": self._names(transition.pre),
                    "gives": self._names(transition.post),
                }
                for transition, cause in zip(
                    self.interleaving.net.transitions, self.interleaving.causes, strict=True
                )
            ],
        }

    def _marked_places(self) -> Iterator[tuple[str, int, Place]]:
        net = self.interleaving.net
        return zip(net.places, net.initial, self.interleaving.places, strict=True)

    def _names(self, places: tuple[int, ...]) -> list[str]:
        return [self.interleaving.net.places[place] for place in places]

    def _meaning(self, place: Place) -> dict[str, str]:
        system = self.interleaving.system
        match place:
            case Global(state=state):
                return {"kind": Role.GLOBAL.value, "global": system.globals[state]}
            case InFlight(request=request, local=local):
                name = system.locals[local].name
                return {"kind": Role.IN_FLIGHT.value, "request": system.requests[request], "local": name}
            case Answered(request=request, response=response):
                answer = system.responses[response]
                return {"kind": Role.ANSWERED.value, "request": system.requests[request], "response": answer}
            case _:
                assert_never(place)

    def picture(self) -> Picture:
        net = self.interleaving.net
        nodes = [self._node(*marked) for marked in self._marked_places()]
        edges: list[DrawnEdge] = []
        for transition, what in zip(net.transitions, self._causes(), strict=True):
            edges.extend(_arcs(transition, len(nodes)))
            nodes.append(DrawnNode(Role.TRANSITION, (f"{transition.name}: {what}",)))
        return Picture(tuple(nodes), tuple(edges))

    def _node(self, name: str, tokens: int, place: Place) -> DrawnNode:
        system = self.interleaving.system
        dots = ("●" * tokens,) if tokens else ()
        match place:
            case Global(state=state):
                return DrawnNode(Role.GLOBAL, (name, visible(system.globals[state]), *dots))
            case InFlight(request=request, local=local):
                code = local_lines(system.locals[local])
                return DrawnNode(
                    Role.IN_FLIGHT, (f"{name}: {visible(system.requests[request])}", *code, *dots)
                )
            case Answered(request=request, response=response):
                answer = completion_text(system.requests[request], system.responses[response])
                return DrawnNode(Role.ANSWERED, (name, answer, *dots))
            case _:
                assert_never(place)


def _arcs(transition: Transition, node: int) -> Iterator[DrawnEdge]:
    """The arcs of a transition; a place that gets its token back has a single edge."""
    for place in transition.pre:
        yield DrawnEdge(place, node, both_ways=place in transition.post)
    for place in transition.post:
        if place not in transition.pre:
            yield DrawnEdge(node, place)
