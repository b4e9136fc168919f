"""A certificate as a claim for the kernel: the input, and evidence in which nothing is left to be found."""

from seriatim.budget import Deadline
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.reference import Reference, State
from seriatim.export.kernel.commits import commit_text
from seriatim.export.kernel.counting import InSituations, counting_text
from seriatim.export.kernel.names import Names, ProgramNames, SystemNames
from seriatim.export.kernel.runs import folded_run_text, run_text
from seriatim.export.kernel.text import Kind, Text, integers
from seriatim.export.kernel.unexplained import TooManyOrders
from seriatim.frozen import frozen
from seriatim.program.inputs import Input
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Program
from seriatim.properties.serializable import SERIALIZABILITY


class NotCovered(Exception):
    """The kernel has no check for this; says what it is about."""


@frozen
class Claim:
    """What the kernel reads, and what it is expected to say."""

    numbers: tuple[int, ...]
    proves: bool
    """Serializability, or else that the input is not serializable."""
    is_program: bool

    @property
    def text(self) -> str:
        """What the native kernel reads."""
        return " ".join(map(str, self.numbers)) + "\n"

    @property
    def verdict(self) -> str:
        """As the kernel says it."""
        return "serializable" if self.proves else "not_serializable"

    @property
    def statement(self) -> str:
        """What it proves, in the language of Rocq: p and s are the input."""
        subject = "program_ns p" if self.is_program else "system_ns s"
        return f"serializable ({subject})" if self.proves else f"~ serializable ({subject})"


def kernel_claim(certificate: Certificate, content: Input, deadline: Deadline) -> Claim:
    """A claim by a certificate that the checker accepts.

    Raises `NotCovered`; `GaveUp` or `OutOfBudget` if there is too much to explore."""
    if certificate.question != SERIALIZABILITY:
        raise NotCovered(f"the question `{certificate.question.name}`")
    allowance = Allowance(deadline=deadline)
    with deep_recursion():
        text = claim_text(certificate.evidence, content, allowance)
        return Claim(tuple(integers(text)), certificate.evidence.proves, isinstance(content, Program))


def claim_text(evidence: Evidence, content: Input, allowance: Allowance) -> Text:
    if isinstance(content, Program):
        program = ProgramNames(content)
        if isinstance(evidence, AtomicEvidence):
            return program.claim_without_evidence(Kind.ATOMIC)
        return program.claim(*evidence_text(evidence, program.reference, program, allowance))
    system = SystemNames(content)
    return system.claim(*evidence_text(evidence, system.reference, system, allowance))


def evidence_text(
    evidence: Evidence, reference: Reference[State], names: Names[State], allowance: Allowance
) -> tuple[Kind, Text]:
    match evidence:
        case CommitEvidence():
            return Kind.COMMIT, commit_text(reference, evidence, names, allowance)
        case RunEvidence() | FoldedRunEvidence():
            try:
                if isinstance(evidence, RunEvidence):
                    return Kind.RUN, run_text(reference, evidence, names, allowance)
                return Kind.RUN, folded_run_text(reference, evidence, names, allowance)
            except TooManyOrders:
                raise NotCovered("a run with too many serial orders to be listed or counted") from None
        case TreeEvidence():
            try:
                return Kind.TREE, counting_text(reference, evidence, names, allowance)
            except InSituations:
                raise NotCovered("evidence of the kind `tree` with situations") from None
        case _:
            raise NotCovered(f"evidence of the kind `{evidence.kind}`")
