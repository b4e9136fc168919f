"""Evidence of the kind `petrified`: formulas about main and all other threads, at most β of each template.
 Claim: no step fails if there are formulas that hold at the start and after every step, with which no fork
finds β threads of its template; and formulas that hold at the start and after every step that keeps to this
bound, with which no step fails. Why: by induction, the first ones show that the bound is kept in every run;
so the second ones hold in every configuration. Formulas are symmetric in threads at the same place; where
no formula is given, it is false.
"""

from collections import Counter
from collections.abc import Iterator

from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.thread_clauses import Actor, Formulas, Scene, Spot
from seriatim.checking.words import counted
from seriatim.program.threads.syntax import Edge, ThreadProgram
from seriatim.terms.expressions import FALSE, Expression


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
        yield formulas.obligation(claim, _Check(program, evidence.bound, formulas, is_bound).run)


class _Check:
    def __init__(self, program: ThreadProgram, bound: int, formulas: Formulas, is_bound: bool) -> None:
        self.program = program
        self.bound = bound
        self.formulas = formulas
        self.is_bound = is_bound
        """Whether forks beyond the bound have to be excluded; otherwise failures."""

    def run(self) -> None:
        """Raises `DoesNotFollow`."""
        formulas = self.formulas
        for place, spots in list(formulas.known):
            for mover in (None, *dict.fromkeys(spots)):
                rest = list(spots)
                if mover is not None:
                    rest.remove(mover)
                for edge in formulas.edges(mover or (self.program.main, place)):
                    self.check_edge(place, mover, edge, rest)

    def check_edge(self, place: int, mover: Spot | None, edge: Edge, rest: list[Spot]) -> None:
        formulas = self.formulas
        alone = formulas.scene(place, mover, edge, None, tuple(rest))
        self.check_failures(alone, edge, after_join=False)
        if alone.step.taken is None:
            self.check_step(alone, edge)
            return
        acting = mover or (self.program.main, place)
        for partner in formulas.partners(acting, edge, dict.fromkeys(rest)):
            left = list(rest)
            left.remove(partner)
            scene = formulas.scene(place, mover, edge, partner, tuple(left))
            self.check_failures(scene, edge, after_join=True)
            self.check_step(scene, edge)

    def known(self, scene: Scene) -> list[Expression]:
        return [*scene.facts, self.formulas.holds(scene.globals, scene.main, scene.threads())]

    def check_failures(self, scene: Scene, edge: Edge, after_join: bool) -> None:
        if not self.is_bound:
            self.formulas.check_failures(self.known(scene), scene, edge, after_join)

    def check_step(self, scene: Scene, edge: Edge) -> None:
        outcome = self.formulas.outcome(scene, edge)
        threads: list[Actor] = [*scene.others, *([outcome.mover] if outcome.mover is not None else [])]
        known = [*self.known(scene), *scene.step.guard]
        if outcome.started is not None:
            count = Counter(each.template for each in threads)[outcome.started.template]
            if count >= self.bound:
                if self.is_bound:
                    what = f"line {edge.span.line}: a fork beyond the bound is not excluded"
                    self.formulas.require(known, FALSE, what)
                return
            threads.append(outcome.started)
        self.formulas.require(
            [*known, *self.formulas.started_ranges(outcome)],
            self.formulas.holds(outcome.globals, outcome.main, threads),
            f"a formula does not hold after a step in line {edge.span.line}",
        )
