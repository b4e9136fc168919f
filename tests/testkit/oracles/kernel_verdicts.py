"""What the kernel is asked in tests, and whether it is there."""

from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.deciding.pipeline import Options, decide
from seriatim.export.kernel.claim import kernel_claim
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.runner import ask, is_there
from seriatim.frontends.all import read_input
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from seriatim.systems.limits import Limits

CHECKOUT = Path(__file__).parents[3]
EXAMPLES = sorted((CHECKOUT / "examples").glob("*.ser"))
KEPT = CHECKOUT / "tests" / "golden" / "certificates-0.1.0"
"""Certificates of an earlier version, with their inputs."""

needs_native = pytest.mark.skipif(
    not is_there(KernelKind.NATIVE), reason="there is no native kernel; `make proofs` builds it"
)
needs_rocq = pytest.mark.skipif(
    not is_there(KernelKind.ROCQ), reason="there is no Rocq, or no compiled proofs; `make proofs` builds them"
)


def content_of(path: Path) -> Input:
    return read_input(SourceText(str(path), path.read_text("utf-8")))


def certificate_of(
    content: Input, method: Method = Method.AUTO, question: Property = SERIALIZABILITY
) -> Certificate | None:
    options = Options(Limits(max_states=500), timeout=20, method=method, question=question)
    answer = decide(content, options).answer
    return answer.certificate if isinstance(answer, Holds | Violated) else None


def verdict(certificate: Certificate, content: Input, kind: KernelKind = KernelKind.NATIVE) -> object:
    """What the kernel says of the core."""
    return ask(kind, kernel_claim(certificate, content, Deadline(20)), Deadline(60))
