"""Evidence of the kind `chains`: however a complete run goes, its outcome is in a cover.

`docs/theory/chains.md` has the claim of each step of the proof and why it holds. The checker builds every
structure that a step is about by itself, from the moves and the steps before it (`chains_structure`,
`chains_cases`). What is to be shown of counts (`chains_counts`) follows from a proof by cases that is found
on the spot and checked (`cases`); else it is for solvers to say. The checker goes through the proof with a
stack of its own, so that no proof is too deep for it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import assert_never

from seriatim.arithmetic.case_proofs import Question
from seriatim.arithmetic.formula import Clause, Constraint, Form, at_least, at_most, total
from seriatim.arithmetic.linear_sets import outside
from seriatim.arithmetic.solvers.case_tree import HasAnswer, find_proof
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.simplex import Work
from seriatim.certificate.chain_counts import Counts
from seriatim.certificate.chain_proofs import (
    ChainNode,
    Counted,
    Fixed,
    Layered,
    NoRuns,
    OutsideCover,
    Situated,
)
from seriatim.certificate.chains import ChainEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.cases import check_cases
from seriatim.checking.chains_cases import split_into_cases
from seriatim.checking.chains_counts import LevelCounts
from seriatim.checking.chains_moves import check_moves
from seriatim.checking.chains_structure import (
    ProofStep,
    Structure,
    copy_level,
    fix_values,
    follow_chain,
    require_number,
    root,
)
from seriatim.checking.covers import check_covers, memberships
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming
from seriatim.checking.outcomes import NO_SOLVER, answers
from seriatim.checking.posing import Task
from seriatim.checking.words import counted, outcome_words

OWN_WORK = 100_000
"""Entries of tableaus to calculate for a question before a solver is asked: a fraction of a second."""

COVERED = "however a complete run goes, its outcome is in a cover"

Region = frozenset[tuple[int, int]]
"""(cover, part of what is outside of it): the outcomes that are in each of these parts."""

Claim = tuple[Structure, Region, ChainNode]
"""Every run of the structure with an outcome in the region has an outcome in a cover; and its proof."""

RULES: dict[type[ChainNode], str] = {
    NoRuns: "no-runs",
    Counted: "counted",
    Situated: "situated",
    Layered: "layered",
    Fixed: "fixed",
    OutsideCover: "outside-cover",
}


def obligations(task: Task[ChainEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of covers, moves and the proof, in this order; each relies on those before it.

    Raises `GaveUp` if none of the solvers finds out about a question."""
    evidence, allowance = task.evidence, task.context.allowance
    yield check_covers(task.asked.words, evidence.covers, allowance)
    yield check_moves(task.asked.counted, evidence, allowance)
    yield Proof(evidence, allowance, task.context.solvers).obligation()


