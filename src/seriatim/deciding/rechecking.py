"""Re-checks the evidence of results that come from a worker or an earlier run.

Claim: whatever such a result says, after this its verdict is right. A verdict is believed because of its
certificate alone: that is checked against the input as it is translated here, and has to answer the question
that was asked here. Violations are repeated on the real thing here, as `decide_about` does. The words around
a verdict, such as "a shortest run", come from the writer of the result.
"""

from dataclasses import replace
from time import monotonic

from seriatim.actions.syntax import ActionProgram
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate, Provenance
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.expected import Expected
from seriatim.checking.obligation import Obligation, Report
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.checking.verify import GaveUp, verify
from seriatim.deciding.sources import USUAL, compare, compare_threads, confirm, question_about
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.protocol import (
    COMPARED,
    ActionTranslation,
    AnyTranslation,
    ThreadTranslation,
    Translation,
)
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.property import Property
from seriatim.properties.safe import SAFETY
from seriatim.properties.sequential import SEQUENTIAL
from seriatim.properties.statement import NeverFails, NeverStuck, OfThreads
from seriatim.result import Faulty, Holds, Result, Violated
from seriatim.source import InputError, SourceText


class Unfounded(Exception):
    """A result answers another question, or its evidence does not hold here."""


def recheck(
    result: Result,
    source: SourceText,
    translation: AnyTranslation,
    asked: Property,
    deadline: Deadline,
    replay: bool = True,
) -> Result:
    """The same result, with the time of the re-check. Raises `Unfounded` or `OutOfBudget`."""
    began = monotonic()
    question = find_question(result, translation, asked)
    if result.source != source or result.property not in (question, asked):
        raise Unfounded("it is about something else")
    answer = result.answer
    if isinstance(answer, Holds | Violated):
        holds, fails = question.verdicts
        expected = Expected(holds if isinstance(answer, Holds) else fails, question)
        believe(answer.certificate, translation, expected, deadline)
        known = None if isinstance(translation, ActionTranslation) else translation.provenance
        if without_comparison(answer.certificate.provenance) != known:
            raise Unfounded("its evidence names another source")
    elif isinstance(answer, Faulty):
        believe(answer.certificate, translation, Expected(SAFETY.verdicts[1], SAFETY), deadline)
    for each in result.also:
        if isinstance(each.answer, Holds):
            expected = Expected(each.property.verdicts[0], each.property)
            believe(each.answer.certificate, translation, expected, deadline)
    if result.stuck is not None:
        stuck = Expected(DEADLOCK_FREEDOM.verdicts[1], DEADLOCK_FREEDOM)
        believe(result.stuck.certificate, translation, stuck, deadline)
    if isinstance(translation, ThreadTranslation):
        result = compare_threads(replace(result, confirmation=None), translation, replay, deadline)
    if isinstance(answer, Holds | Violated) and isinstance(translation, Translation):
        result = compare(result, answer, translation, deadline, replay)
    if isinstance(result.answer, Violated) and isinstance(translation, Translation):
        result = confirm(replace(result, confirmation=None), result.answer, translation, deadline, replay)
    seconds = round(monotonic() - began, 6)
    return replace(result, seconds=seconds, stages={"re-check": seconds})


def find_question(result: Result, translation: AnyTranslation, asked: Property) -> Property:
    """The question that is decided about such a source where this one is asked."""
    match translation:
        case ThreadTranslation():
            if isinstance(asked.states(), NeverFails | NeverStuck | OfThreads):
                return asked
            return result.property if result.property in USUAL else SAFETY
        case ActionTranslation():
            return SEQUENTIAL
        case Translation():
            return question_about(translation, asked)


def without_comparison(provenance: Provenance | None) -> Provenance | None:
    """Where an input comes from, without what its model was compared with: that is compared again."""
    if provenance is None:
        return None
    return replace(provenance, settings=tuple(each for each in provenance.settings if each[0] != COMPARED))


def believe(
    certificate: Certificate,
    translation: AnyTranslation,
    expected: Expected,
    deadline: Deadline,
) -> None:
    """Checks a certificate about this input. Raises `Unfounded` if the checker does not accept it."""
    context = Context(Allowance(deadline=deadline))
    try:
        if isinstance(translation, ActionTranslation):
            report = verify_actions(certificate, translation.content, expected, deadline)
        else:
            report = verify(certificate, translation.content, context, expected=expected)
    except GaveUp as gave_up:
        raise Unfounded(f"re-checking its evidence was given up: {gave_up}") from None
    except OutOfBudget as out:
        raise Unfounded(f"its evidence was not re-checked: {out.spent}") from None
    if not report.accepted:
        raise Unfounded(f"its evidence is refused: {report.complaint}")


def verify_actions(
    certificate: Certificate, program: ActionProgram, expected: Expected, deadline: Deadline
) -> Report:
    """Asks the checker about a certificate of an asynchronous program."""
    if certificate.verdict != expected.verdict:
        return Report((Obligation(f"it proves {expected.verdict}", False, "it proves something else"),))
    try:
        return verify_sequential(certificate, program, read_proof, (SolverName.Z3,), deadline)
    except InputError as error:
        reason = error.diagnostics[0].message
        return Report((Obligation("its proof is about this program", False, reason),))
