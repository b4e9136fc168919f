"""The serial automaton: what requests that run one at a time can do to the global state, and answer."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.explain.names import completion_text, visible
from seriatim.explain.picture import DrawnEdge, DrawnNode, Picture, Role, merge_edges
from seriatim.report.tables import Page, TextTable
from seriatim.show.labels import count_text
from seriatim.systems.automaton import INITIAL_STATE, Edges, SerialAutomaton
from seriatim.systems.from_input import Origin, explain_limit
from seriatim.systems.from_program import BEYOND
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
                TextTable("States", ("global state", ""), states),
                TextTable("Edges", ("from", "request", "response", "to"), edges),
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
        nodes = (*(DrawnNode(Role.STATE, (visible(name),)) for name in self.states), DrawnNode(Role.START))
        edges = merge_edges(
            (edge.source, edge.target, completion_text(edge.request, edge.response)) for edge in self.edges
        )
        return Picture(nodes, (DrawnEdge(start, 0), *edges))


def serial_view(unfolding: Origin, limits: Limits, deadline: Deadline) -> SerialView:
    try:
        reachable = SerialAutomaton(unfolding, limits.max_states, deadline).reachable()
    except LimitReached as reached:
        raise explain_limit(reached, unfolding) from None
    return _view(unfolding, reachable)


STATES_OF_A_PART = 8


def serial_beginning(unfolding: Origin, limits: Limits, deadline: Deadline) -> SerialView:
    """The states nearest to the initial one; one more, named `BEYOND`, stands for the others."""
    automaton = SerialAutomaton(unfolding, limits.max_states, deadline)
    near: dict[int, Edges] = {}
    pending = deque([INITIAL_STATE])
    while pending and len(near) < STATES_OF_A_PART:
        state = pending.popleft()
        if state not in near:
            near[state] = automaton.after(state)
            pending.extend(after for targets in near[state].values() for after in targets)
    return _view(unfolding, near)


def _view(unfolding: Origin, known: Mapping[int, Edges]) -> SerialView:
    number = {global_: index for index, global_ in enumerate(known)}
    beyond = len(number)
    edges: dict[SerialEdge, None] = {}
    for global_, completions in known.items():
        for completion in sorted(completions, key=lambda c: (unfolding.completions[c][0], c)):
            request, response = unfolding.completions[completion]
            for after in completions[completion]:
                target = number.get(after, beyond)
                edge = SerialEdge(number[global_], unfolding.requests[request], response, target)
                edges.setdefault(edge)
    states = [global_name(unfolding, global_) for global_ in known]
    if any(edge.target == beyond for edge in edges):
        states.append(BEYOND)
    return SerialView(tuple(states), tuple(edges))
