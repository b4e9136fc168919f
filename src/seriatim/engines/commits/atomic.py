"""Systems without interleaving to speak of.

Claim 1: if no handler yields, the program is serializable: every run is a sequence of whole requests. Claim
2: if in the sliced macro system every move answers its request, the system is serializable: complete runs
use moves of that system only, so each request in one is a single step, and the run is serial as it stands.
In terms of commit points: everybody takes effect when answered, and no further closure is needed to see it.
"""

from seriatim.engines.commits.proof import ProvedByCommits
from seriatim.engines.stage import GaveUp
from seriatim.program.syntax import Program, yields
from seriatim.systems.slicing import MacroSystem


def never_yields(program: Program) -> bool:
    return not any(yields(handler.body) for handler in program.handlers)


def one_step_each(system: MacroSystem) -> ProvedByCommits | GaveUp:
    if not system.is_atomic():
        return GaveUp("some request is answered after a pause")
    return ProvedByCommits(system.coverage, {})
