"""Evidence of the kind `tree` for the kernel: the cover, the places of rows and cuts, and the tree itself.

The kernel builds every row from the cover. It does not compute why the conditions of a cover are exact, but
gets numbers to verify it. Let P be the matrix whose columns are the periods. The conditions are rows A and E
with A·P = I and E·P = 0, and together they are a regular matrix. Its inverse begins with the columns of P;
call the others C. So I = P·A + C·E, and multiplied by a common denominator this is an identity of integers.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from seriatim.arithmetic.linear_sets import Membership
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.serial_paths import SerialPath, SerialStep
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import SerialRuns
from seriatim.checking.cases import Cases
from seriatim.checking.cover import Precision, close_cover
from seriatim.checking.cover_claim import CoverClaim, cover_claim
from seriatim.checking.flights import Flights
from seriatim.checking.reference import Reference, State
from seriatim.checking.tree import ordered_outcome, tree_question
from seriatim.export.kernel.covers import CoverText, prune_texts
from seriatim.export.kernel.flight_table import FlightTable
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import FUEL, Text
from seriatim.export.kernel.trees import Branches, tree_text
from seriatim.program.state import GlobalState

CONTROL, IN_FLIGHT = range(2)


class InSituations(Exception):
    """The evidence tells steps apart by situations, which the kernel does not do."""


def counting_text(
    reference: Reference[State], evidence: TreeEvidence, names: Names[State], allowance: Allowance
) -> Text:
    """The table of flights, then the evidence. Raises `InSituations`."""
    claim = evidence.claim
    if claim.situations is not None:
        raise InSituations
    precision = Precision(claim.level, claim.invariants)
    flights = Flights(reference, allowance)
    table = FlightTable(names)
    prunes, kept = prune_texts(flights, precision, table)
    cover = CoverText(close_cover(flights, precision, is_serial=False, hopeful=kept), table)
    numbers = {flights.globals[node[0]]: number for number, node in enumerate(cover.cover.nodes)}
    proved = proved_claim(reference, evidence, allowance)
    question = tree_question(proved, evidence, allowance)
    cases = Cases(question, allowance)
    completions = tuple(ordered_outcome(proved, evidence))

    entered = sorted(cover.entered())

    def places(states: tuple[GlobalState, ...], ways: tuple[Waiting, ...]) -> list[Text]:
        controls: list[Text] = [(CONTROL, numbers[state]) for state in states if state in numbers]
        there = [flight for flight in entered if any(described(flights, flight, way) for way in ways)]
        return controls + [(IN_FLIGHT, cover.number(flight)) for flight in there]

    rows: list[Text] = [places((state,), ()) for state in evidence.globals]
    rows += [places((), (way,)) for way in evidence.waiting]
    cuts: list[Text] = [(int(cut.kind == "siphon"), places(cut.globals, cut.waiting)) for cut in claim.cuts]
    body = (
        prunes,
        cover.text(lambda node: numbers[flights.globals[node[0]]]),
        rows,
        cuts,
        [completion_text(names, completion) for completion in completions],
        [set_text(names, path, each) for path, each in zip(claim.covers, question.sets, strict=True)],
        tree_text(
            evidence.tree,
            Branches(lambda n: len(cases.outside(n - 1)), lambda n: len(question.clauses[n - 1])),
        ),
        serial_starts(reference, claim.covers, names),
        FUEL,
    )
    return (table.text(), body)


def described(flights: Flights[State], flight: int, way: Waiting) -> bool:
    """Whether a request in flight waits in this way."""
    request, state = flights.known[flight]
    code, values = flights.reference.description(state)
    return (way.handler, way.code) == (request, code) and set(way.values) <= set(values)


def proved_claim(reference: Reference[State], evidence: TreeEvidence, allowance: Allowance) -> CoverClaim:
    """Yields what the checker makes of a certificate that it has accepted."""
    found: list[CoverClaim] = []

    def keep() -> Iterator[object]:
        found.append(
            (yield from cover_claim(reference, evidence.claim, SerialRuns(reference, allowance), allowance))
        )

    for _ in keep():
        pass
    (claim,) = found
    return claim


def completion_text(names: Names[State], completion: tuple[str, str]) -> Text:
    request, response = completion
    return (names.request(request), names.response(request, response))


def set_text(names: Names[State], path: SerialPath, conditions: Membership) -> Text:
    """A serial run with its cycles; the conditions of its outcomes, and why they are exact."""
    cycles: list[Text] = [(names.global_(cycle.at), steps_text(names, cycle.steps)) for cycle in path.cycles]
    equations: list[Text] = [list(row) for row in conditions.equations]
    coordinates: list[Text] = [(list(row), divisor) for row, divisor in conditions.coordinates]
    multiple, remainders = exactness(conditions)
    return (steps_text(names, path.steps), cycles, equations, coordinates, multiple, remainders)


def steps_text(names: Names[State], steps: tuple[SerialStep, ...]) -> list[Text]:
    return [
        (completion_text(names, (step.handler, step.response)), names.global_(step.after)) for step in steps
    ]


def exactness(conditions: Membership) -> tuple[int, list[Text]]:
    """A common denominator, and the columns C multiplied by it."""
    rows = [[Fraction(entry, divisor) for entry in row] for row, divisor in conditions.coordinates]
    rows += [[Fraction(entry) for entry in row] for row in conditions.equations]
    columns = [[row[index] for row in inverse(rows)] for index in range(len(rows))]
    remainders = columns[len(conditions.coordinates) :]
    multiple = lcm(
        *(divisor for _, divisor in conditions.coordinates),
        *(entry.denominator for column in remainders for entry in column),
    )
    return multiple, [[int(entry * multiple) for entry in column] for column in remainders]


def inverse(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """The inverse of a regular matrix, by Gauss and Jordan."""
    size = len(rows)
    wide = [row + [Fraction(int(index == other)) for other in range(size)] for index, row in enumerate(rows)]
    for column in range(size):
        pivot = next(index for index in range(column, size) if wide[index][column] != 0)
        wide[column], wide[pivot] = wide[pivot], wide[column]
        wide[column] = [entry / wide[column][column] for entry in wide[column]]
        for index, row in enumerate(wide):
            if index != column and row[column] != 0:
                wide[index] = [a - row[column] * b for a, b in zip(row, wide[column], strict=True)]
    return [row[size:] for row in wide]


def serial_starts(
    reference: Reference[State], covers: tuple[SerialPath, ...], names: Names[State]
) -> list[Text]:
    """The states from which the requests of serial runs and their cycles run alone."""
    starts: dict[Text, None] = {}
    for cover in covers:
        for state, steps in (
            (reference.initial, cover.steps),
            *((cycle.at, cycle.steps) for cycle in cover.cycles),
        ):
            before = state
            for step in steps:
                starts[names.request(step.handler), names.global_(before)] = None
                before = step.after
    return list(starts)
