"""What a proof by commit points consists of."""

from seriatim.certificate.commit import CommittedState
from seriatim.frozen import frozen
from seriatim.program.symmetry import Symmetry
from seriatim.systems.closure import Coverage
from seriatim.systems.potential import Candidate


@frozen
class ProvedByCommits:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commits.engine`."""

    coverage: Coverage
    """What can be in flight."""
    committed: dict[int, int]
    """The locals of requests that have taken effect and are not answered yet, with their completions."""


@frozen
class ProvedBySymmetry:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commits.orbits`."""

    symmetry: Symmetry
    candidates: tuple[Candidate, ...]
    """The invariants that hold."""
    committed: tuple[CommittedState, ...]
    """Those who have taken effect and are not answered yet, one of each orbit."""
    orbits: int
    """Of pairs of a request in flight and a global state."""
