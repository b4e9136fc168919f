"""Conclusions of engines as verdicts with certificates, which the checker has to accept."""

from typing import assert_never

from seriatim.budget import OutOfBudget, enforced
from seriatim.certificate.certificate import Certificate, Provenance
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp as CheckerGaveUp
from seriatim.checking.verify import verify
from seriatim.deciding.answer import Refutation, Verdict
from seriatim.engines import stage
from seriatim.engines.portfolio import Conclusion
from seriatim.engines.stage import GaveUp, Proof
from seriatim.program.execution import Interpreter
from seriatim.program.inputs import Input, digest
from seriatim.properties.property import Property
from seriatim.result import Holds, Refused, Undecided


def certified(
    conclusion: Conclusion, content: Input, question: Property, origin: Provenance | None
) -> Verdict:
    """A conclusion as a verdict with its certificate. A failing step is one of safety, whatever was asked."""
    match conclusion.answer:
        case Proof(evidence=evidence, reason=reason):
            return Holds(
                Certificate(digest(content), question.verdicts[0], evidence, question, origin), reason
            )
        case stage.Refutation(evidence=evidence) as found:
            violated = question
            if isinstance(found.why, stage.Failing):
                from seriatim.properties.safe import SAFETY

                violated = SAFETY
            certificate = Certificate(digest(content), violated.verdicts[1], evidence, violated, origin)
            return Refutation(certificate, found.run, found.minimality, found.in_flight, found.why)
        case stage.FailingThreads():
            raise AssertionError("requests are not threads")
        case GaveUp(why=why_not, hint=hint):
            return Undecided(
                why_not, hint, conclusion.clean_up_to, conclusion.facts.single_steps, conclusion.obstacle
            )
        case _:
            assert_never(conclusion.answer)


FEW_INTEGERS = (
    "it holds for the few integers that were tried as arguments, but there is no proof for all integers"
)


def about_all_integers(verdict: Verdict, content: Input) -> Verdict:
    """A proof that is about examples of arguments only proves nothing where they may be any integers."""
    if not content.unbounded_handlers or not isinstance(verdict, Holds):
        return verdict
    if verdict.certificate.evidence.kind in ("atomic", "simulation", "symbolic-reduction"):
        return verdict
    return Undecided(FEW_INTEGERS, "give the parameters ranges", 0)


def checked(verdict: Verdict, content: Input, allowance: Allowance) -> Verdict:
    """The verdict, if the checker accepts its certificate."""
    if not isinstance(verdict, Holds | Refutation):
        return verdict
    interpreter = Interpreter()
    context = Context(allowance, big_steps=interpreter.ends, faults=interpreter.faults)
    try:
        with enforced(allowance.deadline):
            report = verify(verdict.certificate, content, context)
    except CheckerGaveUp as gave_up:
        return Undecided(f"an answer was found, but re-checking it was given up: {gave_up}", None, 0)
    except OutOfBudget as out:
        return Undecided(f"an answer was found, but not re-checked: {out.spent}", out.hint, 0)
    except MemoryError:  # The system has less than was allowed.
        return Undecided("an answer was found, but there is too little memory to re-check it", None, 0)
    if report.accepted:
        return verdict
    if report.obligations[-1].code == "no-faults":
        reason = f"a step may fail, and no run shows it: {report.complaint}"
        return Undecided(reason, "declare `wrap` or `saturate`, or test the value first", 0)
    return Refused(verdict.certificate, report)
