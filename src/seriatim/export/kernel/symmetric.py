"""Evidence of the kind `symmetric-commit` for the kernel: as commit points, with all images written out.

The kernel knows nothing of symmetries. What the certificate says of one state is said of each of its images;
where these are too many to be listed, the kernel has no check.
"""

from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.cover import Precision
from seriatim.checking.flights import Flights
from seriatim.export.kernel.commits import flights_text
from seriatim.export.kernel.full_reference import FullState
from seriatim.export.kernel.names import ProgramNames
from seriatim.export.kernel.text import Text
from seriatim.program.places import Placed, Places
from seriatim.program.symmetry import Bodies

MOST = 10_000
"""The most visits to nodes that are written out."""


class TooManyImages(Exception):
    """There is too much to list without the symmetry."""


class FlightsWithImages(Flights[FullState]):
    """λ commits all images of what the evidence describes."""

    def __init__(self, names: ProgramNames, evidence: SymmetricCommitEvidence, allowance: Allowance) -> None:
        self._symmetry = evidence.symmetry
        indices, _ = Bodies(names.reference.program).indices(evidence.symmetry)
        self._places = Places(evidence.symmetry, names.reference.requests, indices)
        self._described = {(c.handler, c.code, c.values): c.response for c in reversed(evidence.committed)}
        self._placed: dict[tuple[str, object], Placed] = {}
        super().__init__(names.reference, allowance)

    def _committed(self, request: str, state: FullState) -> str | None:
        code = state[0]
        if (request, code) not in self._placed:
            self._placed[request, code] = self._places.place(request, code)
        values = dict(self.reference.description(state)[1])
        image, permutation = self._places.representative(request, code, self._placed[request, code], values)
        response = self._described.get(image)
        position = None if response is None else self._symmetry.find_answered(request, response)
        return response if position is None else str(self._symmetry.numbers[permutation.index(position)])


def symmetric_commit_text(
    names: ProgramNames, evidence: SymmetricCommitEvidence, allowance: Allowance
) -> Text:
    """Writes what `proofs/Commit.v` checks. Raises `TooManyImages`."""
    try:
        flights = FlightsWithImages(names, evidence, Allowance(MOST, allowance.deadline))
        return flights_text(flights, Precision(1, evidence.invariants), names)
    except GaveUp:
        raise TooManyImages from None
