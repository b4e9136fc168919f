"""The option `--kernel` of `ser verify`: the kernel confirms what the checker has accepted."""

from dataclasses import dataclass
from typing import Any, Literal, assert_never

import click

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import GaveUp
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.terminal import Terminal
from seriatim.export.kernel.as_written import as_written
from seriatim.export.kernel.claim import NotCovered, kernel_claims
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.lockstep import Differ
from seriatim.export.kernel.runner import KernelFailed, KernelRefused, NoKernel, ask
from seriatim.frontends.protocol import Translation
from seriatim.frontends.reading import BadInput
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program, global_names
from seriatim.properties.serializable import Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.source import Diagnostic, SourceText

kernel_option = click.option(
    "--kernel",
    type=click.Choice([kind.value for kind in KernelKind]),
    help="Have the proved kernel confirm it, too: as a program (native), or in Rocq itself (rocq).",
)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The kernel's answer about a certificate that the checker accepts."""

    kind: KernelKind
    result: Literal["proved", "not_covered", "refused"]
    statement: str | None
    """The statement in question, if there is one."""
    detail: str

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.YES if self.result == "proved" else ExitCode.UNKNOWN

    def fields(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "result": self.result,
            "statement": self.statement,
            "detail": self.detail,
        }

    def show(self, terminal: Terminal, name: str) -> None:
        """Shows the answer to people; `name` is the name of the certificate."""
        match self.result:
            case "proved":
                terminal.say(f"kernel ({self.kind}): proved: {self.statement}\n{self.detail}")
            case "not_covered":
                terminal.say(f"kernel ({self.kind}): not covered by the kernel: {self.detail}\n")
            case "refused":
                message = f"the kernel refuses what the checker has accepted: {self.detail}"
                hint = "one of the two is wrong; please report this, with the certificate and the program"
                terminal.complain(SourceText(name, ""), Diagnostic("SER602", message, hint=hint))
            case _:
                assert_never(self.result)


def confirm(
    kind: KernelKind,
    certificate: Certificate,
    translation: Translation,
    source: SourceText,
    deadline: Deadline,
) -> Confirmation:
    """Asks the kernel about a certificate that the checker accepts; `source` is the text of the program.

    Raises `BadInput` if the kernel is not there, `GaveUp` and `OutOfBudget`."""
    content = translation.content
    try:
        claims = kernel_claims(certificate, content, deadline, as_written(source, content))
    except NotCovered as reason:
        return Confirmation(kind, "not_covered", None, str(reason))
    except Differ as reason:
        detail = f"the program as it is written and in the core language: {reason}"
        return Confirmation(kind, "refused", None, detail)
    statement = " /\\ ".join(claim.statement for claim in claims)
    try:
        for claim in claims:
            answer = ask(kind, claim, deadline)
            if isinstance(answer, KernelRefused):
                return Confirmation(kind, "refused", statement, answer.said)
    except NoKernel as reason:
        hint = "`make proofs` builds it, in a checkout with Coq and OCaml; see docs/kernel.md"
        missing = Diagnostic("SER408", f"the kernel is not there: {reason}", hint=hint)
        raise BadInput(SourceText("--kernel", ""), [missing]) from None
    except KernelFailed as failed:
        raise GaveUp(str(failed)) from None
    is_itself = translation.provenance is None
    input_ = f"s is the network system {'in' if is_itself else 'of the translation of'} {source.name}"
    if isinstance(content, Program):
        is_written = all(claim.is_written for claim in claims)
        input_ = f"p is the syntax tree of {source.name}" + ("" if is_written else IN_THE_CORE)
        input_ += FOR_A_FEW if content.unbounded_handlers else ""
    return Confirmation(kind, "proved", statement, meaning(certificate, content, input_, statement))


IN_THE_CORE = " in the core language"
"""Added if arrays, ranges, locks or calls were expanded."""
FOR_A_FEW = ", with a few of the integers that arguments and indices may be"
"""Added if there are infinitely many requests: a violation needs only some of them."""


def meaning(certificate: Certificate, content: Input, input_: str, statement: str) -> str:
    """Says what the letters of a statement stand for, and what the statement leaves out."""
    is_program = isinstance(content, Program)
    letters = [input_]
    pages = ["Semantics.v", "Program.v" if is_program else "System.v"]
    observed = observed_names(certificate, content)
    if observed is not None:
        pages.append("Observe.v")
        if is_program:
            letters.append(f"xs are the globals {', '.join(observed) or '(none)'}")
            pages.append("Kernel.v")
    if isinstance(certificate.question, StrictSerializability):
        pages.append("Time.v")
    never_fails = "never_fails" in statement
    pages += ["Never.v"] if never_fails else []
    text = f"  {'; '.join(letters)}; proofs/ defines the rest ({', '.join(pages)}).\n"
    if content.can_fail and certificate.evidence.proves and not never_fails:
        text += "  This does not include that no step fails: only the checker has verified that.\n"
    return text


def observed_names(certificate: Certificate, content: Input) -> tuple[str, ...] | None:
    """The globals whose final values count as well; None if none do."""
    question = certificate.question
    if not isinstance(question, Serializability) or not question.observed:
        return None
    if question.observed != "all":
        return question.observed
    return global_names(content) if isinstance(content, Program) else ()
