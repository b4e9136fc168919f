"""Evidence of the kind `thread-modular`: formulas about main and any k other threads, whatever others do.

Claim: no step fails if the formulas

1. hold at the start, of main alone;
2. are symmetric: threads at the same place can be exchanged;
3. hold of main and at most k threads after a step, if before it they hold of main and any k of those
threads, of the thread that moves and of the one that is joined, as far as they were there;
4. exclude that a step fails, of main and any k of the thread that moves and the one that is joined.

Why: by induction over steps, the formulas hold of main and any choice of at most k other threads in every
configuration. Where main and threads are at places without a formula, it is false. Sums that never change
(`seriatim.checking.thread_flows`) may be used in 3 and 4: they hold in every configuration, and as threads
weigh nothing less than 0, main and some threads weigh at most what is left of the total.
"""

from collections.abc import Iterator

from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.thread_clauses import Formulas
from seriatim.checking.thread_flows import misfits
from seriatim.checking.words import counted
from seriatim.program.threads.scenes import Scene, choices
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.terms.expressions import Expression

INDUCTIVE = "the formulas hold at the start and after every step, and no step fails"


def obligations(
    program: ThreadProgram, evidence: ThreadModularEvidence, context: Context
) -> Iterator[Obligation]:
    formulas = Formulas(program, evidence.predicates, context)
    yield formulas.about_this_program("the formulas are about this program")
    wrong = next((each for flow in evidence.flows for each in misfits(program, flow)), None)
    claim = "sums have their totals at the start, and no thread weighs less than nothing"
    yield unless(wrong, claim, counted(len(evidence.flows), "sum"))
    yield formulas.obligation(INDUCTIVE, _ModularCheck(evidence, formulas).run)


class _ModularCheck:
    def __init__(self, evidence: ThreadModularEvidence, formulas: Formulas) -> None:
        self.level = evidence.level
        self.flows = evidence.flows
        self.formulas = formulas
        self.scenes = formulas.scenes

    def run(self) -> None:
        """Raises `DoesNotFollow`."""
        for place in sorted({place for place, _ in self.formulas.known}):
            for case in self.scenes.cases_of_any(place, self.level, self.formulas.known):
                self.check(self.scenes.scene(case))

    def check(self, scene: Scene) -> None:
        require, line = self.formulas.require, scene.edge.span.line
        known = self.list_known(scene)
        if not scene.others:
            self.formulas.check_failures(known, scene)
        if not scene.is_complete:
            return
        known += scene.conditions
        for flow in () if scene.others else self.flows:
            require(known, self.scenes.is_kept(flow, scene), f"a step in line {line} changes a sum")
        heads = (
            self.formulas.holds(scene.after, each) for each in self.scenes.groups_after(scene, self.level)
        )
        require(known, conjunction(tuple(heads)), f"a formula does not hold after a step in line {line}")

    def list_known(self, scene: Scene) -> list[Expression]:
        return [
            *scene.facts,
            *(self.scenes.is_at_most_total(flow, scene) for flow in self.flows),
            *(self.formulas.holds(scene.before, each) for each in choices(scene.threads(), self.level)),
        ]
