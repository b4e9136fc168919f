"""The network system: its states, requests and responses; as a picture, how local states lead to others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from seriatim.explain.names import visible
from seriatim.explain.picture import DrawnEdge, DrawnNode, Picture, Role, merge_edges
from seriatim.program.network_system import NetworkSystem
from seriatim.program.system_printer import Entry, name_entries
from seriatim.report.tables import Page, TextTable
from seriatim.show.labels import count_text, local_lines, valuation


@dataclass(frozen=True, slots=True)
class NetworkView:
    system: NetworkSystem

    def page(self) -> Page:
        system = self.system
        counts = (
            count_text(len(system.globals), "global state"),
            count_text(len(system.locals), "local state"),
            count_text(len(system.requests), "request"),
            count_text(len(system.responses), "response"),
            count_text(len(system.delta), "step"),
        )
        return Page(
            ", ".join(counts),
            (
                TextTable("Global states", ("name", ""), tuple(self._globals())),
                TextTable(
                    "Local states", ("name", "line", "values", "remaining code"), tuple(self._locals())
                ),
                *mappings(system),
            ),
        )

    def _globals(self) -> Iterator[tuple[str, str]]:
        for number, name in enumerate(self.system.globals):
            yield visible(name), "initial" if number == self.system.initial else ""

    def _locals(self) -> Iterator[tuple[str, str, str, str]]:
        for local in self.system.locals:
            line = "" if local.line is None else str(local.line)
            yield visible(local.name), line, valuation(local.values), local.code or ""

    def data(self) -> dict[str, object]:
        system = self.system
        entries = name_entries(system)
        return {
            "initial_global": system.globals[system.initial],
            "globals": system.globals,
            "locals": [
                {
                    "name": local.name,
                    "line": local.line,
                    "values": dict(local.values),
                    "code": local.code,
                }
                for local in system.locals
            ],
            "requests": entries["requests"],
            "responses": entries["responses"],
            "steps": len(system.delta),
        }

    def picture(self) -> Picture:
        """Local states in the middle, requests before them and responses after them."""
        system = self.system
        requests = len(system.locals)
        responses = requests + len(system.requests)
        nodes = (
            *(DrawnNode(Role.LOCAL, local_lines(local)) for local in system.locals),
            *(DrawnNode(Role.REQUEST, (visible(name),)) for name in system.requests),
            *(DrawnNode(Role.RESPONSE, (visible(name),)) for name in system.responses),
        )
        steps = (
            (local, target, f"{visible(system.globals[before])} → {visible(system.globals[after])}")
            for local, before, target, after in system.delta
        )
        edges = (
            *(DrawnEdge(requests + request, local) for request, local in system.req),
            *merge_edges(steps),
            *(DrawnEdge(local, responses + response) for local, response in system.resp),
        )
        return Picture(nodes, edges)


def mappings(system: NetworkSystem) -> tuple[TextTable, TextTable]:
    """req and resp."""
    entries = name_entries(system)
    return (
        TextTable("Requests", ("request", "starts at"), show_entries(entries["requests"])),
        TextTable("Responses", ("answers at", "response"), show_entries(entries["responses"])),
    )


def show_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries of a system as rows of a table."""
    return tuple(tuple(map(visible, entry)) for entry in entries)
