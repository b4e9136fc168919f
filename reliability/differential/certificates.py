"""The checker accepts what engines have found, and nothing that somebody has made up.

Whatever is accepted has to agree with what is known: a certificate is never accepted for the verdict that an
accepted one, or enumeration, rules out.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from differential.contradiction import Contradiction
from differential.facts import Facts
from differential.forgeries import forgeries
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.frontends.certificates import read_certificate
from seriatim.method import Method
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Holds, Result, Violated

CHECK_STATES = 20_000


def certificates(facts: Facts) -> Iterator[Contradiction]:
    genuine = certificates_of(facts.decision(method) for method in Method)
    for certificate in genuine:
        yield from rechecked(certificate, facts)
    is_serializable = known_verdict(facts)
    if is_serializable is not None:
        yield from forged(facts, SERIALIZABILITY, is_serializable, genuine)


def known_verdict(facts: Facts) -> bool | None:
    """By enumeration, or by a certificate that was accepted."""
    if facts.enumerated is not None and facts.enumerated.fewest() is not None:
        return False
    match [answer for answer in (True, False) if answer in map(facts.says, Method)]:
        case [answer]:
            return answer
        case _:
            return None


def certificates_of(decisions: Iterable[Result]) -> list[Certificate]:
    verdicts = (decision.answer for decision in decisions)
    found = (each.certificate for each in verdicts if isinstance(each, Holds | Violated))
    return list(dict.fromkeys(found))


def forged(
    facts: Facts, question: Property, is_so: bool, genuine: Sequence[Certificate]
) -> Iterator[Contradiction]:
    """Forgeries that the checker accepts, although they are for the wrong answer to a question."""
    holds, fails = question.verdicts
    wrong = fails if is_so else holds
    for certificate in forgeries(facts, question, is_so, genuine, Random(facts.subject.text)):
        if certificate.verdict == wrong and accepted(certificate, facts):
            yield Contradiction(f"the checker accepts that it is {wrong}", write(certificate))


def accepted(
    certificate: Certificate, facts: Facts, solvers: tuple[SolverName, ...] = (SolverName.Z3,)
) -> bool | None:
    """None if the checker gives up."""
    deadline = Deadline(facts.effort.seconds)
    try:
        context = Context(Allowance(CHECK_STATES, deadline), solvers)
        return verify(certificate, facts.content, context).accepted
    except (GaveUp, OutOfBudget):
        return None


def rechecked(certificate: Certificate, facts: Facts) -> Iterator[Contradiction]:
    """Written and read it is the same, and the language's own definition, or another solver, confirms it."""
    kind = type(certificate.evidence).__name__
    if read_certificate(write(certificate)) != certificate:
        yield Contradiction(f"{kind} is written as something else", write(certificate))
    if accepted(certificate, facts) is False:
        yield Contradiction(f"{kind} is accepted by the fast interpreter alone", write(certificate))
    by_solver = isinstance(certificate.evidence, CoverEvidence)
    if by_solver and accepted(certificate, facts, (SolverName.CVC5,)) is False:
        yield Contradiction("the solvers contradict one another", write(certificate))
