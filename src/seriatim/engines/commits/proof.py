"""What a proof by commit points consists of."""

from seriatim.frozen import frozen
from seriatim.systems.closure import Coverage


@frozen
class ProvedByCommits:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commits.engine`."""

    coverage: Coverage
    """What can be in flight."""
    committed: dict[int, int]
    """The locals of requests that have taken effect and are not answered yet, with their completions."""
