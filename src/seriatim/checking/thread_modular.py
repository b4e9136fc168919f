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
from itertools import combinations, combinations_with_replacement

from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.thread_clauses import Actor, Formulas, Outcome, Scene, Spot
from seriatim.checking.thread_flows import misfits, weight
from seriatim.checking.words import counted
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Edge, ThreadProgram, writes
from seriatim.terms.expressions import Constant, Expression, apply

INDUCTIVE = "the formulas hold at the start and after every step, and no step fails"


def obligations(
    program: ThreadProgram, evidence: ThreadModularEvidence, context: Context
) -> Iterator[Obligation]:
    formulas = Formulas(program, evidence.predicates, context)
    yield formulas.about_this_program("the formulas are about this program")
    wrong = next((each for flow in evidence.flows for each in misfits(program, flow)), None)
    claim = "sums have their totals at the start, and no thread weighs less than nothing"
    yield unless(wrong, claim, counted(len(evidence.flows), "sum"))
    yield formulas.obligation(INDUCTIVE, _Check(program, evidence, formulas).run)


class _Check:
    def __init__(self, program: ThreadProgram, evidence: ThreadModularEvidence, formulas: Formulas) -> None:
        self.program = program
        self.level = evidence.level
        self.formulas = formulas
        self.flows = evidence.flows

    def run(self) -> None:
        """Raises `DoesNotFollow`."""
        formulas = self.formulas
        for place in sorted({place for place, _ in formulas.known}):
            spots = sorted({each[0] for at, each in formulas.known if at == place and len(each) == 1})
            for mover in (None, *spots):
                for edge in formulas.edges(mover or (self.program.main, place)):
                    self.check_edge(place, mover, edge, spots)

    def check_edge(self, place: int, mover: Spot | None, edge: Edge, spots: list[Spot]) -> None:
        formulas = self.formulas
        alone = formulas.scene(place, mover, edge, None, ())
        formulas.check_failures(self.known(alone), alone, edge, after_join=False)
        partners: list[Spot | None] = [None]
        if alone.step.taken is not None:
            partners = list(formulas.partners(mover or (self.program.main, place), edge, spots))
        for partner in partners:
            if partner is not None:
                joined = formulas.scene(place, mover, edge, partner, ())
                formulas.check_failures(self.known(joined), joined, edge, after_join=True)
            moving = tuple(each for each in (mover, partner) if each is not None)
            for size in range(self.level + 1):
                for others in combinations_with_replacement(spots, size):
                    if self.is_possible(place, (*others, *moving)):
                        self.check_step(formulas.scene(place, mover, edge, partner, others), edge)

    def is_possible(self, place: int, threads: tuple[Spot, ...]) -> bool:
        """Otherwise what is known is false, and everything follows."""
        return all(
            (place, tuple(sorted(chosen))) in self.formulas.known
            for chosen in combinations(threads, min(self.level, len(threads)))
        )

    def known(self, scene: Scene) -> list[Expression]:
        threads = scene.threads()
        spots = [each.spot for each in threads]
        sums = [
            apply(
                "<=", weight(flow, scene.globals, self.program, scene.main.place, spots), Constant(flow.total)
            )
            for flow in self.flows
        ]
        return [
            *scene.facts,
            *sums,
            *(
                self.formulas.holds(scene.globals, scene.main, chosen)
                for chosen in combinations(threads, min(self.level, len(threads)))
            ),
        ]

    def check_sums(self, scene: Scene, outcome: Outcome, edge: Edge) -> None:
        """The mover, main and the partner weigh the same after a step, together with the globals."""
        before = [each.spot for each in (scene.mover, scene.partner) if each is not None]
        after = [each.spot for each in (outcome.mover, outcome.started) if each is not None]
        for flow in self.flows:
            kept = apply(
                "==",
                weight(flow, scene.globals, self.program, scene.main.place, before),
                weight(flow, outcome.globals, self.program, outcome.main.place, after),
            )
            what = f"a step in line {edge.span.line} changes a sum"
            self.formulas.require([*self.known(scene), *scene.step.guard], kept, what)

    def check_step(self, scene: Scene, edge: Edge) -> None:
        outcome = self.formulas.outcome(scene, edge)
        changes = any(name in self.program.types for action in edge.actions for name in writes(action))
        heads: list[Expression] = []
        movers: tuple[list[Actor], ...] = ([],) if outcome.mover is None else ([], [outcome.mover])
        starts: tuple[list[Actor], ...] = ([],) if outcome.started is None else ([], [outcome.started])
        for mover in movers:
            for started in starts:
                chosen = [*scene.others, *mover, *started]
                is_same = outcome.mover is not None and not (mover or started or changes)
                if len(chosen) <= self.level and not is_same:
                    heads.append(self.formulas.holds(outcome.globals, outcome.main, chosen))
        if not scene.others:
            self.check_sums(scene, outcome, edge)
        ranges = self.formulas.started_ranges(outcome)
        where = f"line {edge.span.line}"
        self.formulas.require(
            [*self.known(scene), *scene.step.guard, *ranges],
            conjunction(tuple(heads)),
            f"a formula does not hold after a step in {where}",
        )
