"""Evidence of the kind `commit` for the kernel: nodes with the serial states of the commits so far."""

from seriatim.certificate.commit import CommitEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Node, Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import members
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.reference import Reference, State
from seriatim.export.kernel.covers import CoverText, prune_texts
from seriatim.export.kernel.flight_table import FlightTable
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import FUEL, Text


def commit_text(
    reference: Reference[State], evidence: CommitEvidence, names: Names[State], allowance: Allowance
) -> Text:
    """The table of flights, then the evidence. Raises `DoesNotFollow` if it proves nothing."""
    flights = Flights(reference, allowance, evidence.committed)
    return flights_text(flights, Precision(evidence.level, evidence.invariants), names)


def flights_text(flights: Flights[State], precision: Precision, names: Names[State]) -> Text:
    """The same for flights that know which of them are committed."""
    table = FlightTable(names)
    prunes: list[Text] = []
    try:
        cover = CoverText(close_cover(flights, precision, is_serial=True, hopeful=None), table)
    except DoesNotFollow:
        prunes, kept = prune_texts(flights, precision, table)
        cover = CoverText(close_cover(flights, precision, is_serial=True, hopeful=kept), table)

    def serial(node: Node) -> list[Text]:
        return [names.global_(flights.states[state]) for state in sorted(node[1])]

    body = (cover.text(serial), serial_starts(cover, names), FUEL)
    committed: list[Text] = [
        (table.number(flights.known[flight]), names.response(flights.known[flight][0], response))
        for flight, response in enumerate(flights.committed)
        if response is not None
    ]
    return (table.text(), committed, prunes, body)


def serial_starts(cover: CoverText[State], names: Names[State]) -> list[Text]:
    """The states from which committing requests run alone."""
    flights = cover.flights
    starts: dict[Text, None] = {}
    for (global_, serial), here in cover.cover.nodes.items():
        for flight in (*flights.fresh, *members(here)):
            request = names.request(flights.known[flight][0])
            for target, _ in flights.steps(flight, global_):
                counts = isinstance(target, str) or cover.counts(target)
                if counts and flights.commit(flight, target) is not None:
                    starts.update(((request, names.global_(flights.states[state])), None) for state in serial)
    return list(starts)