class Proof:
    """The proof of evidence whose covers and moves are all right."""

    def __init__(
        self, evidence: ChainEvidence, allowance: Allowance, solvers: tuple[SolverName, ...]
    ) -> None:
        self.evidence = evidence
        self.allowance = allowance
        self.solvers = solvers
        self.places = len(evidence.waiting)
        self.sets = memberships(evidence.covers, evidence.completions, allowance)
        self.said: list[ProofStep] = []
        """The steps so far."""
        self.questions = 0
        self.own = 0
        """The number of questions that needed no solver."""
        self.confirmed: Counter[SolverName] = Counter()
        """How many questions each solver has confirmed."""
        self.gave_up: dict[SolverName, str] = {}
        """The first reason of each solver that gave up."""

    def obligation(self) -> Obligation:
        self.follow()
        used = Counter(step.rule for step in self.said)
        steps = ", ".join(f"{used[rule]:,} {rule}" for rule in RULES.values() if used[rule])
        asked = f"{self.own:,} of {counted(self.questions, 'question')} settled without a solver"
        confirmed = (f"{name} confirms {number:,}" for name, number in self.confirmed.items())
        detail = "; ".join((f"a proof in steps: {steps}", asked, *confirmed, *self.gave_up.values()))
        return Obligation(COVERED, True, detail, tuple(self.said), tuple(self.confirmed), tuple(self.gave_up))

    def follow(self) -> None:
        """Follows the proof. Raises `DoesNotFollow` if a step is wrong; numbers steps as certificates do."""
        self.allowance.spend(len(self.evidence.globals) + len(self.evidence.moves))
        whole = root(len(self.evidence.globals), self.evidence.moves)
        pending: list[tuple[str, Iterator[Claim]]] = [("", iter([(whole, frozenset(), self.evidence.proof)]))]
        while pending:
            where, claims = pending[-1]
            with claiming(COVERED, where):
                claim = next(claims, None)
            if claim is None:
                pending.pop()
                continue
            structure, _, step = claim
            number, rule = len(self.said), RULES[type(step)]
            self.said.append(ProofStep(number, rule, structure.nodes, len(structure.edges), step))
            pending.append((f"step {number} of the proof (`{rule}`) ", self.needed(*claim)))

    def needed(self, structure: Structure, region: Region, step: ChainNode) -> Iterator[Claim]:
        """Verifies a step, except for the claims that it rests on, which it yields."""
        self.allowance.spend()
        if isinstance(step, NoRuns) != (structure.nodes == 0):
            raise DoesNotFollow(
                "is about a structure that has runs"
                if structure.nodes
                else "is about a structure without runs, where only `no-runs` is a proof"
            )
        match step:
            case NoRuns():
                return
            case Counted(counts=counts, chains=chains):
                self.require_chains(self.level_counts(structure, counts), region, step)
                for chain in chains:
                    part = follow_chain(structure, counts.levels, chain.bridges, self.allowance)
                    yield part, region, chain.proof
            case Situated(proof=proof):
                yield split_into_cases(structure, step, self.places, self.allowance), region, proof
            case Layered(counts=counts, proof=proof):
                levels = self.level_counts(structure, counts)
                layers = copy_level(structure, step, self.allowance)
                self.require_times(levels, region, step)
                yield layers, region, proof
            case Fixed(counts=counts, proof=proof):
                levels = self.level_counts(structure, counts)
                fixed = fix_values(structure, step, self.allowance)
                self.require_values(levels, region, step)
                yield fixed, region, proof
            case OutsideCover(cover=cover, parts=parts):
                require_number(cover, len(self.sets), "cover")
                if len(parts) != self.parts_outside(cover):
                    raise DoesNotFollow(f"has {counted(len(parts), 'part')}, not {self.parts_outside(cover)}")
                yield from ((structure, region | {(cover, n)}, part) for n, part in enumerate(parts))
            case _:
                assert_never(step)

    def level_counts(self, structure: Structure, counts: Counts) -> LevelCounts:
        return LevelCounts(structure, counts, self.places, self.allowance)

    def parts_outside(self, cover: int) -> int:
        """How many parts there are outside of a cover."""
        nothing = [Form(())] * len(self.evidence.completions)
        return sum(1 for _ in outside(self.sets[cover], nothing, count().__next__))

    def require_chains(self, counts: LevelCounts, region: Region, step: Counted) -> None:
        """Counts use all bridges of one of the chains, or have an outcome in a cover."""
        leaving_out: list[Clause] = []
        for chain in step.chains:
            self.allowance.spend(1 + len(chain.bridges) // 10)
            for bridge in chain.bridges:
                require_number(bridge, len(counts.structure.edges), "edge")
            leaving_out.append(tuple(at_most(total([bridge]), 0) for bridge in chain.bridges))
        everything = range(len(self.sets))
        self.require_none(counts, region, leaving_out, everything, "in no chain and in no cover")

    def require_times(self, counts: LevelCounts, region: Region, step: Layered) -> None:
        """No counts of the edges add up to more than is said, if anything is."""
        if step.times is not None:
            more = at_least(total(frozenset(step.edges)), step.times + 1)
            self.require_none(counts, region, [(more,)], (), f"with more than {step.times:,} of these edges")

    def require_values(self, counts: LevelCounts, region: Region, step: Fixed) -> None:
        """Counts that use the bridge lead to one of the tuples."""
        for place in step.places:
            require_number(place, self.places, "place")
        level = counts.level_after(step.edge)
        forms = [counts.entry(level, place) for place in step.places]
        clauses: list[Clause] = [(at_least(total([step.edge]), 1),)]
        for numbers in step.values:
            self.allowance.spend(1 + sum(len(form.terms) for form in forms) // 10)
            clauses.append(tuple(differs(forms, numbers)))
        self.require_none(counts, region, clauses, (), "with other numbers after this edge")

    def require_none(
        self, counts: LevelCounts, region: Region, clauses: list[Clause], avoided: Sequence[int], such: str
    ) -> None:
        """No counts in the region satisfy the clauses as well, and have an outcome in no set to avoid."""
        if not all(clauses):
            return  # Nothing satisfies a clause without alternatives.
        question = Question(
            variables=len(counts.structure.edges),
            rows=tuple(counts.rows()),
            clauses=(*counts.clauses(), *clauses),
            outcome=counts.outcome(len(self.evidence.completions)),
            sets=self.sets,
            avoided=avoided,
            region=region,
        )
        self.questions += 1
        try:
            if self.is_proved(question):
                self.own += 1
                return
        except HasAnswer as answer:
            outcome = (form.value(answer.values) for form in question.outcome)
            raise self.wrong("there is", outcome, such) from None
        if not self.solvers:
            raise DoesNotFollow(f"has a question: {NO_SOLVER}")
        found = answers(question, self.allowance, self.solvers)
        if found.found is not None:
            name, vector = found.found
            raise self.wrong(f"{name} finds", vector, such)
        self.confirmed.update(found.confirmed)
        self.gave_up = {**found.gave_up, **self.gave_up}

    def is_proved(self, question: Question) -> bool:
        """Whether a proof by cases is found, and right. Nobody has to trust the method that finds it."""
        nodes = find_proof(question, Work(OWN_WORK, self.allowance.deadline))
        try:
            check_cases(question, nodes or (), self.allowance)
        except DoesNotFollow:
            return False
        return True

    def wrong(self, who: str, outcome: Iterable[int], such: str) -> DoesNotFollow:
        words = outcome_words(zip(self.evidence.completions, outcome, strict=True))
        return DoesNotFollow(f"is wrong: {who} {words}, {such}")


def differs(forms: Iterable[Form], numbers: Iterable[int]) -> Iterator[Constraint]:
    """One of these holds if not all forms have these values."""
    for form, number in zip(forms, numbers, strict=True):
        yield at_most(form, number - 1)
        yield at_least(form, number + 1)
