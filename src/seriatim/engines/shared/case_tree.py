"""Proves by cases, without a solver, that counting allows nothing outside of some covers."""

from seriatim.arithmetic.case_proofs import CaseNode, Question
from seriatim.arithmetic.linear_sets import membership
from seriatim.arithmetic.solvers.case_tree import HasAnswer, find_proof
from seriatim.arithmetic.solvers.simplex import Work
from seriatim.budget import Deadline
from seriatim.engines.shared.covering import Covered, Cut, Relaxation

WORK_PER_QUESTION = 10_000
"""Entries of tableaus for each question that the solver had to answer before: a few times as long as that
took. Proofs that were found needed less than 1,000."""


def case_tree(
    relaxation: Relaxation[Cut], covered: Covered[Cut], deadline: Deadline
) -> tuple[CaseNode, ...] | None:
    """A proof that no counts satisfy the relaxation and the cuts and have an outcome in none of the covers;
    None if it takes too long to find.

    Its first rows are the clauses of the relaxation, each of which has to be a single constraint. Raises
    `OutOfBudget` after the deadline.
    """
    completions = tuple(relaxation.outcome)
    sets = tuple(membership(cover.linear_set(completions)) for cover in covered.covers)
    question = Question(
        variables=relaxation.variables,
        rows=[constraint for clause in relaxation.clauses for constraint in clause],
        clauses=[relaxation.clause(cut) for cut in covered.cuts],
        outcome=tuple(relaxation.outcome.values()),
        sets=sets,
        avoided=range(len(sets)),
    )
    try:
        return find_proof(question, Work(WORK_PER_QUESTION * covered.questions, deadline))
    except HasAnswer:  # The claim is wrong.
        return None
