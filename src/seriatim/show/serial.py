"""The serial automaton: what requests that run one at a time can do to the global state, and answer."""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.explain.names import completion_text, visible
from seriatim.explain.picture import Edge, Node, Picture, Role, merge_edges
from seriatim.report.tables import Page, Table
from seriatim.show.labels import count_text
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import Origin, explain_limit
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.source_map import global_name


@dataclass(frozen=True, slots=True)
class SerialEdge:
    """A request that runs alone from one state to another; states by number."""

    source: int
    request: str
    response: str
    target: int


@dataclass(frozen=True, slots=True)
class SerialView:
    """The reachable part; state 0 is the initial one."""

    states: tuple[str, ...]
    edges: tuple[SerialEdge, ...]

    def page(self) -> Page:
        states = tuple(
            (visible(name), "" if number else "initial") for number, name in enumerate(self.states)
        )
        edges = tuple(
            tuple(
                map(
                    visible, (self.states[edge.source], edge.request, edge.response, self.states[edge.target])
                )
            )
            for edge in self.edges
        )
        return Page(
            f"Serial automaton: {count_text(len(states), 'state')}, {count_text(len(edges), 'edge')}",
            (
                Table("States", ("global state", ""), states),
                Table("Edges", ("from", "request", "response", "to"), edges),
            ),
        )

    def data(self) -> dict[str, object]:
        return {
            "initial": self.states[0],
            "states": self.states,
            "edges": [
                {
                    "from": self.states[edge.source],
                    "request": edge.request,
                    "response": edge.response,
                    "to": self.states[edge.target],
                }
                for edge in self.edges
            ],
        }

    def picture(self) -> Picture:
        start = len(self.states)
        nodes = (*(Node(Role.STATE, (visible(name),)) for name in self.states), Node(Role.START))
        edges = merge_edges(
            (edge.source, edge.target, completion_text(edge.request, edge.response)) for edge in self.edges
        )
        return Picture(nodes, (Edge(start, 0), *edges))


def serial_view(unfolding: Origin, limits: Limits, deadline: Deadline) -> SerialView:
    try:
        reachable = SerialAutomaton(unfolding, limits.max_states, deadline).reachable()
    except LimitReached as reached:
        raise explain_limit(reached, unfolding) from None
    number = {global_: index for index, global_ in enumerate(reachable)}
    edges = []
    for global_, completions in reachable.items():
        for completion in sorted(completions, key=lambda c: (unfolding.completions[c][0], c)):
            request, response = unfolding.completions[completion]
            edges += [
                SerialEdge(number[global_], unfolding.requests[request], response, number[after])
                for after in completions[completion]
            ]
    return SerialView(tuple(global_name(unfolding, global_) for global_ in reachable), tuple(edges))
