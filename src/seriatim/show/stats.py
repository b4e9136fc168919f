"""Sizes: of the system, of what the closure covers, of what slicing leaves, of the serial automaton."""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.petri.from_system import in_flight
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.report.tables import Page, TextTable
from seriatim.show.labels import count_text
from seriatim.show.serial import SerialView, serial_view
from seriatim.systems.closure import Coverage, closure
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.numbered_system import number_system
from seriatim.systems.slicing import macro_system
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import INITIAL_GLOBAL


@dataclass(frozen=True, slots=True)
class ShownInvariant:
    """sign · (variable − initial) = the sum of the weights of all requests in flight."""

    variable: str
    initial: int
    sign: int
    weights: tuple[tuple[str, int], ...]
    """Local states and their weights, where these are not 0."""

    def equation(self) -> str:
        if self.sign < 0:
            left = f"{self.initial} - {self.variable}"
        else:
            left = f"{self.variable} - {self.initial}" if self.initial else self.variable
        terms = [f"#{local}" if weight == 1 else f"{weight} × #{local}" for local, weight in self.weights]
        return f"{left} = {' + '.join(terms)}"


@dataclass(frozen=True, slots=True)
class StatsView:
    system: NetworkSystem
    covered_pairs: int
    level: int
    invariants: tuple[ShownInvariant, ...]
    macro_steps: int
    serial: SerialView

    def page(self) -> Page:
        system = self.system
        invariants = count_text(len(self.invariants), "invariant") if self.invariants else "no invariants"
        sizes = (
            ("global states", f"{len(system.globals):,}"),
            ("local states", f"{len(system.locals):,}"),
            ("requests", f"{len(system.requests):,}"),
            ("responses", f"{len(system.responses):,}"),
            ("steps", f"{len(system.delta):,}"),
            ("pairs (local, global) covered", f"{self.covered_pairs:,}"),
            ("macro steps after slicing", f"{self.macro_steps:,}"),
            ("states of the serial automaton", f"{len(self.serial.states):,}"),
            ("edges of the serial automaton", f"{len(self.serial.edges):,}"),
        )
        return Page(
            f"Closure of level {self.level}, {invariants}",
            (
                TextTable("Sizes", ("what", "number"), sizes),
                TextTable(
                    "Local states by request",
                    ("request", "local states"),
                    tuple((name, f"{count:,}") for name, count in self._locals_by_request().items()),
                ),
                TextTable(
                    "Invariants (#ℓ: how many requests are at ℓ)",
                    ("equation",),
                    tuple((invariant.equation(),) for invariant in self.invariants),
                ),
            ),
        )

    def _locals_by_request(self) -> dict[str, int]:
        flights = in_flight(self.system)
        return {name: len(locals_) for name, locals_ in zip(self.system.requests, flights, strict=True)}

    def data(self) -> dict[str, object]:
        system = self.system
        return {
            "globals": len(system.globals),
            "locals": len(system.locals),
            "requests": len(system.requests),
            "responses": len(system.responses),
            "steps": len(system.delta),
            "covered_pairs": self.covered_pairs,
            "macro_steps": self.macro_steps,
            "serial": {"states": len(self.serial.states), "edges": len(self.serial.edges)},
            "locals_by_request": self._locals_by_request(),
            "closure": {
                "level": self.level,
                "invariants": [
                    {
                        "variable": invariant.variable,
                        "initial": invariant.initial,
                        "sign": invariant.sign,
                        "weights": dict(invariant.weights),
                    }
                    for invariant in self.invariants
                ],
            },
        }


def stats_view(source: Program | NetworkSystem, limits: Limits, deadline: Deadline) -> StatsView:
    unfolding = unfold(source, limits, deadline)
    coverage = closure(unfolding, limits, deadline)
    macro_steps = sum(map(len, macro_system(unfolding, limits, deadline).table.values()))
    return StatsView(
        number_system(unfolding, coverage).system,
        coverage.pairs(),
        coverage.level,
        _invariants(unfolding, coverage),
        macro_steps,
        serial_view(unfolding, limits, deadline),
    )


def _invariants(unfolding: Origin, coverage: Coverage) -> tuple[ShownInvariant, ...]:
    found = []
    for number, (variable, sign) in enumerate(coverage.potentials.candidates):
        weights = sorted(
            (local_state(unfolding, local).name, weight[number])
            for local, weight in coverage.potentials.weights.items()
            if weight[number]
        )
        initial = unfolding.global_values[INITIAL_GLOBAL][variable]
        found.append(ShownInvariant(unfolding.global_names[variable], initial, sign, tuple(weights)))
    return tuple(found)
