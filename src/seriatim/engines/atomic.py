"""Systems without interleaving to speak of.

Claim 1: if no handler yields, the program is serializable: every run is a sequence of whole requests. Claim
2: if in the sliced macro system every move answers its request, the system is serializable: complete runs
use moves of that system only, so each request in one is a single step, and the run is serial as it stands.
In terms of commit points: everybody takes effect when answered, and no further closure is needed to see it.
"""

from seriatim.engines.shared.answer import GaveUp, ProvedAtomic, ProvedByCommits
from seriatim.program.syntax import Program, yields
from seriatim.systems.slicing import MacroSystem


def without_yields(program: Program) -> ProvedAtomic | GaveUp:
    if any(yields(handler.body) for handler in program.handlers):
        return GaveUp("some handler yields")
    return ProvedAtomic()


def one_step_each(system: MacroSystem) -> ProvedByCommits | GaveUp:
    if not system.is_atomic():
        return GaveUp("some request is answered after a pause")
    return ProvedByCommits(system.coverage, {})
