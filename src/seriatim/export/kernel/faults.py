"""Steps that fail, for the kernel: a run to one, or a cover in which no request can fail.

The cover is one of all runs, not only of complete ones. In such runs, requests that could answer may stay in
flight, so the cover has them, too.
"""

from collections.abc import Iterable

from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.in_flight import LEVELS, Invariant
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.cover import Cover, Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import members
from seriatim.export.kernel.covers import CoverText
from seriatim.export.kernel.flight_table import FlightTable
from seriatim.export.kernel.full_reference import FullReference, FullState
from seriatim.export.kernel.names import ProgramNames
from seriatim.export.kernel.runs import SPAWN, act_text, acts_of, any_state, chosen_ways
from seriatim.export.kernel.text import ClaimKind, Text
from seriatim.program.semantics import Configuration, Unbounded, faults, store
from seriatim.program.state import GlobalState


class NeedsMore(Exception):
    """Covers alone do not show that no step fails."""


class LingeringReference(FullReference):
    """Requests stay in flight even where they have nothing left to do but to answer."""

    def is_final(self, state: FullState) -> bool:  # noqa: ARG002 - nowhere
        return False

    def steps(self, state: FullState, global_: GlobalState) -> frozenset[tuple[FullState, GlobalState]]:
        return frozenset() if self.answers(state) else super().steps(state, global_)


def no_fault_text(names: ProgramNames, invariants: tuple[Invariant, ...], allowance: Allowance) -> Text:
    """A claim that no step of the program fails. Raises `NeedsMore` if covers do not show it."""
    flights = Flights(LingeringReference(names.program, names.written), allowance)
    for level in LEVELS:
        cover = close_cover(flights, Precision(level, invariants), is_serial=False, hopeful=None)
        if not can_fail(cover):
            table = FlightTable(names)
            text = CoverText(cover, table).text(lambda _: ())
            return names.claim(ClaimKind.NO_FAULT, (table.text(), text))
    raise NeedsMore


def can_fail(cover: Cover[FullState]) -> bool:
    """Whether a request may fail, according to the cover."""
    flights = cover.flights
    return any(
        next_fails(flights.known[flight][1], flights.globals[global_])
        for (global_, _), here in cover.nodes.items()
        for flight in (*flights.fresh, *members(here))
    )


def next_fails(state: FullState, global_: GlobalState) -> bool:
    assert not isinstance(global_, str), "the global states of programs have values"
    try:
        return bool(faults(Configuration(state[0], state[1], store(dict(global_)))))
    except Unbounded:
        raise GaveUp("one step of a handler takes too long") from None


def fault_run_text(names: ProgramNames, evidence: FaultRunEvidence) -> Text:
    """A claim that some step of the program fails: the moves of a run, and who fails after it."""
    reference = names.reference
    final = evidence.turns[-1].after if evidence.turns else reference.initial
    failing: list[FullState] = []

    def choose(request: int, states: Iterable[FullState]) -> FullState:
        if request != evidence.request:
            return any_state(request, states)
        failing.append(next(state for state in states if next_fails(state, final)))
        return failing[0]

    acts = [
        act
        for turn, before, states in chosen_ways(reference, evidence.turns, choose)
        for act in acts_of(names, turn, before, states)
    ]
    request = names.request(evidence.handler)
    if not failing:
        (fresh,) = reference.fresh(evidence.handler)
        failing.append(fresh)
        acts.append((SPAWN, request, names.local(fresh)))
    who = (request, names.local(failing[0]))
    return names.claim(ClaimKind.FAULT_RUN, ([act_text(act) for act in acts], who))
