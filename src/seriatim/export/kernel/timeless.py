"""Evidence of the kind `timeless` for the kernel: which orders are fixed, and where late requests can be.

A cover has each node once for the time before the first answer of a completion that has to come second, and
once for the time after it, then with all flights of requests that may have begun after such an answer.
"""

from collections.abc import Iterable, Iterator

from seriatim.certificate.timeless import TimelessEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion, SerialRuns
from seriatim.checking.cover import Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.reference import Reference, State
from seriatim.checking.timeless import fixed_completions, late_flights
from seriatim.closure import closure
from seriatim.export.kernel.covers import CoverText
from seriatim.export.kernel.flight_table import FlightTable
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import FUEL, Text
from seriatim.program.state import GlobalState


def timeless_text(
    reference: Reference[State], evidence: TimelessEvidence, names: Names[State], allowance: Allowance
) -> Text:
    """Writes what `proofs/Timeless.v` checks, besides the proof without time."""
    first, second = fixed_completions(reference, allowance)
    precision = Precision(evidence.level, evidence.invariants)
    cover = close_cover(Flights(reference, allowance), precision, is_serial=False, hopeful=None)
    table = FlightTable(names)
    written = CoverText(cover, table)
    nodes = late_nodes(written, late_flights(cover, second, allowance))
    orders = [names.global_(state) for state in serial_states(reference, allowance)]
    body = (completions_text(first, names), completions_text(second, names), orders, FUEL)
    return (table.text(), body, written.heading(), nodes)


def completions_text(completions: Iterable[Completion], names: Names[State]) -> list[Text]:
    return [
        (names.request(request), names.response(request, answer)) for request, answer in sorted(completions)
    ]


def serial_states(reference: Reference[State], allowance: Allowance) -> list[GlobalState]:
    """The global states between requests that run one after the other."""
    serial = SerialRuns(reference, allowance)

    def after(state: GlobalState) -> Iterator[GlobalState]:
        return (then for request in reference.requests for _, then in serial.after(state, request))

    return list(closure([serial.initial], after))


def late_nodes(written: CoverText[State], flights: Iterable[tuple[int, int]]) -> list[Text]:
    """All nodes before such an answer, then all that can come after one.

    The late flights of a global state are those of each of its nodes, also where the cover excludes some: the
    kernel asks that who is late stays late."""
    cover = written.cover
    late: dict[int, set[int]] = {}
    for flight, global_ in flights:
        late.setdefault(global_, set()).add(flight)
    before = [written.node(node, (0,)) for node in cover.nodes]
    after: list[Text] = []
    for node in cover.nodes:
        if node[0] in late:
            here = [written.number(flight) for flight in sorted(late[node[0]])]
            after.append(written.node(node, (1, here)))
    return [*before, *after]
