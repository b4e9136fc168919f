"""The steps of a network system, one a row, and its mappings req and resp (paper, Figure 10)."""

from dataclasses import dataclass

from seriatim.explain.names import visible
from seriatim.program.network_system import NetworkSystem
from seriatim.program.system_printer import name_entries
from seriatim.report.tables import Page, TextTable
from seriatim.show.labels import count_text
from seriatim.show.ns import mappings, show_entries


@dataclass(frozen=True, slots=True)
class DeltaView:
    system: NetworkSystem

    def page(self) -> Page:
        header = ("local", "global", "", "local'", "global'")
        rows = tuple(
            (local, before, "→", target, after)
            for local, before, target, after in show_entries(name_entries(self.system)["transitions"])
        )
        initial = self.system.globals[self.system.initial]
        heading = f"δ: {count_text(len(rows), 'step')}; the initial global state is {visible(initial)}"
        return Page(heading, (TextTable("Steps", header, rows), *mappings(self.system)))

    def data(self) -> dict[str, object]:
        return {"initial_global": self.system.globals[self.system.initial], **name_entries(self.system)}
