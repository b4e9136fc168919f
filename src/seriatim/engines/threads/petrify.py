"""Petrification: at most β threads of each template at a time, all of them in hand.
 The paper's construction has instances 1 … β of each template; a fork takes a free one, and if there is
none, the program needs more threads. Instances of a template are alike, so predicates speak of how many
threads are where. A thread that starts gets fresh locals: the paper's equation (2) keeps the old ones of an
instance that is used again, which loses runs of the program. When there are too few instances, the run ends
there.
 *Safe* asks whether a step fails with at most β threads of each template; *bound* asks whether a fork finds
β threads of its template. If neither happens, the program is safe, and β bounds its width.
"""

from enum import Enum

from seriatim.budget import Deadline
from seriatim.engines.threads.predicates import FAILS, PredicateClauses
from seriatim.program.threads.scenes import Key, Scene
from seriatim.program.threads.syntax import ThreadProgram


class Asked(Enum):
    SAFE = "safe"
    BOUND = "bound"
    UNION = "union"
    """Both at once."""


def petrify_clauses(program: ThreadProgram, bound: int, asked: Asked, deadline: Deadline) -> PredicateClauses:
    """Raises `TooMany`."""
    clauses = PredicateClauses(program)
    done: set[Key] = set()
    while len(done) < len(clauses.keys):
        for key in [key for key in clauses.keys if key not in done]:
            deadline.check()
            done.add(key)
            for case in clauses.scenes.cases_of_all(*key):
                _add(clauses, clauses.scenes.scene(case), bound, asked)
    clauses.add_symmetry()
    return clauses


def _add(clauses: PredicateClauses, scene: Scene, bound: int, asked: Asked) -> None:
    known = [clauses.apply(scene.before, scene.threads())]
    if asked is not Asked.BOUND:
        clauses.add_failures(scene, known)
    if not scene.is_complete:
        return
    conditions = [*clauses.facts(scene), *scene.conditions]
    if not scene.forks_beyond(bound):
        head = clauses.apply(scene.after, (*scene.others, *scene.after.threads))
        clauses.rule(known, conditions, head)
    elif asked is not Asked.SAFE:
        clauses.rule(known, conditions, FAILS)
