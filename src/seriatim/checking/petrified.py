"""Evidence of the kind `petrified`: formulas about main and all other threads, at most β of each template.

Claim: no step fails if there are formulas that hold at the start and after every step, with which no fork
finds β threads of its template; and formulas that hold at the start and after every step that keeps to this
bound, with which no step fails. Why: by induction, the first ones show that the bound is kept in every run;
so the second ones hold in every configuration. Formulas are symmetric in threads at the same place; where
no formula is given, it is false.
"""

from collections.abc import Iterator

from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.thread_clauses import Formulas
from seriatim.checking.words import counted
from seriatim.program.threads.scenes import Scene
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.terms.expressions import FALSE


def obligations(
    program: ThreadProgram, evidence: PetrifiedEvidence, context: Context
) -> Iterator[Obligation]:
    bounded = f"there are never more than {counted(evidence.bound, 'thread')} of a template"
    for predicates, claim, is_bound in (
        (evidence.bounded, bounded, True),
        (evidence.safe, "no step fails with so many threads", False),
    ):
        formulas = Formulas(program, predicates, context)
        yield formulas.about_this_program(f"formulas are about this program, to show that {claim}")
        yield formulas.obligation(claim, _NetCheck(evidence.bound, formulas, is_bound).run)


class _NetCheck:
    def __init__(self, bound: int, formulas: Formulas, is_bound: bool) -> None:
        self.bound = bound
        self.formulas = formulas
        self.is_bound = is_bound
        """Whether forks beyond the bound have to be excluded; otherwise failures."""

    def run(self) -> None:
        """Raises `DoesNotFollow`."""
        scenes = self.formulas.scenes
        for key in self.formulas.known:
            for case in scenes.cases_of_all(*key):
                self.check(scenes.scene(case))

    def check(self, scene: Scene) -> None:
        known = [*scene.facts, self.formulas.holds(scene.before, scene.threads())]
        line = scene.edge.span.line
        if not self.is_bound:
            self.formulas.check_failures(known, scene)
        if not scene.is_complete:
            return
        known += scene.conditions
        if not scene.forks_beyond(self.bound):
            after = self.formulas.holds(scene.after, (*scene.others, *scene.after.threads))
            self.formulas.require(known, after, f"a formula does not hold after a step in line {line}")
        elif self.is_bound:
            what = f"line {line}: a fork beyond the bound is not excluded"
            self.formulas.require(known, FALSE, what)
