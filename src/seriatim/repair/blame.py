"""Blame: the smallest sets of yields without which a program is serializable, within a budget.

Nothing but yields makes a program not serializable: without any, requests run one at a time anyway. And to
drop more of them never hurts (`seriatim.repair.yields`), so the minimal sets tell all.
"""

from seriatim.deciding.pipeline import Options
from seriatim.explain.explanation import Blame
from seriatim.program.syntax import Program
from seriatim.repair.candidate import Change
from seriatim.repair.repairs import MAX_DROPPED
from seriatim.repair.search import repairs

MAX_SETS = 20
SECONDS = 5.0


def blame(program: Program, text: str) -> Blame:
    """The sets that can be dropped from a program that is not serializable and whose text this is."""
    found = repairs(program, text, Options(timeout=SECONDS), MAX_SETS, frozenset({Change.DROP}))
    sets = tuple(tuple(place.span.line for place in places) for places in found.list_blamed())
    return Blame(len(found.yields), sets, MAX_DROPPED, found.decided, found.is_cut, SECONDS)
