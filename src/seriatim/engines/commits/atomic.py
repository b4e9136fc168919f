"""Systems without interleaving to speak of.

Claim: if in the sliced macro system every move answers its request, the system is serializable: complete runs
use moves of that system only, so each request in one is a single step, and the run is serial as it stands.
In terms of commit points: everybody takes effect when answered, and no further closure is needed to see it.
"""

from seriatim.engines.commits.proof import ProvedByCommits
from seriatim.engines.stage import GaveUp
from seriatim.systems.slicing import MacroSystem


def one_step_each(system: MacroSystem) -> ProvedByCommits | GaveUp:
    if not system.is_atomic():
        return GaveUp("some request is answered after a pause")
    return ProvedByCommits(system.coverage, {})
