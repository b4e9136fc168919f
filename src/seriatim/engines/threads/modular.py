"""Thread-modular clauses: what holds of main and any k other threads, whatever others do.

Claim: relations that satisfy the clauses hold of every reachable configuration, for main and every choice of
at most k other threads (`seriatim.program.threads.scenes` says what is looked at). No step fails if the
relations exclude it, of main, the mover and the partner. That the relations cannot be found does not mean
that a step fails.
"""

from seriatim.budget import Deadline
from seriatim.certificate.thread_flows import Flow
from seriatim.engines.threads.predicates import FAILS, PredicateClauses
from seriatim.program.threads.scenes import Case, Scene, choices
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.terms.expressions import negation


def modular_clauses(
    program: ThreadProgram, level: int, deadline: Deadline, flows: tuple[Flow, ...] = ()
) -> PredicateClauses:
    """Raises `TooMany`."""
    clauses = PredicateClauses(program, flows)
    done: set[Case] = set()
    size = -1
    while size != len(clauses.keys):
        size = len(clauses.keys)
        for place in sorted({place for place, _ in clauses.keys}):
            for case in clauses.scenes.cases_of_any(place, level, clauses.keys):
                deadline.check()
                if case not in done:
                    done.add(case)
                    _add(clauses, clauses.scenes.scene(case), level)
    clauses.add_symmetry()
    return clauses


def _add(clauses: PredicateClauses, scene: Scene, level: int) -> None:
    """Clauses for every choice of threads after a step, and for what the threads that move may do wrong."""
    known = [clauses.apply(scene.before, chosen) for chosen in choices(scene.threads(), level)]
    if not scene.others:
        clauses.add_failures(scene, known)
    if not scene.is_complete:
        return
    conditions = [*clauses.facts(scene), *scene.conditions]
    for flow in () if scene.others else clauses.flows:
        clauses.rule(known, [*conditions, negation(clauses.scenes.is_kept(flow, scene))], FAILS)
    for chosen in clauses.scenes.groups_after(scene, level):
        clauses.rule(known, conditions, clauses.apply(scene.after, chosen))
